"""The Sphinx's market: pieces for gold, one at a time, until the seller stops (14.1)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.moves import Sell, Stop
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import owned
from kleos.core.cyclades.state import Selling, State
from kleos.core.cyclades.vocabulary import PIECE_PRICE
from kleos.core.kernel.game import Legal


def _offers(state: State, frame: Selling) -> Moves:
    for island in owned(state, frame.seat):
        if island.troops:
            yield Legal(Sell("troop", island.id))
    for squadron in state.fleets:
        if squadron.seat == frame.seat:
            yield Legal(Sell("fleet", squadron.space))
    if state.players[frame.seat].priests:
        yield Legal(Sell("priest"))
    if state.players[frame.seat].philosophers:
        yield Legal(Sell("philosopher"))


def _sell(play: Play, frame: Selling, move: Sell) -> None:
    play.add(fx.PieceSold(seat=frame.seat, piece=move.piece, place=move.place, gold=PIECE_PRICE))


def _closing(_state: State, _frame: Selling) -> Moves:
    yield Legal(Stop())


def _close(play: Play, frame: Selling, _move: Stop) -> None:
    play.add(fx.SaleEnded(seat=frame.seat))


OPTIONS = (Option(Stop, _closing, _close), Option(Sell, _offers, _sell))
