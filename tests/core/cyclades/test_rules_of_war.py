"""Rules of movement, battles, ownership and metropolises, beyond the numbered cases."""

from __future__ import annotations

from typing import Any

import pytest

from kleos.core.cyclades.effects import (
    BattleEnded,
    FleetSailed,
    MetropolisFounded,
    OnlyChoice,
    PlayerEliminated,
    RoundFought,
    SetCompleted,
    TroopsMoved,
    VoyageEnded,
)
from kleos.core.cyclades.moves import (
    Build,
    ChooseBuilding,
    ChooseIsland,
    EndTurn,
    FightOn,
    MoveTroops,
    RecruitFleet,
    RecruitTroop,
    Retreat,
    Sail,
    Stop,
)
from kleos.core.cyclades.position import holds, owned
from kleos.core.cyclades.state import Bid, Figure, Voyage
from tests.core.cyclades.positions import A, B, C, Scene, called, land, options, position, turn


def scene_of(preset: str = "rulebook", seats: int = 3, **more: Any) -> Scene:
    given: dict[str, Any] = {
        "rules": options(preset),
        "islands": {"S1": land(A, 4), "S3": land(B, 1), "S8": land(B, 1)},
        "fleets": {"C2": (A, 1)},
        "frames": turn("ares"),
        **more,
    }
    return Scene(position(seats, **given))


def fleet_turn(**more: Any) -> Scene:
    return scene_of(frames=turn("poseidon"), **more)


# Fleets


def test_a_move_of_fleets_has_three_steps() -> None:
    scene = fleet_turn().do(Sail("C2", "D3", 1), Sail("D3", "E4", 1), Sail("E4", "F5", 1))
    assert scene.frame == turn("poseidon", steps=1)[0]
    assert scene.gold(A) == 9
    scene.do(Sail("F5", "F6", 1))
    assert scene.gold(A) == 8, "a new move of the same fleet is paid anew"


def test_nothing_else_is_done_in_the_middle_of_a_move() -> None:
    """Fault 119."""
    scene = fleet_turn(track=("fates", None, None)).do(Sail("C2", "D3", 1))
    assert scene.frame == Voyage(A, "D3", 2)
    assert scene.refused(RecruitFleet("C2")) == "10.1"
    assert scene.refused(EndTurn()) == "10.1"
    assert scene.refused(Sail("C2", "B2", 1)) in ("10.1", "R-09")


def test_coming_back_to_a_space_is_allowed() -> None:
    scene = fleet_turn().do(Sail("C2", "D3", 1), Sail("D3", "C2", 1), Stop())
    assert scene.at_sea("C2") == (A, 1)


def test_foreign_fleets_end_the_move_even_if_they_are_beaten() -> None:
    scene = fleet_turn(fleets={"C2": (A, 2), "D3": (B, 1)}).do(Sail("C2", "D3", 2), dice=(3, 0))
    assert scene.facts(FleetSailed)[0].left == 0
    assert scene.at_sea("D3") == (A, 2)
    assert scene.frame == turn("poseidon", steps=1)[0]
    assert scene.allows(Sail("D3", "E4", 1)), "with a newly paid move they go on"


def test_fleets_left_behind_take_no_part() -> None:
    scene = fleet_turn(fleets={"C2": (A, 3), "D3": (B, 1)}).do(Sail("C2", "D3", 1), dice=(0, 0))
    assert scene.facts(RoundFought)[0].strengths == (1, 1)
    assert scene.at_sea("C2") == (A, 2)


def test_after_a_double_loss_the_space_is_empty() -> None:
    scene = fleet_turn(fleets={"C2": (A, 1), "D3": (B, 1)}).do(Sail("C2", "D3", 1), dice=(1, 1))
    assert scene.facts(BattleEnded)[0].winner is None
    assert scene.at_sea("D3") is None


# Battles


