"""Metropolises: by a set of buildings, by four philosophers, and where they are placed (13)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.moves import ChooseBuilding, ChooseIsland
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import (
    board_of,
    buildings_of,
    has_set,
    island_at,
    owned,
    slot_with,
)
from kleos.core.cyclades.state import Founding, State, Surrender
from kleos.core.cyclades.vocabulary import PHILOSOPHERS_NEEDED, Building
from kleos.core.kernel.game import Legal


def convert(play: Play, seat: int) -> bool:
    """Turn what is complete into a metropolis: at once, and whether the seat wants it or not (13, C-38).

    No set was complete when the decision was made, so there is none while the islands are the same.
    """
    if play.state.players[seat].philosophers >= PHILOSOPHERS_NEEDED:
        play.add(fx.PhilosophersGathered(seat=seat))
    elif play.state.islands is not play.before.islands and has_set(play.state, seat):
        play.add(fx.SetCompleted(seat=seat))
    else:
        return False
    return True


def _copies(state: State, frame: Surrender) -> Moves:
    """Which of several buildings of the type to give (C-12)."""
    for island, building, on_site in buildings_of(state, owned(state, frame.seat)):
        if building == frame.left[0]:
            yield Legal(ChooseBuilding(island.id, building, on_site))


def _give(play: Play, frame: Surrender, move: ChooseBuilding) -> None:
    island = island_at(play.state, move.island)
    slot = slot_with(play.state, island, move.building, on_site=move.on_site)
    assert slot is not None
    play.add(fx.BuildingGiven(seat=frame.seat, island=move.island, building=move.building, slot=slot))


def _sites(state: State, frame: Founding) -> Moves:
    return (Legal(ChooseIsland(each.id)) for each in owned(state, frame.seat) if not each.metropolis)


def _found(play: Play, frame: Founding, move: ChooseIsland) -> None:
    """Whatever stands on the site is demolished (C-12)."""
    site = board_of(play.state).land(move.island).site
    slots = enumerate(island_at(play.state, move.island).slots, 1)
    demolished: list[Building] = [building for slot, building in slots if building and slot in site]
    play.add(fx.MetropolisFounded(seat=frame.seat, island=move.island, demolished=tuple(demolished)))


def forgo(play: Play, frame: Founding) -> None:
    """Every own island has a metropolis already: what was given is lost (C-12)."""
    play.add(fx.MetropolisForgone(seat=frame.seat))


SURRENDER = (Option(ChooseBuilding, _copies, _give),)
FOUNDING = (Option(ChooseIsland, _sites, _found),)
