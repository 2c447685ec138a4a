"""Rule cases 37 to 47, and rules 4.1, 5 and 6.1.2: lines, horses, strength, the arrangement at the end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kleos.core.iliad import GAME, placing
from kleos.core.iliad.arranging import strongest
from kleos.core.iliad.cards import CARDS, FOOT, HOPLITE, VALUE, Card
from kleos.core.iliad.effects import ArmiesRanked, IliadEffect
from kleos.core.iliad.moves import Arrange, Attack, Extend, Hide, IliadMove, Mount, Pass, Place, Placing
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import Army, State
from kleos.core.iliad.strength import strength
from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer, redact
from tests.core.iliad.notation import Step, after, cards, kinds, listed, position, refusal, seat, unfold

A, B = 0, 1
EXACT, DESCENDING = Options(), Options(phalanx_step="descending")


def opened(mine: str, theirs: str = "", options: Options = EXACT) -> State:
    """The position in which both have passed and the horses are open."""
    return after(position(mine, theirs, options=options), (A, Pass()), (B, Pass()))


# What a horse hides


def test_case_037_hidden_cards_count_nothing_and_only_their_number_is_known() -> None:
    state = position("Ho{h4,h3,a}", "h1")
    assert state.armies[A].strength == 0
    for viewer in (Viewer(B), SPECTATOR):
        assert redact(state, viewer)["armies"][A]["horses"] == [{"hidden": [None, None, None]}]
    for viewer in (Viewer(A), EVERYTHING):
        assert redact(state, viewer)["armies"][A]["horses"] == [{"hidden": list(cards("h3 h4 a"))}]


def test_the_card_that_goes_into_a_horse_is_known_to_its_owner_alone() -> None:
    """4.1, R-10: the move and its effect hide the card from all others."""
    _, effects = unfold(position("Ho{} / h3", ""), A, Hide("hoplite_3", 0))
    assert redact(effects[0], Viewer(A))["card"] == "hoplite_3"
    assert redact(effects[0], Viewer(B))["card"] is None
    assert redact(Hide("hoplite_3", 0), SPECTATOR, kind=GAME.Move, owner=A)["card"] is None


def test_horses_are_told_apart_by_their_place() -> None:
    """R-17: in the order in which they were placed, closing up after a loss."""
    state = after(position("Ho{h1} Ho{h2} / h3", "ca"), (A, Hide("hoplite_3", 1)))
    assert [len(horse.hidden) for horse in state.armies[A].horses] == [1, 2]
    state = after(state, (B, Attack("catapult", A, "trojan_horse", horse=0)))
    assert [horse.hidden for horse in state.armies[A].horses] == [("hoplite_2", "hoplite_3")]
    assert refusal(position("Ho{} / h3", ""), A, Hide("hoplite_3", 1)).rule == "iliad.R-17"
    assert (
        refusal(position("ca", "Ho{}"), A, Attack("catapult", B, "trojan_horse", horse=1)).rule
        == "iliad.R-17"
    )


# Revealing


def test_case_038_revealed_hoplites_go_behind_a_line_on_the_table() -> None:
    state = opened("4 Ho{h3,h2}")
    assert GAME.to_act(state) == {A}
    assert state.armies[A].revealed == cards("h2 h3")
    state = after(state, (A, Extend("hoplite_3", (4,))))
    assert Extend("hoplite_2", (4, 3)) in listed(state, A)
    state, effects = unfold(opened("4 Ho{h3,h2}"), A, Arrange())
    assert kinds(effects)[:2] == ["LineExtended", "LineExtended"]
    assert worth(opened("4 Ho{h3,h2}"), Arrange()) == 27


def test_case_040_the_owner_decides_who_climbs_the_elephant() -> None:
    state = opened("El[h1] Ho{h4,a}")
    assert state.armies[A].strength == 2
    assert worth(state, Mount("hoplite_4", ("hoplite_1",)), Place("archer")) == 11
    assert worth(state, Mount("archer", ("hoplite_1",)), Place("hoplite_4")) == 8
    assert worth(state, Arrange()) == 11


def worth(state: State, *moves: IliadMove) -> int:
    """The strength with which A enters the ranking after these moves."""
    effects: tuple[IliadEffect, ...] = ()
    for move in moves:
        state, effects = unfold(state, A, move)
    ranked = next(effect for effect in effects if isinstance(effect, ArmiesRanked))
    return dict(zip(ranked.ranking, ranked.strengths, strict=True))[A]


def test_case_041_a_revealed_archer_stands_alone_or_rides() -> None:
    state = opened("4 El[] Ho{a}")
    assert listed(state, A) == [Place("archer"), Mount("archer", ()), Arrange()]
    assert refusal(state, A, Extend("archer", (4,))).rule == "iliad.4.1"


def test_a_revealed_card_never_goes_into_a_horse_again() -> None:
    """R-09."""
    state = opened("Ho{h1,h2}")
    assert refusal(state, A, Hide("hoplite_1", 0)).rule == "iliad.R-09"
    assert refusal(state, A, Pass()).rule == "iliad.6.1.2"
    assert refusal(state, A, Place("hoplite_3")).rule == "iliad.4.1", "only what the horses showed"


def test_all_horses_open_at_once_and_the_owners_arrange_in_any_order() -> None:
    """R-09: nobody waits for another owner, and the result is the same in every order."""
    state = opened("3 Ho{h2,a} El[]", "Ho{h4,h3}")
    assert GAME.to_act(state) == {A, B}
    mine: list[Step] = [(A, Extend("hoplite_2", (3,))), (A, Mount("archer", ()))]
    theirs: list[Step] = [(B, Place("hoplite_4")), (B, Extend("hoplite_3", (4,)))]
    first = after(state, *mine, *theirs)
    assert first == after(state, *theirs, *mine) == after(state, mine[0], *theirs, mine[1])
    assert first == after(state, theirs[0], mine[0], mine[1], theirs[1])
    assert first.ranking == (B, A)


def test_an_empty_horse_and_an_empty_elephant_count_nothing() -> None:
    """C-30."""
    assert position("Ho{} El[] ca ba w", "").armies[A].strength == 0
    state, effects = unfold(after(position("Ho{} El[] h1", ""), (A, Pass())), B, Pass())
    assert "HorsesOpened" not in kinds(effects)
    assert state.winner == A


@settings(max_examples=120, deadline=None)
@given(
    lines=st.lists(st.sampled_from(["4", "3", "2", "4-3", "3-2"]), max_size=2),
    elephants=st.lists(st.sampled_from(["El[]", "El[a]", "El[h1]"]), max_size=2),
    hidden=st.lists(st.sampled_from(["h1", "h2", "h3", "h4", "a"]), min_size=1, max_size=5),
    options=st.sampled_from([EXACT, DESCENDING]),
)
def test_the_arrangement_offered_is_the_strongest(
    lines: list[str], elephants: list[str], hidden: list[str], options: Options
) -> None:
    """R-09: no other way to place the revealed cards gives more, by trying all of them."""
    state = opened(" ".join([*lines, *elephants, f"Ho{{{','.join(hidden)}}}"]), options=options)
    before = army = state.armies[A]
    arrangement = strongest(army, options.phalanx_step)
    for move in arrangement.moves:
        army = placed(state, army, move)
    assert army.revealed == ()
    assert army.strength == strength(army) == before.strength + arrangement.worth == best(state, before, {})


def placed(state: State, army: Army, move: Placing) -> Army:
    """The army of A after a placement of a revealed card."""
    state = replace(state, armies=(army, state.armies[B]))
    return GAME.evolve(state, placing.placed(A, move, "iliad.R-09")).armies[A]


def best(state: State, army: Army, known: dict[Army, int]) -> int:
    """The most strength that any placement of the revealed cards can give."""
    if not army.revealed:
        return army.strength
    if army not in known:
        moves = placing.placings(state, army, army.revealed)
        known[army] = max(best(state, placed(state, army, move), known) for move in moves)
    return known[army]


# Building lines


@pytest.mark.parametrize(("options", "values"), [(EXACT, {2}), (DESCENDING, {1, 2})])
def test_case_043_only_a_two_goes_behind_a_three_or_anything_lower(
    options: Options, values: set[int]
) -> None:
    state = position("3 / h1 h2 h3 h4", "", options=options)
    assert {VALUE[move.card] for move in listed(state, A) if isinstance(move, Extend)} == values
    for value in {1, 2, 3, 4} - values:
        assert refusal(state, A, Extend(HOPLITE[value], (3,))).rule == "iliad.C-05"


def test_case_044_nothing_is_slipped_between() -> None:
    state = position("4 2 / h3", "")
    assert [move for move in listed(state, A) if isinstance(move, Extend)] == [Extend("hoplite_3", (4,))]
    assert refusal(state, A, Extend("hoplite_3", (2,))).rule == "iliad.C-05"
    assert refusal(state, A, Extend("hoplite_3", (4, 2))).rule == "iliad.4.1"
    assert after(state, (A, Extend("hoplite_3", (4,)))).armies[A].strength == 14 + 2


def test_case_046_a_phalanx_that_lost_its_head_gets_no_new_one() -> None:
    shot = Attack("archer", A, "hoplite_4", source="elephant", mount=("archer",), line=(4, 3))
    state = after(position("4-3 / h4 h2", "El[a]", turn=B), (B, shot))
    assert state.armies[A].lines == ((3,),)
    assert refusal(state, A, Extend("hoplite_4", (3,))).rule == "iliad.C-05"
    assert after(state, (A, Extend("hoplite_2", (3,)))).armies[A].lines == ((3, 2),)


def test_case_047_two_phalanxes_stand_side_by_side_and_the_attacker_names_one() -> None:
    state = position("4-3 4-3-2", "a", turn=B)
    assert state.armies[A].strength == 41
    assert [move.line for move in listed(state, B) if isinstance(move, Attack)] == [(4, 3, 2), (4, 3)]
    assert after(state, (B, Attack("archer", A, "hoplite_3", line=(4, 3)))).armies[A].lines == (
        (4, 3, 2),
        (4,),
    )


def test_nothing_follows_a_one() -> None:
    """C-05."""
    for options in (EXACT, DESCENDING):
        assert (
            "nothing more"
            in refusal(position("1 / h1", "", options=options), A, Extend("hoplite_1", (1,))).reason
        )


# Placing, rule 4.1


@pytest.mark.parametrize("card", CARDS)
def test_every_card_may_stand_alone(card: Card) -> None:
    """4.1: always, and several of a kind."""
    once = after(position(seat("", hand=(card, card)), ""), (A, Place(card)), (B, Pass()))
    twice = after(once, (A, Place(card))).armies[A]
    assert twice.hand == ()
    assert strength(twice) == twice.strength


@pytest.mark.parametrize("card", [card for card in CARDS if card not in FOOT])
def test_only_foot_soldiers_ride_hide_and_stand_in_lines(card: Card) -> None:
    """4.1."""
    state = position(seat("4 El[] Ho{}", hand=(card,)), "")
    assert not any(isinstance(move, Extend | Mount | Hide) for move in listed(state, A))
    for move in (Extend(card, (4,)), Mount(card, ()), Hide(card, 0)):
        assert refusal(state, A, move).rule == "iliad.4.1"


def test_a_carrier_must_be_there_before_its_cards() -> None:
    """C-29: one card a turn, and the elephant or horse already on the table."""
    state = position("/ el ho h2", "")
    assert refusal(state, A, Mount("hoplite_2", ())).rule == "iliad.C-29"
    assert refusal(state, A, Hide("hoplite_2", 0)).rule == "iliad.C-29"
    state = position("El[h1] / h2", "")
    assert refusal(state, A, Mount("hoplite_2", ("archer",))).rule == "iliad.4.1"


def test_a_card_that_is_not_in_the_hand_cannot_be_placed() -> None:
    """4.1."""
    refused = refusal(position("/ h2 a", ""), A, Place("chariot"))
    assert refused.reason == "you have no chariot to place; you have: hoplite 2, archer"


# Strength, rule 5


@pytest.mark.parametrize(
    ("army", "points"),
    [
        ("4-3-2-1", 40),
        ("4", 4),
        ("a a", 2),
        ("c c", 6),
        ("El[h3,a]", 8),
        ("4-3 3-2-1 a c El[h4,h1]", 14 + 18 + 4 + 10),
    ],
)
def test_the_strength_of_an_army(army: str, points: int) -> None:
    """5: sum times number for a line, riders twice, archer 1, chariot 3."""
    assert position(army, "").armies[A].strength == points


def test_a_hero_adds_his_value() -> None:
    """5."""
    assert position(seat("a", hero=3), "", "").armies[A].strength == 4


def test_riders_never_come_in_an_order() -> None:
    """R-17: equal elephants are one choice, whoever climbed first."""
    state = position("El[] / h2 a", "")
    one = after(state, (A, Mount("hoplite_2", ())), (B, Pass()), (A, Mount("archer", ("hoplite_2",))))
    other = after(state, (A, Mount("archer", ())), (B, Pass()), (A, Mount("hoplite_2", ("archer",))))
    assert one.armies == other.armies
    assert one.armies[A].elephants == (("hoplite_2", "archer"),)
