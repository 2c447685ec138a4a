"""Cases 85 to 107: the end of the game, two players, and the completing rulings."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kleos.core.cyclades.effects import (
    CreatureActed,
    CreatureCalled,
    CreatureIdle,
    DeckShuffled,
    FiguresClashed,
    FleetsDrowned,
    FleetsPushed,
    GameEnded,
    MetropolisFounded,
    OfferingMade,
    OfferingsPaid,
    SetCompleted,
)
from kleos.core.cyclades.moves import (
    Build,
    CallCreature,
    ChooseIsland,
    EndTurn,
    MoveTroops,
    OfferTo,
    OfferToApollo,
    Push,
    RecruitTroop,
    Retreat,
    Sail,
    SwapCreature,
    TakePhilosopher,
)
from kleos.core.cyclades.position import target
from kleos.core.cyclades.state import Bid, Player
from tests.core.cyclades.positions import A, B, C, D, Scene, called, land, offering, options, position, turn

PRESETS = pytest.mark.parametrize("preset", ["sheet", "rulebook"])


def scene_of(preset: str = "rulebook", seats: int = 3, **more: Any) -> Scene:
    given: dict[str, Any] = {
        "rules": options(preset),
        "islands": {"S1": land(A, 1), "S2": land(B, 1), "S5": land(C, 1)},
        "frames": turn("ares"),
        "finished": (B, C),
        **more,
    }
    return Scene(position(seats, **given))


def city(owner: int, troops: int = 1) -> Any:
    return land(owner, troops, metropolis=True)


@PRESETS
def test_case_085_two_metropolises_win_at_the_end_of_the_cycle_only(preset: str) -> None:
    scene = scene_of(
        preset,
        islands={"S1": city(A, 4), "S3": city(A, 0), "S2": land(B, 1), "S5": land(C, 2), "S4": land(C, 1)},
        fleets={"E2": (C, 1)},
        finished=(B,),
        gods=("ares", "zeus"),
        bids=(Bid("ares", A, 1),),
    )
    held = Scene(replace(scene.state, frames=turn("ares", C), finished=(B, A), bids=(Bid("ares", C, 1),)))
    held.do(MoveTroops("S5", "S3", 1), EndTurn())
    assert held.state.result is None
    assert held.state.cycle == 6
    scene.state = replace(scene.state, finished=(B, C))
    scene.do(EndTurn())
    assert scene.state.result is not None
    assert scene.state.result.winners == (A,)


@PRESETS
def test_case_086_of_two_who_qualify_the_richer_wins(preset: str) -> None:
    islands = {"S1": city(A), "S3": city(A), "S2": city(B), "S7": city(B), "S5": land(C, 1)}
    scene = scene_of(preset, islands=islands, gold=(5, 7, 20)).do(EndTurn())
    assert scene.facts(GameEnded)[0].outcome.winners == (B,)


@pytest.mark.parametrize(("preset", "winner"), [("sheet", B), ("rulebook", A)])
def test_case_086_three_metropolises_against_more_gold(preset: str, winner: int) -> None:
    islands = {
        "S1": city(A),
        "S3": city(A),
        "S4": city(A),
        "S2": city(B),
        "S7": city(B),
        "S5": land(C, 1),
    }
    scene = scene_of(preset, islands=islands, gold=(5, 7, 20)).do(EndTurn())
    assert scene.facts(GameEnded)[0].outcome.winners == (winner,)


@PRESETS
def test_case_088_two_turns_of_one_player_share_the_temples(preset: str) -> None:
    scene = scene_of(
        preset,
        seats=2,
        islands={"S1": land(A, 1), "S3": land(A, 1, {1: "temple"}), "S2": land(B, 1)},
        gods=("ares", "athena", "zeus"),
        bids=(Bid("ares", A, 1), Bid("athena", A, 1)),
        track=("fates", "sphinx", None),
        finished=(B, B),
        gold=(20, 0),
    )
    scene.do(RecruitTroop("S1"), CallCreature("fates"))
    assert scene.facts(CreatureCalled)[0].cost == 3
    scene.do(EndTurn())
    assert scene.seat == A
    scene.do(TakePhilosopher())
    assert scene.gold(A) == 20 - 3 + 3, "the free card of the new turn; revenue by the Fates"
    scene.do(CallCreature("sphinx"))
    assert scene.facts(CreatureCalled)[0].cost == 3


@PRESETS
def test_case_089_a_player_may_outbid_the_other_marker(preset: str) -> None:
    state = position(2, rules=options(preset), gods=("zeus", "ares", "athena"))
    scene = Scene(offering(state, (A, A, B, B))).do(OfferTo("zeus", 2), OfferTo("zeus", 3))
    assert scene.facts(OfferingMade)[0].displaced == A
    assert scene.seat == A
    assert scene.refused(OfferTo("zeus", 4)) == "C-18"


@pytest.mark.parametrize(
    ("preset", "priests", "paid"),
    [("sheet", 4, 2), ("rulebook", 4, 2), ("sheet", 1, 3), ("rulebook", 1, 4)],
)
def test_case_091_priests_with_two_markers(preset: str, priests: int, paid: int) -> None:
    state = position(2, rules=options(preset), gods=("zeus", "ares", "athena"), priests=(priests,))
    scene = Scene(offering(state, (A, A, B, B)))
    scene.do(OfferTo("zeus", 3), OfferTo("ares", 2), OfferToApollo(), OfferTo("athena", 1))
    assert scene.facts(OfferingsPaid)[0].gold == (paid, 1)


@PRESETS
def test_case_092_two_players_need_three_metropolises(preset: str) -> None:
    islands = {"S1": city(A), "S3": city(A), "S2": land(B, 1)}
    scene = scene_of(preset, seats=2, islands=islands, finished=(B, B, A)).do(EndTurn())
    assert scene.state.result is None
    assert scene.state.cycle == 6


# Completing rulings


@PRESETS
def test_case_094_a_new_metropolis_gives_a_fresh_discount(preset: str) -> None:
    scene = scene_of(
        preset,
        islands={"S7": land(A, 1, {1: "temple", 2: "port", 3: "fortress"}, spent=(1,)), "S2": land(B, 1)},
        frames=turn("athena", recruits=1),
        track=("fates", "sphinx", None),
    )
    scene.do(Build("S7", False))
    assert scene.facts(MetropolisFounded)
    assert scene.island("S7").spent == ()
    scene.do(CallCreature("fates"))
    assert scene.facts(CreatureCalled)[0].cost == 4 - 1
    scene.do(CallCreature("sphinx"))
    assert scene.facts(CreatureCalled)[0].cost == 3


def test_case_095_the_harpy_takes_a_metropolis_and_completes_a_set() -> None:
    scene = scene_of(
        "sheet",
        islands={
            "S7": land(B, 1, {3: "port", 4: "fortress"}, metropolis=True),
            "S2": land(A, 1, {1: "temple", 2: "university"}),
            "S4": land(B, 1),
        },
        frames=called("harpy"),
    )
    scene.do(ChooseIsland("S7"))
    assert scene.island("S7").owner == A
    assert scene.facts(SetCompleted)
    assert scene.island("S2").metropolis, "the only island without one"


@PRESETS
def test_case_097_polyphemus_on_an_occupied_island_pushes_nothing(preset: str) -> None:
    scene = scene_of(
        preset, frames=called("polyphemus"), figures={"chiron": ("S6", B)}, fleets={"F4": (B, 1)}
    ).do(ChooseIsland("S6"))
    assert scene.facts(FiguresClashed)
    assert scene.state.figures == ()
    assert set(scene.state.discard) == {"chiron", "polyphemus"}
    assert scene.at_sea("F4") == (B, 1)


@PRESETS
def test_case_098_who_is_pushed_first_takes_the_only_space(preset: str) -> None:
    # Around S5: F3 and G3 can only go to F4 once E2 is ringed, G3's H3 and F3 are taken.
    scene = scene_of(
        preset,
        frames=called("polyphemus"),
        fleets={"F3": (A, 1), "G3": (B, 1), "H3": (C, 1)},
    ).do(ChooseIsland("S5"))
    assert scene.offers(Push) == [Push("F3", "F4"), Push("G3", "F4")]
    first = Scene(scene.state).do(Push("F3", "F4"))
    assert first.at_sea("F4") == (A, 1)
    assert first.facts(FleetsDrowned)[0].space == "G3"
    second = Scene(scene.state).do(Push("G3", "F4"))
    assert second.at_sea("F4") == (B, 1)
    assert second.facts(FleetsDrowned)[0].space == "F3"
    assert second.facts(FleetsPushed)[0].origin == "G3"


@PRESETS
def test_case_100_a_chimera_without_a_pile_goes_back_into_the_deck(preset: str) -> None:
    scene = scene_of(preset, track=("chimera", None, None)).do(CallCreature("chimera"))
    assert scene.facts(CreatureIdle)
    assert not scene.facts(CreatureActed)
    assert "chimera" in scene.state.deck
    assert scene.facts(DeckShuffled)


@PRESETS
def test_case_101_a_swapped_card_may_come_straight_back(preset: str) -> None:
    scene = scene_of(
        preset,
        frames=turn("zeus"),
        track=("satyr", None, None),
        deck=(),
        discard=("giant", "dryad", "medusa"),
    ).do(SwapCreature("satyr"))
    assert set(scene.facts(DeckShuffled)[0].deck) == {"satyr", "giant", "dryad", "medusa"}
    assert scene.state.track[0] == "satyr"


@PRESETS
@pytest.mark.parametrize(("out", "gods"), [((D,), 2), ((C, D), 1)])
def test_case_103_gods_follow_the_markers_in_play(preset: str, out: tuple[int, ...], gods: int) -> None:
    scene = scene_of(
        preset,
        seats=4,
        islands={"M1": land(A, 1), "M2": land(B, 1), "M3": land(C if C not in out else A, 1)},
        finished=tuple(seat for seat in (B, C) if seat not in out),
        cycle=6,
        players=tuple(Player(seat, 5, out=seat in out) for seat in range(4)),
    ).do(EndTurn())
    assert len(scene.state.gods) == gods
    assert target(scene.state) == 2


@PRESETS
def test_case_104_fleets_may_retreat_to_where_the_attackers_came_from(preset: str) -> None:
    scene = scene_of(preset, frames=turn("poseidon"), fleets={"E4": (A, 3), "F4": (B, 2)})
    scene.do(Sail("E4", "F4", 3), dice=(0, 0))
    assert scene.seat == B
    assert Retreat("E4") in scene.offers(Retreat)
    scene.do(Retreat("E4"))
    assert (scene.at_sea("E4"), scene.at_sea("F4")) == ((B, 1), (A, 3))


@PRESETS
def test_case_106_two_possible_sets_count_once(preset: str) -> None:
    scene = scene_of(
        preset,
        islands={
            "S7": land(A, 2, {1: "port", 2: "port", 3: "fortress", 4: "fortress"}),
            "S3": land(A, 1, {1: "temple", 2: "temple"}),
            "S2": land(B, 1, {1: "university", 2: "university"}),
            "S5": land(C, 1),
        },
        fleets={"C2": (A, 1)},
    )
    assert scene.refused(MoveTroops("S3", "S2", 1)) == "12.2"


@PRESETS
def test_case_107_the_last_one_standing_wins_at_once(preset: str) -> None:
    scene = scene_of(
        preset,
        islands={"S1": city(A, 2), "S3": city(B, 0)},
        fleets={"C2": (A, 1)},
        players=(Player(A, 5), Player(B, 5), Player(C, out=True)),
        finished=(),
    ).do(MoveTroops("S1", "S3", 1))
    outcome = scene.facts(GameEnded)[0].outcome
    assert outcome.winners == (A,)
    assert outcome.reason == "last_standing"
    assert outcome.ranking == ((A,), (B, C))