def test_ports_of_all_bordering_islands_of_the_defender_add_up_and_the_attackers_never_count() -> None:
    scene = fleet_turn(
        islands={
            "S1": land(A, 1, {1: "port"}),
            "S2": land(B, 1, {1: "port", 2: "port"}),
            "S3": land(B, 1, {1: "port"}),
        },
        fleets={"C1": (A, 1), "C2": (B, 1)},
    ).do(Sail("C1", "C2", 1), dice=(0, 0))
    assert scene.facts(RoundFought)[0].strengths == (1, 1 + 3)


def test_fortresses_and_a_metropolis_defend_the_island() -> None:
    islands = {
        "S1": land(A, 4, {1: "fortress"}),
        "S7": land(B, 1, {3: "fortress", 4: "fortress"}, metropolis=True),
        "S8": land(B, 1),
    }
    scene = scene_of(islands=islands, frames=called("pegasus")).do(MoveTroops("S1", "S7", 1), dice=(0, 0))
    assert scene.facts(RoundFought)[0].strengths == (1, 1 + 2 + 1)
    assert scene.facts(BattleEnded)[0].winner == B


def test_the_published_example_of_a_battle() -> None:
    islands = {
        "S1": land(A, 4),
        "S7": land(B, 1, {3: "fortress"}, metropolis=True),
        "S8": land(B, 1),
    }
    scene = scene_of(islands=islands, frames=called("pegasus")).do(MoveTroops("S1", "S7", 4), dice=(1, 2))
    assert scene.facts(RoundFought)[0].strengths == (5, 5)
    assert scene.facts(RoundFought)[0].losses == (1, 1)
    assert (scene.island("S7").owner, scene.island("S7").troops) == (A, 3)


def test_attackers_who_retreat_leave_the_island_to_its_owner() -> None:
    scene = scene_of(islands={"S1": land(A, 4), "S3": land(B, 3), "S8": land(B, 1)})
    scene.do(MoveTroops("S1", "S3", 3), dice=(0, 3))
    assert scene.seat == A
    scene.do(Retreat("S1"))
    assert (scene.island("S3").owner, scene.island("S3").troops) == (B, 3)
    assert scene.island("S1").troops == 1 + 2
    assert scene.facts(BattleEnded)[0].winner == B


def test_attackers_may_move_on_after_a_victory() -> None:
    scene = scene_of(fleets={"C2": (A, 1), "D3": (A, 1)}).do(MoveTroops("S1", "S3", 3), dice=(3, 0))
    assert scene.allows(MoveTroops("S3", "S2", 2))
    assert scene.gold(A) == 9


def test_landed_attackers_may_retreat_from_medusa() -> None:
    scene = scene_of(
        islands={"S1": land(A, 4), "S3": land(B, 3), "S8": land(B, 1)}, figures={"medusa": ("S3", B)}
    )
    scene.do(MoveTroops("S1", "S3", 3), dice=(0, 3))
    assert scene.seat == A
    assert scene.allows(Retreat("S1"))


# The Minotaur


def test_the_minotaur_alone_defends_an_owned_island() -> None:
    scene = scene_of(
        islands={"S1": land(A, 4), "S3": land(B), "S8": land(B, 1)}, figures={"minotaur": ("S3", C)}
    )
    scene.do(MoveTroops("S1", "S3", 1), dice=(0, 0))
    assert scene.facts(RoundFought)[0].strengths == (1, 2)
    assert scene.island("S3").owner == B
    assert holds(scene.state, "S3", "minotaur")


def test_the_minotaur_of_an_unowned_island_fights_for_nobody() -> None:
    scene = scene_of(islands={"S1": land(A, 1), "S8": land(B, 1)}, figures={"minotaur": ("S3", B)})
    scene.do(MoveTroops("S1", "S3", 1))
    assert scene.island("S3").owner == A
    assert scene.state.figures == ()
    assert scene.state.discard == ("minotaur",)


