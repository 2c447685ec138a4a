"""The data file of the map is checked on load: every invariant names its own breach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from kleos.core.cyclades.board import Board, Start, boards, check

SMALL = boards()["small"]


def with_land(**changes: Any) -> Board:
    return replace(SMALL, lands=(replace(SMALL.lands[0], **changes), *SMALL.lands[1:]))


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda: with_land(prosperity=1), "cornucopias"),
        (lambda: with_land(site=frozenset({2})), "metropolis site"),
        (lambda: with_land(cells=("A1",)), "two places"),
        (lambda: replace(SMALL, coasts={**SMALL.coasts, "S1": ()}), "no coast"),
        (lambda: replace(SMALL, prosperous=frozenset({"B1"})), "on land"),
        (lambda: replace(SMALL, starts={3: SMALL.starts[3][:2]}), "start positions"),
        (lambda: started(("S1", "S2"), ("C2", "B2")), "income"),
        (lambda: started(("S1", "S7"), ("C2", "B2")), "beside"),
        (lambda: replace(SMALL, neighbours={**SMALL.neighbours, "A1": (), "B2": (), "A2": ()}), "connected"),
        (lambda: replace(SMALL, seas=(*SMALL.seas[1:],)), "connected"),
    ],
)
def test_a_misprint_is_named(spoil: Callable[[], Board], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check(spoil())


def started(islands: tuple[str, str], fleets: tuple[str, str]) -> Board:
    start = Start(islands, fleets)
    return replace(SMALL, starts={1: (start,)})


def test_islands_must_not_touch() -> None:
    moved = replace(SMALL.lands[0], cells=("C2",))
    seas = tuple("B1" if space == "C2" else space for space in SMALL.seas)
    neighbours = {**SMALL.neighbours, "B1": SMALL.neighbours["C2"]}
    with pytest.raises(ValueError, match="touch"):
        check(replace(SMALL, lands=(moved, *SMALL.lands[1:]), seas=seas, neighbours=neighbours))
