"""One connection to a Redis or Valkey server, shared by everybody in the process.

Commands are written as they come and replies are matched to them in order, so concurrent callers share a
round trip without knowing of each other (implicit pipelining), and a caller that goes away cannot leave the
connection out of step: its reply is read and dropped. Nothing is ever sent twice from here.

Knows bytes and order. Must not know keys, clusters or retries.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self, cast
from urllib.parse import parse_qs, unquote, urlsplit

import hiredis
from msgspec import Struct

Command = tuple[str | bytes | int, ...]
ReplyError = hiredis.ReplyError

_NOTHING = object()
_pack = cast("Callable[[Command], bytes]", hiredis.pack_command)  # its stub types one-tuples only


class Endpoint(Struct, frozen=True):
    """Where a server listens and how to enter: a Unix socket if ``path`` is set, else TCP."""

    host: str = ""
    port: int = 6379
    path: str = ""
    tls: bool = False
    username: str = ""
    password: str = ""
    database: int = 0

    def __str__(self) -> str:
        """The place alone: never the password."""
        return self.path or f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"Endpoint({self})"

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read ``redis://[user:password@]host[:port][/database]``, ``rediss://…`` or ``unix:///path[?db=n]``.

        Raises ValueError for anything else.
        """
        parts = urlsplit(url)
        username, password = unquote(parts.username or ""), unquote(parts.password or "")
        if parts.scheme == "unix" and parts.path:
            database = int(parse_qs(parts.query).get("db", ["0"])[0])
            return cls(path=unquote(parts.path), username=username, password=password, database=database)
        if parts.scheme in ("redis", "rediss") and parts.hostname:
            return cls(
                host=parts.hostname,
                port=parts.port or 6379,
                tls=parts.scheme == "rediss",
                username=username,
                password=password,
                database=int(parts.path.strip("/") or 0),
            )
        raise ValueError("a store address is redis://host:port, rediss://host:port or unix:///path")


class _Exchange:
    """Commands that were written together and the replies that have come so far."""

    __slots__ = ("expected", "replies", "result")

    def __init__(self, expected: int, result: asyncio.Future[list[Any]]) -> None:
        self.expected = expected
        self.result = result
        self.replies: list[Any] = []


class Wire(asyncio.Protocol):
    """A connection that is open until ``closed``. Made by ``Wire.open``."""

    def __init__(self, silence: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._silence = silence
        self._reader = hiredis.Reader(notEnoughData=_NOTHING)
        self._waiting: deque[_Exchange] = deque()
        self._unsent: list[bytes] = []
        self._heard = self._loop.time()
        self._watch: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self._gone: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(cls, endpoint: Endpoint, *, silence: float, connect: float = 2.0) -> Self:
        """Connect and enter.

        ``silence``: seconds without a byte, while a reply is due, after which the connection is given up.
        Raises OSError (ConnectionError and TimeoutError are kinds of it), or ReplyError if the server
        refuses the password or the database.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(connect):
            if endpoint.path:
                _, wire = await loop.create_unix_connection(lambda: cls(silence), endpoint.path)
            else:
                secure = ssl.create_default_context() if endpoint.tls else None
                _, wire = await loop.create_connection(
                    lambda: cls(silence), endpoint.host, endpoint.port, ssl=secure
                )
            try:
                await wire._enter(endpoint)
            except BaseException:
                await wire.close()
                raise
        return wire

    async def _enter(self, endpoint: Endpoint) -> None:
        greeting: list[Command] = [("CLIENT", "SETNAME", "kleos")]
        if endpoint.password:
            who = (endpoint.username,) if endpoint.username else ()
            greeting.insert(0, ("AUTH", *who, endpoint.password))
        if endpoint.database:
            greeting.append(("SELECT", endpoint.database))
        for reply in await self.request(greeting):
            if isinstance(reply, ReplyError):
                raise reply

    @property
    def closed(self) -> bool:
        return self._gone.done()

    def request(self, commands: Sequence[Command]) -> asyncio.Future[list[Any]]:
        """Send the commands; the future holds their replies, errors of the server among them as values.

        It fails with ConnectionError when the connection ends first: then nobody knows which of the
        commands were carried out.
        """
        result: asyncio.Future[list[Any]] = self._loop.create_future()
        if self.closed:
            result.set_exception(ConnectionError("the connection to the store is closed"))
            return result
        if not self._unsent:
            self._loop.call_soon(self._flush)
        if not self._waiting:
            self._heard = self._loop.time()
        self._unsent.extend(_pack(command) for command in commands)
        self._waiting.append(_Exchange(len(commands), result))
        return result

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self._transport is not None and not self.closed:
            self._transport.write(b"".join(unsent))

    async def close(self) -> None:
        """Hang up; whoever still waits gets ConnectionError."""
        if self._transport is not None:
            self._transport.abort()
            await asyncio.wait([self._gone])

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but descent
        self._watch = self._loop.call_later(self._silence, self._listen)

    def _listen(self) -> None:
        quiet = self._loop.time() - self._heard if self._waiting else 0.0
        if quiet >= self._silence and self._transport is not None:
            self._transport.abort()
        else:
            self._watch = self._loop.call_later(self._silence - quiet, self._listen)

    def data_received(self, data: bytes) -> None:
        self._heard = self._loop.time()
        self._reader.feed(data)
        while (reply := self._reader.gets()) is not _NOTHING:
            exchange = self._waiting[0]
            exchange.replies.append(reply)
            if len(exchange.replies) == exchange.expected:
                self._waiting.popleft()
                if not exchange.result.done():
                    exchange.result.set_result(exchange.replies)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._gone.set_result(None)
        why = f": {exc}" if exc else ""
        while self._waiting:
            result = self._waiting.popleft().result
            if not result.done():
                result.set_exception(ConnectionError(f"the connection to the store was lost{why}"))
