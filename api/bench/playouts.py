"""Random playouts: how many moves a second the rules alone make in one process."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from kleos.api.bench.row import Row
from kleos.core.kernel import Game, KeyedChance, random_move
from kleos.core.kernel.registry import games

GOALS = {"iliad": 2.0, "cyclades": 1.2}
"""Moves a second as a multiple of those of catanatron."""


def rows(seconds: float) -> Iterator[Row]:
    peer = _rate(_catanatron, seconds) if find_spec("catanatron") else None
    for game in games().values():
        for seats in game.seats:
            yield Row(
                name=f"random playout, {game.rules}, {seats} seats",
                unit="moves/s",
                ours=_rate(lambda seed, game=game, seats=seats: _playout(game, seats, seed), seconds),  # type: ignore[misc]
                peer=peer,
                peer_name="catanatron",
                at_least=GOALS.get(game.name) if peer else None,
            )


def _rate(playout: Callable[[int], int], seconds: float) -> float:
    """Moves a second of processor time, over whole playouts that begin until ``seconds`` are over."""
    moves = seed = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        moves += playout(seed)
        seed += 1
    return moves / (time.process_time() - began)


def _playout(game: Game[Any, Any, Any], seats: int, seed: int) -> int:
    """Play one match with random moves; how many there were."""
    chance = KeyedChance(seed.to_bytes(32, "big"))
    state = game.open(game.settle(game.Options(), seats), seats, chance).state
    moves = 0
    while acting := game.to_act(state):
        seat = min(acting)
        state = game.decide(
            state, seat, random_move(None, game.moves(state, seat), seat, chance), chance
        ).state
        moves += 1
    return moves


def _catanatron(seed: int) -> int:
    """One playout of the fastest pure-Python board-game engine known to us; how many moves there were."""
    from catanatron import Color, RandomPlayer  # type: ignore  # noqa: PLC0415 - installed by whoever compares
    from catanatron import Game as Catan  # noqa: PLC0415

    random.seed(seed)
    game = Catan([RandomPlayer(color) for color in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)])
    game.play()
    return len(game.state.actions if hasattr(game.state, "actions") else game.state.action_records)
