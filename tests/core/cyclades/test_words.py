"""The table and the map in words: enough to play from a terminal, and the same in the rules.

``python -m tests.core.cyclades.test_words`` in the root of the project writes the maps of the rules anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kleos.core.cyclades import GAME, chart
from kleos.core.cyclades.board import Board, board_for, boards
from kleos.core.cyclades.effects import BattleEnded, OfferingsPaid, RevenueCollected
from kleos.core.cyclades.state import Turn
from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer, redact
from tests.core.cyclades.positions import A, B, land, position

DOCUMENT = Path(__file__).parents[3] / "docs/rules/cyclades.md"
START, STOP = "## The maps\n", "## Where each rule lives\n"


def map_pages() -> str:
    """The section of the rules that lists the three boards."""
    lines = [
        START,
        "Islands: slots (in brackets those under the metropolis site), printed cornucopias, the seas around.",
        f"Seas: the {chart.KEY}.",
    ]
    for board in boards().values():
        seats = " or ".join(str(seats) for seats in sorted(board.starts))
        lines += ["", f"**The {board.name} board**, for {seats} players", ""]
        lines += ["| island | slots | cornucopias | seas |", "|---|---|---|---|"]
        for each in board.lands:
            around = " ".join(board.coasts[each.id])
            lines.append(f"| {each.id} | {each.slots} ({len(each.site)}) | {each.prosperity} | {around} |")
        lines += ["", *(f"- {row}" for row in chart.seas(board))]
    return "\n".join([*lines, "", ""])


def spoken_neighbours(board: Board) -> Iterator[tuple[str, str]]:
    for space, around in re.findall(r"(\w+)\*? \(([^)]*)\)", "\n".join(chart.seas(board))):
        for near in around.split():
            yield space, near


def test_the_maps_of_the_rules_are_those_of_the_data() -> None:
    assert map_pages() in DOCUMENT.read_text()


@pytest.mark.parametrize("board", boards().values(), ids=lambda board: board.name)
def test_every_pair_of_seas_that_touch_is_spoken_once_from_either_side(board: Board) -> None:
    pairs = [(space, near) for space in board.seas for near in board.neighbours[space]]
    assert sorted(spoken_neighbours(board)) == sorted(pairs)
    assert set(re.findall(r"(\w+)\*", "\n".join(chart.seas(board)))) == board.prosperous


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_table_names_every_coast_and_every_sea(seats: int) -> None:
    lines = GAME.table(redact(position(seats), SPECTATOR)).splitlines()
    board = board_for(seats)
    for island in board.lands:
        line = next(line for line in lines if line.startswith(f"  {island.id}: "))
        assert line.endswith(f"seas {' '.join(board.coasts[island.id])}")
    assert {f"  {row}" for row in chart.seas(board)} <= set(lines)


def test_slots_are_told_by_what_is_built_and_what_is_free() -> None:
    islands = {
        "S5": land(A, 2, {1: "port"}),
        "S7": land(B, 1, {3: "temple"}, metropolis=True),
    }
    text = GAME.table(redact(position(2, islands=islands), SPECTATOR))
    told = {line[2:4]: line.split("; seas")[0].split("; ")[1:] for line in text.splitlines()}
    off, site = (len(slots) for slots in board_for(2).slots["S5"])
    assert (off, site) == (1, 2)
    assert told["S5"] in (
        ["built: port", "free slots: 2 under the site"],
        ["built: port under the site", "free slots: 1 and 1 under the site"],
    )
    assert told["S7"][0] == "metropolis"
    assert "under the site" not in " ".join(told["S7"])


def test_ones_own_seat_is_marked_where_one_looks_with_its_eyes() -> None:
    state = position(3)
    for seat in (A, B):
        text = GAME.table(redact(state, Viewer(seat)), seat)
        assert re.findall(r"Seat (\d) \(you\)", text) == [str(seat)]
    for nobody in (SPECTATOR, EVERYTHING):
        assert "(you)" not in GAME.table(redact(state, nobody))


def test_gold_of_all_is_told_seat_by_seat() -> None:
    revenue, paid = RevenueCollected(gold=(2, 0)), OfferingsPaid(gold=(7, 3))
    assert GAME.tell(redact(revenue, SPECTATOR)) == "Revenue: seat 0 takes 2, seat 1 takes 0."
    assert GAME.tell(redact(paid, SPECTATOR)) == "The offerings are paid: seat 0 pays 7, seat 1 pays 3."


@pytest.mark.parametrize(
    ("place", "winner", "said"),
    [
        ("S7", B, "Seat 1 holds S7."),
        ("S7", None, "Nobody is left: S7 stays with its owner."),
        ("L12", None, "Nobody is left: L12 stays with its owner."),
        ("E4", None, "Nobody is left: E4 is empty."),
    ],
)
def test_who_holds_a_place_after_a_battle_is_told_as_the_rules_have_it(
    place: str, winner: int | None, said: str
) -> None:
    assert GAME.tell(redact(BattleEnded(place=place, winner=winner), SPECTATOR)) == said


if __name__ == "__main__":
    before, _, rest = DOCUMENT.read_text().partition(STOP)
    DOCUMENT.write_text(before.partition(START)[0] + map_pages() + STOP + rest)


def test_once_the_match_is_over_it_is_nobodys_turn_whatever_the_state_says() -> None:
    view = redact(position(2, frames=(Turn(0, "ares"),)), SPECTATOR)
    lines = GAME.table(view).splitlines()
    assert lines[-1].startswith("To decide: seat ")
    assert GAME.table(view, over=True).splitlines() == [
        f"Cyclades, cycle {view['cycle']}, over",
        *lines[1:-1],
    ]
