"""Facts of a cycle's course: set-up, track, gods, revenue, offerings, turns, the end (3 to 9.1, 9.6, 15)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kleos.core.cyclades.effects.changes import (
    by_space,
    closed_frame,
    discarded,
    in_turn,
    island_with,
    paid,
    without_figure,
)
from kleos.core.cyclades.effects.fact import Fact, KnownFact
from kleos.core.cyclades.moves import AnyMove
from kleos.core.cyclades.position import board_of, island_at
from kleos.core.cyclades.state import Bid, Blessing, Placing, Shuffling, Squadron, State, Turn, Worship
from kleos.core.cyclades.vocabulary import OPENING_GOLD, PRICES, Altar, Creature, God
from kleos.core.kernel.game import Outcome
from kleos.core.kernel.visibility import Counted, Public, Secret


class StartsDrawn(Fact, frozen=True, kw_only=True):
    """Which start position each seat got; its troops, fleets and gold are laid out (S1, S2, R-02)."""

    rule: Public[str] = "cyclades.R-02"
    starts: Public[tuple[int, ...]]

    def applied(self, state: State) -> State:
        board = board_of(state)
        holder: dict[str, int] = {}
        fleets = []
        for seat, start in enumerate(self.starts):
            position = board.starts[len(state.players)][start]
            holder.update(dict.fromkeys(position.islands, seat))
            fleets += [Squadron(space, seat, 1) for space in position.fleets]
        islands = tuple(
            replace(island, owner=holder[island.id], troops=1) if island.id in holder else island
            for island in state.islands
        )
        players = tuple(replace(player, gold=OPENING_GOLD) for player in state.players)
        return replace(state, players=players, islands=islands, fleets=tuple(sorted(fleets, key=by_space)))


class DeckShuffled(Fact, frozen=True, kw_only=True):
    """Deck, discard pile and a waiting Chimera became a new deck (S3, 5, C-31, R-11)."""

    rule: Public[str] = "cyclades.5"
    deck: Secret[Counted[tuple[Creature, ...]]]

    def applied(self, state: State) -> State:
        ended = state.frames and type(state.frames[-1]) is Shuffling
        frames = closed_frame(state) if ended else state.frames
        return replace(state, deck=self.deck, discard=(), frames=frames)


class OrderDrawn(Fact, frozen=True, kw_only=True):
    """The markers were shuffled onto the turn track (S5, C-44)."""

    rule: Public[str] = "cyclades.C-44"
    order: Public[tuple[int, ...]]
    """Markers by their seats, the first to offer first."""

    def applied(self, state: State) -> State:
        return replace(state, order=self.order)


class CycleBegun(KnownFact, frozen=True, kw_only=True):
    """A cycle begins; every temple may give its discount again (4, R-04)."""

    rule: Public[str] = "cyclades.4"
    cycle: Public[int]

    def applied(self, state: State) -> State:
        islands = tuple(replace(each, spent=()) if each.spent else each for each in state.islands)
        order = state.order if self.cycle == 1 else state.finished[::-1]
        return replace(state, cycle=self.cycle, phase="offerings", islands=islands, order=order, finished=())


class TrackMoved(KnownFact, frozen=True, kw_only=True):
    """The creature cards moved on, and the card left on the last position was discarded (5, C-33)."""

    rule: Public[str] = "cyclades.5"
    track: Public[tuple[Creature | None, Creature | None, Creature | None]]
    """The cards on the prices 4, 3 and 2."""
    discarded: Public[Creature | None]
    """The card that left the track, null if none did."""

    def applied(self, state: State) -> State:
        discard = state.discard if self.discarded is None else discarded(state, self.discarded)
        return replace(state, track=self.track, discard=discard)


class CreatureDrawn(Fact, frozen=True, kw_only=True):
    """The top card of the deck was laid on the position of that price (5)."""

    rule: Public[str] = "cyclades.5"
    creature: Public[Creature]
    price: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, track=_on_track(state, self.price, self.creature), deck=state.deck[1:])


class RowDealt(Fact, frozen=True, kw_only=True):
    """The god tiles of the cycle, the first to act first (6, R-03)."""

    rule: Public[str] = "cyclades.6"
    gods: Public[tuple[God, ...]]
    hidden: Secret[Counted[tuple[God, ...]]]

    def applied(self, state: State) -> State:
        return replace(state, gods=self.gods, hidden=self.hidden)


class RevenueCollected(KnownFact, frozen=True, kw_only=True):
    """What each seat took from the bank (7)."""

    rule: Public[str] = "cyclades.7"
    gold: Public[tuple[int, ...]]
    """What each seat took, by seat."""

    def applied(self, state: State) -> State:
        players = tuple(
            replace(player, gold=player.gold + gold)
            for player, gold in zip(state.players, self.gold, strict=True)
        )
        return replace(state, players=players, revenue=self.gold)


class OfferingsOpened(KnownFact, frozen=True, kw_only=True):
    """The first marker is to be placed (8)."""

    rule: Public[str] = "cyclades.8"

    def applied(self, state: State) -> State:
        return replace(state, queue=state.order[1:], frames=(Placing(state.order[0]),))


class OfferingMade(KnownFact, frozen=True, kw_only=True):
    """A marker stands on a god; ``displaced`` must be placed anew at once (8)."""

    rule: Public[str] = "cyclades.8"
    seat: Public[int]
    god: Public[God]
    amount: Public[int]
    """Gold, before priests lower it."""
    displaced: Public[int | None]
    """The seat whose marker was pushed away and is placed anew at once; null if none was."""

    def applied(self, state: State) -> State:
        others = tuple(bid for bid in state.bids if bid.god != self.god)
        bids = (*others, Bid(self.god, self.seat, self.amount))
        if self.displaced is not None:
            return replace(state, bids=bids, frames=(Placing(self.displaced, self.god),))
        return replace(state, bids=bids, frames=_next_marker(state), queue=state.queue[1:])


class ApolloJoined(KnownFact, frozen=True, kw_only=True):
    """A marker stands on a place of Apollo (8)."""

    rule: Public[str] = "cyclades.8"
    seat: Public[int]
    place: Public[int]

    def applied(self, state: State) -> State:
        apollo = (*state.apollo, Worship(self.place, self.seat))
        return replace(state, apollo=apollo, frames=_next_marker(state), queue=state.queue[1:])


class OfferingsPaid(KnownFact, frozen=True, kw_only=True):
    """What each seat paid for its offerings; the actions begin (8, C-60)."""

    rule: Public[str] = "cyclades.8"
    gold: Public[tuple[int, ...]]
    """What each seat paid, by seat."""

    def applied(self, state: State) -> State:
        players = tuple(
            replace(player, gold=player.gold - gold)
            for player, gold in zip(state.players, self.gold, strict=True)
        )
        return replace(state, players=players, phase="actions")


class TurnBegun(KnownFact, frozen=True, kw_only=True):
    """A turn for a god begins; ``place`` is Apollo's, else 0 (9.1)."""

    rule: Public[str] = "cyclades.9.1"
    seat: Public[int]
    god: Public[Altar]
    place: Public[int]
    """The place of Apollo, counted from 1; with any other god 0."""

    def applied(self, state: State) -> State:
        return replace(state, frames=(Turn(self.seat, self.god, self.place),))


