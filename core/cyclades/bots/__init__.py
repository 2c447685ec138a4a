"""A mechanical player: ``greedy`` offers for a purpose, expands, defends, and builds towards metropolises.

It is given the view of its seat and the list of its moves, and looks one decision ahead: each move gets a
worth in gold, the best is made. What is legal it knows from the list alone.
"""

from __future__ import annotations

from typing import Any

from kleos.core.cyclades.bots import battles, creatures, offerings, turns
from kleos.core.cyclades.bots.eyes import Eyes, seen
from kleos.core.cyclades.bots.judge import Judges
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Legal
from kleos.core.kernel.visibility import Builtin

_JUDGES: Judges = {**offerings.JUDGES, **turns.JUDGES, **creatures.JUDGES, **battles.JUDGES}


def greedy(view: Builtin, legal: tuple[Legal[Any], ...], seat: int, chance: Chance) -> Any:
    """The move that looks best; among equals, one drawn by chance."""
    eyes = Eyes(seen(view), seat)
    choices = [_JUDGES[type(each.move)](eyes, each) for each in legal]
    best = max(worth for worth, _ in choices)
    equals = [move for worth, move in choices if worth == best]
    return equals[chance.pick(len(equals))] if len(equals) > 1 else equals[0]


__all__ = ["greedy"]
