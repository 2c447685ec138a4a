"""Rule cases 79 to 86, 94 and 98, and rules 9 and R-01, R-02: two players."""

from itertools import islice
from typing import Any

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import COMPONENTS, POINTS, TILE_POINTS, Victory, victory_deck
from kleos.core.iliad.effects import SiegeUnwon, SiegeWon
from kleos.core.iliad.moves import Attack, Choose, Pass, Place
from kleos.core.iliad.setup import Options, setup_for
from kleos.core.iliad.state import State
from tests.core.iliad.notation import after, kinds, listed, position, seat, unfold

A, B = 0, 1
PASS_A, PASS_B = (A, Pass()), (B, Pass())


def test_case_079_a_pass_binds_that_turn_only() -> None:
    state = after(position("/ h1 h2", "/ h3"), PASS_A, (B, Place("hoplite_3")), (A, Place("hoplite_2")))
    assert (state.phase, state.turn) == ("turn", B)
    assert state.armies[A].hero == 0


def test_case_080_two_passes_in_a_row_end_the_siege() -> None:
    assert after(position("4", ""), PASS_A, PASS_B).phase == "choose"
    state = after(position("4", "/ a"), (A, Pass()), (B, Place("archer")), (A, Pass()), (B, Pass()))
    assert state.phase == "choose"


def test_two_passes_end_the_siege_whoever_started() -> None:
    """C-17: the second player passes, then the starter."""
    state = after(position("4 / a", "", starter=A), (A, Place("archer")), PASS_B, PASS_A)
    assert state.phase == "choose"


def test_case_082_the_stronger_takes_one_card_and_one_is_added() -> None:
    state = position("4-3", "4", row=("city_1", "trireme_3"))
    state = after(state, PASS_A, PASS_B)
    assert (state.winner, state.choosing) == (A, (A,))
    assert listed(state, A) == [Choose("city_1"), Choose("trireme_3")]
    top = state.victory_deck[0]
    state = after(state, (A, Choose("trireme_3")))
    assert state.armies[A].victories == ("trireme_3",)
    assert state.row == ("city_1", top)
    assert state.armies[B].penalties == ()


def test_case_083_equal_armies_win_nothing() -> None:
    state = position("4-3", "4-3", agamemnon=B, row=("city_1", "helen"))
    state, effects = unfold(after(state, PASS_A), B, Pass())
    assert SiegeUnwon(rule="iliad.C-18") in effects
    assert (state.row, state.agamemnon, state.starter) == (("city_1", "helen"), B, B)
    assert [army.strength for army in state.armies] == [0, 0]
    assert state.discards == ("hoplite_4", "hoplite_3") * 2


@pytest.mark.parametrize(("taken", "score"), [("city_1", 13), ("city_3", 15)])
def test_case_085_the_target_of_two_is_fifteen(taken: Victory, score: int) -> None:
    mine, theirs = seat("4", victories=("helen", "city_3", "trireme_1")), seat("", victories=("trireme_2",))
    state = position(mine, theirs, row=(taken, "trireme_3"), athena=A, poseidon=B)
    state = after(state, PASS_A, PASS_B, (A, Choose(taken)))
    assert state.scores[A] == score
    assert (GAME.outcome(state) is not None) == (score == 15)


def test_case_086_horses_are_allowed_and_open_at_the_end() -> None:
    assert Place("trojan_horse") in listed(position("/ ho", ""), A)
    state = after(position("Ho{h4}", "3"), PASS_A, PASS_B)
    assert GAME.to_act(state) == {A}
    state = after(state, (A, Place("hoplite_4")))
    assert state.winner == A


def test_case_094_an_attack_breaks_the_row_of_passes() -> None:
    state = after(position("4", "a / a"), PASS_A, (B, Attack("archer", A, "hoplite_4", line=(4,))), PASS_A)
    assert (state.phase, state.turn) == ("turn", B)
    state, effects = unfold(state, B, Pass())
    assert isinstance(effects[1], SiegeUnwon)


def test_case_098_four_sieges_without_a_winner_end_the_match_shared() -> None:
    state = position("", "")
    for siege in range(1, 5):
        assert (state.siege, GAME.outcome(state)) == (siege, None)
        first = state.turn
        state = after(state, (first, Pass()), (1 - first, Pass()))
        while state.phase == "discard":
            by = min(GAME.to_act(state))
            state = after(state, (by, listed(state, by)[0]))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.ranking, outcome.reason) == ((A, B), ((A, B),), "draws")


