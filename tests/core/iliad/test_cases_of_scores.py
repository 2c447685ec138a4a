"""Rule cases 65 to 76, 97 and 100, and rules 6.3, 7, 8: tiles, scores, the end of the game."""

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import POINTS, Oracle, Victory
from kleos.core.iliad.effects import AgamemnonTaken, TileAwarded
from kleos.core.iliad.moves import Choose, Pass
from kleos.core.iliad.scoring import scores
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import Army, State
from kleos.core.kernel import Outcome
from tests.core.iliad.notation import Seated, after, kinds, position, seat, unfold

A, B, C, D, E = range(5)


def owner(*victories: Victory, penalties: tuple[Oracle, ...] = (), army: str = "") -> Army:
    """A seat with trophies."""
    return seat(army, victories=victories, penalties=penalties)


def closed(state: State, *choices: Victory) -> State:
    """The state after everybody passed and the best ranked took these cards."""
    for _ in state.armies:
        state = after(state, (state.turn, Pass()))
    for card in choices:
        state = after(state, (state.choosing[0], Choose(card)))
    return state


# Tiles


def test_case_065_first_city_first_trireme_and_the_siege() -> None:
    state = position("4-3-2", "4-3", "4", "", row=("city_2", "trireme_1"))
    state = closed(state, "city_2", "trireme_1")
    assert (state.agamemnon, state.athena, state.poseidon) == (A, A, B)
    assert state.scores == (2 + 2 + 1, 1 + 2, 0, -1)


def test_case_067_equal_city_points_leave_athena_in_the_centre() -> None:
    state = closed(position("4-3-2", "4-3", "4", "", row=("city_2", "city_2")), "city_2", "city_2")
    assert state.athena is None
    assert state.scores == (3, 2, 0, -1)


def test_case_068_a_tie_of_others_does_not_take_the_tile_from_its_holder() -> None:
    armies = [owner("city_2"), owner("city_1", army="4-3-2"), owner("city_1", army="4-3"), owner()]
    state = position(*armies, row=("city_2", "city_2"), athena=A)
    state = closed(state, "city_2", "city_2")
    assert state.athena == A


def test_the_holder_keeps_a_tile_on_equal_points_until_overtaken() -> None:
    """6.3.1."""
    state = position(owner("trireme_2"), owner("trireme_1", army="4-3"), "", row=("trireme_1",), poseidon=A)
    state = closed(state, "trireme_1")
    assert state.poseidon == A
    state = position(owner("trireme_2"), owner("trireme_1", army="4-3"), "", row=("trireme_2",), poseidon=A)
    assert closed(state, "trireme_2").poseidon == B


def test_case_070_helen_claims_no_tile() -> None:
    state = closed(position("4", "", "", row=("helen",)), "helen")
    assert (state.athena, state.poseidon) == (None, None)
    assert state.scores[A] == POINTS["helen"] + 1


def test_case_071_agamemnon_changes_hands_with_its_point_and_the_start() -> None:
    state = position(owner("city_3"), owner(army="4"), "", row=("trireme_1",), agamemnon=A, athena=A)
    assert state.scores == (3 + 1 + 2, 0, 0)
    state = closed(state, "trireme_1")
    assert state.scores == (3 + 2, 1 + 1 + 2, -1)
    assert (state.starter, state.turn) == (B, B)


def test_the_tiles_count_points_not_cards() -> None:
    """C-09."""
    state = position(owner("city_1", "city_1"), owner(army="4"), "", row=("city_3",), athena=A)
    assert closed(state, "city_3").athena == B


# Scores, rule 7


def test_a_score_adds_victories_thanatos_and_tiles_and_may_be_negative() -> None:
    armies = [
        owner("city_2", "helen", "trireme_3", penalties=("thanatos_2",)),
        owner(penalties=("thanatos_3", "thanatos_1")),
        owner(),
    ]
    state = position(*armies, agamemnon=A, athena=A, poseidon=C, oracle="thanatos_1")
    assert scores(state) == (2 + 5 + 3 - 2 + 1 + 2, -4, 2)


# The end, rule 8

TEN: tuple[Victory, ...] = ("helen", "city_3", "city_1", "trireme_1")
"""Ten points, four of them on cities."""


def leaders(*second: Victory) -> State:
    """A ranks before B; A stands at ten, holds Athena; B has these triremes and Poseidon."""
    armies: list[Seated] = [owner("helen", "city_3", army="4-3-2"), owner(*second, army="4-3"), "", ""]
    return position(*armies, row=("city_2", "trireme_2"), athena=A, poseidon=B)


def test_case_073_of_two_at_the_target_the_higher_score_wins() -> None:
    state = closed(leaders("trireme_3", "trireme_3", "trireme_3", "trireme_1"), "city_2", "trireme_2")
    assert GAME.outcome(state) == Outcome(
        winners=(B,),
        ranking=((B,), (A,), (C,), (D,)),
        scores={"0": 13, "1": 14, "2": 0, "3": -1},
        reason="target",
    )


def test_case_074_of_two_equal_at_the_target_the_better_ranked_wins() -> None:
    state = closed(leaders("trireme_3", "trireme_3", "trireme_3"), "city_2", "trireme_2")
    assert state.scores[:2] == (13, 13)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.ranking) == ((A,), ((A,), (B,), (C,), (D,)))


