"""Loading: the newest position of a match from memory, else from a snapshot, else from its whole stream.

What is in memory may be behind the store, never beside it: a stream only grows. So a load reads the tail
after what is known, and what was loaded for one version stays right for ever.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final, Generic, TypeVar

import msgspec

from kleos.core.match import Forgotten, Match, Past, forgotten
from kleos.events.connection import PATIENCE
from kleos.events.envelope import Entry
from kleos.events.merkle import Edge, leaf
from kleos.events.replay import check, step
from kleos.events.snapshot import Position, code_digest, pack, unpack
from kleos.events.store import Store, StoreUnavailable

T = TypeVar("T")

SNAPSHOT_EVERY: Final = 64
"""Events between two snapshots of a match."""
PAGE: Final = 500
"""Events read at once: between two pages other requests get their turn."""


class UnknownMatch(Exception):
    """There is no match of this id."""


class UnknownVersion(Exception):
    """The match has no such version; ``current`` is its newest."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the versions are 1 to {current}")
        self.current = current


class History:
    """Every version of a match so far: ``matches[n]`` is version *n + 1*, ``leaves[n]`` its entry's hash."""

    __slots__ = ("leaves", "matches")

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.leaves: list[bytes] = []

    def at(self, version: int) -> Match:
        """The match at a version; ``Forgotten`` if that is not among these."""
        if not 1 <= version <= len(self.matches):
            raise Forgotten(version)
        return self.matches[version - 1]


