"""Rule cases 49 to 64 and 95, and rules 3, 4.3, 6: the course of a siege with three players and more."""

from typing import Any

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import HAND_LIMIT, in_order
from kleos.core.iliad.effects import (
    AgamemnonTaken,
    ArmiesRanked,
    CardsDealt,
    DeckReshuffled,
    OracleRevealed,
    SiegeBegan,
    SiegeUnwon,
    SiegeWon,
    ThanatosTaken,
    TurnsBegan,
    VictoryTaken,
)
from kleos.core.iliad.moves import Attack, Choose, Discard, Mount, Pass, Place
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import State
from kleos.core.kernel import SPECTATOR, KeyedChance, NotYourTurn, Viewer, redact
from tests.core.iliad.notation import (
    CHANCE,
    after,
    cards,
    kinds,
    listed,
    position,
    refusal,
    seat,
    unfold,
    whole,
)

A, B, C, D, E = range(5)


def passing(state: State, *seats: int) -> State:
    """The state after these seats passed."""
    return after(state, *((by, Pass()) for by in seats))


# Thanatos


def test_case_049_heroes_in_the_order_of_passing_and_the_higher_one_breaks_the_tie() -> None:
    state = passing(position("", "", "/ h1"), A, B)
    assert [army.hero for army in state.armies] == [3, 2, 0]
    assert [army.strength for army in state.armies] == [3, 2, 0]
    state = after(state, (C, Place("hoplite_1")))
    state, effects = unfold(state, C, Pass())
    assert ArmiesRanked(rule="iliad.6.1.3", ranking=(A, B, C), strengths=(3, 2, 2)) in effects
    _, effects = unfold(state, A, Choose("city_1"))
    assert ThanatosTaken(rule="iliad.6.1.5", seat=C, card="thanatos_1") in effects


def test_case_050_two_of_four_choose_and_the_last_takes_thanatos() -> None:
    passed = [
        seat("4-2 a", hero=2, passed=True),  # 15
        seat("4 2", hero=3, passed=True),  # 9
        seat("", hero=4, passed=True),  # 4
    ]
    state = passing(position("4-3 3 2", *passed, row=("city_1", "trireme_3")), A)  # 19, and the hero left: 20
    assert [army.strength for army in state.armies] == [20, 15, 9, 4]
    assert state.ranking == (A, B, C, D)
    assert listed(state, A) == [Choose("city_1"), Choose("trireme_3")]
    state = after(state, (A, Choose("trireme_3")))
    assert listed(state, B) == [Choose("city_1")], "R-15: the last card is taken too"
    state = after(state, (B, Choose("city_1")))
    assert [army.victories for army in state.armies] == [("trireme_3",), ("city_1",), (), ()]
    assert [army.penalties for army in state.armies] == [(), (), (), ("thanatos_1",)]
    assert state.agamemnon == A


@pytest.mark.parametrize(("seats", "choosers"), [(3, 1), (4, 2), (5, 3), (6, 3)])
def test_as_many_choose_as_cards_lie_in_the_row(seats: int, choosers: int) -> None:
    """6.1.4, C-03, 10.5."""
    state = passing(position(*[""] * seats), *range(seats))
    assert state.choosing == state.ranking[:choosers]
    assert state.ranking == tuple(range(seats)), "who passed first has the highest hero"


def test_a_short_row_lets_fewer_choose() -> None:
    """R-03."""
    state = passing(position(*[""] * 5, row=("city_1", "city_2")), *range(5))
    assert state.choosing == (A, B)


def test_case_052_the_army_of_one_who_passed_can_be_attacked_but_not_his_hero() -> None:
    state = position(seat("c", passed=True, hero=5), "ba", "", "", "", turn=B)
    assert state.armies[A].strength == 8
    assert listed(state, B) == [Attack("ballista", A, "chariot"), Pass()]
    assert after(state, (B, Attack("ballista", A, "chariot"))).armies[A].strength == 5


def test_case_053_one_who_passed_acts_no_more() -> None:
    state = position(seat("/ c", passed=True, hero=3), "/ h4", "", turn=B)
    state = after(state, (B, Place("hoplite_4")))
    assert GAME.moves(state, A) == ()
    with pytest.raises(NotYourTurn):
        GAME.decide(state, A, Attack("chariot", B, "hoplite_4", source="hand", line=(4,)), CHANCE)


