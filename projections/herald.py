"""The herald: the one reader of the store's feed in a process, and everybody in it who waits for news.

What the feed tells is durable: an append is answered, and told, only after it is on disk. Of every match that
somebody listens to, the latest entries are kept in memory, read once for all its listeners. The herald must
not know who may see what, nor how it travels.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from kleos.core.match import Match, News
from kleos.events.envelope import Entry
from kleos.events.log import Log
from kleos.events.store import Notice, Store, StoreUnavailable

RECENT: Final = 128
"""Entries of a match that are kept for its listeners; who is further behind reads the store."""
PATIENCE: Final = 0.5
"""Seconds to wait for a store that is away before trying again."""
_log = logging.getLogger("kleos.herald")


class Listener:
    """Somebody who waits for something to happen."""

    __slots__ = ("_bell",)

    def __init__(self) -> None:
        self._bell: asyncio.Future[bool] | None = None

    async def wait(self, seconds: float) -> bool:
        """Wait until something rings; False if ``seconds`` passed first.

        What is to be waited for is looked at before, without an ``await`` in between, so no ring is lost.
        """
        loop = asyncio.get_running_loop()
        self._bell = loop.create_future()
        timer = loop.call_later(seconds, self._settle, False)
        try:
            return await self._bell
        finally:
            timer.cancel()
            self._bell = None

    def ring(self) -> None:
        """There is something to look at."""
        self._settle(True)

    def _settle(self, rung: bool) -> None:
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(rung)


class Follower(Listener):
    """Somebody who waits for news of one match."""

    __slots__ = ("tail",)

    def __init__(self, tail: Tail) -> None:
        super().__init__()
        self.tail = tail


class Attendant(Listener):
    """Somebody who waits for what a player is told, in whatever match.

    ``unread`` has the buckets in whose feeds there is something for the player, each with the position after
    which that begins.
    """

    __slots__ = ("unread",)

    def __init__(self) -> None:
        super().__init__()
        self.unread: dict[int, str] = {}


class Tail:
    """The latest of a match: ``entries`` end with ``version``; ``match`` is at that version or later."""

    def __init__(self, match_id: str, log: Log) -> None:
        self.match_id = match_id
        self.listeners: set[Follower] = set()
        self.entries: deque[Entry] = deque(maxlen=RECENT)
        self.version = 0
        self._match: Match | None = None
        self._told = 0
        self._log = log
        self._loading = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def match(self) -> Match:
        assert self._match is not None, "ready() comes first"
        return self._match

    async def ready(self) -> Match:
        """The match, loaded if this is the first time. Raises ``UnknownMatch`` or ``StoreUnavailable``."""
        async with self._loading:
            if self._match is None:
                self._match = await self._log.load(self.match_id)
                self.version = self._match.version
        return self._match

    async def after(self, version: int, limit: int) -> list[Entry]:
        """The entries after a version, at most ``limit``; none if there is no news."""
        if version >= self.version:
            return []
        if self.entries and self.entries[0].version <= version + 1:
            start = version + 1 - self.entries[0].version
            return [self.entries[at] for at in range(start, min(start + limit, len(self.entries)))]
        return await self._log.entries(self.match_id, after=version, limit=limit)

    def tell(self, version: int) -> None:
        """The feed says that the match came to ``version``: read up to it, once for all, then ring."""
        self._told = max(self._told, version)
        if self._task is None:
            nobodys = contextvars.Context()  # not of the request that happens to listen first
            self._task = asyncio.create_task(self._read(), name=f"tail of {self.match_id}", context=nobodys)

    async def _read(self) -> None:
        try:
            await self.ready()
            while self.version < self._told:
                try:
                    await self._extend()
                except StoreUnavailable:
                    await asyncio.sleep(PATIENCE)
        except Exception:  # nobody waits for this task; the listeners would wait for ever
            _log.exception("the tail of match %s cannot be read", self.match_id)
        finally:
            self._task = None

    async def _extend(self) -> None:
        entries = await self._log.entries(self.match_id, after=self.version, limit=RECENT)
        self._match = await self._log.load(self.match_id)
        self.entries.extend(entries)
        self.version = entries[-1].version
        self.ring()

    def ring(self) -> None:
        for listener in self.listeners:
            listener.ring()

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()


class Herald:
    """Follows the feed while it is started, and tells everybody who listens."""

    def __init__(self, store: Store, log: Log) -> None:
        self._store = store
        self._log = log
        self._tails: dict[str, Tail] = {}
        self._attendants: dict[str, set[Attendant]] = {}
        self._positions: dict[int, str] = {}
        self._task: asyncio.Task[None] | None = None
        self.silent = False
        """Whether it has fallen silent for good: listeners should part."""

    @property
    def following(self) -> bool:
        """Whether news still come in."""
        return self._task is not None and not self._task.done()

    @property
    def positions(self) -> Mapping[int, str]:
        """How far each bucket's feed was read: whoever attends has been rung for all up to there."""
        return self._positions

    async def start(self) -> None:
        """Follow the feed from now on: nothing that is appended after this returns is missed."""
        self._positions = await self._store.positions()
        self._task = asyncio.create_task(self._follow(), name="herald")

    async def close(self) -> None:
        """Part from all listeners and stop following."""
        self.fall_silent()
        for tail in self._tails.values():
            tail.close()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def fall_silent(self) -> None:
        """There will be no more news here: let every listener say so and part."""
        self.silent = True
        for tail in self._tails.values():
            tail.ring()
        for attendants in self._attendants.values():
            for each in attendants:
                each.ring()

    @contextmanager
    def attend(self, player: str) -> Iterator[Attendant]:
        """A place to wait for what a player is told."""
        attendants = self._attendants.setdefault(player, set())
        attendant = Attendant()
        attendants.add(attendant)
        try:
            yield attendant
        finally:
            attendants.discard(attendant)
            if not attendants:
                self._attendants.pop(player, None)

    @contextmanager
    def listen(self, match_id: str) -> Iterator[Follower]:
        """A place to wait for news of one match."""
        tail = self._tails.setdefault(match_id, Tail(match_id, self._log))
        listener = Follower(tail)
        tail.listeners.add(listener)
        try:
            yield listener
        finally:
            tail.listeners.discard(listener)
            if not tail.listeners and self._tails.get(match_id) is tail:
                del self._tails[match_id]
                tail.close()

    async def _follow(self) -> None:
        """For ever. What nobody expected is logged, and the feed taken up again where it was left."""
        while True:
            try:
                async for notice in self._store.follow(self._positions):
                    self._tell(notice)
            except Exception:
                _log.exception("the feed was lost; following it again")
                await asyncio.sleep(PATIENCE)

    def _tell(self, notice: Notice) -> None:
        before = self._positions[notice.bucket]
        self._positions[notice.bucket] = notice.position
        if self._attendants and notice.news:
            for tiding in News.read(notice.news).tidings:
                for attendant in self._attendants.get(tiding.player, ()):
                    attendant.unread.setdefault(notice.bucket, before)
                    attendant.ring()
        tail = self._tails.get(notice.match)
        if tail is not None:
            tail.tell(notice.version)
