"""How a decision is carried out, and how one is described: a move, where it is listed, what it leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kleos.core.cyclades.effects import AnyEffect, evolve
from kleos.core.cyclades.moves import AnyMove
from kleos.core.cyclades.state import State
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Legal, Unfolding


class Play(Unfolding[State, AnyEffect]):
    """A decision being carried out, with the chance it may need."""

    __slots__ = ("before", "chance")

    def __init__(self, state: State, chance: Chance) -> None:
        super().__init__(evolve, state)
        self.before = state
        """The state in which the decision was made."""
        self.chance = chance


Moves = Iterator[Legal[AnyMove]]


class Option(NamedTuple):
    """A kind of move that a frame offers.

    ``lists`` gives its legal moves in a state, ``makes`` carries a legal one out. There is no other test
    of legality than being listed.
    """

    move: type[Any]
    lists: Callable[[State, Any], Moves]
    makes: Callable[[Play, Any, Any], None]


def some(move: AnyMove, field: str, most: int) -> Legal[AnyMove]:
    """A move whose ``field`` may be any number from its own, 1 or more, to ``most``."""
    if most == 1:
        return Legal(move)
    least = getattr(move, field)
    return Legal(move, {field: (least, most)}) if least < most else Legal(move)
