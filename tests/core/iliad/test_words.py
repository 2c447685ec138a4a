"""Iliad in plain words: what a terminal prints and a screen reader reads."""

from typing import Any

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.effects import TileAwarded
from kleos.core.iliad.moves import (
    Arrange,
    Attack,
    Choose,
    Discard,
    Extend,
    Hide,
    IliadMove,
    Mount,
    Pass,
    Place,
)
from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer, redact
from tests.core.iliad.notation import after, position, seat, unfold

A, B = 0, 1


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (Place("elephant"), "place elephant"),
        (Extend("hoplite_3", (4,)), "place hoplite 3 behind the 4"),
        (Extend("hoplite_2", (4, 3)), "place hoplite 2 behind the line 4-3"),
        (Mount("archer", ("hoplite_3",)), "put archer on the elephant carrying hoplite 3"),
        (Mount("archer", ()), "put archer on the elephant carrying nobody"),
        (Hide("hoplite_4", 1), "hide hoplite 4 in horse 1"),
        (Attack("archer", B, "hoplite_4", line=(4,)), "attack the hoplite 4 of seat 1 with the archer"),
        (
            Attack("chariot", B, "hoplite_3", source="hand", line=(4, 3)),
            "attack the hoplite 3 of the line 4-3 of seat 1 with the chariot from the hand",
        ),
        (
            Attack("archer", B, "archer", source="elephant", mount=("archer",)),
            "attack the archer of seat 1 with the archer from the elephant carrying archer",
        ),
        (
            Attack("ballista", B, "elephant", riders=("hoplite_4",)),
            "attack the elephant carrying hoplite 4 of seat 1 with the ballista",
        ),
        (
            Attack("catapult", B, "trojan_horse", horse=0),
            "attack the trojan horse 0 of seat 1 with the catapult",
        ),
        (Pass(), "pass"),
        (Arrange(), "place all revealed cards as strongly as possible"),
        (Choose("city_3"), "take City 3"),
        (Choose("helen"), "take Helen"),
        (Discard("wall"), "discard wall"),
    ],
)
def test_moves_are_said_as_short_phrases(move: IliadMove, said: str) -> None:
    assert GAME.say(redact(move, Viewer(A), kind=GAME.Move, owner=A)) == said


def test_hidden_cards_are_told_as_hidden() -> None:
    assert (
        GAME.say(redact(Hide("hoplite_4", 0), SPECTATOR, kind=GAME.Move, owner=A))
        == "hide a hidden card in horse 0"
    )
    _, effects = unfold(position("Ho{} / h4", ""), A, Hide("hoplite_4", 0))
    assert GAME.tell(redact(effects[0], Viewer(B))) == "Seat 0 hides a hidden card in horse 0."
    assert GAME.tell(redact(effects[0], Viewer(A))) == "Seat 0 hides hoplite 4 in horse 0."


def told(effects: Any) -> list[str]:
    return [GAME.tell(redact(effect, SPECTATOR)) for effect in effects]


def test_the_end_of_a_siege_reads_as_a_story() -> None:
    state = after(
        position("4-3 / a", "3", "", row=("helen",), deck=(), discards=()), (A, Pass()), (B, Pass())
    )
    _, effects = unfold(state, 2, Pass())
    assert told(effects) == [
        "Seat 2 passes.",
        "Patroclus (1) joins seat 2.",
        "Armies: seat 0 17, seat 1 5, seat 2 1.",
        "Seat 0 wins the siege. Victory cards: seat 0.",
    ]


def test_the_table_is_plain_text_that_names_everything_in_sight() -> None:
    mine = seat("4-3 El[h3,a] Ho{h2} c a / h1 h1 w", hero=0, victories=("city_3",), penalties=("thanatos_2",))
    state = position(mine, seat("ba / h4 h4", passed=True, hero=3), "", agamemnon=A)
    assert GAME.table(redact(state, Viewer(A)), A).splitlines() == [
        "Siege 1, Thanatos -1: seat 0 to play",
        "  row        City 1",
        "  heroes     Patroclus 1, Menelaus 2",
        "  decks      army 60, victory 19, oracle 6",
        "  discards   none",
        "",
        "Seat 0 (you): score 2, strength 26, 3 in hand",
        "  lines      4-3",
        "  archers    1",
        "  elephants  [hoplite 3, archer]",
        "  chariots   1",
        "  horses     0: 1 hidden (hoplite 2)",
        "  trophies   City 3, Thanatos -2, Agamemnon",
        "  hand       2 x hoplite 1, wall",
        "",
        "Seat 1: score 0, strength 3, 2 in hand, passed",
        "  hero       Odysseus 3",
        "  ballistas  1",
        "",
        "Seat 2: score 0, strength 0, 0 in hand",
    ]


def test_the_table_shows_others_no_hidden_card() -> None:
    state = position("Ho{h2} / h1", "")
    for viewer in (Viewer(B), SPECTATOR):
        text = GAME.table(redact(state, viewer))
        assert "hoplite" not in text
        assert "1 hidden" in text
    assert "hand       hoplite 1" in GAME.table(redact(state, EVERYTHING))


def test_the_end_of_the_game_is_told_with_its_winners() -> None:
    state = after(position("", "", unwon=3), (A, Pass()))
    state, effects = unfold(state, B, Pass())
    assert told(effects)[-1] == "Seat 0, seat 1 win (draws). Scores: seat 0: 0, seat 1: 0."
    assert GAME.table(redact(state, SPECTATOR)).startswith("Siege 1: the game is over\n")


def test_ones_own_seat_is_marked_also_when_its_hand_is_empty() -> None:
    state = position("/ h1", "")
    for eyes in (Viewer(B), EVERYTHING):
        text = GAME.table(redact(state, eyes), B)
        assert "Seat 1 (you): " in text
        assert text.count("(you)") == 1
    assert "(you)" not in GAME.table(redact(state, SPECTATOR))


def test_a_tile_goes_to_the_side_of_a_seat() -> None:
    awarded = TileAwarded(rule="iliad.6.3.1", tile="poseidon", side=B)
    assert GAME.tell(redact(awarded, SPECTATOR)) == "Poseidon goes to the side of seat 1."


def test_teams_are_shown() -> None:
    assert "Seat 3 (team 0): score 0" in GAME.table(redact(position(*[""] * 6), SPECTATOR))


def test_once_the_match_is_over_it_is_nobodys_turn_whatever_the_state_says() -> None:
    view = redact(position("", ""), SPECTATOR)
    first, _, rest = GAME.table(view).partition("\n")
    assert first.endswith(f"seat {view['turn']} to play")
    assert GAME.table(view, over=True) == f"{first.partition(':')[0]}: the game is over\n{rest}"
