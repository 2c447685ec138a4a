"""How strong an army is (rule 5): pure arithmetic on an army; it knows no phase and no other seat."""

from __future__ import annotations

from typing import Final

from kleos.core.iliad.cards import STRENGTH
from kleos.core.iliad.state import Army

RIDING: Final = 2
"""A rider counts this many times its strength on foot."""
_CHARIOT: Final = STRENGTH["chariot"]
_ARCHER: Final = STRENGTH["archer"]


def strength(army: Army) -> int:
    """A line counts the sum of its values times its length, riders count twice, engines nothing."""
    total = army.archers * _ARCHER + army.chariots * _CHARIOT + army.hero
    for line in army.lines:
        total += sum(line) * len(line)
    for riders in army.elephants:
        for rider in riders:
            total += RIDING * STRENGTH[rider]
    return total
