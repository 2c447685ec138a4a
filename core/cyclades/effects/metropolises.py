"""Facts of metropolises (13)."""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.cyclades.effects.changes import (
    closed_frame,
    island_with,
    opened_frame,
    player_with,
    rebuilt,
)
from kleos.core.cyclades.effects.fact import KnownFact
from kleos.core.cyclades.position import board_of, island_at
from kleos.core.cyclades.state import Founding, State, Surrender
from kleos.core.cyclades.vocabulary import BUILDINGS, PHILOSOPHERS_NEEDED, Building
from kleos.core.kernel.visibility import Public


class PhilosophersGathered(KnownFact, frozen=True, kw_only=True):
    """Four philosophers were given for a metropolis (13)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]

    def applied(self, state: State) -> State:
        left = state.players[self.seat].philosophers - PHILOSOPHERS_NEEDED
        players = player_with(state, self.seat, philosophers=left)
        return replace(state, players=players, frames=opened_frame(state, Founding(self.seat)))


class SetCompleted(KnownFact, frozen=True, kw_only=True):
    """A port, a fortress, a temple and a university are to be given for a metropolis (13)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, frames=opened_frame(state, Surrender(self.seat, BUILDINGS)))


class BuildingGiven(KnownFact, frozen=True, kw_only=True):
    """A building was given for a metropolis (13, C-12)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]

    def applied(self, state: State) -> State:
        frame = state.frames[-1]
        assert type(frame) is Surrender
        left = frame.left[1:]
        changes = rebuilt(island_at(state, self.island), self.slot, None)
        opened = Surrender(self.seat, left) if left else Founding(self.seat)
        return replace(
            state, islands=island_with(state, self.island, **changes), frames=closed_frame(state, opened)
        )


class MetropolisFounded(KnownFact, frozen=True, kw_only=True):
    """A metropolis stands; ``demolished`` are the buildings that were under it (13, C-12)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]
    island: Public[str]
    demolished: Public[tuple[Building, ...]]
    """The buildings that were under it."""

    def applied(self, state: State) -> State:
        site = board_of(state).land(self.island).site
        island = island_at(state, self.island)
        islands = island_with(
            state,
            self.island,
            metropolis=True,
            slots=tuple(None if slot in site else each for slot, each in enumerate(island.slots, 1)),
            spent=tuple(slot for slot in island.spent if slot not in site),
        )
        return replace(state, islands=islands, frames=closed_frame(state))


class MetropolisForgone(KnownFact, frozen=True, kw_only=True):
    """Every island of the seat has a metropolis: nothing was gained (C-12)."""

    rule: Public[str] = "cyclades.C-12"
    seat: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, frames=closed_frame(state))
