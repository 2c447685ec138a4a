"""Cases 65 to 83: the creatures."""

from __future__ import annotations

from typing import Any

import pytest

from kleos.core.cyclades.effects import (
    ApolloPaid,
    BuildingConverted,
    DeckShuffled,
    FigureLeft,
    FleetsDrowned,
    MetropolisFounded,
    PurseRobbed,
    RoundFought,
)
from kleos.core.cyclades.moves import (
    CallCreature,
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    EndTurn,
    FightOn,
    Lure,
    MoveTroops,
    Push,
    Rebuild,
    RecruitFleet,
    RecruitTroop,
    Sail,
    Stop,
)
from kleos.core.cyclades.position import holds, troop_reserve
from kleos.core.cyclades.state import Bid, Worship
from tests.core.cyclades.positions import A, B, C, Scene, called, land, options, position, turn

PRESETS = pytest.mark.parametrize("preset", ["sheet", "rulebook"])


def scene_of(preset: str = "rulebook", **more: Any) -> Scene:
    given: dict[str, Any] = {
        "rules": options(preset),
        "islands": {"S1": land(A, 3), "S2": land(A, 1), "S4": land(B, 1), "S7": land(B, 2)},
        "frames": turn("ares"),
        **more,
    }
    return Scene(position(**given))


def test_case_065_the_harpy_removes_a_troop() -> None:
    scene = scene_of("rulebook", frames=called("harpy"))
    assert {move.island for move in scene.offers(ChooseIsland)} == {"S4", "S7"}
    scene.do(ChooseIsland("S4"))
    assert (scene.island("S4").owner, scene.island("S4").troops) == (B, 0)


def test_case_065_the_harpy_replaces_a_lone_troop_on_the_sheet() -> None:
    scene = scene_of("sheet", frames=called("harpy"))
    mine, theirs = troop_reserve(scene.state, A), troop_reserve(scene.state, B)
    assert scene.refused(ChooseIsland("S7")) == "R-10"
    scene.do(ChooseIsland("S4"))
    assert (scene.island("S4").owner, scene.island("S4").troops) == (A, 1)
    assert troop_reserve(scene.state, A) == mine - 1
    assert troop_reserve(scene.state, B) == theirs + 1


@PRESETS
def test_case_067_the_siren_takes_a_fleet_from_the_map_if_none_is_in_reserve(preset: str) -> None:
    fleets = {"C2": (A, 6), "B2": (A, 2), "F6": (B, 1), "F7": (B, 2)}
    scene = scene_of(preset, frames=called("siren"), fleets=fleets)
    assert scene.offers(Lure) == [Lure("F6", "B2"), Lure("F6", "C2")]
    assert scene.refused(Lure("F7", "C2")) == "C-55"
    scene.do(Lure("F6", "C2"))
    assert (scene.at_sea("F6"), scene.at_sea("C2")) == ((A, 1), (A, 5))


@PRESETS
def test_case_068_pegasus_needs_no_ships_and_leaves_no_way_back(preset: str) -> None:
    scene = scene_of(preset, frames=called("pegasus"))
    scene.do(MoveTroops("S1", "S7", 2), dice=(1, 1, 2, 0))
    assert [fought.strengths for fought in scene.facts(RoundFought)] == [(3, 3), (3, 1)], "nobody was asked"
    assert scene.island("S7").owner == A


@PRESETS
def test_case_070_the_cyclops_completes_a_set(preset: str) -> None:
    islands = {
        "S7": land(A, 1, {1: "port", 3: "port", 4: "temple"}),
        "S4": land(A, 1, {1: "university"}),
        "S2": land(B, 1),
    }
    scene = scene_of(preset, islands=islands, frames=called("cyclops"))
    scene.do(Rebuild("S7", "port", False, "fortress"))
    assert scene.facts(BuildingConverted)[0].slot == 3
    assert scene.offers(ChooseIsland) == [ChooseIsland("S4"), ChooseIsland("S7")]
    scene.do(ChooseIsland("S4"))
    assert scene.facts(MetropolisFounded)
    assert not any(scene.island("S7").slots)


