"""Examples of each game's moves, effects and states for the OpenAPI document, recorded from whole matches.

The recordings are files beside this module, so that a server describes itself without playing first. A test
records again and compares.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from kleos.core.kernel import SPECTATOR, Game, KeyedChance, Unfolded, Viewer, redact
from kleos.core.kernel.playout import Step, playout

AnyGame = Game[Any, Any, Any]
FOLDER: Final = Path(__file__).parent
MATCHES: Final = 8
"""As many are played for each number of seats: enough for every kind of move that bots make."""
LATE: Final = 25
"""The decision whose state is shown: late enough that something lies on the table."""


class Examples(Struct, frozen=True):
    """Of one game: by type, a move, and an effect as spectators see it; a state as its first seat sees it."""

    moves: dict[str, Any]
    effects: dict[str, Any]
    state: Any


def of(game: AnyGame) -> Examples | None:
    """What is on file for a game; None for a game that comes from elsewhere."""
    file = FOLDER / f"{game.name}.json"
    return msgspec.json.decode(file.read_bytes(), type=Examples) if file.is_file() else None


def record(game: AnyGame) -> Examples:
    """Play, and keep the first move and effect of each type. The same for the same rules and bots."""
    moves: dict[str, Any] = {}
    effects: dict[str, Any] = {}
    state: Any = None
    for seats in game.seats:
        for number in range(MATCHES):
            opened, steps = _match(game, seats, number)
            _keep(effects, (redact(each, SPECTATOR) for each in opened.effects))
            for count, step in enumerate(steps):
                _keep(moves, [msgspec.to_builtins(step.move)])
                _keep(effects, (redact(each, SPECTATOR) for each in step.effects))
                if state is None and count == LATE:
                    state = redact(step.after, Viewer(0))
    return Examples(dict(sorted(moves.items())), dict(sorted(effects.items())), state)


def encoded(examples: Examples) -> bytes:
    """The bytes of a file."""
    return msgspec.json.format(msgspec.json.encode(examples), indent=1) + b"\n"


def _keep(kept: dict[str, Any], values: Iterable[dict[str, Any]]) -> None:
    for value in values:
        kept.setdefault(value["type"], value)


def _match(game: AnyGame, seats: int, number: int) -> tuple[Unfolded[Any, Any], Iterator[Step]]:
    key = hashlib.sha256(f"examples {game.rules} {seats} {number}".encode()).digest()
    fortune, whim = KeyedChance(key), KeyedChance(key[::-1])
    opened = game.open(game.settle(game.Options(), seats), seats, fortune)
    bots = list(game.bots.values())
    players = [bots[(seat + number) % len(bots)] for seat in range(seats)]
    return opened, playout(game, opened.state, players, fortune, whim)
