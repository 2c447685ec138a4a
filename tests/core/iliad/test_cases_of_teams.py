"""Rule cases 88 to 92, and rules 10, 11: three teams of two, two teams of two."""

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.moves import Attack, Choose, Mount, Pass
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import State
from kleos.core.kernel import KeyedChance, Malformed, Viewer, redact
from tests.core.iliad.notation import Seated, after, cards, listed, position, refusal, seat, unfold

A, B, C, D, E, F = range(6)
PAIRS = Options(teams=True)


def test_case_088_a_partner_is_no_opponent_and_his_elephants_are_his_own() -> None:
    state = position("a / h2", "", "", "h4 El[]", "h3", "")
    assert {move.against for move in listed(state, A) if isinstance(move, Attack)} == {E}
    refused = refusal(state, A, Attack("archer", D, "hoplite_4", line=(4,)))
    assert (refused.rule, "partner" in refused.reason) == ("iliad.10.7", True)
    assert not any(isinstance(move, Mount) for move in listed(state, A))
    assert refusal(state, A, Mount("hoplite_2", ())).rule == "iliad.C-29"


def test_nobody_attacks_himself_or_an_empty_chair() -> None:
    """4.2: in front of one opponent."""
    state = position("a h1", "h4", "")
    for seat_number in (A, F):
        assert refusal(state, A, Attack("archer", seat_number, "hoplite_1", line=(1,))).rule == "iliad.4.2"


def all_pass(state: State) -> State:
    """The state after every seat passed in its turn."""
    for _ in state.armies:
        state = after(state, (state.turn, Pass()))
    return state


def test_case_089_partners_add_up_their_points() -> None:
    armies: list[Seated] = [
        seat("", victories=("helen", "city_3")),
        "",
        "",
        seat("4-3", victories=("trireme_3",)),
        "",
        "",
    ]
    armies[1] = seat("", victories=("city_3", "city_3"))
    armies[2] = seat("", victories=("trireme_3", "trireme_3"))
    state = all_pass(position(*armies, row=("trireme_1", "city_2", "city_1"), athena=1, poseidon=2))
    state = after(state, (D, Choose("trireme_1")), (A, Choose("city_2")), (B, Choose("city_1")))
    assert state.scores == (8 + 3 + 1 + 2 + 1, 6 + 1 + 2, 6 + 2 - 1)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (A, D)
    assert outcome.ranking == ((A, D), (B, E), (C, F))
    assert outcome.scores == {"0": 15, "1": 9, "2": 7, "3": 15, "4": 9, "5": 7}


def test_twelve_points_are_not_enough_in_teams() -> None:
    """10.3: the target is fifteen, for the team; what one player has means nothing."""
    armies: list[Seated] = [seat("4-3", victories=("helen", "city_3", "trireme_2")), "", "", "", "", ""]
    armies[1] = seat("", victories=("city_3", "city_2", "trireme_3"))
    state = all_pass(position(*armies, row=("trireme_1", "city_1", "city_1"), athena=1, poseidon=1))
    state = after(state, (A, Choose("trireme_1")), (B, Choose("city_1")), (C, Choose("city_1")))
    assert (state.scores[0], GAME.outcome(state)) == (12, None)


def test_tiles_of_a_suit_go_by_team_total() -> None:
    """10.6, C-22, R-11: Athena belongs to the team, Agamemnon to the player."""
    armies: list[Seated] = [
        seat("", victories=("city_1",)),
        seat("4-3", victories=("city_2",)),
        "",
        seat("", victories=("city_1",)),
        "",
        "",
    ]
    state = position(*armies, row=("trireme_1", "trireme_2", "city_1"), athena=1)
    state = all_pass(state)
    assert state.choosing == (B, A, C)
    state = after(state, (B, Choose("trireme_1")), (A, Choose("city_1")), (C, Choose("trireme_2")))
    assert (state.agamemnon, state.athena, state.poseidon) == (B, 0, 2)
    assert state.armies[B].side == state.armies[E].side == 1
    assert state.scores == (1 + 1 + 1 + 2, 2 + 1 + 1, 2 + 2 - 1)


def test_case_091_the_gorgon_compares_with_the_partner_too() -> None:
    state = position("4 4 2", "1", "1", "4 4 2", "1", "1", turn=F, oracle="gorgon")
    assert [army.strength for army in state.armies] == [10, 1, 1, 10, 1, 1]
    state = after(state, (F, Pass()))
    assert (state.phase, state.turn) == ("turn", A)


