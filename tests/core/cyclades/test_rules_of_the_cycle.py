"""Rules of components, set-up, gods, offerings, turns and the end, beyond the numbered cases."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kleos.core.cyclades import GAME
from kleos.core.cyclades.board import boards
from kleos.core.cyclades.effects import (
    ApolloPaid,
    BuildingBuilt,
    CreatureCalled,
    GameEnded,
    OnlyChoice,
    PriestTaken,
    ProsperityPlaced,
    RowDealt,
    StartsDrawn,
    TurnBegun,
)
from kleos.core.cyclades.moves import (
    Build,
    CallCreature,
    ChooseIsland,
    EndTurn,
    OfferTo,
    OfferToApollo,
    RecruitTroop,
    Stop,
    SwapCreature,
    TakePriest,
)
from kleos.core.cyclades.position import owned
from kleos.core.cyclades.state import Bid, Player, Turn, Worship
from kleos.core.cyclades.vocabulary import CREATURES, DIE, PRIESTS, PROSPERITY_MARKERS, STEPS_A_TURN, Options
from kleos.core.kernel import SPECTATOR, KeyedChance, Viewer, redact
from tests.core.cyclades.positions import A, B, C, D, Scene, land, offering, options, position, turn

HOMES = {"S1": land(A, 1), "S2": land(B, 1), "S5": land(C, 1)}


def scene_of(preset: str = "rulebook", seats: int = 3, **more: Any) -> Scene:
    given: dict[str, Any] = {"rules": options(preset), "islands": HOMES, "frames": turn("ares"), **more}
    return Scene(position(seats, **given))


# Components and set-up


def test_there_are_seventeen_different_creatures() -> None:
    assert len(CREATURES) == len(set(CREATURES)) == 17


def test_the_dice_give_the_published_odds() -> None:
    leads = Counter(mine - theirs for mine, theirs in product(DIE, DIE))
    assert [leads[lead] for lead in range(-3, 4)] == [1, 4, 8, 10, 8, 4, 1]


@pytest.mark.parametrize("seats", GAME.seats)
def test_start_positions_are_dealt_at_random(seats: int) -> None:
    drawn = set()
    for number in range(400):
        opened = GAME.open(GAME.settle(Options(), seats), seats, KeyedChance(b"%d" % number))
        (effect,) = (each for each in opened.effects if isinstance(each, StartsDrawn))
        drawn.add(effect.starts)
        for player in opened.state.players:
            islands = owned(opened.state, player.seat)
            assert [island.troops for island in islands] == [1, 1]
            assert sum(each.ships for each in opened.state.fleets if each.seat == player.seat) == 2
    every = set(permutations(range(seats)))
    assert drawn <= every
    assert len(drawn) > 0.9 * len(every)


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_first_order_is_drawn_with_one_marker_each_or_two(seats: int) -> None:
    orders = set()
    for number in range(30):
        state = GAME.open(GAME.settle(Options(), seats), seats, KeyedChance(b"%d" % number)).state
        orders.add(state.order)
        assert Counter(state.order) == dict.fromkeys(range(seats), 2 if seats == 2 else 1)
    assert len(orders) > 1


def test_presets_set_what_is_not_chosen() -> None:
    sheet, rulebook = options("sheet"), options("rulebook")
    differing = {
        name for name in Options.__struct_fields__ if getattr(sheet, name) != getattr(rulebook, name)
    }
    assert differing == {
        "preset",
        "harpy",
        "gods_of_three",
        "fleet_placement",
        "tie_break",
        "track",
        "priests_of_two",
        "sylph",
    }
    assert options("sheet", harpy="remove").harpy == "remove"
    assert GAME.settle(rulebook, 4) == rulebook
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"monuments": True}, Options)


# Gods


@pytest.mark.parametrize(("seats", "gods"), [(2, 3), (3, 2), (4, 3), (5, 4)])
def test_one_god_fewer_than_markers_is_to_be_had(seats: int, gods: int) -> None:
    state = GAME.open(GAME.settle(Options(), seats), seats, KeyedChance(b"row")).state
    assert len(state.gods) == gods
    assert len(state.hidden) == 4 - gods


def test_with_four_players_the_hidden_god_is_the_next_to_act_first() -> None:
    scene = scene_of(
        seats=4,
        islands={"M1": land(A, 1), "M2": land(B, 1), "M3": land(C, 1), "M4": land(D, 1)},
        gods=("ares", "zeus", "poseidon"),
        hidden=("athena",),
        finished=(B, C, D),
    ).do(EndTurn())
    (row,) = scene.facts(RowDealt)
    assert row.gods[0] == "athena"
    assert len(row.hidden) == 1


def test_with_five_players_all_four_are_shuffled() -> None:
    rows = set()
    for number in range(60):
        state = GAME.open(GAME.settle(Options(), 5), 5, KeyedChance(b"five %d" % number)).state
        rows.add(state.gods)
        assert state.hidden == ()
    assert len(rows) > 12


def test_hidden_tiles_and_the_deck_are_seen_by_nobody() -> None:
    state = GAME.open(GAME.settle(Options(), 3), 3, KeyedChance(b"hidden")).state
    for viewer in (SPECTATOR, Viewer(0)):
        view = redact(state, viewer)
        assert view["hidden"] == [None, None]
        assert view["deck"] == [None] * 16
        purses = [player["gold"] for player in view["players"]]
        assert purses == [7 if seat == viewer.seat else None for seat in range(3)]
    assert redact(scene_of(discard=("giant", "satyr")).state, SPECTATOR)["discard"] == ["giant", "satyr"]


# Offerings


def test_nobody_offers_without_gold_however_many_priests() -> None:
    scene = Scene(offering(position(gold=(0,), priests=(9,), gods=("ares", "zeus")), (A, B, C)))
    assert scene.refused(OfferTo("ares", 1)) == "C-17"
    assert scene.legal()[0].move == OfferToApollo()


def test_two_markers_must_be_payable_together() -> None:
    state = position(2, rules=options("sheet"), gods=("ares", "zeus", "athena"), gold=(5,), priests=(1,))
    scene = Scene(offering(state, (A, A, B, B))).do(OfferTo("ares", 4))
    assert zeus_range(scene) == (1, 3), "3 of 5 gold are spoken for; a priest adds one"
    scene = Scene(offering(replace(state, options=options("rulebook")), (A, A, B, B))).do(OfferTo("ares", 4))
    assert zeus_range(scene) == (1, 2), "the priest lowers the sum once"


def zeus_range(scene: Scene) -> tuple[int, int]:
    (listed,) = (each for each in scene.legal() if getattr(each.move, "god", None) == "zeus")
    assert listed.range is not None
    return listed.range["amount"]


def test_a_second_marker_goes_to_apollo_only_if_nothing_else_is_legal() -> None:
    state = position(2, gods=("ares", "zeus", "athena"))
    scene = Scene(offering(state, (A, A, B, B))).do(OfferToApollo())
    assert scene.refused(OfferToApollo()) == "R-13"
    broke = Scene(offering(replace(state, players=(Player(A), Player(B, 9))), (A, A, B, B)))
    broke.do(OfferToApollo(), OfferToApollo())
    assert [worship.seat for worship in broke.state.apollo] == [A, A]


def test_gods_that_nobody_chose_are_skipped() -> None:
    state = position(islands=HOMES, gods=("ares", "zeus"), rules=options())
    scene = Scene(offering(state, (A, B, C)))
    scene.do(OfferTo("zeus", 1), OfferToApollo(), OfferToApollo())
    assert scene.facts(TurnBegun)[0].god == "zeus"


# Turns


def test_a_turn_may_be_passed_but_for_a_card() -> None:
    assert scene_of().allows(EndTurn())
    assert scene_of(frames=turn("poseidon")).allows(EndTurn())
    assert scene_of(frames=turn("zeus")).refused(EndTurn()) == "C-15"
    assert scene_of(frames=turn("zeus")).do(TakePriest()).allows(EndTurn())


def test_without_a_priest_left_none_is_gained_and_none_is_due() -> None:
    scene = scene_of(frames=turn("zeus"), priests=(PRIESTS - 5, 5, 0))
    assert scene.refused(TakePriest()) == "18"
    assert scene.allows(EndTurn())


def test_a_second_priest_costs_four_and_a_third_is_not_to_be_had() -> None:
    scene = scene_of(frames=turn("zeus")).do(TakePriest(), TakePriest())
    assert scene.facts(PriestTaken)[0].cost == 4
    assert scene.refused(TakePriest()) == "9.3"


def test_several_buildings_may_be_built_even_on_one_island() -> None:
    scene = scene_of(islands={"S7": land(A, 1), "S2": land(B, 1)}, gold=(6,))
    scene.do(Build("S7", False))
    assert scene.facts(BuildingBuilt)[0].slot == 3, "the lowest free slot off the site"
    scene.do(Build("S7", True))
    assert scene.facts(BuildingBuilt)[0].slot == 1
    scene.do(Build("S7", False))
    assert scene.facts(BuildingBuilt)[0].slot == 4
    assert scene.refused(Build("S7", True)) == "9.4", "no gold is left"


def test_a_building_is_never_built_over_another() -> None:
    scene = scene_of(islands={"S1": land(A, 1, {1: "port"}), "S2": land(B, 1)})
    assert scene.refused(Build("S1", True)) == "C-14"


def test_a_building_type_can_run_out() -> None:
    """Fault 118."""
    islands = {
        "S7": land(B, 1, dict.fromkeys(range(1, 5), "fortress")),
        "S5": land(B, 1, dict.fromkeys(range(1, 4), "fortress")),
        "S8": land(B, 1, dict.fromkeys(range(1, 4), "fortress")),
        "S1": land(A, 1),
    }
    assert scene_of(islands=islands).refused(Build("S1", True)) == "18"


def test_discounts_are_used_in_the_order_of_the_map() -> None:
    islands = {
        "S1": land(A, 1, {1: "temple"}),
        "S2": land(A, 0, {1: "temple"}, spent=(1,)),
        "S3": land(A, 0, {1: "temple", 2: "temple"}),
        "S4": land(A, 0, metropolis=True),
    }
    scene = scene_of(islands=islands, track=(None, "fates", None)).do(CallCreature("fates"))
    assert (scene.facts(CreatureCalled)[0].cost, scene.facts(CreatureCalled)[0].discounts) == (1, 2)
    assert [scene.island(name).spent for name in ("S1", "S2", "S3", "S4")] == [(1,), (1,), (1,), ()]
    scene.state = replace(scene.state, finished=(B, C))
    scene.do(EndTurn())
    assert not any(island.spent for island in scene.state.islands), "a new cycle"


def test_only_what_can_be_paid_is_offered() -> None:
    scene = scene_of(gold=(0,), track=("fates", None, None))
    assert {type(each.move) for each in scene.legal()} == {RecruitTroop, EndTurn}
    assert scene.refused(CallCreature("fates")) == "9.2"


def test_after_sixty_paid_steps_no_more_are_offered() -> None:
    tired = (Turn(A, "zeus", recruits=1, steps=STEPS_A_TURN),)
    scene = scene_of(frames=tired, track=("fates", None, None))
    assert scene.refused(SwapCreature("fates")) == "R-25"
    assert scene.allows(CallCreature("fates"))


# Apollo


@pytest.mark.parametrize(("islands", "gold"), [(1, 4), (2, 1)])
def test_apollo_pays_more_for_a_single_island(islands: int, gold: int) -> None:
    homes = {"S1": land(A, 1), **({"S3": land(A, 1)} if islands == 2 else {}), "S2": land(B, 1)}
    scene = scene_of(
        islands=homes, frames=turn("ares", B), apollo=(Worship(2, A),), bids=(Bid("ares", B, 1),)
    )
    scene.do(EndTurn())
    (paid,) = scene.facts(ApolloPaid)
    assert (paid.gold, paid.marker) == (gold, False)


def test_the_marker_of_place_one_is_compulsory_and_asked_about_if_there_is_a_choice() -> None:
    apollo: dict[str, Any] = {
        "frames": turn("ares", B),
        "apollo": (Worship(1, A),),
        "bids": (Bid("ares", B, 1),),
    }
    scene = scene_of(**apollo).do(EndTurn())
    assert [only.move for only in scene.facts(OnlyChoice)] == [ChooseIsland("S1")]
    assert scene.facts(ProsperityPlaced)
    asked = scene_of(islands={**HOMES, "S3": land(A)}, **apollo).do(EndTurn())
    assert asked.offers(ChooseIsland) == [ChooseIsland("S1"), ChooseIsland("S3")]
    asked.do(ChooseIsland("S3"))
    assert asked.island("S3").prosperity == 1


def test_without_markers_left_apollo_still_pays() -> None:
    islands = {**HOMES, "S3": land(C, prosperity=PROSPERITY_MARKERS)}
    scene = scene_of(
        islands=islands, frames=turn("ares", B), apollo=(Worship(1, A),), bids=(Bid("ares", B, 1),)
    ).do(EndTurn())
    assert scene.facts(ApolloPaid)[0].gold == 4
    assert not scene.facts(ProsperityPlaced)


def test_if_place_one_is_empty_nobody_places_a_marker() -> None:
    scene = scene_of(frames=turn("ares", B), apollo=(Worship(2, A),), bids=(Bid("ares", B, 1),)).do(EndTurn())
    assert not scene.facts(ProsperityPlaced)


# The end


def test_gold_for_the_tie_break_is_counted_after_the_last_turn() -> None:
    islands = {
        "S1": land(A, 1, metropolis=True),
        "S3": land(A, metropolis=True),
        "S2": land(B, 1, metropolis=True),
        "S7": land(B, metropolis=True),
        "S5": land(C, 1),
    }
    scene = scene_of(
        islands=islands,
        gold=(5, 5),
        frames=turn("ares", C),
        bids=(Bid("ares", C, 1),),
        apollo=(Worship(2, A),),
        finished=(B,),
    ).do(EndTurn())
    assert scene.facts(GameEnded)[0].outcome.winners == (A,)


def test_equal_in_everything_they_share_the_victory() -> None:
    """Fault 110."""
    city: dict[str, Any] = {"metropolis": True}
    islands = {
        "S1": land(A, 1, **city),
        "S3": land(A, **city),
        "S2": land(B, 1, **city),
        "S7": land(B, **city),
        "S5": land(C, 1),
    }
    scene = scene_of(islands=islands, gold=(5, 5, 9), finished=(B, C)).do(EndTurn())
    outcome = scene.facts(GameEnded)[0].outcome
    assert outcome.winners == (A, B)
    assert outcome.ranking == ((A, B), (C,))
    assert outcome.scores == {"0": 2, "1": 2, "2": 0}


@pytest.mark.parametrize("preset", ["sheet", "rulebook"])
def test_the_match_ends_after_the_agreed_number_of_cycles(preset: str) -> None:
    islands = {"S1": land(A, 1, metropolis=True), "S2": land(B, 1), "S5": land(C, 1, metropolis=True)}
    rules = options(preset, max_cycles=5)
    scene = scene_of(islands=islands, rules=rules, gold=(3, 20, 4), finished=(B, C)).do(EndTurn())
    (ended,) = scene.facts(GameEnded)
    assert ended.rule == "cyclades.R-24"
    assert ended.outcome.reason == "cycle_limit"
    assert ended.outcome.ranking == ((C,), (A,), (B,))


# Absent seats


def test_an_absent_seat_offers_to_apollo_or_as_little_as_possible() -> None:
    scene = Scene(offering(position(gods=("ares", "zeus")), (A, B, C)))
    assert GAME.fallback(scene.state, A) == OfferToApollo()
    state = position(2, gods=("ares", "zeus", "athena"), apollo=(Worship(1, A),))
    second = Scene(offering(replace(state, bids=(Bid("ares", B, 2),)), (A, B)))
    assert GAME.fallback(second.state, A) == OfferTo("zeus", 1)


def test_an_absent_seat_takes_its_card_and_ends_its_turn() -> None:
    scene = scene_of(frames=turn("zeus"))
    assert GAME.fallback(scene.state, A) == TakePriest()
    assert GAME.fallback(scene.do(TakePriest()).state, A) == EndTurn()
    selling = scene_of(track=("sphinx", None, None)).do(CallCreature("sphinx"))
    assert GAME.fallback(selling.state, A) == Stop()


# The map


def test_the_printed_boards_have_their_known_sizes() -> None:
    sizes = {
        name: (len(board.lands), len(board.seas), len(board.prosperous)) for name, board in boards().items()
    }
    assert sizes == {"small": (8, 30, 4), "medium": (10, 46, 6), "large": (13, 61, 6)}
    assert [board.name for board in boards().values() for _ in board.starts] == [
        "small",
        "small",
        "medium",
        "large",
    ]
    slots = {name: sum(land.slots for land in board.lands) for name, board in boards().items()}
    assert slots == {"small": 17, "medium": 23, "large": 30}


def test_sea_spaces_and_islands_border_each_other_both_ways() -> None:
    for board in boards().values():
        for space in board.seas:
            assert all(space in board.neighbours[near] for near in board.neighbours[space])
            assert all(space in board.coasts[island] for island in board.shores[space])
        for island, coast in board.coasts.items():
            assert all(island in board.shores[space] for space in coast)
