"""Cases 19 to 38: turns, recruits, buildings, creatures on the track, fleets and troops on the move."""

from __future__ import annotations

import pytest

from kleos.core.cyclades.effects import CreatureCalled, CycleBegun, MetropolisForgone, PhilosophersGathered
from kleos.core.cyclades.moves import (
    Build,
    CallCreature,
    ChooseIsland,
    EndTurn,
    FightOn,
    MoveTroops,
    RecruitFleet,
    RecruitTroop,
    Sail,
    Stop,
    SwapCreature,
    TakePhilosopher,
)
from kleos.core.cyclades.state import Bid, Blessing, Turn, Worship
from tests.core.cyclades.positions import A, B, C, Scene, land, options, position, turn

PRESETS = pytest.mark.parametrize("preset", ["sheet", "rulebook"])
HOMES = {"S1": land(A, 1), "S2": land(B, 1), "S5": land(C, 1)}


@PRESETS
def test_case_019_who_finishes_first_offers_last(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands=HOMES,
        frames=turn("ares", A),
        gods=("ares", "zeus"),
        bids=(Bid("ares", A, 1), Bid("zeus", C, 1)),
        apollo=(Worship(1, B),),
    )
    scene = Scene(state).do(EndTurn())
    assert scene.seat == C
    scene.do(scene.legal()[0].move, EndTurn())
    assert scene.facts(CycleBegun)
    assert scene.state.order == (B, C, A)
    assert scene.seat == B


@PRESETS
def test_case_020_the_price_of_recruits_rises_across_moves(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 1), "S3": land(A, 1), "S2": land(B, 1)},
        fleets={"C2": (A, 1)},
        gold=(9,),
        frames=turn("ares"),
    )
    scene = Scene(state)
    scene.do(RecruitTroop("S1"), MoveTroops("S1", "S3", 1), RecruitTroop("S1"))
    scene.do(MoveTroops("S1", "S3", 1), RecruitTroop("S1"))
    assert scene.gold(A) == 9 - (0 + 1 + 2 + 1 + 3)
    assert scene.refused(RecruitTroop("S1")) == "9.3"


@PRESETS
def test_case_022_losses_make_room_for_recruits_in_the_same_turn(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 8), "S3": land(B, 2), "S8": land(B)},
        fleets={"C2": (A, 1)},
        frames=turn("ares"),
    )
    scene = Scene(state)
    assert scene.refused(RecruitTroop("S1")) == "C-16"
    scene.do(MoveTroops("S1", "S3", 3), dice=(0, 3))
    scene.do(FightOn(), dice=(0, 3))
    scene.do(FightOn(), dice=(3, 0))
    scene.do(FightOn(), dice=(3, 0))
    assert scene.island("S3").owner == A
    cost = scene.gold(A)
    scene.do(RecruitTroop("S1"), RecruitTroop("S1"))
    assert cost - scene.gold(A) == 0 + 2
    assert scene.refused(RecruitTroop("S1")) == "C-16"


@pytest.mark.parametrize("preset", ["sheet", "rulebook"])
def test_case_023_new_fleets_keep_out_of_foreign_spaces(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S2": land(A, 1), "S4": land(B, 1)},
        fleets={"D4": (B, 1), "H3": (A, 1)},
        frames=turn("poseidon"),
    )
    scene = Scene(state)
    assert scene.refused(RecruitFleet("D4")) == "C-07"
    assert scene.allows(RecruitFleet("D3"))
    far = RecruitFleet("H3")
    if preset == "sheet":
        assert scene.allows(far)
    else:
        assert scene.refused(far) == "C-07"


@PRESETS
def test_case_025_the_fourth_philosopher_must_be_taken(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 1, metropolis=True), "S2": land(B, 1)},
        philosophers=(3,),
        frames=turn("athena"),
    )
    scene = Scene(state)
    assert scene.refused(EndTurn()) == "C-15"
    scene.do(TakePhilosopher())
    assert scene.facts(PhilosophersGathered)
    assert scene.facts(MetropolisForgone)
    assert scene.state.players[A].philosophers == 0
    assert scene.allows(EndTurn())


