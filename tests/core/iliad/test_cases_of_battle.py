"""Rule cases 1 to 35, and rule 4.2: who destroys what. Players A, B, C of the cases are seats 0, 1, 2."""

from typing import Any

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import HOPLITE, Card
from kleos.core.iliad.moves import Attack, Extend, Hide, Mount, Pass, Place, Source
from kleos.core.iliad.state import State
from kleos.core.kernel import NotYourTurn
from tests.core.iliad.notation import CHANCE, after, listed, position, refusal, seat

A, B, C = 0, 1, 2


def attacks(state: State, by: int) -> list[Attack]:
    return [move for move in listed(state, by) if isinstance(move, Attack)]


# Archers


def test_case_001_value_does_not_protect_from_an_archer() -> None:
    state = after(position("a", "h4"), (A, Attack("archer", B, "hoplite_4", line=(4,))))
    assert state.armies[A].archers == 0
    assert state.armies[B].lines == ()
    assert state.discards == ("archer", "hoplite_4")


def test_case_002_a_lone_archer_hits_the_weakest_of_a_phalanx() -> None:
    state = position("a", "4-3-2-1")
    assert state.armies[B].strength == 40
    state = after(state, (A, Attack("archer", B, "hoplite_1", line=(4, 3, 2, 1))))
    assert state.armies[B].lines == ((4, 3, 2),)
    assert state.armies[B].strength == 27


def test_a_riding_archer_hits_the_strongest_of_a_phalanx() -> None:
    shot = Attack("archer", B, "hoplite_4", source="elephant", mount=("archer",), line=(4, 3, 2, 1))
    state = after(position("El[a]", "4-3-2-1"), (A, shot))
    assert state.armies[A].elephants == ((),)
    assert state.armies[B].lines == ((3, 2, 1),)
    assert state.armies[B].strength == 18


def test_case_004_a_riding_archer_may_not_choose_the_weakest() -> None:
    shot = Attack("archer", B, "hoplite_1", source="elephant", mount=("archer",), line=(4, 3, 2, 1))
    refused = refusal(position("El[a]", "4-3-2-1"), A, shot)
    assert refused.rule == "iliad.C-08"
    assert "hoplite 4 only" in refused.reason


@pytest.mark.parametrize("mine", ["a", "El[a]"])
def test_case_005_riders_are_safe_from_archers(mine: str) -> None:
    state = position(mine, "El[a,h2]")
    assert attacks(state, A) == []
    source: dict[str, Any] = {"source": "elephant", "mount": ("archer",)} if mine == "El[a]" else {}
    for rider in (
        Attack("archer", B, "archer", **source),
        Attack("archer", B, "hoplite_2", line=(2,), **source),
    ):
        refused = refusal(state, A, rider)
        assert refused.rule == "iliad.4.2"
        assert "riding an elephant" in refused.reason


@pytest.mark.parametrize("target", ["elephant", "chariot", "catapult", "ballista", "wall", "trojan_horse"])
def test_archers_hit_men_only(target: Card) -> None:
    """4.2: an archer may destroy lone archers and hoplites, nothing else."""
    state = position("a", "El[] c ca ba w Ho{h4}")
    assert attacks(state, A) == []
    aim = Attack("archer", B, target, horse=0 if target == "trojan_horse" else None)
    assert refusal(state, A, aim).rule == "iliad.4.2"


def test_case_007_a_riding_archer_is_lost_the_elephant_and_the_other_rider_stay() -> None:
    state = position("El[a,h3]", "a")
    assert state.armies[A].strength == 8
    shot = Attack("archer", B, "archer", source="elephant", mount=("hoplite_3", "archer"))
    state = after(state, (A, shot))
    assert state.armies[A].elephants == (("hoplite_3",),)
    assert state.armies[A].strength == 6
    assert state.armies[B].archers == 0
    assert state.discards == ("archer", "archer")


@pytest.mark.parametrize("card", ["archer", "hoplite_2"])
def test_case_008_the_freed_place_may_be_used_later(card: Card) -> None:
    shot = Attack("archer", B, "archer", source="elephant", mount=("hoplite_3", "archer"))
    state = after(position("El[a,h3] / a h2", "a"), (A, shot), (B, Pass()))
    state = after(state, (A, Mount(card, ("hoplite_3",))))
    assert len(state.armies[A].elephants[0]) == 2


def test_case_010_a_line_of_one_is_a_lone_hoplite_again() -> None:
    state = position("a El[a] c", "2-1")
    assert state.armies[B].strength == 6
    state = after(state, (A, Attack("archer", B, "hoplite_1", line=(2, 1))), (B, Pass()))
    assert state.armies[B].strength == 2
    assert {(move.attacker, move.source) for move in attacks(state, A) if move.line == (2,)} == {
        ("archer", "elephant"),
        ("chariot", "table"),
    }