def test_case_055_the_last_one_acts_alone_until_passing() -> None:
    state = passing(position("", "", "/ h4 h3 h2"), A, B)
    for card in cards("h2 h3 h4"):
        assert GAME.to_act(state) == {C}
        state = after(state, (C, Place(card)))
    assert GAME.to_act(state) == {C}
    assert passing(state, C).phase == "choose"


def test_case_056_after_a_siege_tables_are_cleared_and_hands_kept() -> None:
    state = position("4-3 El[a] c / ba w", "Ho{h2} a", "ca", row=("helen",))
    state = after(passing(state, A, B, C), (B, Place("hoplite_2")))
    state = after(state, (A, Choose("helen")))
    assert state.siege == 2
    assert {card for army in state.armies for card in army.hand} >= set(cards("ba w"))
    for army in state.armies:
        assert army.strength == army.hero == len(army.lines) == len(army.elephants) == len(army.horses) == 0
        assert not army.passed
    assert in_order(state.discards) == cards("h4 h3 el a c ho h2 a ca")
    assert state.heroes == (1, 2, 3)


def test_a_pass_takes_the_highest_hero_at_once() -> None:
    """4.3, C-27: he counts from that moment on."""
    state, effects = unfold(position("a", "", ""), A, Pass())
    assert kinds(effects) == ["Passed", "HeroTaken"]
    assert (state.armies[A].strength, state.heroes) == (4, (1, 2))


def test_turns_go_clockwise_past_those_who_passed() -> None:
    """2.8."""
    state = position(*["/ a a"] * 5, turn=D)
    order = []
    for move in (
        Place("archer"),
        Pass(),
        Place("archer"),
        Place("archer"),
        Place("archer"),
        Pass(),
        Place("archer"),
    ):
        order.append(state.turn)
        state = after(state, (state.turn, move))
    assert order == [D, E, A, B, C, D, A]


def test_passing_is_always_allowed_and_sometimes_the_only_move() -> None:
    """R-04."""
    assert listed(position("", "", ""), A) == [Pass()]
    state = position("4-3 / h1", "c w", "")
    assert listed(state, A) == [Place("hoplite_1"), Pass()]


def test_the_winner_of_a_siege_takes_agamemnon_and_starts_the_next() -> None:
    """6.1.6, 3.5."""
    state = passing(position("", "4-3", "", agamemnon=A), A, B, C)
    state, effects = unfold(state, B, Choose("city_1"))
    assert AgamemnonTaken(rule="iliad.6.1.6", seat=B) in effects
    assert SiegeBegan(rule="iliad.3.5", siege=2, starter=B) in effects
    assert (state.agamemnon, state.starter, state.turn) == (B, B, B)


# Gorgon


def gorgon(*armies: Any, **changes: Any) -> State:
    return position(*armies, oracle="gorgon", **changes)


def test_case_058_a_tie_for_the_lead_wins_nothing() -> None:
    state = gorgon("/ a", "4 3", "4 3", turn=A)
    state = passing(state, A)
    assert (state.phase, state.turn) == ("turn", B)


def test_case_059_the_strongest_at_the_start_of_a_turn_wins_at_once() -> None:
    state = gorgon("4-3 / a", "4 3 a", "3", turn=C, row=("city_3",), agamemnon=B)
    before = len(state.oracle_deck)
    state, effects = unfold(state, C, Pass())
    assert SiegeWon(rule="iliad.6.2.1", seat=A, choosing=(A,)) in effects
    state, effects = unfold(state, A, Choose("city_3"))
    assert kinds(effects)[:4] == ["VictoryTaken", "GorgonSpent", "AgamemnonTaken", "TileAwarded"]
    assert state.agamemnon == A
    assert state.spent_oracles == ("gorgon",)
    assert len(state.oracle_deck) == before - 1, "the Gorgon leaves the game"
    assert all(army.penalties == () for army in state.armies)
    assert all(army.lines == () for army in state.armies)


def test_only_the_winner_of_a_gorgon_siege_takes_a_card_and_the_others_stay() -> None:
    """6.2.2, 6.2.3, C-02: the row is filled up to N again, not by N."""
    state = gorgon("4", "", "", "", "", turn=E, row=("city_1", "city_2", "trireme_1"))
    state = passing(state, E)
    assert state.choosing == (A,)
    state = after(state, (A, Choose("city_2")))
    assert len(state.row) == 3
    assert state.row[:2] == ("city_1", "trireme_1")