def test_if_the_troops_retreat_the_minotaur_is_removed() -> None:
    scene = scene_of(
        islands={"S1": land(A, 4), "S3": land(B, 3), "S5": land(B, 1)},
        fleets={"C2": (A, 1), "E2": (B, 1)},
        figures={"minotaur": ("S3", B)},
    ).do(MoveTroops("S1", "S3", 3), dice=(0, 0))
    scene.do(Retreat("S5"))
    assert (scene.island("S3").owner, scene.island("S3").troops) == (A, 2)
    assert scene.state.discard == ("minotaur",)


def test_troops_join_the_minotaur_on_an_own_island() -> None:
    scene = scene_of(
        islands={"S1": land(A, 2), "S3": land(A), "S8": land(B, 1)}, figures={"minotaur": ("S3", A)}
    )
    scene.do(MoveTroops("S1", "S3", 1))
    assert scene.island("S3").troops == 1
    assert holds(scene.state, "S3", "minotaur")


# Ownership and elimination


def test_islands_without_troops_are_held_without_limit() -> None:
    islands = {name: land(A) for name in ("S2", "S3", "S4", "S5", "S6", "S7")}
    scene = scene_of(islands={**islands, "S1": land(A, 1), "S8": land(B, 1)}).do(RecruitTroop("S4"))
    assert len(owned(scene.state, A)) == 7


def test_a_set_completed_by_the_captured_island_opens_a_last_island() -> None:
    islands = {
        "S7": land(A, 1, {1: "port", 3: "fortress", 4: "temple"}),
        "S1": land(A, 2, metropolis=True),
        "S3": land(B, 0, {1: "university"}),
        "S5": land(C, 1),
    }
    scene = scene_of(islands=islands).do(MoveTroops("S1", "S3", 1))
    assert scene.facts(PlayerEliminated)
    assert scene.facts(SetCompleted)


def test_the_captured_island_itself_has_room_for_the_set() -> None:
    islands = {
        "S7": land(A, 1, {3: "fortress", 4: "temple"}, metropolis=True),
        "S1": land(A, 2, {}),
        "S3": land(B, 0, {1: "university", 2: "port"}),
        "S5": land(C, 1),
    }
    assert scene_of(islands=islands).allows(MoveTroops("S1", "S3", 1))


def test_two_sets_taken_at_once_give_two_metropolises() -> None:
    islands = {
        "S7": land(B, 0, {1: "university", 2: "university", 3: "temple", 4: "port"}),
        "S5": land(A, 1, {1: "fortress", 2: "temple", 3: "port"}),
        "S1": land(A, 2, {1: "fortress"}),
        "S8": land(B, 1),
    }
    scene = scene_of(islands=islands, frames=called("pegasus")).do(MoveTroops("S1", "S7", 1))
    founded = 0
    while scene.state.frames != turn("ares"):
        kinds = {type(each.move) for each in scene.legal()}
        assert kinds <= {ChooseBuilding, ChooseIsland}
        scene.do(scene.legal()[0].move)
        founded += len(scene.facts(MetropolisFounded))
    assert founded == 2


def test_the_eliminated_lose_everything_but_what_stands_on_islands() -> None:
    islands = {
        "S1": land(A, 2, metropolis=True),
        "S3": land(B, 0, {1: "temple"}, metropolis=False, prosperity=2),
        "S5": land(C, 1),
        "S8": land(A, 1, {1: "port", 2: "fortress", 3: "university"}),
    }
    scene = scene_of(
        islands=islands,
        fleets={"C2": (A, 1), "F4": (B, 2)},
        philosophers=(0, 2, 0),
        figures={"chiron": ("S5", B)},
        bids=(Bid("ares", A, 1), Bid("zeus", B, 1)),
        gods=("ares", "zeus"),
    )
    scene.do(MoveTroops("S1", "S3", 1))
    out = scene.state.players[B]
    assert (out.gold, out.philosophers, out.out) == (0, 0, True)
    assert scene.at_sea("F4") is None
    assert scene.state.figures == ()
    assert "chiron" in scene.state.discard
    assert [bid.seat for bid in scene.state.bids] == [A]
    assert scene.island("S3").prosperity == 2


