"""The table of Iliad as a picture: everything in sight is on it, and nothing else.

``python -m tests.core.iliad.test_picture`` in the root of the project keeps the picture of today.
"""

from collections import Counter
from pathlib import Path

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import CARDS, NAME
from kleos.core.iliad.state import State
from kleos.core.kernel import EVERYTHING, SPECTATOR, KeyedChance, Pictured, Viewer, redact
from kleos.core.kernel.playout import playout
from tests.core.drawings import SVG, drawn, golden, public, read, written
from tests.core.iliad.notation import position, seat

FILE = Path(__file__).with_name("picture.svg")
A, B = 0, 1
assert isinstance(GAME, Pictured)
PICTURE = GAME.picture


def table() -> State:
    mine = seat("4-3 El[h3,a] Ho{h2} c a a / h1 h1 w", victories=("city_3",), penalties=("thanatos_2",))
    theirs = seat("ba ca w / h4 h4", passed=True, hero=3, revealed=("archer",))
    return position(mine, theirs, "4", agamemnon=A, athena=B, discards=("chariot", "wall"))


def test_the_picture_is_the_one_that_people_looked_at() -> None:
    golden(FILE, PICTURE(redact(table(), Viewer(A)), A))


def test_every_card_in_sight_is_on_the_picture() -> None:
    words = Counter(written(PICTURE(redact(table(), Viewer(A)), A)))
    kinds = {"hoplite": 7, "archer": 4, "elephant": 1, "chariot": 1, "ballista": 1, "catapult": 1, "wall": 2}
    assert {kind: words[kind] for kind in kinds} == kinds
    assert (words["trojan"], words["hand"]) == (1, 3)
    for label in ("City 1", "City 3", "Thanatos -2", "Odysseus 3", "Agamemnon", "Athena"):
        assert words[label] >= 1, label
    state = table()
    decks = f"army {len(state.deck)}, victory {len(state.victory_deck)}, oracle {len(state.oracle_deck)}"
    assert words[f"Decks: {decks}. Discards: chariot, wall."] == 1


def test_what_is_hidden_lies_face_down() -> None:
    for eyes in (Viewer(B), SPECTATOR):
        picture = PICTURE(redact(table(), eyes), eyes.seat)
        assert Counter(written(picture))["hoplite"] == 4 + 2 * (eyes.seat == B)
        assert "0: 1 hidden" in written(picture)
        assert [each.get("class") for each in read(picture).iter(f"{SVG}rect")].count("back") == 1
    assert 'class="back' not in PICTURE(redact(table(), EVERYTHING), None)


def test_every_card_can_be_drawn() -> None:
    for card in CARDS:
        picture = PICTURE(redact(position("/", "", discards=(card,)), SPECTATOR))
        assert any(NAME[card] in line for line in written(picture))


@pytest.mark.parametrize("seats", GAME.seats)
def test_whatever_changes_in_sight_changes_the_picture(seats: int) -> None:
    """Bot against bot, by a fixed seed: each step that a spectator can tell from the last looks different."""
    fortune, whim = (KeyedChance(f"{seats}/{use}".encode()) for use in ("fortune", "whim"))
    start = GAME.open(GAME.settle(GAME.Options(), seats), seats, fortune).state
    before, picture = None, ""
    for count, step in enumerate(playout(GAME, start, [GAME.bots["random"]] * seats, fortune, whim)):
        view = redact(step.after, SPECTATOR)
        seen = public(view, "starter", "choosing", "ranking", "unwon", "winner")
        if seen != before and count % 3 == 0:
            latest = drawn(PICTURE(view))
            assert latest != picture
            before, picture = seen, latest
        if count > 150:
            break


if __name__ == "__main__":
    golden(FILE, PICTURE(redact(table(), Viewer(A)), A), write=True)


def test_once_the_match_is_over_nobody_is_marked_as_the_one_to_play() -> None:
    view = redact(table(), SPECTATOR)
    assert ('class="now"' in PICTURE(view), 'class="now"' in PICTURE(view, over=True)) == (True, False)
    assert not any("to play" in line for line in written(PICTURE(view, over=True)))