class FigureLeft(KnownFact, frozen=True, kw_only=True):
    """The time of an island figure is over; its card was discarded (14.2, C-40)."""

    rule: Public[str] = "cyclades.14.2"
    creature: Public[Creature]
    island: Public[str]

    def applied(self, state: State) -> State:
        return without_figure(state, next(each for each in state.figures if each.creature == self.creature))


class TurnEnded(KnownFact, frozen=True, kw_only=True):
    """The marker went to the turn track (9.1, C-43)."""

    rule: Public[str] = "cyclades.9.1"
    seat: Public[int]
    god: Public[Altar]

    def applied(self, state: State) -> State:
        if self.god == "apollo":
            left = {"apollo": state.apollo[1:]}
            return replace(state, frames=(), finished=(*state.finished, self.seat), **left)
        bids = tuple(bid for bid in state.bids if bid.god != self.god)
        return replace(state, frames=(), finished=(*state.finished, self.seat), bids=bids)


class OnlyChoice(KnownFact, frozen=True, kw_only=True):
    """A decision had one legal move, which was made for the seat (R-07)."""

    rule: Public[str] = "cyclades.R-07"
    seat: Public[int]
    move: Public[AnyMove]

    def applied(self, state: State) -> State:
        return state


class ApolloPaid(KnownFact, frozen=True, kw_only=True):
    """Apollo gave gold (9.6); ``marker``: a prosperity marker is to be placed."""

    rule: Public[str] = "cyclades.9.6"
    seat: Public[int]
    gold: Public[int]
    marker: Public[bool]

    def applied(self, state: State) -> State:
        frames = in_turn(state, recruits=1)
        if self.marker:
            frames = (*frames, Blessing(self.seat))
        return replace(state, players=paid(state, self.seat, -self.gold), frames=frames)


class ProsperityPlaced(KnownFact, frozen=True, kw_only=True):
    """A prosperity marker lies on an island (9.6, R-14)."""

    rule: Public[str] = "cyclades.9.6"
    seat: Public[int]
    island: Public[str]

    def applied(self, state: State) -> State:
        markers = island_at(state, self.island).prosperity + 1
        return replace(
            state, islands=island_with(state, self.island, prosperity=markers), frames=closed_frame(state)
        )


class GameEnded(Fact, frozen=True, kw_only=True):
    """The match is decided (15, R-18, R-24). A Chimera whose copied effect decided it is discarded."""

    rule: Public[str] = "cyclades.15"
    outcome: Public[Outcome]

    def applied(self, state: State) -> State:
        waiting = any(type(frame) is Shuffling for frame in state.frames)
        pile = discarded(state, "chimera") if waiting else state.discard
        return replace(state, phase="over", frames=(), discard=pile, result=self.outcome)


def _on_track(state: State, price: int, creature: Creature | None) -> Any:
    at = PRICES.index(price)
    return (*state.track[:at], creature, *state.track[at + 1 :])


def _next_marker(state: State) -> tuple[Placing, ...]:
    """The next marker of the queue is to be placed, if one is left."""
    return (Placing(state.queue[0]),) if state.queue else ()