def test_case_092_six_players_and_thanatos() -> None:
    state = position(*[""] * 6, row=("city_1", "city_2", "trireme_1"))
    for by in range(6):
        state = after(state, (by, Pass()))
        assert state.armies[by].hero == 6 - by
    assert state.ranking == (A, B, C, D, E, F)
    state = after(state, (A, Choose("city_1")), (B, Choose("city_2")))
    state, effects = unfold(state, C, Choose("trireme_1"))
    assert [army.victories for army in state.armies] == [("city_1",), ("city_2",), ("trireme_1",), (), (), ()]
    assert [army.penalties for army in state.armies] == [()] * 5 + [("thanatos_1",)]
    assert effects[1].rule == "iliad.6.1.5"


def test_a_wall_protects_its_owner_alone() -> None:
    """R-18."""
    state = position("c", "w 4", "", "", "3", "")
    assert listed(state, A)[:-1] == [Attack("chariot", E, "hoplite_3", line=(3,))]


def test_partners_keep_their_cards_to_themselves() -> None:
    """10.4, 10.10: hands are individual; nothing is shown or swapped between partners."""
    state = position("/ h1 c", "", "", "/ h4", "", "")
    view = redact(state, Viewer(A))
    assert view["armies"][A]["hand"] == ["hoplite_1", "chariot"]
    assert view["armies"][D]["hand"] == [None]


def test_the_hand_limit_of_six_is_twelve_as_well() -> None:
    """10.9, C-16: though they are dealt ten."""
    eleven = seat("", hand=cards("h1 h1 h2 h2 h3 h3 h4 h4 a a c"))
    state = all_pass(position(eleven, *[""] * 5, row=("city_1", "city_2", "trireme_1")))
    state = after(state, (A, Choose("city_1")), (B, Choose("city_2")), (C, Choose("trireme_1")))
    assert [len(army.hand) for army in state.armies] == [14, 3, 3, 3, 3, 3]
    assert GAME.to_act(state) == {A}


def test_partners_sit_apart() -> None:
    """10.1, 11."""
    assert GAME.sides(position(*[""] * 6)) == ((A, D), (B, E), (C, F))
    assert GAME.sides(position(*[""] * 4, options=PAIRS)) == ((A, C), (B, D))
    assert GAME.sides(position(*[""] * 4)) == ((A,), (B,), (C,), (D,))


@pytest.mark.parametrize(("team4", "hand", "row"), [("four", 12, 2), ("six", 10, 3)])
def test_four_in_teams_take_hand_and_row_of_four_or_of_six(team4: str, hand: int, row: int) -> None:
    """C-20, R-19."""
    options = GAME.settle(GAME.Options(teams=True, team4=team4), 4)
    state: State = GAME.open(options, 4, KeyedChance(b"pairs")).state
    assert {len(army.hand) for army in state.armies} == {hand}
    assert (len(state.row), state.setup.target, state.heroes) == (row, 15, (1, 2, 3, 4))
    ready = position(*[""] * 4, options=options)
    for by in range(4):
        ready = after(ready, (by, Pass()))
    assert len(ready.choosing) == row
    for by in ready.choosing:
        ready = after(ready, (by, Choose(ready.row[0])))
    assert ready.armies[D].penalties == ("thanatos_1",), "the last of four takes Thanatos"


def test_options_that_cannot_be_played_are_malformed() -> None:
    """10.1, 11."""
    assert GAME.settle(Options(), 6).teams is True
    assert GAME.settle(Options(), 4).teams is False
    for options, seats in (
        (Options(teams=False), 6),
        (Options(teams=True), 3),
        (Options(), 7),
        (Options(), 1),
    ):
        with pytest.raises(Malformed):
            GAME.settle(options, seats)


def test_settled_options_are_settled() -> None:
    for seats in range(2, 7):
        once = GAME.settle(Options(preset="rulebook"), seats)
        assert GAME.settle(once, seats) == once


def test_both_presets_play_the_same_iliad() -> None:
    sheet, rulebook = (GAME.settle(Options(preset=preset), 4) for preset in ("sheet", "rulebook"))
    assert {name for name in sheet.__struct_fields__ if getattr(sheet, name) != getattr(rulebook, name)} == {
        "preset"
    }