def test_case_061_passing_costs_the_whole_army_and_brings_no_hero() -> None:
    state = gorgon("4-3 El[a] c", "a", "", turn=A)
    state, effects = unfold(state, A, Pass())
    assert kinds(effects)[:2] == ["Passed", "ArmyDisbanded"]
    assert (state.armies[A].strength, state.armies[A].hero, state.armies[A].lines) == (0, 0, ())
    assert in_order(state.discards) == cards("h4 h3 el a c")
    assert state.phase == "choose", "B now leads, and wins as the turn begins"
    assert state.winner == B


def test_case_062_the_last_one_without_strength_wins_by_placing_not_by_passing() -> None:
    state = passing(gorgon("4", "", "", "/ h1 w", row=("city_1", "city_2"), agamemnon=B), A, B, C)
    assert (state.phase, state.turn) == ("turn", D)
    unwon, effects = unfold(state, D, Pass())
    assert SiegeUnwon(rule="iliad.C-04") in effects
    assert unwon.agamemnon == B
    assert unwon.row == ("city_1", "city_2"), "the row is full, nothing is added"
    assert all(army.victories == () for army in unwon.armies)
    walled = after(state, (D, Place("wall")))
    assert walled.phase == "turn", "a wall has no strength"
    won = after(state, (D, Place("hoplite_1")))
    assert (won.phase, won.winner) == ("choose", D)


def test_case_064_riders_and_chariots_count_for_the_gorgon() -> None:
    for leader in ("El[h2,a]", "c c"):
        state = passing(gorgon("3 2", leader, "", turn=A), A)
        assert state.winner == B
    state = passing(gorgon("", "c", "3", turn=A), A)
    assert state.phase == "turn"


def test_case_095_a_hand_of_horses_is_no_placement_in_a_gorgon_siege() -> None:
    state = gorgon("/ ho ho", "4 w", "4")
    assert listed(state, A) == [Pass()]
    assert refusal(state, A, Place("trojan_horse")).rule == "iliad.6.2.4"
    assert Place("trojan_horse") in listed(position("/ ho ho", "4 w", "4"), A)


def test_becoming_the_strongest_does_not_win_before_the_next_turn() -> None:
    """C-31: everybody else gets a turn to answer."""
    state = after(gorgon("/ h4", "/ h4", "/ h1"), (A, Place("hoplite_4")))
    assert state.turn == B
    state = after(state, (B, Place("hoplite_4")), (C, Place("hoplite_1")))
    assert (state.phase, state.turn) == ("turn", A), "answered in time"
    state = after(
        gorgon("/ h4", "/ h1", "/ h1"), (A, Place("hoplite_4")), (B, Pass()), (C, Place("hoplite_1"))
    )
    assert state.winner == A


def test_the_gorgon_looks_at_the_first_turn_too() -> None:
    """R-12: with all armies empty it finds nobody."""
    state = gorgon("", "", "")
    assert state.turn == A
    assert GAME.to_act(state) == {A}


@pytest.mark.parametrize(("option", "winner"), [("nobody", None), ("last_passer", D), ("sole_remaining", D)])
def test_who_wins_a_gorgon_siege_that_nobody_leads(option: Any, winner: int | None) -> None:
    """R-14."""
    state = gorgon("", "", "", "", row=("city_1", "city_2"), options=Options(gorgon_no_winner=option))
    state = passing(state, A, B)
    state, effects = unfold(state, C, Pass())
    assert (state.winner == D) == (option == "sole_remaining"), "at the last pass but one, even with nothing"
    if option != "sole_remaining":
        state, effects = unfold(state, D, Pass())
    if winner is None:
        assert SiegeUnwon(rule="iliad.C-04") in effects
        assert state.starter == A, "R-07: Agamemnon is unowned, so the same seat starts again"
    else:
        assert SiegeWon(rule="iliad.R-14", seat=winner, choosing=(winner,)) in effects


# Between sieges


def next_siege(state: State, *, row: str = "city_1") -> tuple[State, tuple[Any, ...]]:
    """The state and effects when A, B and C pass and the winner chooses."""
    state = passing(state, A, B, C)
    return unfold(state, state.choosing[0], Choose(state.row[0]))


def test_the_next_siege_shows_oracle_and_row_before_the_cards_come() -> None:
    """3.1, 3.2, 3.3, C-32."""
    state, effects = next_siege(position("4", "", ""))
    order = [
        kind for kind in kinds(effects) if kind in ("SiegeBegan", "OracleRevealed", "RowFilled", "CardsDealt")
    ]
    assert order == ["SiegeBegan", "OracleRevealed", "RowFilled", "CardsDealt", "CardsDealt", "CardsDealt"]
    assert [len(army.hand) for army in state.armies] == [3, 3, 3]


