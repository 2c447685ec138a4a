"""How strong an army is, and what one card adds to it (rule 5).

Pure arithmetic; it knows no phase and no other seat.
"""

from __future__ import annotations

from typing import Final

from kleos.core.iliad.cards import STRENGTH, Card
from kleos.core.iliad.state import Army, Line

RIDING: Final = 2
"""A rider counts this many times its strength on foot."""


def strength(army: Army) -> int:
    """A line counts the sum of its values times its length, riders count twice, engines nothing."""
    total = army.archers * STRENGTH["archer"] + army.chariots * STRENGTH["chariot"] + army.hero
    for line in army.lines:
        total += sum(line) * len(line)
    for riders in army.elephants:
        for rider in riders:
            total += riding(rider)
    return total


def riding(card: Card) -> int:
    """What a card counts on an elephant; alone it counts its own ``STRENGTH``."""
    return RIDING * STRENGTH[card]


def behind(line: Line, value: int) -> int:
    """What a hoplite of ``value`` adds behind ``line``: itself, once more each, and every card before it."""
    return sum(line) + value * (len(line) + 1)
