"""A stream to one client: all it missed, then each thing as it happens, until all is over.

The client's cursor is all there is to a stream: nothing is queued for it. It is written a chunk at a time,
and what it has not taken is read when it takes more, so a slow one costs one chunk; when it takes nothing for
too long, it is sent away with the reason. Whether it may read is looked at before everything that is told,
even a heartbeat. What is told, and to whom, is the teller's business.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from typing import Final, Protocol

from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send
from msgspec import Struct

from kleos.api.access import Asked, backend_of, passage_for
from kleos.api.conditions import VARY
from kleos.api.framing import Framing
from kleos.api.meter import Meter
from kleos.api.turnstile import Passage
from kleos.events.accounts import Player
from kleos.events.store import StoreUnavailable
from kleos.projections.herald import Herald, Listener

HEADERS: Final = {
    "Vary": VARY,
    "Cache-Control": "private, no-store",
    "X-Accel-Buffering": "no",  # a proxy that collects an answer first would never pass this one on
}
_log = logging.getLogger("kleos.stream")


class Cadence(Struct, frozen=True):
    """Seconds: ``heartbeat`` between two signs of life, ``patience`` with a client that takes nothing."""

    heartbeat: float
    patience: float


class Teller(Protocol):
    """What one stream tells, from its own cursor on. Bytes are ready frames."""

    framing: Framing
    game: str
    """The game that the stream is about; empty for all."""
    subject: str
    """What it is about, for the log."""

    def listen(self) -> AbstractContextManager[Listener]:
        """What rings when there may be more to tell. Comes before everything else."""
        ...

    async def begin(self) -> bytes:
        """What is said first: a reset, if the cursor cannot be served. If this fails, the cursor stays."""
        ...

    def permitted(self) -> Awaitable[bool]:
        """Whether the client still may read. Cheap enough to be asked before every chunk."""
        ...

    async def more(self) -> bytes:
        """The next chunk after the cursor; empty if there is nothing more now."""
        ...

    def took(self) -> None:
        """The client has taken what was said first, or that chunk: the cursor moves on."""
        ...

    @property
    def over(self) -> bool:
        """Whether there will never be more."""
        ...

    def heartbeat(self) -> bytes: ...

    def end(self, reason: str, *, reconnect: bool) -> bytes:
        """The last thing said."""
        ...


class Stream(ASGIResponse):
    """The answer that is such a stream. Not ``live``, it ends with the present."""

    _should_set_content_length = False

    def __init__(
        self,
        herald: Herald,
        teller: Teller,
        *,
        live: bool,
        cadence: Cadence,
        meter: Meter,
        passage: Passage | None = None,
    ) -> None:
        """``passage`` lets so many in at a time, and raises the problem of one too many."""
        super().__init__(media_type=teller.framing.media, headers=HEADERS)
        self._herald = herald
        self._teller = teller
        self._live = live
        self._cadence = cadence
        self._meter = meter
        self._passage = passage
        self._gone = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._passage is None:
            await super().__call__(scope, receive, send)
        else:
            with self._passage:
                await super().__call__(scope, receive, send)

    async def send_body(self, send: Send, receive: Receive) -> None:
        streams = self._meter.streams
        streams[self._teller.game,] += 1
        try:
            with self._teller.listen() as listener:
                watching = asyncio.create_task(self._until_gone(receive, listener))
                try:
                    await self._run(send, listener)
                finally:
                    watching.cancel()
        finally:
            streams[self._teller.game,] -= 1

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
            reason, reconnect = await self._tell(say, listener)
        except _NotTaken:
            reason, reconnect = "slow", True
            _log.warning("a reader of %s was too slow", self._teller.subject)
        except StoreUnavailable:
            reason, reconnect = "unavailable", True
        self._meter.streams_ended[reason,] += 1
        with suppress(_NotTaken):
            await say(self._teller.end(reason, reconnect=reconnect), more=False)

    async def _tell(self, say: _Say, listener: Listener) -> tuple[str, bool]:
        """What was missed, then what happens, until all, the right to read it, or the server ends.

        Returns the reason, and whether to come back.
        """
        teller = self._teller
        if opening := teller.framing.opening() + await teller.begin():
            await say(opening)
        teller.took()
        while True:
            if not await teller.permitted():
                return "denied", False
            if chunk := await teller.more():
                await say(chunk)
                teller.took()
            elif teller.over:
                return "over", False
            elif not self._live:
                return "present", False
            elif self._gone:
                return "gone", True
            elif self._herald.silent:
                return "stopping", True
            elif not await listener.wait(self._cadence.heartbeat) and await teller.permitted():
                await say(teller.heartbeat())


def stream(request: Asked, player: Player | None, teller: Teller, *, live: bool) -> Stream:
    """The stream with which a request is answered; to HEAD it tells nothing of the future."""
    backend, settings = backend_of(request), request.app.state.settings
    return Stream(
        backend.herald,
        teller,
        live=live and not request.scope["state"].get("head", False),
        cadence=Cadence(settings.heartbeat, settings.patience),
        meter=backend.meter,
        passage=passage_for(request, player),
    )


_Say = Callable[[bytes], Awaitable[None]]


class _NotTaken(Exception):
    """The client has taken nothing for as long as patience lasts."""
