"""What a stream of a player's news tells: what waits now, then each thing once, whatever match it is in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from kleos.api.framing import Framing
from kleos.projections.herald import Listener
from kleos.projections.news import Lost, NewsDesk, Reading

CHUNK: Final = 100
"""Items that are written at once."""


class NewsReset(Struct, frozen=True):
    """The cursor cannot be served: forget what you think is waiting; all that does is told next."""

    reason: str


class NewsCursor(Struct, frozen=True):
    """You have everything up to here: what to come back with."""

    cursor: str


class NewsEnd(Struct, frozen=True):
    """Why the stream ends; ``reconnect``: whether to come back with the cursor.

    It is null if there is none yet: the first time, when what waits could not be told.
    """

    reason: str
    cursor: str | None
    reconnect: bool


class NewsTeller:
    """Tells a player's news from the cursor ``since``; None is one who comes for the first time."""

    game = ""

    def __init__(
        self,
        desk: NewsDesk,
        player: str,
        known: Callable[[], Awaitable[bool]],
        framing: Framing,
        since: str | None,
    ) -> None:
        self.framing = framing
        self.subject = f"the news of player {player}"
        self.permitted = known
        self.over = False
        self._desk = desk
        self._player = player
        self._since = since
        self._cursor = self._written = since
        self._reading: Reading

    @contextmanager
    def listen(self) -> Iterator[Listener]:
        with self._desk.herald.attend(self._player) as attendant:
            self._reading = self._desk.read(self._player, attendant)
            yield attendant

    async def begin(self) -> bytes:
        if self._since is None:
            return await self._present()
        try:
            await self._reading.resume(self._since)
        except Lost as lost:
            return self.framing.sign("reset", NewsReset(lost.reason), "") + await self._present()
        return b""

    async def _present(self) -> bytes:
        present = await self._reading.present()
        self._written = present.cursor
        return self.framing.sign("present", present, present.cursor)

    async def more(self) -> bytes:
        items = await self._reading.more(CHUNK)
        if not items:
            return b""
        self._written = items[-1].cursor
        return b"".join([self.framing.sign("news", each, each.cursor) for each in items])

    def took(self) -> None:
        self._cursor = self._written

    def heartbeat(self) -> bytes:
        """The cursor, as it grows old while others are told things."""
        self._cursor = self._reading.cursor
        return self.framing.sign("cursor", NewsCursor(self._cursor), self._cursor)

    def end(self, reason: str, *, reconnect: bool) -> bytes:
        return self.framing.sign("end", NewsEnd(reason, self._cursor, reconnect), self._cursor)
