"""Why a move is not legal: the rule it breaks, and what would have been right."""

from __future__ import annotations

from kleos.core.cyclades.moves import AnyMove
from kleos.core.cyclades.state import State
from kleos.core.kernel.errors import Illegal


def refusal(state: State, seat: int, move: AnyMove) -> Illegal:
    return Illegal(f"{move} is not legal now", rule="cyclades.9.1", seat=seat)