# Chariots and walls


def test_case_011_a_chariot_attacks_from_the_hand() -> None:
    state = after(
        position("a 3-2 / c", "h4"), (A, Attack("chariot", B, "hoplite_4", source="hand", line=(4,)))
    )
    assert state.armies[A] == seat("a 3-2", seat=A, side=A, strength=11)
    assert state.armies[B].lines == ()
    assert state.discards == ("chariot", "hoplite_4")
    assert state.turn == B


@pytest.mark.parametrize(("army", "source"), [("c", "table"), ("/ c", "hand")])
def test_case_013_a_wall_keeps_chariots_out(army: str, source: Source) -> None:
    state = position(army, "w h4 a 3-2")
    assert attacks(state, A) == []
    aims = (
        Attack("chariot", B, "hoplite_4", source=source, line=(4,)),
        Attack("chariot", B, "archer", source=source),
        Attack("chariot", B, "hoplite_2", source=source, line=(3, 2)),
    )
    assert {refusal(state, A, aim).rule for aim in aims} == {"iliad.C-26"}


def test_case_014_the_owner_of_a_wall_may_use_chariots_himself() -> None:
    state = position("w c", "h4", "w h4")
    assert attacks(state, A) == [Attack("chariot", B, "hoplite_4", line=(4,))]
    assert refusal(state, A, Attack("chariot", C, "hoplite_4", line=(4,))).rule == "iliad.C-26"


def test_case_016_once_the_wall_has_fallen_chariots_come_even_to_one_who_passed() -> None:
    state = position("ca", seat("w 4-3", passed=True, hero=3), "/ c")
    state = after(state, (A, Attack("catapult", B, "wall")))
    state = after(state, (C, Attack("chariot", B, "hoplite_3", source="hand", line=(4, 3))))
    assert state.armies[B].lines == ((4,),)


@pytest.mark.parametrize("attacker", ["chariot", "archer", "catapult"])
def test_case_017_only_a_ballista_stops_a_chariot(attacker: Card) -> None:
    state = position("c a ca ba", "c")
    assert attacks(state, A) == [Attack("ballista", B, "chariot")]
    assert refusal(state, A, Attack(attacker, B, "chariot")).rule == "iliad.4.2"


def test_case_019_a_chariot_hits_neither_riders_nor_hidden_cards() -> None:
    state = position("c", "El[a,h2] Ho{h4}")
    assert attacks(state, A) == []
    assert "riding" in refusal(state, A, Attack("chariot", B, "archer")).reason
    assert "riding" in refusal(state, A, Attack("chariot", B, "hoplite_2", line=(2,))).reason
    hidden, absent = (
        refusal(state, A, Attack("chariot", B, HOPLITE[value], line=(value,))) for value in (4, 3)
    )
    assert hidden.reason.replace("4", "3") == absent.reason, "a refusal tells nothing of what a horse hides"


@pytest.mark.parametrize(
    "aim",
    [
        Attack("ballista", B, "elephant", source="hand"),
        Attack("catapult", B, "wall", source="hand"),
        Attack("archer", B, "archer", source="hand"),
    ],
)
def test_case_020_only_chariots_attack_from_the_hand(aim: Attack) -> None:
    state = position("/ ba ca a", "El[] w a")
    assert attacks(state, A) == []
    assert "only a chariot" in refusal(state, A, aim).reason


# Ballista and elephants

FELLING = Attack("ballista", B, "elephant", riders=("hoplite_4", "archer"))


def test_riders_of_a_destroyed_elephant_stand_alone() -> None:
    state = position("ba", "El[a,h4] El[] 4-3")
    state = after(state, (A, FELLING))
    assert state.armies[A].ballistas == 0
    assert state.armies[B].elephants == ((),), "they do not climb another elephant"
    assert state.armies[B].lines == ((4, 3), (4,)), "nor join a phalanx"
    assert state.armies[B].archers == 1
    assert state.discards == ("ballista", "elephant")


def test_case_022_fallen_riders_can_be_attacked_at_once() -> None:
    state = after(position("ba", "El[a,h4]", "/ c", turn=A), (A, FELLING), (B, Pass()))
    state = after(state, (C, Attack("chariot", B, "hoplite_4", source="hand", line=(4,))))
    assert state.armies[B].lines == ()
    assert state.discards[-2:] == ("chariot", "hoplite_4")


