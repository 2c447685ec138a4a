"""One match played by mechanical players, without seats, log or store. Pure: chance is passed in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kleos.core.kernel.bots import random_move
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Bot, Game, Legal
from kleos.core.kernel.visibility import Viewer, redact


class Step(NamedTuple):
    """One decision: the state it was made in, what could have been chosen, and what followed."""

    before: Any
    seat: int
    legal: tuple[Legal[Any], ...]
    move: Any
    effects: tuple[Any, ...]
    after: Any


def playout(
    game: Game[Any, Any, Any], state: Any, players: Sequence[Bot], fortune: Chance, whim: Chance
) -> Iterator[Step]:
    """The decisions from ``state`` to the outcome; ``players`` are by seat.

    ``fortune`` is the chance of the game, ``whim`` that of the players and of who goes first among several
    seats to act. A bot is given its own view and nothing else.
    """
    while game.outcome(state) is None:
        acting = sorted(game.to_act(state))
        seat = acting[whim.pick(len(acting))] if len(acting) > 1 else acting[0]
        legal = game.moves(state, seat)
        player = players[seat]
        blind = player is random_move  # whoever does not look is shown nothing: views cost half of the time
        view = None if blind else redact(state, Viewer(seat))
        move = player(view, legal, seat, whim)
        effects, after = game.decide(state, seat, move, fortune)
        yield Step(state, seat, legal, move, effects, after)
        state = after
