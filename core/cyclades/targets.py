"""What a called creature may be directed at, and by which moves: one function a kind of target (14)."""

from __future__ import annotations

from collections.abc import Callable

from kleos.core.cyclades.movement import can_step, departures
from kleos.core.cyclades.moves import (
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    Lure,
    MoveTroops,
    Rebuild,
)
from kleos.core.cyclades.ownership import is_protected
from kleos.core.cyclades.play import Moves, some
from kleos.core.cyclades.position import (
    board_of,
    building_supply,
    buildings_of,
    fleet_reserve,
    holds,
    owned,
    standing,
    troop_reserve,
)
from kleos.core.cyclades.state import State
from kleos.core.cyclades.vocabulary import BUILDINGS, Building
from kleos.core.kernel.game import Legal


def rivals(state: State, seat: int) -> Moves:
    return (Legal(ChooseRival(each.seat)) for each in standing(state) if each.seat != seat)


def rivals_with(card: str) -> Callable[[State, int], Moves]:
    """The rivals who own at least one such card (C-29)."""

    def named(state: State, seat: int) -> Moves:
        return (
            Legal(ChooseRival(each.seat))
            for each in state.players
            if each.seat != seat and getattr(each, card)
        )

    return named


def lone_troops(state: State, seat: int) -> Moves:
    """Enemy troops that the Harpy may take: with ``replace`` only where one stands alone (C-04, R-10)."""
    replacing = state.options.harpy == "replace"
    if replacing and not troop_reserve(state, seat):
        return
    for island in state.islands:
        if island.owner in (None, seat) or not island.troops or holds(state, island.id, "chiron"):
            continue
        alone = island.troops == 1 and not holds(state, island.id, "minotaur")
        if not replacing or (alone and not is_protected(state, seat, island)):
            yield Legal(ChooseIsland(island.id))


def any_building(state: State, _seat: int) -> Moves:
    """Any building, own ones included, but for Chiron's island (C-25, C-39)."""
    open_to_giant = [island for island in state.islands if not holds(state, island.id, "chiron")]
    for island, building, on_site in buildings_of(state, open_to_giant):
        yield Legal(ChooseBuilding(island.id, building, on_site))


def lone_fleets(state: State, seat: int) -> Moves:
    """Enemy fleets alone in their space; with an empty reserve, also whence the own one comes (C-55)."""
    sources: list[str | None] = [None]
    if not fleet_reserve(state, seat):
        sources = [squadron.space for squadron in state.fleets if squadron.seat == seat]
    for squadron in state.fleets:
        if squadron.seat != seat and squadron.ships == 1:
            for source in sources:
                yield Legal(Lure(squadron.space, source))


def flights(state: State, seat: int) -> Moves:
    """From any own island to any other, but not to Chiron's (C-25) or to a protected one (12.2)."""
    for origin in departures(state, seat):
        for to in state.islands:
            if to is origin or holds(state, to.id, "chiron") or is_protected(state, seat, to):
                continue
            yield some(MoveTroops(origin.id, to.id, 1), "troops", origin.troops)


def conversions(state: State, seat: int) -> Moves:
    """Own buildings, and the types in supply they could become (C-30, R-21)."""
    supplied: list[Building] = [each for each in BUILDINGS if building_supply(state, each)]
    for island, building, on_site in buildings_of(state, owned(state, seat)):
        for into in supplied:
            if into != building:
                yield Legal(Rebuild(island.id, building, on_site, into))


def ports_of_departure(state: State, seat: int) -> Moves:
    """Own spaces from which a step is possible (R-08)."""
    for squadron in state.fleets:
        if squadron.seat == seat and can_step(state, squadron):
            yield Legal(ChooseSpace(squadron.space))


def discarded(state: State, _seat: int) -> Moves:
    return (Legal(ChooseCreature(creature)) for creature in state.discard)


def any_island(state: State, _seat: int) -> Moves:
    return (Legal(ChooseIsland(island.id)) for island in state.islands)


def any_space(state: State, _seat: int) -> Moves:
    return (Legal(ChooseSpace(space)) for space in board_of(state).seas)
