"""Shelving: matches that are over leave the store for the archive.

1. The whole match becomes a bundle with every opening, and its commands an object beside it.
2. The bundle is judged as a stranger would judge it: nothing is put away that does not prove itself.
3. Both are written to the archive and read back.
4. One Function puts the stub in the place of the match's keys.

Whatever ends this at whichever point, the match is whole in the store until step 4, and whole in the archive
from then on. Doing it again goes on, with the same names for the same content.
"""

from __future__ import annotations

import asyncio
from typing import Final

from msgspec import Struct

from kleos.core.match import OVER
from kleos.events import merkle
from kleos.events.archive import commands_object
from kleos.events.envelope import Entry
from kleos.events.heads import Heads
from kleos.events.library import Library
from kleos.events.loading import Loader
from kleos.events.notary import NONE, Notary, Testimony, everything
from kleos.events.standing import Standing
from kleos.events.store import Store
from kleos.events.verifier import verify

FUNCTIONS: Final = Library.read("kleos.events", "shelve")
_PARTS: Final = ("head", "events", "commands", "snapshot")


class NotShelved(Exception):
    """The match stays in the store; the text says why."""


class Shelved(Struct, frozen=True):
    """A match that went into the archive: how many events, as how many bytes, under which digest."""

    match: str
    events: int
    bytes: int
    bundle: str


async def shelve(
    store: Store, notary: Notary, match: str, heads: Heads | None = None, said: Testimony = NONE
) -> Shelved:
    """Move a match into the archive, in a bundle with what is ``said`` of its log by now.

    Raises ``NotShelved``, ``ArchiveUnavailable``, ``ArchiveDamaged`` or ``StoreUnavailable``.
    """
    entries = [each async for each in Loader(store).entries(match)]
    _require_over(await _notice(store, match), len(entries))
    _require_ours(match, entries, heads)
    key = _key(store, match, "commands")
    commands = await store.connection.call(key, "HGETALL", key)
    bundle = await asyncio.to_thread(notary.bundle, match, entries, everything, said)
    report = await asyncio.to_thread(verify, bundle, [notary.verifier])
    if report.status != "valid":
        why = report.failure.reason if report.failure else "; ".join(report.notes)
        raise NotShelved(f"it does not prove itself: {why}")
    stub = await store.archive.put(match, bundle, commands_object(commands))
    keys = [_key(store, match, part) for part in _PARTS]
    code, version = await store.connection.function(FUNCTIONS, "shelve", keys, len(entries), stub.stored)
    if code != b"shelved":
        raise NotShelved(f"it changed while it was moved, and is at version {version}")
    return Shelved(match, len(entries), len(bundle), stub.bundle)


def _key(store: Store, match: str, part: str) -> str:
    return store.key(store.bucket(match), f"m:{match}:{part}")


async def _notice(store: Store, match: str) -> Standing:
    notice = await store.notice(match)
    if notice is None:
        raise NotShelved("there is no such match")
    return Standing.read(notice)


def _require_over(standing: Standing, events: int) -> None:
    if standing.status not in OVER:
        raise NotShelved(f"it is {standing.status}; only a match that is over goes into the archive")
    if standing.version != events:
        raise NotShelved(f"it has {events} events and stands at version {standing.version}; see kleos fsck")


def _require_ours(match: str, entries: list[Entry], heads: Heads | None) -> None:
    """The log must be the one that was signed: a store that was set back is not made the truth."""
    signed = heads.newest(match) if heads else None
    if signed is None:
        return
    root = merkle.root([merkle.leaf(each.public) for each in entries[: signed.size]])
    if signed.size > len(entries) or root != signed.root:
        raise NotShelved("it is frozen: this is not the log that was signed; see kleos fsck")
