"""Facts of a god's turn: recruits, buildings, creatures called (9.2 to 9.5)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kleos.core.cyclades.effects.changes import (
    discarded,
    in_turn,
    island_with,
    opened_frame,
    paid,
    player_with,
    rebuilt,
    ships_with,
)
from kleos.core.cyclades.effects.fact import KnownFact
from kleos.core.cyclades.position import board_of, island_at, unspent
from kleos.core.cyclades.state import Power, State
from kleos.core.cyclades.vocabulary import KEPT, PRICES, Building, Creature
from kleos.core.kernel.visibility import Public


class CreatureCalled(KnownFact, frozen=True, kw_only=True):
    """A creature was paid for; ``discounts`` temples and metropolises lowered its price (9.2, R-04)."""

    rule: Public[str] = "cyclades.9.2"
    seat: Public[int]
    creature: Public[Creature]
    cost: Public[int]
    discounts: Public[int]

    def applied(self, state: State) -> State:
        islands = state.islands
        for (name, slot), _ in zip(unspent(state, self.seat), range(self.discounts), strict=False):
            at = board_of(state).place[name]
            spent = tuple(sorted((*islands[at].spent, slot)))
            islands = (*islands[:at], replace(islands[at], spent=spent), *islands[at + 1 :])
        track: Any = tuple(None if each == self.creature else each for each in state.track)
        return replace(
            state,
            players=paid(state, self.seat, self.cost),
            islands=islands,
            track=track,
            discard=state.discard if self.creature in KEPT else discarded(state, self.creature),
            frames=opened_frame(state, Power(self.seat, self.creature)),
        )


class CreatureSwapped(KnownFact, frozen=True, kw_only=True):
    """Zeus discarded the creature at that price (9.5)."""

    rule: Public[str] = "cyclades.9.5"
    seat: Public[int]
    creature: Public[Creature]
    price: Public[int]
    cost: Public[int]

    def applied(self, state: State) -> State:
        return replace(
            state,
            players=paid(state, self.seat, self.cost),
            track=_on_track(state, self.price, None),
            discard=discarded(state, self.creature),
            frames=in_turn(state, steps=1),
        )


class TroopRecruited(KnownFact, frozen=True, kw_only=True):
    """A troop came onto an island (9.3)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    island: Public[str]
    cost: Public[int]

    def applied(self, state: State) -> State:
        troops = island_at(state, self.island).troops + 1
        return replace(
            state,
            players=paid(state, self.seat, self.cost),
            islands=island_with(state, self.island, troops=troops),
            frames=in_turn(state, recruits=1),
        )


class FleetRecruited(KnownFact, frozen=True, kw_only=True):
    """A fleet came into a sea space (9.3, C-07)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    space: Public[str]
    cost: Public[int]

    def applied(self, state: State) -> State:
        return replace(
            state,
            players=paid(state, self.seat, self.cost),
            fleets=ships_with(state, self.space, self.seat, 1),
            frames=in_turn(state, recruits=1),
        )


class PriestTaken(KnownFact, frozen=True, kw_only=True):
    """A priest was gained (9.3)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    cost: Public[int]

    def applied(self, state: State) -> State:
        owner = state.players[self.seat]
        players = player_with(state, self.seat, gold=owner.gold - self.cost, priests=owner.priests + 1)
        return replace(state, players=players, frames=in_turn(state, recruits=1))


class PhilosopherTaken(KnownFact, frozen=True, kw_only=True):
    """A philosopher was gained (9.3)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    cost: Public[int]

    def applied(self, state: State) -> State:
        owner = state.players[self.seat]
        cards = owner.philosophers + 1
        players = player_with(state, self.seat, gold=owner.gold - self.cost, philosophers=cards)
        return replace(state, players=players, frames=in_turn(state, recruits=1))


class BuildingBuilt(KnownFact, frozen=True, kw_only=True):
    """A building stands on a slot (9.4)."""

    rule: Public[str] = "cyclades.9.4"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]
    cost: Public[int]

    def applied(self, state: State) -> State:
        changes = rebuilt(island_at(state, self.island), self.slot, self.building)
        players = paid(state, self.seat, self.cost)
        return replace(state, players=players, islands=island_with(state, self.island, **changes))


def _on_track(state: State, price: int, creature: Creature | None) -> Any:
    at = PRICES.index(price)
    return (*state.track[:at], creature, *state.track[at + 1 :])
