"""Cyclades keeps the laws of the kernel, for every number of players and in both presets."""

from __future__ import annotations

from typing import Any

import pytest

from kleos.core.cyclades import GAME
from kleos.core.kernel.conform import Report, check
from tests.core.cyclades.conservation import census, dealt_anew

PRESETS: tuple[dict[str, Any], ...] = ({"preset": "sheet"}, {"preset": "rulebook"})
REVEALS = {"creature_drawn", "row_dealt"}
"""The effects by which hidden cards and tiles come to light."""
LAWS = (
    "acceptance",
    "census",
    "declarations",
    "effects",
    "encodings",
    "fallbacks",
    "lists",
    "non_interference",
    "out_of_turn",
    "outcomes",
    "refusals",
    "replays",
    "sides",
    "turns",
    "unchanged",
    "views",
    "words",
)


def examined(**settings: Any) -> Report:
    return check(GAME, census=census, reveals=REVEALS, rearrange=dealt_anew, **settings)


@pytest.mark.parametrize("seats", GAME.seats)
def test_cyclades_keeps_the_laws(seats: int) -> None:
    examined(seats=[seats], options=PRESETS, matches=3, every=25).demand(*LAWS)


def test_the_options_beside_the_presets_keep_the_laws() -> None:
    others = {"retreat_to_neutral": True, "polyphemus_blockade": False, "fates": "repeat", "max_cycles": 15}
    examined(seats=[3, 4], options=[others], matches=2, every=30).demand(*LAWS)
