"""Facts of the figures on the map and of the Kraken (14.2, 14.3)."""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.cyclades.effects.changes import (
    closed_frame,
    discarded,
    in_turn,
    opened_frame,
    paid,
    ships_with,
    ships_without,
    without_figure,
)
from kleos.core.cyclades.effects.fact import KnownFact
from kleos.core.cyclades.position import squadron_at
from kleos.core.cyclades.state import Figure, KrakenWalk, Pushing, State
from kleos.core.cyclades.vocabulary import Creature
from kleos.core.kernel.visibility import Public


class FigurePlaced(KnownFact, frozen=True, kw_only=True):
    """An island figure stands (14.2)."""

    rule: Public[str] = "cyclades.14.2"
    seat: Public[int]
    creature: Public[Creature]
    island: Public[str]

    def applied(self, state: State) -> State:
        figure = Figure(self.creature, self.island, self.seat, state.cycle)
        state = replace(state, figures=(*state.figures, figure))
        if self.creature == "polyphemus":
            return replace(state, frames=opened_frame(state, Pushing(self.seat, self.island)))
        return state


class FiguresClashed(KnownFact, frozen=True, kw_only=True):
    """Two figures met on an island and destroyed each other; both cards were discarded (14.2)."""

    rule: Public[str] = "cyclades.14.2"
    seat: Public[int]
    creature: Public[Creature]
    other: Public[Creature]
    island: Public[str]

    def applied(self, state: State) -> State:
        there = next(each for each in state.figures if each.island == self.island)
        state = without_figure(state, there)
        return replace(state, discard=discarded(state, self.creature))


class FleetsPushed(KnownFact, frozen=True, kw_only=True):
    """Polyphemus pushed the fleets of a space away (R-16)."""

    rule: Public[str] = "cyclades.R-16"
    origin: Public[str]
    to: Public[str]

    def applied(self, state: State) -> State:
        pushed = squadron_at(state, self.origin)
        assert pushed is not None
        state = replace(state, fleets=ships_without(state, self.origin))
        return replace(state, fleets=ships_with(state, self.to, pushed.seat, pushed.ships))


class FleetsDrowned(KnownFact, frozen=True, kw_only=True):
    """The fleets of a space could not be pushed anywhere and are destroyed (R-16)."""

    rule: Public[str] = "cyclades.R-16"
    space: Public[str]

    def applied(self, state: State) -> State:
        return replace(state, fleets=ships_without(state, self.space))


class PushingEnded(KnownFact, frozen=True, kw_only=True):
    """No fleet is left around Polyphemus (R-16)."""

    rule: Public[str] = "cyclades.R-16"

    def applied(self, state: State) -> State:
        return replace(state, frames=closed_frame(state))


class KrakenMoved(KnownFact, frozen=True, kw_only=True):
    """The Kraken lies in a space; the fleets there are destroyed (14.3, C-22)."""

    rule: Public[str] = "cyclades.14.3"
    seat: Public[int]
    space: Public[str]
    cost: Public[int]
    """Gold paid."""
    destroyed: Public[int]
    """How many fleets were destroyed."""

    def applied(self, state: State) -> State:
        frames = in_turn(state, steps=1) if self.cost else opened_frame(state, KrakenWalk(self.seat))
        return replace(
            state,
            players=paid(state, self.seat, self.cost),
            kraken=self.space,
            fleets=ships_without(state, self.space),
            frames=frames,
        )


class KrakenRested(KnownFact, frozen=True, kw_only=True):
    """The Kraken stays where it is (14.3)."""

    rule: Public[str] = "cyclades.14.3"

    def applied(self, state: State) -> State:
        return replace(state, frames=closed_frame(state))