@PRESETS
def test_case_026_several_temples_lower_one_price(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 1, metropolis=True), "S2": land(A, 0, {1: "temple", 2: "temple"})},
        track=("fates", "sphinx", None),
        frames=turn("ares"),
    )
    scene = Scene(state).do(CallCreature("fates"))
    assert scene.facts(CreatureCalled)[0].cost == 1
    assert scene.facts(CreatureCalled)[0].discounts == 3
    scene.do(CallCreature("sphinx"))
    assert scene.facts(CreatureCalled)[0].cost == 3


@PRESETS
def test_case_028_a_temple_works_in_the_turn_it_is_built(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 1), "S2": land(B, 1)},
        track=(None, "fates", None),
        frames=turn("zeus"),
    )
    scene = Scene(state).do(Build("S1", True), CallCreature("fates"))
    assert scene.facts(CreatureCalled)[0].cost == 2


@PRESETS
def test_case_029_zeus_searches_card_after_card(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands=HOMES,
        track=(None, None, "satyr"),
        deck=("giant", "dryad", "medusa", "fates"),
        gold=(3,),
        frames=turn("zeus"),
    )
    scene = Scene(state)
    for old, new in (("satyr", "giant"), ("giant", "dryad"), ("dryad", "medusa")):
        scene.do(SwapCreature(old))  # type: ignore[arg-type]
        assert scene.state.track == (None, None, new)
    assert scene.state.discard == ("satyr", "giant", "dryad")
    assert scene.gold(A) == 0
    assert scene.refused(SwapCreature("medusa")) == "R-06"


@PRESETS
def test_case_031_apollo_calls_no_creatures(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 1), "S3": land(A, 1), "S2": land(B, 1)},
        track=("fates", None, None),
        frames=(Turn(A, "apollo", place=1, recruits=1), Blessing(A)),
    )
    scene = Scene(state)
    assert scene.refused(CallCreature("fates")) == "9.6"
    assert scene.allows(ChooseIsland("S3"))


# Movement


@PRESETS
def test_case_032_one_space_that_borders_both_islands_is_a_chain(preset: str) -> None:
    state = position(
        rules=options(preset), islands={"S1": land(A, 1)}, fleets={"C2": (A, 1)}, frames=turn("ares")
    )
    scene = Scene(state).do(MoveTroops("S1", "S3", 1))
    assert scene.island("S3").owner == A
    assert scene.gold(A) == 9


@PRESETS
def test_case_034_islands_do_not_bridge_two_chains(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S1": land(A, 1), "S3": land(A)},
        fleets={"C1": (A, 1), "F4": (A, 1)},
        frames=turn("ares"),
    )
    scene = Scene(state)
    assert scene.refused(MoveTroops("S1", "S6", 1)) == "10.2"
    scene.do(MoveTroops("S1", "S3", 1), MoveTroops("S3", "S6", 1))
    assert scene.island("S6").owner == A
    assert scene.gold(A) == 8


@PRESETS
def test_case_035_fleets_are_dropped_and_picked_up_on_the_way(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands=HOMES,
        fleets={"E4": (A, 2), "F4": (A, 1)},
        frames=turn("poseidon"),
    )
    scene = Scene(state).do(Sail("E4", "F4", 2), Sail("F4", "G3", 2), Stop())
    assert scene.at_sea("F4") == (A, 1)
    assert scene.at_sea("G3") == (A, 2)
    assert scene.gold(A) == 9


@PRESETS
def test_case_037_an_abandoned_space_belongs_to_nobody(preset: str) -> None:
    state = position(rules=options(preset), islands=HOMES, fleets={"F7": (A, 1)}, frames=turn("poseidon"))
    scene = Scene(state).do(Sail("F7", "F6", 1))
    assert scene.at_sea("F7") is None


@PRESETS
def test_case_038_an_empty_island_stays_owned_and_falls_without_a_fight(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S7": land(A, 1), "S8": land(A, 1), "S5": land(B, 1)},
        fleets={"K2": (A, 1), "H1": (B, 1)},
        frames=turn("ares"),
        gods=("ares", "zeus"),
    )
    scene = Scene(state).do(MoveTroops("S8", "S7", 1))
    assert scene.island("S8").owner == A
    assert scene.island("S8").troops == 0
    state = position(
        rules=options(preset),
        islands={"S7": land(A, 2), "S8": land(A), "S5": land(B, 1)},
        fleets={"H1": (B, 1)},
        frames=turn("ares", B),
    )
    taken = Scene(state).do(MoveTroops("S5", "S8", 1))
    assert taken.island("S8").owner == B
    assert taken.island("S8").troops == 1
