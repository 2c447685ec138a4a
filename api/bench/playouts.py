"""Random playouts: how many moves a second the rules alone make in one process.

Ours and those of what we are compared with are played in turn: whatever else the machine does meanwhile slows
both, so that their ratio is worth something on a busy one too.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

from kleos.api.bench.row import Row
from kleos.core.kernel import Game, KeyedChance, Viewer, random_move, redact
from kleos.core.kernel.playout import Step, playout
from kleos.core.kernel.registry import games
from kleos.core.match import codec

GOALS = {"iliad": 2.0, "cyclades": 1.2}
"""Moves a second as a multiple of those of catanatron."""


def rows(seconds: float) -> Iterator[Row]:
    peers = [_catanatron] if find_spec("catanatron") else []
    for game in games().values():
        for seats in game.seats:
            ours, *theirs = _rates([partial(_playout, game, seats), *peers], seconds)
            yield Row(
                name=f"random playout, {game.rules}, {seats} seats",
                unit="moves/s",
                ours=ours,
                peer=theirs[0] if theirs else None,
                peer_name="catanatron",
                at_least=GOALS.get(game.name) if theirs else None,
            )
        yield from _single_steps(game)


def _single_steps(game: Game[Any, Any, Any]) -> Iterator[Row]:
    """What one state costs: to digest it, to fold one effect into it, to show it to a seat."""
    steps = _steps(game)
    digested, folds = codec(game.rules).state_bytes, [(step.before, step.effects) for step in steps]

    def fold(_seed: int) -> int:
        for state, effects in folds:
            reduce(game.evolve, effects, state)
        return sum(len(effects) for _, effects in folds)

    def digest(_seed: int) -> int:
        return sum(1 for step in steps if sha256(digested(step.after)).digest())

    def show(_seed: int) -> int:
        return sum(1 for step in steps if redact(step.after, Viewer(step.seat)))

    for name, once in (("state digest", digest), ("effect folded", fold), ("view of a seat", show)):
        [rate] = _rates([once], 0.5)
        yield Row(name=f"{name}, {game.rules}", unit="us", ours=1e6 / rate)


def _steps(game: Game[Any, Any, Any]) -> list[Step]:
    """The decisions of one random match at the fullest table."""
    seats, chance = game.seats[-1], KeyedChance(bytes(32))
    opened = game.open(game.settle(game.Options(), seats), seats, chance)
    return list(playout(game, opened.state, [random_move] * seats, chance, chance))


def _rates(playouts: Sequence[Callable[[int], int]], seconds: float) -> list[float]:
    """Moves a second of processor time of each, over whole playouts: next is whoever had least time.

    A first one of each does not count: it imports, and fills caches.
    """
    for once in playouts:
        once(0)
    seeds, moves, took = [0] * len(playouts), [0] * len(playouts), [0.0] * len(playouts)
    while (least := min(took)) < seconds:
        turn = took.index(least)
        began = time.process_time()
        moves[turn] += playouts[turn](seeds[turn])
        took[turn] += time.process_time() - began
        seeds[turn] += 1
    return [made / spent for made, spent in zip(moves, took, strict=True)]


class _Luck(KeyedChance):
    """The game's chance; players, who are not measured, choose by it as quickly as those of catanatron."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed.to_bytes(32, "big"))
        self._random = random.Random(seed).random

    def pick(self, n: int) -> int:
        return int(self._random() * n)


def _playout(game: Game[Any, Any, Any], seats: int, seed: int) -> int:
    """Play one match with random moves; how many there were."""
    chance = _Luck(seed)
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
