"""Cases 1 to 17: set-up, creature track, god row, revenue, offerings."""

from __future__ import annotations

import pytest

from kleos.core.cyclades import GAME
from kleos.core.cyclades.effects import (
    CreatureDrawn,
    DeckShuffled,
    OfferingMade,
    OfferingsPaid,
    RevenueCollected,
    RowDealt,
    TrackMoved,
)
from kleos.core.cyclades.moves import EndTurn, OfferTo, OfferToApollo, Sail, Stop
from kleos.core.cyclades.state import State
from kleos.core.kernel import SPECTATOR, KeyedChance, redact
from tests.core.cyclades.positions import A, B, C, Scene, land, offering, options, position, turn

PRESETS = ("sheet", "rulebook")


def opened(seats: int, preset: str) -> State:
    settled = GAME.settle(GAME.Options(preset=preset), seats)
    return GAME.open(settled, seats, KeyedChance(b"opening")).state


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seats", GAME.seats)
def test_case_001_everyone_has_seven_gold_before_the_first_offering(seats: int, preset: str) -> None:
    state = opened(seats, preset)
    assert state.cycle == 1
    assert state.phase == "offerings"
    assert [player.gold for player in state.players] == [5 + 2] * seats


@pytest.mark.parametrize("preset", PRESETS)
def test_case_002_the_track_opens_position_by_position(preset: str) -> None:
    state = opened(3, preset)
    tracks: list[tuple[str | None, ...]] = []
    chance = KeyedChance(b"played on")
    while len(tracks) < 4:
        tracks.append(state.track)
        cycle = state.cycle
        while state.cycle == cycle:
            (seat,) = GAME.to_act(state)
            state = GAME.decide(state, seat, GAME.fallback(state, seat), chance).state
    x, y, z, new = (track[0] for track in tracks)
    assert tracks == [(x, None, None), (y, x, None), (z, y, x), (new, z, y)]
    assert state.discard[0] == x


def last_turn(**more: object) -> Scene:
    """The last turn of a cycle with three players, about to end."""
    given = {
        "islands": {"S1": land(A), "S2": land(B), "S3": land(C)},
        "finished": (B, C),
        "frames": turn("ares"),
        **more,
    }
    return Scene(position(**given))  # type: ignore[arg-type]


def test_case_004_cards_close_up_over_a_hole() -> None:
    scene = last_turn(track=("giant", None, "satyr"), deck=("fates", "dryad")).do(EndTurn())
    assert scene.facts(TrackMoved)[0].discarded == "satyr"
    assert scene.state.track == ("fates", "dryad", "giant")


def test_case_004_cards_slide_one_place_on_the_sheet() -> None:
    rules = options("sheet")
    scene = last_turn(track=("giant", None, "satyr"), deck=("fates", "dryad"), rules=rules).do(EndTurn())
    assert scene.state.track == ("fates", "giant", "dryad")
    assert scene.state.discard == ("satyr",)


@pytest.mark.parametrize("preset", PRESETS)
def test_case_005_an_empty_deck_is_made_of_the_discards(preset: str) -> None:
    pile = ("sylph", "harpy", "griffon", "siren", "pegasus", "cyclops", "sphinx", "kraken", "dryad")
    scene = last_turn(track=("giant", None, None), deck=("fates",), discard=pile, rules=options(preset)).do(
        EndTurn()
    )
    assert scene.state.track.count(None) == 0
    assert len(scene.facts(CreatureDrawn)) == 2
    assert sorted(scene.facts(DeckShuffled)[0].deck) == sorted(pile)
    assert scene.state.discard == ()
    assert len(scene.state.deck) == len(pile) - 1


def two_cycles(preset: str) -> tuple[Scene, RowDealt, RowDealt]:
    scene = last_turn(
        cycle=1, gods=("ares", "zeus"), hidden=("athena", "poseidon"), rules=options(preset)
    ).do(EndTurn())
    (second,) = scene.facts(RowDealt)
    scene.do(OfferToApollo(), OfferToApollo(), OfferToApollo())
    while not scene.facts(RowDealt):
        scene.do(scene.legal()[0].move)
    return scene, second, scene.facts(RowDealt)[0]


