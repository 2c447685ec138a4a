"""The run of a cycle: creature track, god row, revenue, whose turn it is, the end check (3 to 7, 9.1, 15)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades import offerings
from kleos.core.cyclades.ending import verdict
from kleos.core.cyclades.play import Play
from kleos.core.cyclades.position import revenue
from kleos.core.cyclades.state import State
from kleos.core.cyclades.vocabulary import CREATURES, GODS, PRICES, Altar, Creature, God


def set_up(play: Play) -> None:
    """Deal start positions, creature deck and turn track (3)."""
    seats = len(play.state.players)
    play.add(fx.StartsDrawn(starts=play.chance.shuffle(range(seats))))
    play.add(fx.DeckShuffled(rule="cyclades.3", deck=play.chance.shuffle(CREATURES)))
    markers = [seat for seat in range(seats) for _ in range(2 if seats == 2 else 1)]
    play.add(fx.OrderDrawn(order=play.chance.shuffle(markers)))
    begin(play)


def proceed(play: Play) -> None:
    """What follows when no decision is open: payment, the next turn, or the end of the cycle."""
    if play.state.phase == "offerings":
        offerings.pay(play)
    elif not _next_turn(play):
        outcome = verdict(play.state)
        if outcome is None:
            begin(play)
        else:
            rule = "cyclades.R-24" if outcome.reason == "cycle_limit" else "cyclades.15"
            play.add(fx.GameEnded(rule=rule, outcome=outcome))


def begin(play: Play) -> None:
    """A new cycle, up to the first offering (4)."""
    play.add(fx.CycleBegun(cycle=play.state.cycle + 1))
    _move_track(play)
    _deal_gods(play)
    amounts = [0 if each.out else revenue(play.state, each.seat) for each in play.state.players]
    play.add(fx.RevenueCollected(gold=tuple(amounts)))
    play.add(fx.OfferingsOpened())


# Creature track (5)


def _move_track(play: Play) -> None:
    track, discarded = play.state.track[:2], play.state.track[2]
    places = min(play.state.cycle, len(PRICES))
    if any(track) or discarded:
        kept = [None, *track] if play.state.options.track == "slide" else _compact(track, places)
        play.add(fx.TrackMoved(track=_three(kept), discarded=discarded))
    for price, card in zip(PRICES[:places], play.state.track, strict=False):
        if card is None:
            draw(play, price)


def _compact(track: tuple[Creature | None, ...], places: int) -> list[Creature | None]:
    """The cards in their order, closed up towards the cheapest open position (C-33)."""
    cards: list[Creature | None] = [card for card in track if card is not None]
    return [None] * (places - len(cards)) + cards


def _three(cards: list[Creature | None]) -> tuple[Creature | None, Creature | None, Creature | None]:
    first, second, third = (*cards, None, None, None)[:3]
    return first, second, third


def draw(play: Play, price: int) -> None:
    """Lay the top card of the deck on the position of that price, shuffling the discards first if need be."""
    if not play.state.deck:
        assert play.state.discard, "deck and discard pile are never both empty (R-23)"
        play.add(fx.DeckShuffled(rule="cyclades.R-11", deck=play.chance.shuffle(play.state.discard)))
    play.add(fx.CreatureDrawn(creature=play.state.deck[0], price=price))


# God row (6)


def _deal_gods(play: Play) -> None:
    """Last cycle's hidden tiles come first, in order; the others are shuffled below them (R-03, C-05)."""
    state = play.state
    faces = len(state.order) - 1
    pairs = state.options.gods_of_three == "reshuffle" and faces == 2 and state.cycle % 2 == 1
    first: tuple[God, ...] = () if pairs else state.hidden
    row: tuple[God, ...] = (*first, *play.chance.shuffle([god for god in GODS if god not in first]))
    play.add(fx.RowDealt(gods=row[:faces], hidden=row[faces:]))


# Whose turn it is (9.1)


def _next_turn(play: Play) -> bool:
    """Begin the next turn: the gods from the top, then Apollo's places; False if none is left."""
    due = _next_marker(play.state)
    if due is None:
        return False
    seat, god, place = due
    play.add(fx.TurnBegun(seat=seat, god=god, place=place))
    for figure in play.state.figures:
        if figure.seat == seat and figure.cycle < play.state.cycle:
            play.add(fx.FigureLeft(creature=figure.creature, island=figure.island))
    return True


def _next_marker(state: State) -> tuple[int, Altar, int] | None:
    bids = {bid.god: bid.seat for bid in state.bids}
    for god in state.gods:
        if god in bids:
            return bids[god], god, 0
    if state.apollo:
        return state.apollo[0].seat, "apollo", state.apollo[0].place
    return None
