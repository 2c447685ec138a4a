"""The greedy player: it builds phalanxes, saves the chariot, passes when ahead."""

from kleos.core.iliad import GAME
from kleos.core.iliad.moves import Arrange, Attack, Choose, Discard, Extend, IliadMove, Pass, Place
from kleos.core.iliad.state import State
from kleos.core.kernel import KeyedChance, Viewer, redact
from tests.core.iliad.notation import after, cards, position, seat

A, B = 0, 1


def greedy(state: State, by: int = A) -> IliadMove:
    legal = GAME.moves(state, by)
    move: IliadMove = GAME.bots["greedy"](redact(state, Viewer(by)), legal, by, KeyedChance(b""))
    assert move in [each.move for each in legal]
    return move


def test_it_builds_a_phalanx_from_the_head() -> None:
    state = position("/ h4 h3 h2 a a w", "4-3")
    assert greedy(state) == Place("hoplite_4")
    state = after(state, (A, Place("hoplite_4")), (B, Pass()))
    assert greedy(state) == Extend("hoplite_3", (4,))


def test_it_passes_when_ahead_and_when_it_cannot_catch_up() -> None:
    assert greedy(position("4-3 / h2 h1", "4")) == Pass()
    assert greedy(position("/ h1 a", "4-3-2-1")) == Pass()


def test_it_saves_the_chariot_for_where_it_hurts() -> None:
    assert greedy(position("/ c h1", "2")) != Attack("chariot", B, "hoplite_2", source="hand", line=(2,))
    assert greedy(position("/ c h1", "4-3-2-1")) == Attack(
        "chariot", B, "hoplite_1", source="hand", line=(4, 3, 2, 1)
    )


def test_it_waits_with_cards_of_no_strength() -> None:
    assert greedy(position("/ w h4 h3", "4", "4", "4")) == Place("wall")


def test_it_takes_the_card_that_wins_a_tile() -> None:
    state = position("4", seat("", victories=("city_3",)), row=("city_2", "trireme_2"), athena=B)
    state = after(state, (A, Pass()), (B, Pass()))
    assert greedy(state) == Choose("trireme_2")


def test_it_discards_the_least() -> None:
    hand = cards("h1 h2 h2 h3 h3 h4 h4 a a c c w")
    state = after(position(seat("4", hand=hand), ""), (A, Pass()), (B, Pass()))
    state = after(state, (A, Choose(state.row[0])))
    assert greedy(state) == Discard("wall")


def test_it_arranges_in_the_best_way() -> None:
    assert greedy(after(position("4 Ho{h3}", ""), (A, Pass()), (B, Pass()))) == Arrange()


def test_it_stays_in_a_gorgon_siege_only_while_it_can_lead() -> None:
    assert greedy(position("/ h4 h3", "4", "", oracle="gorgon")) == Place("hoplite_4")
    assert greedy(position("/ h1", "4-3-2", "", oracle="gorgon")) == Pass()