def test_case_023_a_fallen_hoplite_may_lead_a_new_line() -> None:
    state = after(position("ba", "El[a,h4] / h3"), (A, FELLING), (B, Extend("hoplite_3", (4,))))
    assert state.armies[B].lines == ((4, 3),)
    assert state.armies[B].strength == 14 + 1


@pytest.mark.parametrize(
    "aim",
    [
        Attack("ballista", B, "ballista"),
        Attack("ballista", B, "catapult"),
        Attack("ballista", B, "wall"),
        Attack("ballista", B, "trojan_horse", horse=0),
        Attack("ballista", B, "archer"),
        Attack("ballista", B, "hoplite_2", line=(2,)),
    ],
)
def test_case_025_a_ballista_destroys_elephants_and_chariots_only(aim: Attack) -> None:
    state = position("ba", "ba ca w Ho{} a h2 El[] c")
    assert attacks(state, A) == [Attack("ballista", B, "elephant"), Attack("ballista", B, "chariot")]
    assert "an elephant or a chariot" in refusal(state, A, aim).reason


def test_case_026_an_elephant_carries_two() -> None:
    state = position("El[h3,h2] / a h1", "")
    assert not any(isinstance(move, Mount) for move in listed(state, A))
    refused = refusal(state, A, Mount("archer", ("hoplite_2", "hoplite_3")))
    assert (refused.rule, "2 riders at most" in refused.reason) == ("iliad.4.1", True)
    state = after(position("El[h3] El[h2] / a h1", ""), (A, Mount("archer", ("hoplite_3",))), (B, Pass()))
    state = after(state, (A, Mount("hoplite_1", ("hoplite_2",))))
    assert [len(riders) for riders in state.armies[A].elephants] == [2, 2]


def test_case_028_nobody_dismounts() -> None:
    state = position("4 El[h3]", "")
    assert listed(state, A) == [Pass()]
    refused = refusal(state, A, Extend("hoplite_3", (4,)))
    assert (refused.rule, "to place" in refused.reason) == ("iliad.4.1", True)


@pytest.mark.parametrize(("army", "strength"), [("El[h2,h1]", 6), ("El[h4,h4]", 16), ("El[h2,a]", 6)])
def test_case_029_riders_count_twice_and_form_no_phalanx(army: str, strength: int) -> None:
    assert position(army, "").armies[A].strength == strength


# Catapult and horses


def test_case_031_a_catapult_destroys_a_catapult_and_nothing_else_does() -> None:
    state = position("ca ba a c El[a]", "ca")
    assert attacks(state, A) == [Attack("catapult", B, "catapult")]
    state = after(state, (A, Attack("catapult", B, "catapult")))
    assert (state.armies[A].catapults, state.armies[B].catapults) == (0, 0)
    assert state.discards == ("catapult", "catapult")


@pytest.mark.parametrize("target", ["elephant", "chariot"])
def test_case_032_a_catapult_leaves_elephants_and_chariots_alone(target: Card) -> None:
    state = position("ca", "El[] c")
    assert attacks(state, A) == []
    assert (
        "a trojan horse, a ballista, a catapult or a wall"
        in refusal(state, A, Attack("catapult", B, target)).reason
    )


def test_the_cards_of_a_broken_horse_stand_alone() -> None:
    state = position("ca", "Ho{h1} Ho{h3,h2,a} El[] 4")
    state = after(state, (A, Attack("catapult", B, "trojan_horse", horse=1)))
    assert state.armies[B].lines == ((4,), (3,), (2,))
    assert state.armies[B].archers == 1
    assert state.armies[B].elephants == ((),)
    assert [horse.hidden for horse in state.armies[B].horses] == [("hoplite_1",)]
    assert state.discards == ("catapult", "trojan_horse")


def test_case_034_a_horse_is_filled_on_later_turns() -> None:
    state = position("/ ho h2", "/ h1")
    refused = refusal(state, A, Hide("hoplite_2", 0))
    assert refused.rule == "iliad.C-29"
    state = after(state, (A, Place("trojan_horse")))
    with pytest.raises(NotYourTurn):
        GAME.decide(state, A, Hide("hoplite_2", 0), CHANCE)
    state = after(state, (B, Place("hoplite_1")), (A, Hide("hoplite_2", 0)))
    assert state.armies[A].horses[0].hidden == ("hoplite_2",)


def test_case_035_cards_on_the_table_do_not_go_into_a_horse() -> None:
    state = after(position("4 / ho", "/ h1"), (A, Place("trojan_horse")), (B, Pass()))
    assert listed(state, A) == [Pass()]
    refused = refusal(state, A, Hide("hoplite_4", 0))
    assert (refused.rule, "to place" in refused.reason) == ("iliad.4.1", True)