def test_case_007_three_players_get_new_pairs_every_second_cycle() -> None:
    scene, second, third = two_cycles("rulebook")
    assert second.gods == ("athena", "poseidon")
    assert set(second.hidden) == {"ares", "zeus"}
    assert third.gods + third.hidden == ("athena", "zeus", "poseidon", "ares"), "all four were shuffled"
    assert scene.state.cycle == 3


def test_case_007_three_players_alternate_between_two_pairs_on_the_sheet() -> None:
    _, second, third = two_cycles("sheet")
    assert second.gods == ("athena", "poseidon")
    assert third.gods == second.hidden
    assert set(third.hidden) == {"athena", "poseidon"}


@pytest.mark.parametrize("preset", PRESETS)
def test_case_008_a_cornucopia_at_sea_pays_only_under_a_fleet(preset: str) -> None:
    scene = last_turn(frames=turn("poseidon"), fleets={"F1": (A, 1)}, rules=options(preset))
    scene.do(Sail("F1", "E1", 1), Stop(), EndTurn())
    assert scene.at_sea("F1") is None
    assert scene.facts(RevenueCollected)[0].gold == (2, 1, 1)


@pytest.mark.parametrize("preset", PRESETS)
def test_case_010_an_undefended_island_still_pays(preset: str) -> None:
    scene = last_turn(
        islands={"S4": land(A, prosperity=1), "S2": land(B), "S3": land(C)}, rules=options(preset)
    ).do(EndTurn())
    assert scene.facts(RevenueCollected)[0].gold[A] == 2 + 1


# Offerings


def at_the_altar(preset: str = "rulebook", **more: object) -> Scene:
    given = {"rules": options(preset), "gods": ("ares", "zeus"), **more}
    return Scene(offering(position(**given), (A, B, C)))  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", PRESETS)
def test_case_011_a_chain_of_displaced_markers_is_finished_first(preset: str) -> None:
    scene = at_the_altar(preset).do(OfferTo("ares", 1), OfferTo("ares", 2))
    assert scene.seat == A
    assert scene.refused(OfferTo("ares", 3)) == "C-18"
    scene.do(OfferTo("zeus", 3))
    assert scene.seat == C
    scene.do(OfferTo("zeus", 4))
    assert scene.seat == A
    assert scene.refused(OfferTo("zeus", 5)) == "C-18"
    scene.do(OfferTo("ares", 3))
    assert scene.facts(OfferingMade)[0].displaced == B
    assert scene.seat == B


@pytest.mark.parametrize("preset", PRESETS)
def test_case_013_an_equal_offering_is_too_low(preset: str) -> None:
    scene = at_the_altar(preset).do(OfferTo("zeus", 3))
    assert scene.refused(OfferTo("zeus", 3)) == "8"
    assert OfferTo("zeus", 4) in scene.offers(OfferTo)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("amount", "paid"), [(2, 1), (7, 4)])
def test_case_014_priests_lower_an_offering_to_one_at_least(preset: str, amount: int, paid: int) -> None:
    scene = at_the_altar(preset, priests=(3,))
    scene.do(OfferTo("ares", amount), OfferToApollo(), OfferToApollo())
    assert scene.facts(OfferingsPaid)[0].gold == (paid, 0, 0)
    assert scene.gold(A) == 10 - paid


@pytest.mark.parametrize("preset", PRESETS)
def test_case_016_an_offering_above_ten_that_can_just_be_paid(preset: str) -> None:
    scene = at_the_altar(preset, gold=(12,), priests=(2,))
    assert scene.refused(OfferTo("zeus", 15)) == "C-17"
    scene.do(OfferTo("zeus", 14))
    assert "14 (10+ and 4)" in GAME.table(redact(scene.state, SPECTATOR))
    scene.do(OfferToApollo(), OfferToApollo())
    assert scene.facts(OfferingsPaid)[0].gold[A] == 12
    assert scene.gold(A) == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_case_017_nobody_is_displaced_from_apollo(preset: str) -> None:
    scene = at_the_altar(preset).do(OfferToApollo(), OfferToApollo())
    assert [(worship.place, worship.seat) for worship in scene.state.apollo] == [(1, A), (2, B)]
    assert scene.seat == C