@pytest.mark.parametrize(
    ("trophies", "agamemnon", "winners"),
    [
        ((("city_3",), ("city_1",)), None, (A,)),
        ((("city_1",), ("trireme_2",)), A, (A,)),
        (((), ()), None, (A, B)),
    ],
)
def test_a_match_of_draws_goes_to_the_score_then_to_agamemnon(
    trophies: Any, agamemnon: Any, winners: Any
) -> None:
    """R-01, R-05."""
    state = position(*(seat("", victories=won) for won in trophies), agamemnon=agamemnon, unwon=3)
    outcome = GAME.outcome(after(state, PASS_A, PASS_B))
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == (winners, "draws")


def test_a_won_siege_ends_the_row_of_draws() -> None:
    """R-01: in a row."""
    state = after(position("4", "", unwon=3), PASS_A, PASS_B)
    state = after(state, (A, Choose(state.row[0])))
    assert (state.unwon, GAME.outcome(state)) == (0, None)


def test_the_match_ends_when_the_row_cannot_be_filled() -> None:
    """9.11: the higher score wins."""
    state = after(position("4", "", victory_deck=(), row=("city_1", "city_2")), PASS_A, PASS_B)
    outcome = GAME.outcome(after(state, (A, Choose("city_1"))))
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((A,), "victory_deck")


def test_sixteen_won_sieges_always_reach_the_target() -> None:
    """R-02: the sixteen cheapest cards and the tiles cannot be shared without one side reaching it."""
    cheapest = sum(islice(sorted(POINTS[card] for card in victory_deck()), 16))
    tiles = TILE_POINTS["agamemnon"] + TILE_POINTS["athena"]
    assert cheapest + tiles > 2 * (setup_for(Options(), 2).target - 1)
    assert len(victory_deck()) >= 16 + setup_for(Options(), 2).row


def test_the_numbers_that_matter_are_those_of_the_rules() -> None:
    """2.1, 9.2."""
    two = setup_for(Options(), 2)
    assert (two.hand, two.row, two.target, two.heroes, two.oracle) == (12, 2, 15, 0, False)
    assert (COMPONENTS.drawn_each_siege, COMPONENTS.hand_limit) == (3, 12)


@pytest.mark.parametrize(
    ("option", "agamemnon", "winner"),
    [
        ("nobody", A, None),
        ("agamemnon", A, A),
        ("agamemnon", B, B),
        ("agamemnon", None, None),
        ("first_pass", None, A),
        ("first_pass", B, A),
    ],
)
def test_who_wins_between_equal_armies(option: Any, agamemnon: int | None, winner: int | None) -> None:
    """R-14; the first of the two passes that end the siege is that of A here."""
    state = position("4", "4", agamemnon=agamemnon, options=Options(two_player_tie=option))
    state, effects = unfold(after(state, PASS_A), B, Pass())
    if winner is None:
        assert SiegeUnwon(rule="iliad.C-18") in effects
    else:
        assert SiegeWon(rule="iliad.R-14", seat=winner, choosing=(winner,)) in effects


def test_the_first_of_the_two_last_passes_counts() -> None:
    """R-14 `first_pass`: an earlier pass that lapsed does not."""
    state = position("4 / a", "4 / a", options=Options(two_player_tie="first_pass"))
    state = after(state, PASS_A, (B, Place("archer")), (A, Place("archer")), PASS_B, PASS_A)
    assert state.winner == B


def test_athena_and_poseidon_are_played_for_between_two() -> None:
    """9.9."""
    state = after(position("4", "", row=("city_2", "city_1")), PASS_A, PASS_B, (A, Choose("city_2")))
    assert (state.athena, state.agamemnon, state.scores) == (A, A, (5, 0))


def test_a_pass_of_two_brings_no_hero_and_costs_nothing() -> None:
    """9.1, 9.7."""
    _, effects = unfold(position("4", ""), A, Pass())
    assert kinds(effects) == ["Passed"]


def test_no_eighth_siege_ends_a_match_of_two() -> None:
    """9.11, R-02."""
    state: State = position("4", "", siege=9)
    state = after(state, PASS_A, PASS_B, (A, Choose("city_1")))
    assert (state.siege, GAME.outcome(state)) == (10, None)
