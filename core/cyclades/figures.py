"""Creatures that stay on the map: the four island figures, Polyphemus's pushes, the Kraken (14.2, 14.3)."""

from __future__ import annotations

from collections.abc import Iterator

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.movement import can_pay_step
from kleos.core.cyclades.moves import ChooseIsland, ChooseSpace, MoveKraken, Push, Stop
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import board_of, figure_on, ships, squadron_at, turn_of
from kleos.core.cyclades.state import KrakenWalk, Power, Pushing, Squadron, State
from kleos.core.cyclades.vocabulary import STEP_COST
from kleos.core.kernel.game import Legal

# Island figures


def place(play: Play, power: Power, move: ChooseIsland) -> None:
    """Two figures on one island destroy each other at once; then Polyphemus pushes nothing (R-16)."""
    there = figure_on(play.state, move.island)
    if there is None:
        play.add(fx.FigurePlaced(seat=power.seat, creature=power.creature, island=move.island))
    else:
        play.add(
            fx.FiguresClashed(
                seat=power.seat, creature=power.creature, other=there.creature, island=move.island
            )
        )


# Polyphemus


def _ringed(state: State, frame: Pushing) -> list[Squadron]:
    coast = board_of(state).coasts[frame.island]
    return [squadron for squadron in state.fleets if squadron.space in coast]


def _ways_out(state: State, frame: Pushing, squadron: Squadron) -> Iterator[str]:
    """Spaces off the island that are empty or hold the same player's fleets, and not the Kraken's (C-23)."""
    board, fleets = board_of(state), ships(state)
    for space in board.neighbours[squadron.space]:
        if space in board.coasts[frame.island] or space == state.kraken:
            continue
        if space not in fleets or fleets[space].seat == squadron.seat:
            yield space


def drown(play: Play, frame: Pushing) -> bool:
    """Destroy the fleets of one space that has no way out; False if every space has one.

    Ways out never come back, so this loses the summoner no choice.
    """
    for squadron in _ringed(play.state, frame):
        if not any(_ways_out(play.state, frame, squadron)):
            play.add(fx.FleetsDrowned(space=squadron.space))
            return True
    return False


def _pushes(state: State, frame: Pushing) -> Moves:
    for squadron in _ringed(state, frame):
        for space in _ways_out(state, frame, squadron):
            yield Legal(Push(squadron.space, space))


def _push(play: Play, _frame: Pushing, move: Push) -> None:
    play.add(fx.FleetsPushed(origin=move.origin, to=move.to))


def end_pushing(play: Play, _frame: Pushing) -> None:
    play.add(fx.PushingEnded())


PUSHING = (Option(Push, _pushes, _push),)


# The Kraken (14.3, C-22)


def release(play: Play, power: Power, move: ChooseSpace) -> None:
    _move_kraken(play, power.seat, move.space, cost=0)


def _move_kraken(play: Play, seat: int, space: str, *, cost: int) -> None:
    there = squadron_at(play.state, space)
    destroyed = 0 if there is None else there.ships
    play.add(fx.KrakenMoved(seat=seat, space=space, cost=cost, destroyed=destroyed))


def _kraken_steps(state: State, _frame: KrakenWalk) -> Moves:
    turn = turn_of(state)
    assert turn is not None
    assert state.kraken is not None
    if can_pay_step(state, turn):
        for space in board_of(state).neighbours[state.kraken]:
            yield Legal(MoveKraken(space))


def _walk(play: Play, frame: KrakenWalk, move: MoveKraken) -> None:
    _move_kraken(play, frame.seat, move.to, cost=STEP_COST)


def _resting(_state: State, _frame: KrakenWalk) -> Moves:
    yield Legal(Stop())


def _rest(play: Play, _frame: KrakenWalk, _move: Stop) -> None:
    play.add(fx.KrakenRested())


WALK = (Option(Stop, _resting, _rest), Option(MoveKraken, _kraken_steps, _walk))
