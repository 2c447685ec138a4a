"""Facts of creatures at work (14)."""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.cyclades.effects.changes import (
    closed_frame,
    island_with,
    opened_frame,
    paid,
    player_with,
    rebuilt,
    ships_with,
    ships_without,
    taken,
)
from kleos.core.cyclades.effects.fact import Fact, KnownFact
from kleos.core.cyclades.moves import Piece
from kleos.core.cyclades.position import island_at
from kleos.core.cyclades.state import Power, Selling, Shuffling, State, Voyage
from kleos.core.cyclades.vocabulary import FIGURES, Building, Creature
from kleos.core.kernel.visibility import Public


class CreatureActed(KnownFact, frozen=True, kw_only=True):
    """The effect of a called creature was directed; it follows (9.2)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    creature: Public[Creature]

    def applied(self, state: State) -> State:
        return replace(state, frames=closed_frame(state))


class CreatureIdle(KnownFact, frozen=True, kw_only=True):
    """A called creature had no legal target (C-32)."""

    rule: Public[str] = "cyclades.C-32"
    seat: Public[int]
    creature: Public[Creature]

    def applied(self, state: State) -> State:
        after = (Shuffling(self.seat),) if self.creature == "chimera" else ()
        return replace(state, frames=closed_frame(state, *after))


class SylphSent(KnownFact, frozen=True, kw_only=True):
    """Fleets get steps for nothing: those of one space, or any (C-06)."""

    rule: Public[str] = "cyclades.C-06"
    seat: Public[int]
    space: Public[str | None]
    """Where the fleets lie that get the steps; null where any may go."""
    steps: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, frames=opened_frame(state, Voyage(self.seat, self.space, self.steps)))


class TroopSlain(KnownFact, frozen=True, kw_only=True):
    """The Harpy removed a troop; ``replaced`` by one of ``seat``, who holds the island (C-04)."""

    rule: Public[str] = "cyclades.C-04"
    seat: Public[int]
    island: Public[str]
    victim: Public[int]
    """The seat that loses the troop."""
    replaced: Public[bool]
    """Whether a troop of `seat` stands there now, who then holds the island."""

    def applied(self, state: State) -> State:
        if self.replaced:
            return taken(state, self.island, self.seat, 1)
        troops = island_at(state, self.island).troops - 1
        return replace(state, islands=island_with(state, self.island, troops=troops))


class PurseRobbed(Fact, frozen=True, kw_only=True):
    """The Griffon took half of a purse, whose content ``purse`` everybody saw (14.1, C-56)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    victim: Public[int]
    """The seat that loses it."""
    purse: Public[int]
    """The gold that was in the purse."""
    gold: Public[int]
    """The gold that was taken."""

    def applied(self, state: State) -> State:
        robbed = replace(state, players=paid(state, self.victim, self.gold))
        return replace(robbed, players=paid(robbed, self.seat, -self.gold))


class BuildingDestroyed(KnownFact, frozen=True, kw_only=True):
    """The Giant destroyed a building (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]

    def applied(self, state: State) -> State:
        changes = rebuilt(island_at(state, self.island), self.slot, None)
        return replace(state, islands=island_with(state, self.island, **changes))


class FleetLured(KnownFact, frozen=True, kw_only=True):
    """The Siren replaced a lone fleet, by one from the reserve or from ``source`` (14.1, C-55)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    space: Public[str]
    victim: Public[int]
    """The seat that loses it."""
    source: Public[str | None]
    """Where the new fleet was taken from; null for the reserve."""

    def applied(self, state: State) -> State:
        if self.source is not None:
            state = replace(state, fleets=ships_with(state, self.source, self.seat, -1))
        state = replace(state, fleets=ships_without(state, self.space))
        return replace(state, fleets=ships_with(state, self.space, self.seat, 1))


class BuildingConverted(KnownFact, frozen=True, kw_only=True):
    """The Cyclops turned a building into another (C-30)."""

    rule: Public[str] = "cyclades.C-30"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]
    into: Public[Building]

    def applied(self, state: State) -> State:
        changes = rebuilt(island_at(state, self.island), self.slot, self.into)
        return replace(state, islands=island_with(state, self.island, **changes))


class ChimeraCopied(KnownFact, frozen=True, kw_only=True):
    """The Chimera has the effect of a discarded creature (C-31)."""

    rule: Public[str] = "cyclades.C-31"
    seat: Public[int]
    creature: Public[Creature]

    def applied(self, state: State) -> State:
        """A copied figure takes its card along; any other card stays in the pile to be shuffled (C-31)."""
        figure = self.creature in FIGURES
        discard = tuple(each for each in state.discard if not (figure and each == self.creature))
        opened = closed_frame(state, Shuffling(self.seat), Power(self.seat, self.creature))
        return replace(state, discard=discard, frames=opened)


class SphinxAsked(KnownFact, frozen=True, kw_only=True):
    """The Sphinx buys (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, frames=opened_frame(state, Selling(self.seat)))


class PieceSold(KnownFact, frozen=True, kw_only=True):
    """A piece went to the Sphinx (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    piece: Public[Piece]
    place: Public[str | None]
    gold: Public[int]

    def applied(self, state: State) -> State:
        state = replace(state, players=paid(state, self.seat, -self.gold))
        owner = state.players[self.seat]
        if self.piece == "priest":
            return replace(state, players=player_with(state, self.seat, priests=owner.priests - 1))
        if self.piece == "philosopher":
            return replace(state, players=player_with(state, self.seat, philosophers=owner.philosophers - 1))
        assert self.place is not None
        if self.piece == "fleet":
            return replace(state, fleets=ships_with(state, self.place, self.seat, -1))
        troops = island_at(state, self.place).troops - 1
        return replace(state, islands=island_with(state, self.place, troops=troops))


class SaleEnded(KnownFact, frozen=True, kw_only=True):
    """The Sphinx left (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, frames=closed_frame(state))


class FatesPaid(KnownFact, frozen=True, kw_only=True):
    """A revenue was collected again (C-57)."""

    rule: Public[str] = "cyclades.C-57"
    seat: Public[int]
    gold: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, players=paid(state, self.seat, -self.gold))


class PhilosopherStolen(KnownFact, frozen=True, kw_only=True):
    """The Satyr took a philosopher (C-29)."""

    rule: Public[str] = "cyclades.C-29"
    seat: Public[int]
    victim: Public[int]
    """The seat that loses it."""

    def applied(self, state: State) -> State:
        left = state.players[self.victim].philosophers - 1
        state = replace(state, players=player_with(state, self.victim, philosophers=left))
        more = state.players[self.seat].philosophers + 1
        return replace(state, players=player_with(state, self.seat, philosophers=more))


class PriestStolen(KnownFact, frozen=True, kw_only=True):
    """The Dryad took a priest (C-29)."""

    rule: Public[str] = "cyclades.C-29"
    seat: Public[int]
    victim: Public[int]
    """The seat that loses it."""

    def applied(self, state: State) -> State:
        left = state.players[self.victim].priests - 1
        state = replace(state, players=player_with(state, self.victim, priests=left))
        more = state.players[self.seat].priests + 1
        return replace(state, players=player_with(state, self.seat, priests=more))
