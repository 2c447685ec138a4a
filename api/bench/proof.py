"""Proof: what it adds to a move, and how fast a whole match is verified."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.api.bench.row import Row
from kleos.api.bench.sample import PLAYER, fresh_log, played
from kleos.core.kernel import KeyedChance, choices, random_move
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match, seats_to_act
from kleos.events import merkle, notary
from kleos.events.log import Log
from kleos.events.merkle import Edge
from kleos.events.notary import Notary, everything
from kleos.events.note import Signer
from kleos.events.receipt import Receipt
from kleos.events.store import Store
from kleos.events.verifier import verify

GAMES = ("iliad", "cyclades")
MOVES = 300
"""Moves of a match whose times are taken."""


async def rows(url: str, seconds: float, game: str) -> AsyncIterator[Row]:
    store = await Store.connect(url)
    try:
        log = fresh_log(store)
        yield await _added(log, game)
        for name in GAMES:
            yield await _verified(log, name, seconds)
    finally:
        await store.close()


async def _added(log: Log, game: str) -> Row:
    """Hashing the event, the new root, the signed checkpoint and the receipt, against all else of a move."""
    took: list[float] = []
    match = await played(log, game, moves=0)
    chance = KeyedChance(match.id.encode())
    while len(took) < MOVES and (acting := seats_to_act(match)):
        move = random_move(None, choices(pinned(match.rules), match.state, acting[0]), acting[0], chance)
        began = time.perf_counter()
        match = (await log.submit(match.id, PLAYER, acting[0], move)).match
        took.append(time.perf_counter() - began)
    proof = await _proving(log, match)
    return Row(
        name="signing and hashing, beside the rest of an accepted move (p50)",
        unit="µs",
        ours=proof * 1e6,
        peer=(statistics.median(took) - proof) * 1e6,
        peer_name="rules, sealing and the synced append, without HTTP",
        at_most=0.15,
    )


async def _proving(log: Log, match: Match) -> float:
    """The median time, in seconds, of what proof takes of one append."""
    signing = Notary(Signer("bench", Ed25519PrivateKey.generate()))
    edge, took = Edge(), []
    for entry in await log.entries(match.id, limit=match.version):
        began = time.perf_counter()
        after = edge.append(merkle.leaf(entry.public))
        checkpoint = signing.checkpoint(match.id, after.size, after.root)
        notary.head(after, checkpoint)
        assert Receipt(edge.size, edge.proof_of_next(), checkpoint).text
        took.append(time.perf_counter() - began)
        edge = after
    return statistics.median(took)


async def _verified(log: Log, game: str, seconds: float) -> Row:
    match = await played(log, game)
    bundle = await log.bundle(match.id, everything)
    events = 0
    began = time.process_time()
    while events == 0 or time.process_time() - began < seconds:
        report = verify(bundle)
        assert report.status == "valid", report
        events += report.events
    return Row(
        name=f"full verification, {match.rules}",
        unit="events/s",
        ours=events / (time.process_time() - began),
        at_least=2000,
    )
