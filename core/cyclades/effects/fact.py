"""What every fact of Cyclades is: something that happened, and what it makes of a state."""

from __future__ import annotations

from typing import ClassVar

from kleos.core.cyclades.state import State
from kleos.core.kernel.game import Effect


class Fact(Effect, frozen=True, kw_only=True):
    """Base of the effects of Cyclades. It has no choices, no chance and no refusals."""

    def applied(self, state: State) -> State:
        """The state after the fact. Open decisions are closed and opened here too."""
        raise NotImplementedError


class KnownFact(Fact, frozen=True, kw_only=True):
    """Base of the facts without news: all but dice, draws and deals, and what comes to light of a purse."""

    news: ClassVar[bool] = False