@PRESETS
def test_case_071_the_griffon_takes_half_rounded_down_and_shows_the_purse(preset: str) -> None:
    scene = scene_of(preset, frames=called("griffon"), gold=(0, 7, 9)).do(ChooseRival(B))
    assert (scene.gold(A), scene.gold(B)) == (3, 4)
    assert scene.facts(PurseRobbed)[0].purse == 7


@PRESETS
@pytest.mark.parametrize(("fates", "paid"), [("recompute", 5), ("repeat", 3)])
def test_case_073_the_fates_pay_by_the_present_board(preset: str, fates: str, paid: int) -> None:
    scene = scene_of(
        preset,
        rules=options(preset, fates=fates),
        islands={"S1": land(A, 1), "S2": land(A, 1), "S4": land(A, 1), "S7": land(B, 1)},
        revenue=(3, 0, 0),
        track=("fates", None, None),
        frames=turn("ares"),
        gold=(4,),
    ).do(CallCreature("fates"))
    assert scene.gold(A) == paid


@PRESETS
def test_case_074_the_chimera_copies_the_kraken_and_is_shuffled_in(preset: str) -> None:
    scene = scene_of(
        preset,
        frames=turn("poseidon"),
        track=("chimera", None, None),
        discard=("kraken", "giant"),
        kraken="F5",
        fleets={"D4": (B, 2), "B2": (A, 1)},
        gold=(4,),
    ).do(CallCreature("chimera"))
    assert scene.offers(ChooseCreature) == [ChooseCreature("kraken"), ChooseCreature("giant")]
    scene.do(ChooseCreature("kraken"), ChooseSpace("D4"))
    assert scene.at_sea("D4") is None
    assert scene.state.kraken == "D4"
    assert scene.facts(DeckShuffled)[0].rule == "cyclades.C-31"
    assert scene.state.discard == ()
    assert {"chimera", "kraken", "giant"} <= set(scene.state.deck)


@PRESETS
def test_case_076_the_kraken_breaks_a_chain_and_closes_its_space(preset: str) -> None:
    islands = {"S1": land(A, 1), "S3": land(A, 1), "S2": land(B, 1)}
    fleets = {"C2": (A, 1), "B2": (A, 1)}
    scene = scene_of(preset, frames=called("kraken", "poseidon"), islands=islands, fleets=fleets, gold=(3,))
    scene.do(ChooseSpace("C2"), Stop())
    assert scene.at_sea("C2") is None
    assert scene.refused(RecruitFleet("C2")) == "C-22"
    assert scene.refused(Sail("B2", "C2", 1)) == "C-22"


@PRESETS
def test_case_077_polyphemus_pushes_each_space_where_there_is_room(preset: str) -> None:
    fleets = {"F4": (B, 2), "H3": (A, 1), "F3": (C, 1)}
    scene = scene_of(preset, frames=called("polyphemus"), fleets=fleets).do(ChooseIsland("S6"))
    assert scene.offers(Push) == [
        Push("F4", "E4"),
        Push("H3", "H2"),
        Push("H3", "I2"),
        Push("H3", "I3"),
    ]
    scene.do(Push("H3", "I2"))
    assert (scene.at_sea("I2"), scene.at_sea("E4")) == ((A, 1), (B, 2)), "the last push had no choice"
    closed = scene_of(preset, frames=called("polyphemus"), fleets={**fleets, "E4": (A, 1)})
    closed.do(ChooseIsland("S6"))
    assert closed.facts(FleetsDrowned)[0].space == "F4"


