"""Offerings to the gods: one marker after the other, with chains of displaced ones, then payment (8, 16)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.moves import OfferTo, OfferToApollo
from kleos.core.cyclades.play import Moves, Option, Play, some
from kleos.core.cyclades.state import Bid, Placing, State
from kleos.core.cyclades.vocabulary import God
from kleos.core.kernel.game import Legal


def cost(state: State, seat: int, amounts: list[int]) -> int:
    """What a seat pays for offerings of these amounts: each priest lowers them, a god costs 1 at least.

    Priests lower every offering, or with ``priests_of_two=total`` their sum (8, C-60).
    """
    priests = state.players[seat].priests
    if state.options.priests_of_two == "total":
        return max(len(amounts), sum(amounts) - priests)
    return sum(max(1, amount - priests) for amount in amounts)


def ceiling(state: State, seat: int, god: God) -> int:
    """The most the seat could offer to a god and still pay for all its offerings; 0 for nothing (C-17)."""
    player = state.players[seat]
    others = [bid.amount for bid in state.bids if bid.seat == seat and bid.god != god]
    if not others:
        return player.gold + player.priests if player.gold else 0
    if cost(state, seat, [*others, 1]) > player.gold:
        return 0
    if state.options.priests_of_two == "total":
        return player.gold + player.priests - sum(others)
    return player.gold + player.priests - cost(state, seat, others)


def _offerings(state: State, frame: Placing) -> Moves:
    if not state.players[frame.seat].gold:
        return
    standing = {bid.god: bid.amount for bid in state.bids}
    for god in state.gods:
        if god == frame.barred:
            continue
        least, most = standing.get(god, 0) + 1, ceiling(state, frame.seat, god)
        if least <= most:
            yield some(OfferTo(god, least), "amount", most)


def _offer(play: Play, frame: Placing, move: OfferTo) -> None:
    displaced = _standing_on(play.state, move.god)
    play.add(
        fx.OfferingMade(
            seat=frame.seat,
            god=move.god,
            amount=move.amount,
            displaced=None if displaced is None else displaced.seat,
        )
    )


def _standing_on(state: State, god: God) -> Bid | None:
    return next((bid for bid in state.bids if bid.god == god), None)


def _apollo(state: State, frame: Placing) -> Moves:
    """Always, but for a second marker of the same player that could still go elsewhere (C-45, R-13)."""
    twice = any(worship.seat == frame.seat for worship in state.apollo)
    if not twice or not any(_offerings(state, frame)):
        yield Legal(OfferToApollo())


def _join_apollo(play: Play, frame: Placing, _move: OfferToApollo) -> None:
    play.add(fx.ApolloJoined(seat=frame.seat, place=len(play.state.apollo) + 1))


def pay(play: Play) -> None:
    """All players pay for their offerings at the same time (8)."""
    state = play.state
    gold = [0] * len(state.players)
    for player in state.players:
        amounts = [bid.amount for bid in state.bids if bid.seat == player.seat]
        gold[player.seat] = cost(state, player.seat, amounts)
    play.add(fx.OfferingsPaid(gold=tuple(gold)))


OPTIONS = (Option(OfferTo, _offerings, _offer), Option(OfferToApollo, _apollo, _join_apollo))
