"""The scribe: every match's head comes into the ledger, once, whoever writes and whatever happens to them."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from matches import SIGNER, TINY, TRUSTED, played, pledge, seated

from kleos.core.match.actions import Join
from kleos.events import inscription, merkle, tiles
from kleos.events.heads import LEDGER, Frozen, Heads
from kleos.events.ledger import Ledger, State
from kleos.events.log import Log
from kleos.events.note import Checkpoint, Unverified, open_checkpoint
from kleos.events.store import Store
from kleos.events.tiles import Range
from kleos.projections.scribe import PAGE, Scribe

pytestmark = pytest.mark.anyio
HOST = "play.example"


def scribe(store: Store, heads: Heads | None = None) -> tuple[Scribe, Ledger]:
    ledger = Ledger(store, SIGNER, heads=heads)
    return Scribe(store, ledger, SIGNER), ledger


async def inscribed(ledger: Ledger) -> list[Checkpoint]:
    """Every entry, once the ledger is what it says it is."""
    entries = await ledger.entries(0, 10_000)
    edge = (await ledger.state()).edge
    leaves = [merkle.leaf(each) for each in entries]
    assert (edge.size, edge.root) == (len(entries), merkle.root(leaves))
    if leaves:
        assert await ledger.root(Range(0, edge.size)) == edge.root
    return [Checkpoint.parse(each.decode()) for each in entries]


async def test_every_match_is_inscribed_with_its_newest_head_and_proved(any_store: Store) -> None:
    log = Log(any_store, SIGNER)
    writer, ledger = scribe(any_store)
    finished = (await played(log, seed=1))[-1].match
    match = await seated(log)
    await writer.round()
    for each in (finished, match):
        proof = await ledger.proof(each.id)
        assert proof is not None
        told = inscription.prove(proof, HOST, each.id, TRUSTED)
        checkpoint = open_checkpoint(await log.checkpoint(each.id), f"{HOST}/m/{each.id}", TRUSTED)
        assert (told.head.size, told.head.root) == (checkpoint.size, checkpoint.root)
        with pytest.raises(Unverified, match="not one of this match"):
            inscription.prove(proof, HOST, "another", TRUSTED)
    assert len(await inscribed(ledger)) == 2


async def test_a_match_that_moved_is_inscribed_again_and_one_that_did_not_is_not(store: Store) -> None:
    log = Log(store, SIGNER)
    writer, ledger = scribe(store)
    match = await seated(log)
    await writer.round()
    await writer.round()
    await log.submit(match.id, "anna", 0, pledge(match, 0))
    await writer.round()
    assert [each.size for each in await inscribed(ledger)] == [2, 3]


async def test_who_asks_for_a_proof_does_not_wait_for_a_round(store: Store) -> None:
    log = Log(store, SIGNER)
    writer, _ = scribe(store)
    match = (await log.create("anna", TINY)).match
    assert await writer.proof("4V0M", 1) is None
    for size in (1, 2):
        proof = await writer.proof(match.id, size)
        assert proof is not None
        assert inscription.prove(proof, HOST, match.id, TRUSTED).head.size == size
        if size == 1:
            await log.submit(match.id, "ben", None, Join(seat=1))


async def test_writers_that_race_write_everything_once(store: Store) -> None:
    log = Log(store, SIGNER)
    writers = [scribe(store)[0] for _ in range(4)]
    ledger = scribe(store)[1]
    matches = [(await log.create("anna", TINY)).match for _ in range(3 * PAGE)]
    await asyncio.gather(*(writer.round() for writer in writers))
    names = Counter(each.origin.rpartition("/")[2] for each in await inscribed(ledger))
    assert names == {inscription.name_of(match.id): 1 for match in matches}


async def test_a_writer_that_ends_anywhere_leaves_nothing_undone_and_nothing_done_twice(store: Store) -> None:
    log, rng = Log(store, SIGNER), random.Random(7)
    ledger = scribe(store)[1]
    sizes: dict[str, int] = {}
    for _ in range(40):
        match = (await log.create("anna", TINY)).match
        sizes[match.id] = 1
        writing = asyncio.create_task(scribe(store)[0].round())
        await asyncio.sleep(rng.uniform(0, 0.02))
        writing.cancel()
        await asyncio.wait([writing])
    await scribe(store)[0].round()
    names = Counter(each.origin.rpartition("/")[2] for each in await inscribed(ledger))
    assert names == {inscription.name_of(match): 1 for match in sizes}


async def test_a_ledger_of_several_tiles_grows_and_proves_as_one_that_fits_one(store: Store) -> None:
    ledger = scribe(store)[1]
    heads = [inscription.inscription(HOST, str(number), 1, bytes(32)) for number in range(700)]
    entries = [each.text.encode() for each in heads]
    for start in range(0, 700, 130):
        seen = await ledger.state()
        batch = entries[start : start + 130]
        assert await ledger.append(seen, batch, places={}, positions={}, rotations=0)
        assert not await ledger.append(seen, batch, places={}, positions={}, rotations=0), "twice"
    await inscribed(ledger)
    leaves = [merkle.leaf(each) for each in entries]
    for old in (1, 256, 300, 699):
        path = [await ledger.root(each) for each in tiles.consistency(old, 700)]
        assert tuple(path) == merkle.consistency(leaves, old)


async def test_a_ledger_that_was_set_back_is_not_signed_and_not_written(store: Store, tmp_path: Path) -> None:
    log = Log(store, SIGNER)
    with closing(Heads(tmp_path / "heads")) as heads:
        writer, ledger = scribe(store, heads)
        for size in (1, 2):
            await log.create("anna", TINY)
            await writer.round()
            signed = open_checkpoint(await ledger.checkpoint(), ledger.origin, TRUSTED)
            assert signed.size == size
        for part in ("state", "entries", "matches"):
            await store.connection.call(ledger.key(part), "DEL", ledger.key(part))
        with pytest.raises(Frozen, match="0 entries of the ledger, and not the 2"):
            await ledger.checkpoint()
        with pytest.raises(Frozen):
            await writer.round()
        unaware = scribe(store)[1]
        entries = [b"another", b"log"]
        assert await unaware.append(State(), entries, places={}, positions={}, rotations=0)
        with pytest.raises(Frozen, match="another log of the ledger"):
            await ledger.checkpoint()
        heads.forget(LEDGER)
        assert open_checkpoint(await ledger.checkpoint(), ledger.origin, TRUSTED).size == 2