def test_cards_are_dealt_in_rounds_from_the_starter_on() -> None:
    """R-06: the winner is known first, and each round goes on from there."""
    state = position("", "4", "", deck=cards("h1 h1 h1 h2 h2 h2 h3 h3 h3"))
    _, effects = next_siege(state)
    dealt = {effect.seat: effect.cards for effect in effects if isinstance(effect, CardsDealt)}
    assert list(dealt) == [B, C, A]
    assert set(dealt.values()) == {cards("h1 h2 h3")}


def test_case_076_the_discards_become_the_deck_at_the_moment_a_card_is_needed() -> None:
    state = position(
        "4", "", "", "", "", deck=cards("h1 h1"), discards=cards("a a a c c c h2 h2 h2 h3 h3 h3 ca ca")
    )
    state = passing(state, *range(5))
    state = after(state, (A, Choose("city_1")), (B, Choose("city_3")))
    state, effects = unfold(state, C, Choose("trireme_2"))
    dealt = [effect for effect in effects if isinstance(effect, CardsDealt | DeckReshuffled)]
    assert [len(effect.cards) for effect in dealt[:2] if isinstance(effect, CardsDealt)] == [1, 1]
    assert isinstance(dealt[2], DeckReshuffled)
    assert in_order(dealt[2].order) == cards("a a a c c c h2 h2 h2 h3 h3 h3 ca ca h4")
    assert [len(army.hand) for army in state.armies] == [3] * 5
    assert len(state.deck) == 2
    assert state.discards == ()


def test_dealing_stops_when_deck_and_discards_are_empty() -> None:
    """C-15, R-06: whoever has not been served goes without."""
    state = position("/ w", "", "", deck=cards("h1 h1 h1 h2"), discards=())
    state, _ = next_siege(state)
    assert [len(army.hand) for army in state.armies] == [3, 1, 1]
    assert (state.deck, state.discards) == ((), ())


def test_case_077_the_hand_limit_is_twelve_and_the_owner_chooses() -> None:
    hand = cards("h1 h1 h2 h2 h3 h3 h4 h4 a a c")
    state, _ = next_siege(position(seat("w", hand=hand), "", ""))
    assert len(state.armies[A].hand) == 14
    assert GAME.to_act(state) == {A}
    assert {move.card for move in listed(state, A) if isinstance(move, Discard)} == set(state.armies[A].hand)
    assert refusal(state, A, Pass()).rule == "iliad.3.3"
    state = after(state, (A, Discard("chariot")))
    assert refusal(state, A, Discard("chariot")).rule == "iliad.3.3"
    state = after(state, (A, Discard("hoplite_1")))
    assert len(state.armies[A].hand) == HAND_LIMIT
    assert (state.phase, state.turn) == ("turn", A)


def full_hands() -> State:
    """Two seats that must discard before the second siege, the oracle and the row being known."""
    mine, theirs = cards("h1 h1 h2 h2 h3 h3 h4 h4 a a c"), cards("h1 h1 h2 h2 h3 h3 h4 h4 a a ca")
    return next_siege(position(seat("w", hand=mine), seat("", hand=theirs), ""))[0]


def test_discards_for_the_limit_are_made_at_the_same_time_in_any_order() -> None:
    """R-10."""
    state = full_hands()
    assert GAME.to_act(state) == {A, B}
    mine = [(A, Discard("chariot")), (A, Discard("archer"))]
    theirs = [(B, Discard("catapult")), (B, Discard("hoplite_1"))]
    first = after(state, *mine, *theirs)
    assert first == after(state, *theirs, *mine) == after(state, mine[0], theirs[0], mine[1], theirs[1])
    assert first.phase == "turn"


def test_discards_for_the_limit_are_secret() -> None:
    """R-10: the public pile shows only what was destroyed or cleared."""
    state = full_hands()
    after_one, effects = unfold(state, A, Discard("chariot"))
    assert after_one.discards == state.discards
    assert redact(effects[0], Viewer(B))["card"] is None
    assert redact(effects[0], Viewer(A))["card"] == "chariot"
    assert redact(after_one, Viewer(B))["armies"][A]["discarded"] == [None]
    assert redact(after_one, SPECTATOR)["armies"][A]["discarded"] == [None]
    assert redact(Discard("chariot"), SPECTATOR, kind=GAME.Move, owner=A)["card"] is None


