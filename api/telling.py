"""What a stream of a match tells: its events, to each reader with the sealed parts that are theirs.

Readers of one kind are told the same bytes, which are made once for all of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from msgspec import Struct

from kleos.api.framing import End, Framing, Reset
from kleos.core.match import Match
from kleos.events.envelope import Entry
from kleos.projections.herald import Herald, Listener
from kleos.projections.timeline import item

CHUNK: Final = 100
"""Events that are written at once: what is held for a client that does not read."""


class Frames:
    """Items as they were last written, for whom and in what form: the next reader gets the same bytes."""

    def __init__(self, most: int = 1024) -> None:
        self._most = most
        self._written: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    def of(self, entry: Entry, match: Match, seats: tuple[int, ...], framing: Framing) -> bytes:
        """The frame of an entry of the match, for whoever holds ``seats``."""
        key = (match.id, entry.version, seats, match.opened, framing.media)
        written = self._written.get(key)
        if written is None:
            encoded = msgspec.json.encode(item(entry, seats, opened=match.opened))
            written = self._written[key] = framing.item(str(entry.version), encoded)
            if len(self._written) > self._most:
                self._written.popitem(last=False)
        return written


class Reader(Struct, frozen=True):
    """Who reads: the seats through which they look, and whether they still may read.

    ``allowed`` asks nobody. ``known`` may ask the store, and must be cheap enough to be looked at before
    every chunk: a match that is never quiet would else be told to a token that was revoked long ago.
    """

    seats: Callable[[Match], tuple[int, ...]]
    allowed: Callable[[Match], bool]
    known: Callable[[], Awaitable[bool]]


class MatchTeller:
    """Tells a match from the version ``after``; None is a cursor that was not understood."""

    def __init__(
        self,
        herald: Herald,
        match: Match,
        reader: Reader,
        framing: Framing,
        *,
        frames: Frames,
        after: int | None,
    ) -> None:
        self.framing = framing
        self.game = match.game
        self.subject = f"match {match.id}"
        self._herald = herald
        self._match_id = match.id
        self._reader = reader
        self._frames = frames
        self._after = after
        self._cursor = self._written = after or 0

    @contextmanager
    def listen(self) -> Iterator[Listener]:
        with self._herald.listen(self._match_id) as follower:
            self._tail = follower.tail
            yield follower

    async def begin(self) -> bytes:
        match = await self._tail.ready()
        if self._after is not None and self._after <= match.version:
            return b""
        self._written = 0
        reason = "not_a_cursor" if self._after is None else "ahead"
        return self.framing.sign("reset", Reset(reason, match.version), "0")

    async def permitted(self) -> bool:
        return await self._reader.known() and self._reader.allowed(self._tail.match)

    async def more(self) -> bytes:
        entries = await self._tail.after(self._cursor, CHUNK)
        if not entries:
            return b""
        match = self._tail.match
        seats = self._reader.seats(match)
        self._written = entries[-1].version
        return b"".join([self._frames.of(each, match, seats, self.framing) for each in entries])

    def took(self) -> None:
        self._cursor = self._written

    @property
    def over(self) -> bool:
        match = self._tail.match
        return match.opened and self._cursor >= match.version

    def heartbeat(self) -> bytes:
        return self.framing.heartbeat()

    def end(self, reason: str, *, reconnect: bool) -> bytes:
        return self.framing.sign("end", End(reason, self._cursor, reconnect))
