"""The table of Cyclades as a picture: everything in sight is on it, and nothing else.

``python -m tests.core.cyclades.test_picture`` in the root of the project keeps the picture of today.
"""

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from kleos.core.cyclades import GAME
from kleos.core.cyclades.board import board_for
from kleos.core.cyclades.state import Battle, Bid, State, Turn, Worship
from kleos.core.kernel import EVERYTHING, SPECTATOR, Pictured, Viewer, redact
from tests.core.cyclades.matches import match
from tests.core.cyclades.positions import A, B, C, land, position
from tests.core.drawings import SVG, drawn, golden, public, read, written

FILE = Path(__file__).with_name("picture.svg")
assert isinstance(GAME, Pictured)
PICTURE = GAME.picture


def table() -> State:
    state = position(
        3,
        islands={
            "S1": land(A, 2, {1: "port"}, prosperity=1),
            "S5": land(B, 3, {1: "temple"}, metropolis=True, spent=(0, 1)),
            "S7": land(C, 0, {1: "fortress", 4: "university"}),
        },
        fleets={"B2": (A, 2), "F1": (B, 4)},
        gold=(7, 11, 13),
        priests=(1, 0, 2),
        philosophers=(0, 3, 0),
        figures={"minotaur": ("S7", C)},
        frames=(Turn(B, "ares"), Battle(A, "S1", B, A, 5)),
        kraken="K2",
        track=("sylph", None, "harpy"),
        discard=("giant",),
        order=(C, B, A),
        finished=(C,),
        revenue=(2, 3, 4),
    )
    return replace(state, bids=(Bid("ares", B, 14), Bid("poseidon", A, 3)), apollo=(Worship(1, C),))


def test_the_picture_is_the_one_that_people_looked_at() -> None:
    golden(FILE, PICTURE(redact(table(), Viewer(A)), A))


@pytest.mark.parametrize("seats", GAME.seats)
def test_every_island_and_every_sea_is_on_the_map_once(seats: int) -> None:
    words = Counter(written(PICTURE(redact(position(seats), SPECTATOR))))
    board = board_for(seats)
    assert {words[name] for name in (*board.seas, *board.place)} == {1}
    hexagons = read(PICTURE(redact(position(seats), SPECTATOR))).iter(f"{SVG}polygon")
    kinds = Counter(each.get("class") for each in hexagons)
    assert kinds["sea"] == len(board.seas)
    assert kinds["land"] == sum(land.slots for land in board.lands)


def test_everything_that_lies_on_the_table_is_on_the_picture() -> None:
    words = written(PICTURE(redact(table(), Viewer(A)), A))
    assert {"P", "T", "F", "U", "Minotaur", "Kraken", "Sylph", "Harpy", "none", "+1"} <= set(words)
    assert f"Deck: {len(table().deck)}. Discarded: Giant" in words
    assert "Seat 0 to decide: battle in S1: seat 1 with 5 against seat 0" in words
    assert {"offers 14 (10+ and 4)", "offers 3", "Seat 0 (you)"} <= set(words)
    assert [words[words.index(f"Seat {seat}") + 1 :][:7] for seat in (B, C)] == [
        ["?", "1", "0", "3", "0", "4", "3"],
        ["?", "0", "2", "0", "8", "8", "4"],
    ]


def test_gold_is_on_it_only_for_whoever_may_count_it() -> None:
    gold = {"7", "11", "13"}
    for eyes, seen in ((Viewer(B), {"11"}), (SPECTATOR, set()), (EVERYTHING, gold)):
        words = written(PICTURE(redact(table(), eyes), eyes.seat))
        holdings = {words[each + 1] for each, word in enumerate(words) if word.startswith("Seat ")}
        assert holdings & gold == seen


def test_a_metropolis_takes_the_place_of_its_site() -> None:
    found = {}
    for metropolis in (False, True):
        state = position(3, islands={"S5": land(B, 1, metropolis=metropolis)})
        classes = [each.get("class") for each in read(PICTURE(redact(state, SPECTATOR))).iter()]
        found[metropolis] = classes.count("site"), classes.count("city")
    (sites, none), (fewer, one) = found[False], found[True]
    assert (none, one, sites - fewer) == (0, 1, len(board_for(3).land("S5").site))


@pytest.mark.parametrize("seats", GAME.seats)
def test_whatever_changes_in_sight_changes_the_picture(seats: int) -> None:
    """Bot against bot, by a fixed seed: each step that a spectator can tell from the last looks different."""
    before, picture = None, ""
    for step in islice(match(["random"] * seats, "sheet", "picture"), 0, 600, 7):
        view = redact(step.after, SPECTATOR)
        seen = public(view, "frames", "order", "queue")
        if seen != before:
            latest = drawn(PICTURE(view))
            assert latest != picture
            before, picture = seen, latest


@pytest.mark.parametrize("markers", [1, 9, 16])
def test_cornucopias_and_markers_do_not_lie_over_each_other(markers: int) -> None:
    state = position(3, islands={"S1": land(A, 1, {}, prosperity=markers)})
    boxes = [
        each
        for each in read(PICTURE(redact(state, SPECTATOR))).iter(f"{SVG}rect")
        if each.get("class") == "horn"
    ]
    places = {
        (float(each.get("x", "")), float(each.get("y", "")), float(each.get("width", ""))) for each in boxes
    }
    pairs = [(one, other) for one in places for other in places if one < other and one[1] == other[1]]
    assert any(one[2] != other[2] for one, other in pairs), "a cornucopia beside a marker"
    assert all(one[0] + one[2] < other[0] for one, other in pairs)


if __name__ == "__main__":
    golden(FILE, PICTURE(redact(table(), Viewer(A)), A), write=True)


def test_once_the_match_is_over_nobody_is_marked_as_the_one_to_decide() -> None:
    view = redact(replace(table(), frames=(Turn(B, "ares"),)), SPECTATOR)
    assert ('class="now"' in PICTURE(view), 'class="now"' in PICTURE(view, over=True)) == (True, False)
    assert not any("to decide" in line for line in written(PICTURE(view, over=True)))
