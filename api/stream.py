"""A stream of a match's events to one client: all it missed, then each as it happens, until all is over.

The client's cursor is all there is to a stream: nothing is queued for it. It is written a chunk at a time,
and what it has not taken is read when it takes more, so a slow one costs one chunk; when it takes nothing for
too long, it is sent away with the reason. Whether it may read is looked at before every chunk and after every
heartbeat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import msgspec
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Send
from msgspec import Struct

from kleos.api.framing import End, Framing, Reset
from kleos.api.meter import Meter
from kleos.core.match import Match
from kleos.events.envelope import Entry
from kleos.events.store import StoreUnavailable
from kleos.projections.herald import Herald, Listener
from kleos.projections.timeline import Item

CHUNK: Final = 100
"""Events that are written at once: what is held for a client that does not read."""
HEADERS: Final = {
    "Vary": "Authorization, Accept",
    "Cache-Control": "private, no-store",
    "X-Accel-Buffering": "no",  # a proxy that collects an answer first would never pass this one on
}
Say = Callable[[bytes], Awaitable[None]]
_log = logging.getLogger("kleos.stream")


class Reader(Struct, frozen=True):
    """Who reads: what an entry is to them, and whether they still may read.

    ``allowed`` asks nobody. ``known`` may ask the store, and must be cheap enough to be looked at before
    every chunk: a match that is never quiet would else be told to a token that was revoked long ago.
    """

    item: Callable[[Entry, Match], Item]
    allowed: Callable[[Match], bool]
    known: Callable[[], Awaitable[bool]]


class Cadence(Struct, frozen=True):
    """Seconds: ``heartbeat`` between two signs of life, ``patience`` with a client that takes nothing."""

    heartbeat: float
    patience: float


class Stream(ASGIResponse):
    """The answer that is such a stream. ``after`` is the cursor; None is one that was not understood."""

    _should_set_content_length = False

    def __init__(
        self,
        herald: Herald,
        match_id: str,
        reader: Reader,
        framing: Framing,
        *,
        after: int | None,
        live: bool,
        cadence: Cadence,
        meter: Meter,
    ) -> None:
        super().__init__(media_type=framing.media, headers=HEADERS)
        self._herald = herald
        self._match_id = match_id
        self._reader = reader
        self._framing = framing
        self._after = after
        self._live = live
        self._cadence = cadence
        self._meter = meter
        self._cursor = 0
        self._gone = False

    async def send_body(self, send: Send, receive: Receive) -> None:
        self._meter.streams += 1
        try:
            with self._herald.listen(self._match_id) as listener:
                watching = asyncio.create_task(self._until_gone(receive, listener))
                try:
                    await self._run(send, listener)
                finally:
                    watching.cancel()
        finally:
            self._meter.streams -= 1

    async def _until_gone(self, receive: Receive, listener: Listener) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        listener.ring()

    async def _run(self, send: Send, listener: Listener) -> None:
        """The whole stream, with its end."""

        async def say(chunk: bytes, *, more: bool = True) -> None:
            """The server waits before it writes: a chunk that is not taken in time is not written at all."""
            try:
                async with asyncio.timeout(self._cadence.patience):
                    await send({"type": "http.response.body", "body": chunk, "more_body": more})
            except TimeoutError:
                raise _NotTaken from None

        try:
            end = await self._tell(say, listener)
        except _NotTaken:
            end = End("slow", self._cursor, reconnect=True)
            _log.warning("a reader of match %s was too slow", self._match_id)
        except StoreUnavailable:
            end = End("unavailable", self._cursor, reconnect=True)
        self._meter.streams_ended[end.reason,] += 1
        with suppress(_NotTaken):
            await say(self._framing.end(end), more=False)

    async def _tell(self, say: Say, listener: Listener) -> End:
        """What was missed, then what happens; until the match, the right to read it, or the server ends."""
        tail = listener.tail
        await self._begin(say, await tail.ready())
        while True:
            if not await self._reader.known() or not self._reader.allowed(tail.match):
                return End("denied", self._cursor, reconnect=False)
            entries = await tail.after(self._cursor, CHUNK)
            if entries:
                await say(self._written(entries, tail.match))
                self._cursor = entries[-1].version
            elif tail.match.opened and self._cursor >= tail.match.version:
                return End("over", self._cursor, reconnect=False)
            elif not self._live:
                return End("present", self._cursor, reconnect=False)
            elif self._gone:
                return End("gone", self._cursor, reconnect=True)
            elif self._herald.silent:
                return End("stopping", self._cursor, reconnect=True)
            elif not await listener.wait(self._cadence.heartbeat):
                await say(self._framing.heartbeat())

    async def _begin(self, say: Say, match: Match) -> None:
        opening = self._framing.opening()
        if self._after is None:
            opening += self._framing.reset(Reset("not_a_cursor", match.version))
        elif self._after > match.version:
            opening += self._framing.reset(Reset("ahead", match.version))
        else:
            self._cursor = self._after
        if opening:
            await say(opening)

    def _written(self, entries: list[Entry], match: Match) -> bytes:
        return b"".join(
            self._framing.item(each.version, msgspec.json.encode(self._reader.item(each, match)))
            for each in entries
        )


class _NotTaken(Exception):
    """The client has taken nothing for as long as patience lasts."""
