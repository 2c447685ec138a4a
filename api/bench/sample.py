"""What one append carries, taken from a real match: both sides of a comparison write the same bytes."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from kleos.core.kernel import KeyedChance, random_move
from kleos.core.kernel.registry import current, pinned
from kleos.core.match import Match, seats_to_act
from kleos.core.match.actions import Create, Join, Undo
from kleos.events.log import Log
from kleos.events.note import Signer
from kleos.events.store import Store

PLAYER = "playerofthebench"
"""As long as the ids of players are."""


class Sample(Struct, frozen=True):
    """The bytes of one append."""

    public: bytes
    sealed: bytes
    head: bytes
    notice: bytes
    news: bytes


def fresh_log(store: Store) -> Log:
    return Log(store, Signer("bench", Ed25519PrivateKey.generate()))


async def played(log: Log, game: str, *, moves: int | None = None) -> Match:
    """A match that one player plays alone with random moves: so many, or to its end."""
    rules = current(game)
    create = Create(game=game, rules=rules.rules, seats=rules.seats[0], options={}, undo="casual", seat=0)
    match = (await log.create(PLAYER, create)).match
    for seat in range(1, len(match.seats)):
        match = (await log.submit(match.id, PLAYER, None, Join(seat=seat))).match
    chance = KeyedChance(match.id.encode())
    made = 0
    while (acting := seats_to_act(match)) and made != moves:
        legal = pinned(match.rules).moves(match.state, acting[0])
        move = random_move(None, legal, acting[0], chance)
        match = (await log.submit(match.id, PLAYER, acting[0], move)).match
        made += 1
    return match


async def played_on(log: Log, game: str, events: int) -> Match:
    """A match of so many events at least: long ones are made of lines that were taken back and replayed."""
    match = await played(log, game, moves=40)
    start = match.head - 40
    chance = KeyedChance(match.id.encode())
    while match.version < events:
        match = (await log.submit(match.id, PLAYER, 0, Undo(to=start))).match
        for _ in range(40):
            seat = seats_to_act(match)[0]
            move = random_move(None, pinned(match.rules).moves(match.state, seat), seat, chance)
            match = (await log.submit(match.id, PLAYER, seat, move)).match
            if match.opened:
                return match
    return match


async def sample(store: Store, game: str) -> Sample:
    """What the append of a move in the middle of a match carried."""
    match = await played(fresh_log(store), game, moves=20)
    (event,) = await store.read(match.id, after=match.version - 1)
    found = await store.head(match.id)
    assert found is not None
    notices = await store.feed(store.bucket(match.id))
    return Sample(event.public, event.sealed, found[1], notices[-1].notice, notices[-1].news)