class Shelf:
    """What is known of one match. Held (``async with``) by whoever is about to learn, or to add, something.

    Those who wait for longer than ``patience`` seconds raise ``StoreUnavailable``: when the store does not
    answer, a queue must not make each wait for all before it.
    """

    __slots__ = ("_lock", "_patience", "archived", "begun", "done", "history", "position", "saved")

    def __init__(self, patience: float) -> None:
        self._lock = asyncio.Lock()
        self._patience = patience
        self.position: Position | None = None
        self.history: History | None = None
        self.archived: bool | None = None
        self.saved = 0
        self.begun = self.done = 0

    async def __aenter__(self) -> None:
        if not self._lock.locked():
            await self._lock.acquire()
            return
        try:
            async with asyncio.timeout(self._patience):
                await self._lock.acquire()
        except TimeoutError:
            raise StoreUnavailable("the store keeps those waiting who came before") from None

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class _Recent(Generic[T]):
    """The values used last, at most ``most`` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[str, T] = OrderedDict()

    def get(self, key: str) -> T | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: str, value: T) -> T | None:
        """Keep the value; returns the one that had to go."""
        self._values[key] = value
        self._values.move_to_end(key)
        return self._values.popitem(last=False)[1] if len(self._values) > self._most else None

    def drop(self, key: str) -> None:
        """Keep this one no longer."""
        self._values.pop(key, None)


class Loader:
    """What a process knows of matches: positions of ``matches``, whole histories of ``histories`` of them."""

    def __init__(
        self,
        store: Store,
        *,
        matches: int = 2048,
        histories: int = 64,
        snapshot_every: int = SNAPSHOT_EVERY,
        patience: float = PATIENCE,
    ) -> None:
        self._store = store
        self._patience = patience
        self._snapshot_every = snapshot_every
        self._shelves: _Recent[Shelf] = _Recent(matches)
        self._browsed: _Recent[Shelf] = _Recent(histories)

    def shelf(self, match_id: str) -> Shelf:
        """The place of a match, empty if nothing is known of it (nor whether it exists)."""
        shelf = self._shelves.get(match_id)
        if shelf is None:
            shelf = Shelf(self._patience)
            self._shelves.put(match_id, shelf)
        return shelf

    async def newest(self, match_id: str) -> Position:
        """The position at a moment after this call; raises ``UnknownMatch``.

        All who ask while a read is under way share the next one: it begins after each of them asked.
        """
        shelf = self.shelf(match_id)
        asked = shelf.begun
        async with shelf:
            if shelf.done > asked and shelf.position is not None:
                return shelf.position
            return await self.refresh(match_id, shelf)

    async def refresh(self, match_id: str, shelf: Shelf) -> Position:
        """Read what the store has beyond the shelf, which the caller holds."""
        shelf.begun += 1
        begun = shelf.begun
        position = shelf.position or await self._snapshot(match_id, shelf)
        last: Entry | None = None
        async for last in self.entries(match_id, after=position.match.version if position else 0):
            try:
                position = self.advanced(position, last, self.past(shelf))
            except Forgotten:
                position = self.advanced(position, last, await self.recall(match_id, shelf))
        assert position is not None, "a match has a first entry"
        if last is not None:
            check(position.match, last)
        shelf.done = begun
        await self.keep(shelf, position)
        return position

    @staticmethod
    def advanced(position: Position | None, entry: Entry, past: Past) -> Position:
        """The position after one more entry."""
        edge = position.edge if position else Edge()
        match = step(position.match if position else None, entry, past)
        return Position(match, edge.append(leaf(entry.public)))

    @staticmethod
    def past(shelf: Shelf) -> Past:
        """Of the match's earlier versions those that are in memory."""
        return shelf.history.at if shelf.history is not None else forgotten

    async def recall(self, match_id: str, shelf: Shelf) -> Past:
        """All of the match's versions up to now, for somebody who holds the shelf."""
        history = await self._read_history(match_id, shelf)
        self._browse(match_id, shelf)
        return history.at

    async def keep(self, shelf: Shelf, position: Position) -> None:
        """Put a newer position on the shelf, and now and then a snapshot into the store.

        After an undo there is one at once: whoever starts from it needs no earlier state to go on.
        """
        shelf.position = position
        match = position.match
        head_moved = match.since == match.version != match.head
        if match.version - shelf.saved >= self._snapshot_every or head_moved:
            shelf.saved = match.version
            with suppress(StoreUnavailable):  # only a cache
                await self._store.save_snapshot(
                    match.id, code_digest(match.rules), match.version, pack(position)
                )

    async def _snapshot(self, match_id: str, shelf: Shelf) -> Position | None:
        first = await self._store.read(match_id, limit=1)
        if not first:
            raise self._unknown(match_id)
        rules = msgspec.json.decode(first[0].public)["rules"]
        found = await self._store.snapshot(match_id, code_digest(rules))
        if found is None:
            return None
        shelf.saved, packed = found
        return unpack(packed)

    def _unknown(self, match_id: str) -> UnknownMatch:
        """Made-up ids must not push real matches out of memory."""
        self._shelves.drop(match_id)
        return UnknownMatch(match_id)

    async def entries(self, match_id: str, *, after: int = 0) -> AsyncIterator[Entry]:
        """All entries with versions above ``after``, page by page."""
        while True:
            page = await self._store.read(match_id, after=after, limit=PAGE)
            for stored in page:
                yield Entry.of(stored.version, stored.public, stored.sealed)
            if len(page) < PAGE:
                return
            after = page[-1].version

    async def history(self, match_id: str, version: int | None = None) -> History:
        """The history up to ``version`` at least (default: up to now).

        Raises ``UnknownMatch``, or ``UnknownVersion``.
        """
        shelf = self.shelf(match_id)
        if version is None:
            version = (await self.newest(match_id)).match.version
        if shelf.history is None or len(shelf.history.matches) < version:
            async with shelf:
                await self._read_history(match_id, shelf)
        history = shelf.history
        assert history is not None
        self._browse(match_id, shelf)
        if not 1 <= version <= len(history.matches):
            raise UnknownVersion(len(history.matches))
        return history

    def _browse(self, match_id: str, shelf: Shelf) -> None:
        """Keep the histories used last, and no more of them."""
        dropped = self._browsed.put(match_id, shelf)
        if dropped is not None and dropped is not shelf:
            dropped.history = None

    async def _read_history(self, match_id: str, shelf: Shelf) -> History:
        history = shelf.history or History()
        last: Entry | None = None
        async for last in self.entries(match_id, after=len(history.matches)):
            match = history.matches[-1] if history.matches else None
            history.matches.append(step(match, last, history.at))
            history.leaves.append(leaf(last.public))
        if not history.matches:
            raise self._unknown(match_id)
        if last is not None:
            check(history.matches[-1], last)
        shelf.history = history
        return history
