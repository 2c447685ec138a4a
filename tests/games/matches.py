"""Matches over a log, most of them of Tiny, for the tests of whatever is above the rules."""

import random
from typing import Any

import tiny
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.core.kernel import KeyedChance, choices, random_move
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match, seats_to_act
from kleos.core.match.actions import Create, Join
from kleos.events import rotation
from kleos.events.command import Command, Committed
from kleos.events.log import Log
from kleos.events.note import Signer

SIGNER = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
TRUSTED = [SIGNER.verifier]
_NEXT = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
ROTATED = Signer(
    "play.example", _NEXT, [rotation.rotate(SIGNER, Signer("play.example", _NEXT), 1_767_225_650)]
)
"""The same server after its key was rotated."""
TINY = Create(game="tiny", rules="tiny/1", seats=2, options={}, seat=0)


def command(name: str, asks: str = "") -> Command:
    return Command.named("test", name.encode(), asks=asks.encode())


async def seated(log: Log) -> Match:
    """A match of Tiny in which anna (seat 0) and ben (seat 1) are to pledge."""
    made = await log.create("anna", TINY)
    return (await log.submit(made.match.id, "ben", None, Join(seat=1))).match


def pledge(match: Match, seat: int, place: int = 0) -> Any:
    """A move of the seat: the lowest card, or another by its place; for a leader the stake of nothing."""
    return choices(tiny.TINY, match.state, seat)[place].move


async def played(log: Log, seed: int, rules: str = "tiny/1") -> list[Committed]:
    """A whole match of as few seats as may be, with random moves of random seats."""
    rng, chance = random.Random(seed), KeyedChance(seed.to_bytes(32, "big"))
    game = pinned(rules)
    seats = game.seats[0]
    layout = Create(game=game.name, rules=rules, seats=seats, options={}, seat=0)
    done = [await log.create("player 0", layout)]
    match = done[0].match
    done += [await log.submit(match.id, f"player {seat}", None, Join(seat=seat)) for seat in range(1, seats)]
    while not (match := done[-1].match).opened:
        seat = rng.choice(seats_to_act(match))
        move = random_move(None, choices(game, match.state, seat), seat, chance)
        done.append(await log.submit(match.id, f"player {seat}", seat, move))
    return done
