"""The rules as a whole: which options each open decision has, and what the engine does by itself.

There is one list of legal moves and nothing else that decides about legality (``legal``); after a move the
engine runs on to the next real decision (``run``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final

from kleos.core.cyclades import (
    apollo,
    battle,
    creatures,
    cycle,
    figures,
    market,
    metropolis,
    movement,
    offerings,
)
from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.moves import AnyMove
from kleos.core.cyclades.play import Option, Play
from kleos.core.cyclades.position import turn_of
from kleos.core.cyclades.state import (
    Battle,
    Blessing,
    Founding,
    KrakenWalk,
    Placing,
    Power,
    Pushing,
    Selling,
    Shuffling,
    State,
    Surrender,
    Turn,
    Voyage,
)
from kleos.core.cyclades.turn import MENU
from kleos.core.kernel.game import Legal

_OPTIONS: Final[dict[type[Any], tuple[Option, ...]]] = {
    Placing: offerings.OPTIONS,
    Voyage: movement.VOYAGE,
    Battle: battle.OPTIONS,
    KrakenWalk: figures.WALK,
    Pushing: figures.PUSHING,
    Selling: market.OPTIONS,
    Surrender: metropolis.SURRENDER,
    Founding: metropolis.FOUNDING,
    Blessing: apollo.OPTIONS,
}
_BY_ITSELF: Final[dict[type[Any], Callable[[Play, Any], bool]]] = {
    Turn: apollo.proceed,
    Battle: battle.proceed,
    Power: creatures.act_at_once,
    Shuffling: creatures.shuffle_back,
    Pushing: figures.drown,
}
"""What happens in a frame without anybody deciding; False when there is nothing (more) of that kind."""
_LAPSES: Final[dict[type[Any], Callable[[Play, Any], None]]] = {
    Power: creatures.idle,
    Pushing: figures.end_pushing,
    Founding: metropolis.forgo,
}
"""What happens when a decision has no legal move at all."""
_ALWAYS_ASKED: Final = frozenset((Placing, Turn, Battle))
"""Offerings, the turn menu and retreats are asked even with one legal move (R-07)."""
_UNDIVIDED: Final = frozenset((Battle, Surrender, Founding))
"""Frames in which no building or philosopher changes hands, so that no metropolis can come due."""


def options_of(state: State, frame: Any) -> tuple[Option, ...]:
    """The kinds of moves a frame offers, in the order of the rules."""
    if type(frame) is Turn:
        return MENU[frame.god]
    if type(frame) is Power:
        return creatures.options(state, frame)
    return _OPTIONS[type(frame)]


def legal(state: State) -> Iterator[Legal[AnyMove]]:
    """Every legal move of the innermost open decision."""
    frame = state.frames[-1]
    return chain.from_iterable(option.lists(state, frame) for option in options_of(state, frame))


def option_for(state: State, move: AnyMove) -> Option | None:
    """The option under which the move is listed; None if it is not legal."""
    frame = state.frames[-1]
    for option in options_of(state, frame):
        if option.move is type(move):
            for each in option.lists(state, frame):
                if each.admits(move):
                    return option
    return None


def run(play: Play) -> None:
    """Carry on until a seat has a decision to make or the match is over."""
    while play.state.result is None:
        if not play.state.frames:
            cycle.proceed(play)
            continue
        frame = play.state.frames[-1]
        kind = type(frame)
        if kind not in _UNDIVIDED and _metropolis_due(play):
            continue
        happens = _BY_ITSELF.get(kind)
        if happens is not None and happens(play, frame):
            continue
        if kind in _ALWAYS_ASKED or not _settled(play, frame):
            return


def _metropolis_due(play: Play) -> bool:
    turn = turn_of(play.state)
    return turn is not None and metropolis.convert(play, turn.seat)


def _settled(play: Play, frame: Any) -> bool:
    """Make the only legal move, or let a decision lapse that has none (R-07); False if there is a choice."""
    choices = legal(play.state)
    first = next(choices, None)
    if first is None:
        _LAPSES[type(frame)](play, frame)
    elif first.range is not None or next(choices, None) is not None:
        return False
    else:
        play.add(fx.OnlyChoice(seat=frame.seat, move=first.move))
        option = option_for(play.state, first.move)
        assert option is not None
        option.makes(play, frame, first.move)
    return True
