"""Reading the log: matches, entries and proofs, at any version.

It writes nothing, and signs only what is there.
"""

from __future__ import annotations

import asyncio
import bisect
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from kleos.core.match import Match, Past
from kleos.events import canonical, merkle, notary
from kleos.events.cited import Cited
from kleos.events.envelope import Entry
from kleos.events.loading import Loader, UnknownMatch, UnknownVersion
from kleos.events.notary import NONE, Notary, Proofs, Shown, Testimony
from kleos.events.store import Store

Step = Callable[[str], AbstractContextManager[object]]


def untraced(_name: str) -> AbstractContextManager[object]:
    """A step that nobody looks at."""
    return _UNTRACED


_UNTRACED: Final = nullcontext()


class Reader:
    """The log as it can be read. All of it raises ``UnknownMatch``, and ``UnknownVersion`` where a version is
    asked for.
    """

    def __init__(self, store: Store, notary: Notary, loader: Loader, step: Step) -> None:
        self._store = store
        self._notary = notary
        self._loader = loader
        self._step = step

    async def load(self, match_id: str) -> Match:
        """The match as it stands."""
        with self._step("load"):
            return (await self._loader.newest(match_id)).match

    def remembered(self, match_id: str) -> Match | None:
        """The match as this process last knew it, without asking anybody: it may have moved on since.

        Good for what never changes in a match, and for telling where it stood after a refusal.
        """
        position = self._loader.shelf(match_id).position
        return None if position is None else position.match

    async def goes_on(self, match: Match) -> bool:
        """Whether anything can still happen in a match: it is not over, and was not brought in under way.

        The store is asked once: of the matches that are not over, only such are in the archive.
        """
        if match.opened:
            return False
        shelf = self._loader.shelf(match.id)
        if shelf.archived is None:
            shelf.archived = await self._store.stub(match.id) is not None
        return not shelf.archived

    async def at(self, match_id: str, version: int) -> Match:
        """The match as it stood after event ``version``."""
        position = self._loader.shelf(match_id).position
        if position is not None and position.match.version == version:
            return position.match
        return (await self._loader.history(match_id, version)).matches[version - 1]

    async def past(self, match_id: str, version: int | None = None) -> Past:
        """The match at all its versions, up to ``version`` at least (default: up to now)."""
        return (await self._loader.history(match_id, version)).at

    async def between(self, match_id: str, after: int, to: int) -> AsyncIterator[Entry]:
        """The entries after one version up to another."""
        async for entry in self._loader.entries(match_id, after=after):
            if entry.version > to:
                return
            yield entry

    async def at_time(self, match_id: str, at: int) -> Match:
        """The match as it stood at a time, in milliseconds since the epoch."""
        history = await self._loader.history(match_id)
        version = bisect.bisect_right(history.matches, at, key=lambda match: match.updated_at)
        if version == 0:
            raise UnknownVersion(len(history.matches))
        return history.matches[version - 1]

    async def entries(self, match_id: str, *, after: int = 0, limit: int = 200) -> list[Entry]:
        """The entries after a version, at most ``limit``; none if that is the newest."""
        after = min(max(after, 0), canonical.LARGEST)
        page = await self._store.read(match_id, after=after, limit=limit)
        if not page and await self._store.head(match_id) is None:
            raise UnknownMatch(match_id)
        return [Entry.of(each.version, each.public, each.sealed) for each in page]

    async def entry(self, match_id: str, version: int) -> Entry:
        """One entry."""
        for found in await self.entries(match_id, after=max(version, 1) - 1, limit=1):
            if found.version == version:
                return found
        raise UnknownVersion((await self.load(match_id)).version)

    # Proof

    async def checkpoint(self, match_id: str) -> str:
        """The newest signed checkpoint of the match."""
        head = await self._store.head(match_id)
        if head is None:
            raise UnknownMatch(match_id)
        return notary.checkpoint_of(head[1])

    async def root(self, match_id: str, size: int) -> bytes:
        """The root over the first ``size`` events."""
        history = await self._loader.history(match_id, size)
        return merkle.root(history.leaves[:size])

    async def receipt(self, match_id: str, version: int, *, size: int | None = None) -> str:
        """The receipt of event ``version`` in the log of ``size`` events (default: as first given)."""
        size = version if size is None else size
        history = await self._loader.history(match_id, max(version, size))
        if not 1 <= version <= size:
            raise UnknownVersion(size)
        return (await self._proofs(match_id)).receipt(match_id, history.leaves[:size], version)

    async def growth(self, match_id: str, old: int, new: int) -> str:
        """The proof that the log of ``new`` events begins with that of ``old``."""
        history = await self._loader.history(match_id, max(old, new))
        if not 1 <= old <= new:
            raise UnknownVersion(new)
        return (await self._proofs(match_id)).growth(match_id, history.leaves[:new], old)

    async def bundle(self, match_id: str, shows: Shown, said: Testimony = NONE) -> bytes:
        """The match in one file, with the openings that ``shows`` allows, and what is ``said`` of its log."""
        if (kept := await self._store.archived(match_id)) is not None:
            return await asyncio.to_thread(Cited(kept).shown, shows, said.cosignatures)
        entries = [each async for each in self._loader.entries(match_id)]
        if not entries:
            raise UnknownMatch(match_id)
        return await asyncio.to_thread(self._notary.bundle, match_id, entries, shows, said)

    async def _proofs(self, match_id: str) -> Proofs:
        """Whose signatures the proofs of a match rest on."""
        kept = await self._store.archived(match_id)
        return self._notary if kept is None else Cited(kept)