def test_secret_discards_return_with_the_reshuffle() -> None:
    """C-15, R-10."""
    state = position(seat("4", discarded=cards("c")), "", "", deck=(), discards=cards("a a a a a a a a"))
    state, effects = next_siege(state)
    (reshuffled,) = [effect for effect in effects if isinstance(effect, DeckReshuffled)]
    assert in_order(reshuffled.order) == cards("a a a a a a a a c h4")
    assert state.armies[A].discarded == ()
    assert redact(reshuffled, Viewer(A))["order"] == [None] * 10


def test_a_player_draws_what_the_deck_holds_whoever_undoes() -> None:
    """2.3, 3.3: the order of the deck is part of the state, so a draw played again is the same draw."""
    state = passing(position("4", "", ""), A, B, C)
    fortunes = [GAME.decide(state, A, Choose("city_1"), KeyedChance(key)).state for key in (b"one", b"other")]
    assert fortunes[0] == fortunes[1]


def test_the_row_is_filled_as_far_as_the_victory_deck_reaches() -> None:
    """R-03: a short row ends nothing among three and more."""
    state = position("4", "", "", row=("city_1",), victory_deck=())
    state, effects = next_siege(state)
    assert "RowFilled" not in kinds(effects)
    assert (state.row, state.siege, GAME.outcome(state)) == ((), 2, None)
    state = passing(state, A, B, C)
    assert state.choosing == ()
    assert state.agamemnon is not None


def test_the_steps_after_a_siege_follow_one_without_a_winner_too() -> None:
    """R-13: tiles, end of the game, clearing, next siege."""
    state = gorgon(seat("", victories=("city_1",)), "", "", siege=3)
    state, effects = unfold(passing(state, A, B), C, Pass())
    told = [kind for kind in kinds(effects) if kind not in ("Passed", "ArmyDisbanded", "CardsDealt")]
    assert told[:4] == ["SiegeUnwon", "GorgonSpent", "TileAwarded", "TableCleared"]
    assert (state.athena, state.siege) == (A, 4)


def test_heroes_and_ranking_decide_every_place() -> None:
    """C-28: the higher hero breaks ties for any place, so the ranking is strict."""
    state = passing(position("2", "3", "4", "a"), A, B, C, D)
    assert [army.strength for army in state.armies] == [6, 6, 6, 2]
    assert state.ranking == (A, B, C, D)


# Opening


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_match_opens_by_the_set_up_table(seats: int) -> None:
    """2.1 to 2.8, and the set-up table."""
    starters = set()
    for number in range(40):
        opened = GAME.open(GAME.settle(Options(), seats), seats, KeyedChance(bytes([number])))
        state, setup = opened.state, opened.state.setup
        starters.add(state.starter)
        assert [len(army.hand) for army in state.armies] == [setup.hand] * seats
        assert (len(state.row), len(state.heroes)) == (setup.row, setup.heroes)
        assert (state.agamemnon, state.athena, state.poseidon) == (None, None, None)
        assert (state.oracle is None) == (seats == 2)
        assert len(state.deck) == 75 - seats * setup.hand
        assert state.turn == state.starter
        assert whole(state)
        assert not any(isinstance(effect, TurnsBegan) for effect in opened.effects[:-1])
    assert starters == set(range(seats)), "the first starter is drawn by lot"


def test_the_first_oracle_is_turned_up() -> None:
    """3.1."""
    opened = GAME.open(GAME.settle(Options(), 3), 3, CHANCE)
    (revealed,) = [effect for effect in opened.effects if isinstance(effect, OracleRevealed)]
    assert revealed.card == opened.state.oracle
    assert len(opened.state.oracle_deck) == 7


def test_a_victory_card_must_lie_in_the_row() -> None:
    """6.1.4, R-15."""
    state = passing(position("4", "", "", row=("city_1",)), A, B, C)
    assert listed(state, A) == [Choose("city_1")]
    assert refusal(state, A, Choose("helen")).rule == "iliad.6.1.4"
    assert refusal(state, A, Pass()).rule == "iliad.R-15"
    _, effects = unfold(state, A, Choose("city_1"))
    assert effects[0] == VictoryTaken(rule="iliad.6.1.4", seat=A, card="city_1")


def test_a_turn_is_for_placing_attacking_or_passing() -> None:
    """4."""
    assert refusal(position("Ho{h1} / h1", "", ""), A, Choose("city_1")).rule == "iliad.4"


def test_mounting_leaves_equal_elephants_one_choice() -> None:
    """R-17."""
    state = position("El[] El[] / a", "", "")
    assert [move for move in listed(state, A) if isinstance(move, Mount)] == [Mount("archer", ())]
