"""Cases 58 to 64: where metropolises are placed, and what they cost."""

from __future__ import annotations

import pytest

from kleos.core.cyclades.effects import BuildingGiven, MetropolisForgone, MetropolisFounded, SetCompleted
from kleos.core.cyclades.moves import Build, ChooseBuilding, ChooseIsland, RecruitTroop, TakePhilosopher
from kleos.core.cyclades.position import free_slot
from tests.core.cyclades.positions import A, B, Scene, land, options, position, turn

PRESETS = pytest.mark.parametrize("preset", ["sheet", "rulebook"])


@PRESETS
def test_case_058_the_site_covers_its_slots_and_no_others(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S7": land(A, 1, {1: "temple", 4: "port"}), "S2": land(B, 1)},
        philosophers=(3,),
        frames=turn("athena"),
    )
    scene = Scene(state).do(TakePhilosopher())
    assert scene.facts(MetropolisFounded)[0].demolished == ("temple",)
    island = scene.island("S7")
    assert island.metropolis
    assert island.slots == (None, None, None, "port")
    assert free_slot(scene.state, island, on_site=False) == 3
    assert free_slot(scene.state, island, on_site=True) is None


@PRESETS
def test_case_059_a_metropolis_fills_a_one_slot_island(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={"S4": land(A, 1, {1: "fortress"}), "S2": land(B, 1)},
        philosophers=(3,),
        frames=turn("athena"),
    )
    scene = Scene(state).do(TakePhilosopher())
    assert scene.facts(MetropolisFounded)[0].demolished == ("fortress",)
    assert not scene.offers(Build)


@PRESETS
def test_case_061_of_two_ports_the_owner_chooses_one(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={
            "S1": land(A, 1, {1: "port"}),
            "S2": land(A, 1, {1: "port", 2: "fortress"}),
            "S5": land(A, 1, {1: "temple"}),
            "S3": land(B, 1),
        },
        frames=turn("athena"),
    )
    scene = Scene(state).do(Build("S5", True))
    assert scene.facts(SetCompleted)
    assert scene.seat == A
    assert scene.offers(ChooseBuilding) == [
        ChooseBuilding("S1", "port", True),
        ChooseBuilding("S2", "port", True),
    ]
    scene.do(ChooseBuilding("S2", "port", True))
    assert [given.building for given in scene.facts(BuildingGiven)] == [
        "port",
        "fortress",
        "temple",
        "university",
    ]
    scene.do(ChooseIsland("S2"))
    assert scene.island("S1").slots == ("port",)
    assert scene.island("S2").metropolis


@PRESETS
def test_case_062_without_a_free_site_the_set_is_lost(preset: str) -> None:
    state = position(
        4,
        rules=options(preset),
        islands={
            "M1": land(A, 1, {3: "port", 4: "fortress"}, metropolis=True),
            "M9": land(A, 1, {3: "temple"}, metropolis=True),
            "M2": land(B, 1),
        },
        frames=turn("athena"),
    )
    scene = Scene(state).do(Build("M9", False))
    assert scene.facts(MetropolisForgone)
    assert not any(scene.island("M1").slots + scene.island("M9").slots)
    assert sum(island.metropolis for island in scene.state.islands) == 2


@PRESETS
def test_case_064_a_metropolis_is_no_port_for_the_next_set(preset: str) -> None:
    state = position(
        rules=options(preset),
        islands={
            "S4": land(A, 1, metropolis=True),
            "S7": land(A, 1, {1: "fortress", 2: "temple", 3: "university"}),
            "S2": land(B, 1),
        },
        frames=turn("ares"),
    )
    scene = Scene(state).do(RecruitTroop("S4"))
    assert not scene.facts(SetCompleted)
    assert scene.island("S7").slots == ("fortress", "temple", "university", None)
