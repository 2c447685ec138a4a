"""A store with an archive, for the tests of what is read from it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from matches import SIGNER
from msgspec.structs import replace

from kleos.core.kernel import Viewer
from kleos.core.match import codec
from kleos.events.archive import Archive
from kleos.events.bundle import pack, unpack
from kleos.events.log import Log
from kleos.events.notary import Notary, everything
from kleos.events.note import Signer
from kleos.events.objects import objects_at
from kleos.events.store import Store
from kleos.projections.timeline import view

NOTARY = Notary(SIGNER)
PARTS = ("events", "commands", "snapshot")


@asynccontextmanager
async def store_with_archive(url: str, prefix: str, place: str | Path) -> AsyncIterator[Store]:
    """Another process's connection to the store, with the archive at a place."""
    store = await Store.connect(url, prefix=prefix, archive=Archive(objects_at(place)))
    try:
        yield store
    finally:
        await store.close()


async def left_in_store(store: Store, match: str) -> list[str]:
    """Which parts of a match are in the store itself."""
    keys = {part: store.key(store.bucket(match), f"m:{match}:{part}") for part in PARTS}
    return [part for part, key in keys.items() if await store.connection.call(key, "EXISTS", key)]


async def all_that_is_read(store: Store, match: str, signer: Signer = SIGNER) -> dict[str, object]:
    """Everything that a process which has just come up reads of a match, version by version.

    Except the proof from the ledger, which is said of a match and not read from it.
    """
    log = Log(store, signer)
    latest = await log.load(match)
    versions = range(1, latest.version + 1)
    told = [await log.at(match, version) for version in versions]
    seats = (None, *range(len(latest.seats)))
    return {
        "entries": await log.entries(match, limit=latest.version + 1),
        "a page": await log.entries(match, after=latest.version // 2, limit=3),
        "views": [[view(each, seat, latest, listed=False) for seat in seats] for each in told],
        "states": [codec(each.rules).state_bytes(each.state) for each in told],
        "as played": [codec(each.rules).view(each.state, Viewer(seat)) for each in told for seat in seats],
        "checkpoint": await log.checkpoint(match),
        "receipts": [await log.receipt(match, version) for version in versions],
        "growth": await log.growth(match, 1, latest.version),
        "bundle": pack(replace(unpack(await log.bundle(match, everything)), ledger=())),
    }
