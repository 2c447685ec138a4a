"""Cases 40 to 56: battles on land and at sea, the last island, elimination."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kleos.core.cyclades.effects import BattleEnded, PlayerEliminated, RoundFought
from kleos.core.cyclades.moves import EndTurn, FightOn, MoveTroops, Retreat, Sail
from kleos.core.cyclades.state import Bid
from tests.core.cyclades.positions import A, B, C, Scene, called, land, options, position, turn

PRESETS = pytest.mark.parametrize("preset", ["sheet", "rulebook"])


def landing(preset: str, **more: Any) -> Scene:
    """A on S1 faces B on S3 over the fleet in C2; B holds S8 as well."""
    given: dict[str, Any] = {
        "rules": options(preset),
        "islands": {"S1": land(A, 4), "S3": land(B, 1), "S8": land(B, 1)},
        "fleets": {"C2": (A, 1)},
        "frames": turn("ares"),
        **more,
    }
    return Scene(position(**given))


@PRESETS
def test_case_040_fortresses_alone_defend_nothing(preset: str) -> None:
    islands = {"S1": land(A, 1), "S3": land(B, 0, {1: "fortress", 2: "fortress"}), "S8": land(B, 1)}
    scene = landing(preset, islands=islands).do(MoveTroops("S1", "S3", 1))
    assert not scene.facts(RoundFought)
    assert scene.island("S3").owner == A


@PRESETS
def test_case_041_if_nobody_survives_the_island_stays_with_the_defender(preset: str) -> None:
    scene = landing(preset).do(MoveTroops("S1", "S3", 1), dice=(1, 1))
    assert scene.facts(BattleEnded)[0].winner is None
    assert scene.island("S3").owner == B
    assert scene.island("S3").troops == 0


@PRESETS
def test_case_043_the_defender_is_asked_first(preset: str) -> None:
    islands = {"S1": land(A, 4), "S3": land(B, 3), "S5": land(B, 1)}
    scene = landing(preset, islands=islands, fleets={"C2": (A, 1), "E2": (B, 1)})
    scene.do(MoveTroops("S1", "S3", 3), dice=(1, 1))
    assert scene.seat == B
    assert scene.offers(Retreat) == [Retreat("S5")]
    scene.do(FightOn())
    assert scene.seat == A
    assert scene.offers(Retreat) == [Retreat("S1")]


@PRESETS
def test_case_044_without_a_way_out_there_is_no_retreat(preset: str) -> None:
    islands = {"S7": land(A, 4), "S8": land(B, 2), "S2": land(B, 1)}
    scene = landing(preset, islands=islands, fleets={"K2": (A, 1), "D4": (B, 1)})
    scene.do(MoveTroops("S7", "S8", 3), dice=(3, 0))
    assert scene.seat == A, "only the attacker can be asked"
    assert scene.refused(Retreat("S2")) == "C-20"


@pytest.mark.parametrize("neutral", [False, True])
@PRESETS
def test_case_046_retreat_to_an_unowned_island_is_an_option(preset: str, neutral: bool) -> None:
    scene = landing(
        preset,
        islands={"S1": land(A, 4), "S2": land(B, 3), "S8": land(B, 1)},
        fleets={"C2": (A, 1), "D4": (B, 1)},
        rules=options(preset, retreat_to_neutral=neutral),
    )
    scene.do(MoveTroops("S1", "S2", 3), dice=(3, 0))
    if not neutral:
        assert scene.seat == A
        return
    assert scene.seat == B
    scene.do(Retreat("S4"))
    assert (scene.island("S4").owner, scene.island("S4").troops) == (B, 2)
    assert (scene.island("S2").owner, scene.island("S2").troops) == (A, 3)


@PRESETS
def test_case_047_fleets_retreat_to_empty_or_own_spaces(preset: str) -> None:
    scene = landing(
        preset,
        frames=turn("poseidon"),
        fleets={"E4": (A, 4), "F4": (B, 3), "F5": (B, 1)},
        kraken="G3",
    )
    scene.do(Sail("E4", "F4", 3), dice=(1, 1))
    assert scene.seat == B
    assert {move.to for move in scene.offers(Retreat)} == {"F3", "F5"}
    assert scene.refused(Retreat("G3")) == "11"
    scene.do(Retreat("F5"))
    assert scene.at_sea("F5") == (B, 3)
    assert scene.at_sea("F4") == (A, 2)


@PRESETS
def test_case_049_ports_of_a_third_player_do_not_count(preset: str) -> None:
    scene = landing(
        preset,
        frames=turn("poseidon"),
        islands={"S1": land(A, 1), "S8": land(B, 1), "S5": land(C, 1, {1: "port", 2: "port"})},
        fleets={"H3": (A, 1), "H2": (B, 1)},
    )
    scene.do(Sail("H3", "H2", 1), dice=(0, 0))
    assert scene.facts(RoundFought)[0].strengths == (1, 1)


@PRESETS
def test_case_050_a_metropolis_helps_at_sea(preset: str) -> None:
    scene = landing(
        preset,
        frames=turn("poseidon"),
        islands={"S1": land(A, 1), "S4": land(B, 1, metropolis=True)},
        fleets={"F6": (A, 1), "E6": (B, 1)},
    )
    scene.do(Sail("F6", "E6", 1), dice=(0, 0))
    assert scene.facts(RoundFought)[0].strengths == (1, 1 + 1)
    assert scene.at_sea("E6") == (B, 1)


# The last island


@PRESETS
@pytest.mark.parametrize("defenders", [0, 1])
def test_case_052_a_last_island_is_protected(preset: str, defenders: int) -> None:
    islands = {"S1": land(A, 4, metropolis=True), "S3": land(B, defenders), "S5": land(C, 1)}
    scene = landing(preset, islands=islands)
    assert scene.refused(MoveTroops("S1", "S3", 2)) == "12.2"
    flying = landing(preset, islands=islands, frames=called("pegasus"))
    assert flying.refused(MoveTroops("S1", "S3", 2)) == "12.2"


@PRESETS
def test_case_053_unless_a_metropolis_there_would_win(preset: str) -> None:
    islands = {
        "S1": land(A, 1, metropolis=True),
        "S3": land(B, 8, metropolis=True),
        "S5": land(C, 1),
    }
    scene = landing(preset, islands=islands)
    assert scene.allows(MoveTroops("S1", "S3", 1))


@PRESETS
@pytest.mark.parametrize(("owned", "legal"), [(1, False), (2, True)])
def test_case_055_with_two_players_three_are_needed(preset: str, owned: int, legal: bool) -> None:
    islands = {
        "S1": land(A, 1, metropolis=True),
        "S2": land(A, 1, metropolis=owned == 2),
        "S3": land(B, 1, metropolis=True),
    }
    scene = landing(preset, seats=2, islands=islands)
    move = MoveTroops("S1", "S3", 1)
    if legal:
        assert scene.allows(move)
    else:
        assert scene.refused(move) == "12.2"


@PRESETS
def test_case_056_the_eliminated_stay_out_though_nobody_wins(preset: str) -> None:
    islands = {
        "S1": land(A, 4, metropolis=True),
        "S3": land(B, 0, metropolis=True),
        "S5": land(C, 2),
        "S4": land(C, 1),
    }
    scene = landing(
        preset,
        islands=islands,
        fleets={"C2": (A, 1), "D1": (B, 2), "E2": (C, 1)},
        priests=(0, 2, 0),
        finished=(B,),
    )
    scene.do(MoveTroops("S1", "S3", 1))
    assert scene.facts(PlayerEliminated)[0].seat == B
    lost = scene.state.players[B]
    assert (lost.gold, lost.priests, lost.out) == (0, 0, True)
    assert scene.at_sea("D1") is None
    assert scene.state.finished == ()
    c_acts = replace(scene.state, finished=(A,), frames=turn("ares", C), bids=(Bid("ares", C, 1),))
    scene = Scene(c_acts)
    scene.do(MoveTroops("S5", "S3", 2), dice=(3, 0))
    assert scene.island("S3").owner == C
    scene.do(EndTurn())
    assert scene.state.result is None
    assert scene.state.cycle == 6
    assert B not in scene.state.order