@PRESETS
def test_case_079_medusa_holds_troops_but_lets_them_come(preset: str) -> None:
    scene = scene_of(preset, figures={"medusa": ("S2", B)}, fleets={"C2": (A, 1)})
    assert scene.refused(MoveTroops("S2", "S1", 1)) == "C-24"
    assert scene.allows(RecruitTroop("S2"))
    flying = scene_of(preset, figures={"medusa": ("S2", B)}, frames=called("pegasus"))
    assert flying.refused(MoveTroops("S2", "S4", 1)) == "C-24"
    attacked = scene_of(
        preset,
        islands={"S1": land(A, 3), "S2": land(A, 3), "S3": land(B, 3), "S7": land(B, 1)},
        figures={"medusa": ("S2", B)},
        fleets={"B2": (A, 1), "D3": (B, 1)},
        frames=turn("ares", B),
    ).do(MoveTroops("S3", "S2", 3), dice=(1, 1))
    assert attacked.seat == B, "the defender is not offered a retreat"


@PRESETS
def test_case_080_chiron_keeps_giant_harpy_and_pegasus_away(preset: str) -> None:
    islands = {"S1": land(A, 1), "S2": land(B, 1, {1: "port"}), "S4": land(B, 1, {1: "port"})}
    chiron: dict[str, Any] = {"islands": islands, "figures": {"chiron": ("S2", C)}}
    giant = scene_of(preset, frames=called("giant"), **chiron)
    assert giant.refused(ChooseBuilding("S2", "port", True)) == "C-25"
    assert giant.allows(ChooseBuilding("S4", "port", True)) or len(giant.legal()) == 1
    harpy = scene_of(preset, frames=called("harpy"), **chiron)
    assert harpy.refused(ChooseIsland("S2")) == "C-25"
    pegasus = scene_of(preset, frames=called("pegasus"), **chiron)
    assert pegasus.refused(MoveTroops("S1", "S2", 1)) == "C-25"
    assert scene_of(preset, fleets={"B2": (A, 1)}, **chiron).allows(MoveTroops("S1", "S2", 1))


@PRESETS
def test_case_082_a_figure_leaves_when_its_summoner_acts_in_the_next_cycle(preset: str) -> None:
    scene = scene_of(
        preset,
        cycle=6,
        figures={"minotaur": ("S7", A)},
        frames=turn("ares", B),
        bids=(Bid("ares", B, 1),),
        apollo=(Worship(1, A),),
    )
    assert holds(scene.state, "S7", "minotaur")
    scene.do(EndTurn())
    left, paid = scene.facts(FigureLeft)[0], scene.facts(ApolloPaid)[0]
    assert scene.effects.index(left) < scene.effects.index(paid)
    assert scene.state.discard == ("minotaur",)
    same_cycle = scene_of(
        preset,
        figures={"minotaur": ("S7", A)},
        frames=turn("ares", B),
        bids=(Bid("ares", B, 1),),
        apollo=(Worship(1, A),),
    ).do(EndTurn())
    assert not same_cycle.facts(FigureLeft)


@PRESETS
def test_case_083_the_minotaur_defends_with_two_and_falls_last(preset: str) -> None:
    scene = scene_of(
        preset,
        islands={"S1": land(A, 2), "S3": land(B, 1), "S7": land(B, 1)},
        figures={"minotaur": ("S3", B)},
        fleets={"C2": (A, 1)},
    )
    scene.do(MoveTroops("S1", "S3", 2), dice=(1, 1))
    assert scene.facts(RoundFought)[0].strengths == (3, 4)
    assert scene.facts(RoundFought)[0].losses == (1, 0)
    scene.do(FightOn(), dice=(3, 0))
    assert scene.facts(RoundFought)[0].strengths == (4, 3)
    assert scene.island("S3").troops == 0
    assert holds(scene.state, "S3", "minotaur")
    scene.do(FightOn(), dice=(2, 0))
    assert scene.facts(RoundFought)[0].strengths == (3, 2)
    assert scene.island("S3").owner == A
    assert scene.state.figures == ()
    assert scene.state.discard == ("minotaur",)