def test_only_the_attacked_player_is_protected_by_the_rule_of_the_last_island() -> None:
    islands = {"S1": land(A, 2), "S3": land(B, 1), "S2": land(B, 1)}
    scene = scene_of(islands=islands)
    assert scene.allows(MoveTroops("S1", "S3", 1))
    assert scene.allows(MoveTroops("S1", "S2", 1))


# Metropolises


def test_a_set_is_converted_at_once_and_a_single_site_is_not_asked_for() -> None:
    islands = {
        "S7": land(A, 1, {1: "port", 3: "fortress", 4: "temple"}),
        "S8": land(B, 1),
    }
    scene = scene_of(islands=islands, frames=turn("athena", recruits=1)).do(Build("S7", True))
    assert len(scene.facts(OnlyChoice)) == 5, "four buildings and a site"
    assert scene.facts(MetropolisFounded)[0].island == "S7"
    assert scene.facts(MetropolisFounded)[0].demolished == ()


@pytest.mark.parametrize("blockade", [True, False])
def test_polyphemus_keeps_fleets_out_while_he_stands(blockade: bool) -> None:
    rules = options(polyphemus_blockade=blockade)
    scene = fleet_turn(rules=rules, fleets={"E4": (A, 1)}, figures={"polyphemus": ("S6", B)})
    assert Figure("polyphemus", "S6", B, 5) in scene.state.figures
    if blockade:
        assert scene.refused(Sail("E4", "F4", 1)) == "C-23"
    else:
        assert scene.allows(Sail("E4", "F4", 1))


def test_no_retreat_and_no_recruit_into_the_ring_of_polyphemus() -> None:
    scene = fleet_turn(
        islands={"S1": land(A, 1), "S3": land(B, 1), "S2": land(C, 1)},
        fleets={"D3": (A, 3), "E4": (B, 2)},
        figures={"polyphemus": ("S6", A)},
    ).do(Sail("D3", "E4", 2), dice=(3, 0))
    assert scene.seat == B
    assert scene.offers(Retreat) == [Retreat("D4")]
    ringed = scene_of(
        islands={"S3": land(A, 1), "S2": land(B, 1)},
        frames=turn("poseidon"),
        figures={"polyphemus": ("S6", B)},
    )
    assert ringed.refused(RecruitFleet("F4")) == "C-23"


def test_stopping_is_told() -> None:
    scene = fleet_turn().do(Sail("C2", "D3", 1), Stop())
    assert scene.facts(VoyageEnded)
    assert not scene.facts(TroopsMoved)


def test_a_side_that_stays_is_asked_again_after_the_next_round() -> None:
    scene = scene_of(islands={"S1": land(A, 4), "S3": land(B, 4), "S8": land(B, 1)})
    scene.do(MoveTroops("S1", "S3", 4), dice=(0, 3)).do(FightOn(), dice=(0, 3))
    assert scene.seat == A
    assert scene.frame.units == 2


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (MoveTroops("S1", "M1", 1), "2"),
        (MoveTroops("M1", "S1", 1), "2"),
        (RecruitTroop("L1"), "2"),
        (RecruitTroop("S3"), "9.3"),
        (MoveTroops("S1", "S1", 1), "10.2"),
        (MoveTroops("S1", "S3", 5), "10.2"),
        (Build("S3", True), "9.3"),
        (RecruitFleet("C2"), "9.1"),
        (Sail("C2", "D3", 1), "9.1"),
        (Stop(), "9.1"),
    ],
)
def test_a_refusal_names_the_rule(move: Any, rule: str) -> None:
    assert scene_of().refused(move) == rule


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (Sail("D3", "C2", 1), "10.1"),
        (Sail("C2", "E4", 1), "10.1"),
        (Sail("C2", "D3", 2), "R-09"),
        (Sail("C2", "B2", 1), "C-22"),
    ],
)
def test_a_refused_step_names_the_rule(move: Any, rule: str) -> None:
    assert fleet_turn(kraken="B2").refused(move) == rule
