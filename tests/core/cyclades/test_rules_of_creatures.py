"""Rules of the creatures, beyond the numbered cases."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kleos.core.cyclades.effects import (
    CreatureIdle,
    FigureLeft,
    KrakenMoved,
    MetropolisFounded,
    OnlyChoice,
    PhilosophersGathered,
    PieceSold,
    PurseRobbed,
    SaleEnded,
    TurnBegun,
)
from kleos.core.cyclades.moves import (
    CallCreature,
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    EndTurn,
    Lure,
    MoveKraken,
    MoveTroops,
    Rebuild,
    Sail,
    Sell,
    Stop,
)
from kleos.core.cyclades.position import holds
from kleos.core.cyclades.state import Bid, Figure, Voyage
from tests.core.cyclades.conservation import census
from tests.core.cyclades.positions import A, B, C, Scene, called, land, options, position, turn


def scene_of(preset: str = "rulebook", seats: int = 3, **more: Any) -> Scene:
    given: dict[str, Any] = {
        "rules": options(preset),
        "islands": {"S1": land(A, 3), "S2": land(B, 1), "S5": land(C, 1)},
        "frames": turn("ares"),
        **more,
    }
    return Scene(position(seats, **given))


# Sylph


def test_the_sylph_leads_one_group_along_a_path_on_the_sheet() -> None:
    scene = scene_of("sheet", frames=called("sylph"), fleets={"C2": (A, 2), "F6": (A, 1)})
    assert scene.offers(ChooseSpace) == [ChooseSpace("C2"), ChooseSpace("F6")]
    scene.do(ChooseSpace("C2"))
    assert scene.frame == Voyage(A, "C2", 10)
    assert scene.refused(Sail("F6", "F5", 1)) == "R-09"
    scene.do(Sail("C2", "D3", 1), Sail("D3", "D4", 1))
    assert scene.frame == Voyage(A, "D4", 8)
    assert scene.gold(A) == 10


def test_the_sylph_gives_ten_steps_to_any_fleets_in_the_rulebook() -> None:
    scene = scene_of(
        "rulebook", frames=turn("ares"), track=("sylph", None, None), fleets={"C2": (A, 2), "F6": (A, 1)}
    )
    scene.do(CallCreature("sylph"))
    assert scene.frame == Voyage(A, None, 10)
    scene.do(Sail("C2", "D3", 1), Sail("F6", "F5", 1))
    assert scene.frame == Voyage(A, None, 8)
    for _ in range(4):
        scene.do(Sail("F5", "F6", 1), Sail("F6", "F5", 1))
    assert scene.state.frames == turn("ares")


def test_the_sylph_may_stay_at_home() -> None:
    scene = scene_of("sheet", track=("sylph", None, None), fleets={"C2": (A, 2)}).do(CallCreature("sylph"))
    assert [only.move for only in scene.facts(OnlyChoice)] == [ChooseSpace("C2")]
    scene.do(Stop())
    assert scene.at_sea("C2") == (A, 2)


@pytest.mark.parametrize("preset", ["sheet", "rulebook"])
def test_a_battle_ends_the_sylph(preset: str) -> None:
    scene = scene_of(preset, track=("sylph", None, None), fleets={"C2": (A, 2), "D3": (B, 1)})
    scene.do(CallCreature("sylph")).do(Sail("C2", "D3", 2), dice=(3, 0))
    assert scene.state.frames == turn("ares")


# Harpy, Griffon, Giant, Siren, Cyclops


def test_the_harpy_passes_over_an_island_with_the_minotaur_on_the_sheet() -> None:
    islands = {"S1": land(A, 3), "S2": land(B, 1), "S5": land(B, 1), "S7": land(C, 1), "S8": land(C, 1)}
    figures = {"minotaur": ("S2", C)}
    sheet = scene_of("sheet", frames=called("harpy"), islands=islands, figures=figures)
    assert sheet.refused(ChooseIsland("S2")) == "R-10"
    assert sheet.allows(ChooseIsland("S5"))
    assert scene_of("rulebook", frames=called("harpy"), islands=islands, figures=figures).allows(
        ChooseIsland("S2")
    )


def test_the_harpy_does_not_break_the_rule_of_the_last_island() -> None:
    scene = scene_of("sheet", track=("harpy", None, None)).do(CallCreature("harpy"))
    assert scene.facts(CreatureIdle), "both enemy troops stand on last islands"


def test_the_harpy_needs_a_troop_in_reserve_on_the_sheet() -> None:
    islands = {"S1": land(A, 8), "S2": land(B, 1), "S5": land(B, 1)}
    scene = scene_of("sheet", islands=islands, track=("harpy", None, None)).do(CallCreature("harpy"))
    assert scene.facts(CreatureIdle)


@pytest.mark.parametrize(("purse", "taken"), [(0, 0), (1, 0), (2, 1)])
def test_the_griffon_rounds_down(purse: int, taken: int) -> None:
    scene = scene_of(frames=called("griffon"), gold=(0, purse)).do(ChooseRival(B))
    assert scene.facts(PurseRobbed)[0].gold == taken


def test_the_giant_may_destroy_ones_own_building_but_no_metropolis() -> None:
    islands = {"S1": land(A, 1, {1: "port"}), "S7": land(B, 1, {3: "temple"}, metropolis=True)}
    scene = scene_of(frames=called("giant"), islands=islands)
    assert scene.offers(ChooseBuilding) == [
        ChooseBuilding("S1", "port", True),
        ChooseBuilding("S7", "temple", False),
    ]
    scene.do(ChooseBuilding("S7", "temple", False))
    assert scene.island("S7").metropolis
    assert not any(scene.island("S7").slots)


def test_harpy_and_siren_turn_against_others_only() -> None:
    harpy = scene_of(frames=called("harpy"), islands={"S1": land(A, 1), "S2": land(B, 1), "S5": land(C, 1)})
    assert harpy.refused(ChooseIsland("S1")) == "C-04"
    siren = scene_of(frames=called("siren"), fleets={"C2": (A, 1), "F6": (B, 1), "F7": (C, 1)})
    assert siren.refused(Lure("C2")) == "C-55"


def test_the_siren_minds_neither_kraken_nor_polyphemus() -> None:
    scene = scene_of(
        frames=called("siren"),
        fleets={"F4": (B, 1), "A1": (C, 1)},
        figures={"polyphemus": ("S6", A)},
        kraken="B2",
    )
    scene.do(Lure("F4"))
    assert scene.at_sea("F4") == (A, 1)
    with_reserve = scene_of(frames=called("siren"), fleets={"C2": (A, 1), "F4": (B, 1), "A1": (C, 1)})
    assert with_reserve.refused(Lure("F4", "C2")) == "R-20"


def test_the_cyclops_needs_another_type_that_is_in_supply() -> None:
    full = {
        "S7": land(B, 1, dict.fromkeys(range(1, 5), "fortress")),
        "S5": land(B, 1, dict.fromkeys(range(1, 4), "fortress")),
        "S8": land(B, 1, dict.fromkeys(range(1, 4), "fortress")),
        "S1": land(A, 1, {1: "port"}),
    }
    scene = scene_of(frames=called("cyclops"), islands=full)
    assert [move.into for move in scene.offers(Rebuild)] == ["temple", "university"]


def test_a_rebuilt_temple_is_unused() -> None:
    islands = {"S1": land(A, 1, {1: "temple"}, spent=(1,)), "S2": land(B, 1)}
    scene = scene_of(frames=called("cyclops"), islands=islands).do(Rebuild("S1", "temple", True, "port"))
    assert scene.island("S1").spent == ()


# Sphinx, Fates, Satyr, Dryad, Pegasus


def test_the_sphinx_buys_piece_by_piece() -> None:
    scene = scene_of(
        track=("sphinx", None, None), fleets={"C2": (A, 1)}, priests=(1,), philosophers=(1,), gold=(4,)
    ).do(CallCreature("sphinx"))
    assert scene.offers(Sell) == [
        Sell("troop", "S1"),
        Sell("fleet", "C2"),
        Sell("priest"),
        Sell("philosopher"),
    ]
    scene.do(Sell("fleet", "C2"), Sell("priest"), Sell("troop", "S1"), Stop())
    assert scene.gold(A) == 6
    assert scene.at_sea("C2") is None
    assert scene.island("S1").troops == 2
    assert scene.state.players[A].priests == 0


def test_the_last_troop_may_be_sold_and_the_island_stays_owned() -> None:
    scene = scene_of(track=("sphinx", None, None), islands={"S1": land(A, 1), "S2": land(B, 1)}).do(
        CallCreature("sphinx")
    )
    scene.do(Sell("troop", "S1"))
    assert scene.facts(PieceSold)
    assert scene.facts(SaleEnded), "nothing else is left to sell"
    assert scene.island("S1").owner == A


def test_a_stolen_fourth_philosopher_makes_a_metropolis() -> None:
    scene = scene_of(
        frames=called("satyr"), philosophers=(3, 1, 0), islands={"S1": land(A, 3), "S2": land(B, 1)}
    )
    assert scene.offers(ChooseRival) == [ChooseRival(B)]
    scene.do(ChooseRival(B))
    assert scene.facts(PhilosophersGathered)
    assert scene.facts(MetropolisFounded)
    assert scene.state.players[B].philosophers == 0


def test_the_dryad_takes_even_the_last_priest() -> None:
    scene = scene_of(frames=called("dryad"), priests=(0, 0, 1))
    assert scene.offers(ChooseRival) == [ChooseRival(C)]
    scene.do(ChooseRival(C))
    assert [player.priests for player in scene.state.players] == [1, 0, 0]


def test_pegasus_may_leave_the_island_of_chiron() -> None:
    scene = scene_of(frames=called("pegasus"), figures={"chiron": ("S1", B)})
    assert scene.allows(MoveTroops("S1", "S4", 2))


def test_a_creature_without_a_target_is_paid_for_all_the_same() -> None:
    scene = scene_of(track=("satyr", None, None)).do(CallCreature("satyr"))
    assert scene.facts(CreatureIdle)
    assert scene.gold(A) == 6
    assert scene.state.discard == ("satyr",)


# Chimera


def test_a_copied_figure_takes_its_card_along_until_it_leaves() -> None:
    scene = scene_of(track=("chimera", None, None), discard=("medusa", "giant")).do(CallCreature("chimera"))
    scene.do(ChooseCreature("medusa"), ChooseIsland("S2"))
    assert holds(scene.state, "S2", "medusa")
    assert "medusa" not in scene.state.deck
    assert {"chimera", "giant"} <= set(scene.state.deck)
    assert scene.state.discard == ()
    assert scene.state.figures == (Figure("medusa", "S2", A, 5),)


def test_no_card_is_lost_if_the_copied_effect_ends_the_match() -> None:
    islands = {
        "S1": land(A, 2, metropolis=True),
        "S3": land(A, metropolis=True),
        "S2": land(B, metropolis=True),
    }
    scene = scene_of(seats=2, islands=islands, track=("chimera", None, None), discard=("pegasus", "giant"))
    counted = census(scene.state)
    scene.do(CallCreature("chimera"), ChooseCreature("pegasus"), MoveTroops("S1", "S2", 1))
    assert scene.state.result is not None
    assert census(scene.state)["chimera"] == counted["chimera"] == 1
    assert scene.state.discard == ("pegasus", "giant", "chimera")


def test_the_chimera_is_not_in_the_pile_it_copies_from() -> None:
    scene = scene_of(track=("chimera", None, None), discard=("giant", "satyr")).do(CallCreature("chimera"))
    assert scene.refused(ChooseCreature("chimera")) == "R-05"


# The Kraken and the figures


def test_the_kraken_swims_on_for_gold_and_spares_nobody() -> None:
    islands = {"S1": land(A, 1, {1: "temple"}), "S2": land(B, 1)}
    scene = scene_of(
        track=("kraken", None, None),
        islands=islands,
        fleets={"D3": (A, 1), "E4": (B, 2)},
        kraken="C2",
        gold=(6,),
    ).do(CallCreature("kraken"), ChooseSpace("C2"))
    scene.do(MoveKraken("D3"))
    assert scene.facts(KrakenMoved)[0].destroyed == 1, "one's own"
    assert scene.facts(KrakenMoved)[0].cost == 1, "temples do not help"
    scene.do(MoveKraken("E4"), Stop())
    assert scene.gold(A) == 6 - 3 - 2
    assert scene.state.kraken == "E4"
    assert scene.state.discard == ("kraken",)


def test_the_kraken_ignores_polyphemus() -> None:
    scene = scene_of(frames=called("kraken"), figures={"polyphemus": ("S6", B)})
    assert scene.allows(ChooseSpace("F4"))


def test_a_figure_stands_until_the_first_turn_of_the_next_cycle_with_two_players() -> None:
    state = position(
        2,
        islands={"S1": land(A, 1), "S2": land(B, 1)},
        frames=turn("ares", A),
        gods=("ares", "zeus", "athena"),
        figures={"medusa": ("S2", A)},
    )
    both = replace(state, bids=(Bid("ares", A, 1), Bid("zeus", A, 1)))
    scene = Scene(both).do(EndTurn())
    assert scene.facts(TurnBegun)[0].god == "zeus"
    assert not scene.facts(FigureLeft), "the second turn of the same cycle"
    later = Scene(replace(both, cycle=6, frames=turn("ares", B), bids=(Bid("ares", B, 1), Bid("zeus", A, 1))))
    later.do(EndTurn())
    assert later.facts(FigureLeft)


def test_a_figure_is_placed_anywhere_and_binds_its_summoner_too() -> None:
    scene = scene_of(frames=called("medusa"), fleets={"C2": (A, 1)})
    assert len(scene.offers(ChooseIsland)) == 8
    scene.do(ChooseIsland("S1"))
    assert scene.refused(MoveTroops("S1", "S3", 1)) == "C-24"