def test_nothing_is_cleared_or_dealt_after_the_end() -> None:
    """R-16."""
    state = position(owner(*TEN, army="4"), "/ a", "", row=("city_2",))
    state = after(state, (A, Pass()), (B, Pass()), (C, Pass()))
    state, effects = unfold(state, A, Choose("city_2"))
    assert kinds(effects)[-1] == "GameEnded"
    assert "TableCleared" not in kinds(effects)
    assert state.armies[A].lines == ((4,),)
    assert GAME.to_act(state) == frozenset()
    assert all(GAME.moves(state, by) == () for by in range(3))


@pytest.mark.parametrize(("taken", "score"), [("trireme_1", 11), ("trireme_2", 12)])
def test_the_target_of_three_is_twelve(taken: Victory, score: int) -> None:
    """8.1: at eleven the game goes on."""
    state = position(
        owner("helen", "city_2", army="4"), owner("trireme_3"), "", row=(taken,), athena=A, poseidon=B
    )
    state = closed(state, taken)
    assert state.scores[A] == score
    assert (GAME.outcome(state) is not None) == (score == 12)


@pytest.mark.parametrize(
    ("trophies", "agamemnon", "ranking"),
    [
        ((("city_3",), ("trireme_3",), ("city_1",)), C, ((A, B), (C,))),
        ((("city_2",), ("trireme_3",), ("city_1", "trireme_1")), A, ((A,), (B,), (C,))),
        ((("city_3",), ("trireme_2",), ("city_1", "trireme_1")), B, ((B,), (A,), (C,))),
    ],
)
def test_case_097_the_last_oracle_a_gorgon_and_everybody_passes(
    trophies: tuple[tuple[Victory, ...], ...], agamemnon: int, ranking: tuple[tuple[int, ...], ...]
) -> None:
    armies = [owner(*won) for won in trophies]
    state = position(
        *armies, oracle="gorgon", oracle_deck=(), agamemnon=agamemnon, athena=A, poseidon=B, siege=8
    )
    assert state.scores == (5, 5, 2)
    state = closed(state)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.ranking, outcome.reason) == (ranking[0], ranking, "oracles")


def test_the_last_oracle_ends_the_game_even_below_zero() -> None:
    """C-13, R-20: the highest score wins, whatever it is."""
    armies = [
        owner(penalties=("thanatos_3",), army="4"),
        owner(penalties=("thanatos_2",)),
        owner(penalties=("thanatos_1",)),
    ]
    state = closed(position(*armies, oracle_deck=(), siege=8, row=()))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == {"0": -2, "1": -2, "2": -2}
    assert outcome.winners == (A,), "all equal: the best ranked of the last siege"


def test_case_100_win_check_instant_ends_the_game_with_the_first_card() -> None:
    state = position(
        owner("helen", "city_3", army="4-3", penalties=()),
        *[owner()] * 4,
        row=("city_1", "trireme_1", "trireme_2"),
        athena=A,
        agamemnon=A,
        options=Options(win_check="instant"),
    )
    assert state.scores[A] == 11
    for by in range(5):
        state = after(state, (by, Pass()))
    state, effects = unfold(state, A, Choose("city_1"))
    assert kinds(effects) == ["VictoryTaken", "GameEnded"]
    assert state.row == ("trireme_1", "trireme_2")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((A,), "target")


def test_win_check_siege_waits_for_thanatos_and_the_tiles() -> None:
    """C-11: the same position goes on by default; Thanatos still counts."""
    armies: list[Seated] = [
        owner("helen", "city_3", "trireme_1", army="4"),
        owner(army="4-3"),
        owner(army="3-2"),
        "",
        "",
    ]
    state = position(*armies, row=("city_3", "trireme_2", "trireme_3"), athena=A)
    assert state.scores[A] == 11
    for by in range(5):
        state = after(state, (by, Pass()))
    assert state.ranking[:3] == (B, C, A)
    state = after(state, (B, Choose("trireme_3")), (C, Choose("trireme_2")))
    assert GAME.outcome(state) is None
    state = after(state, (A, Choose("city_3")))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (A,)


@pytest.mark.parametrize(
    ("held", "taken", "last"),
    [
        (("helen", "city_3", "trireme_2"), "city_1", AgamemnonTaken(rule="iliad.6.1.6", seat=A)),
        (("helen", "city_2"), "city_2", TileAwarded(rule="iliad.6.3.1", tile="athena", side=A)),
        (("helen", "trireme_2"), "trireme_2", TileAwarded(rule="iliad.6.3.1", tile="poseidon", side=A)),
    ],
)
def test_win_check_instant_looks_after_every_tile(
    held: tuple[Victory, ...], taken: Victory, last: AgamemnonTaken | TileAwarded
) -> None:
    """R-08: victory card, Thanatos, Agamemnon, Athena, Poseidon, in this order."""
    state = position(owner(*held, army="4"), "", "", row=(taken,), options=Options(win_check="instant"))
    for by in (A, B, C):
        state = after(state, (by, Pass()))
    _, effects = unfold(state, A, Choose(taken))
    assert effects[-2] == last
    assert kinds(effects[-1:]) == ["GameEnded"]
