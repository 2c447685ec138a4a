"""What many callers ask of one server, sent together.

The commands that are ready in one turn of the event loop go out as one pipeline on one connection, and a few
pipelines are under way at once; what comes up meanwhile goes with the next. So the number of connections is
bounded, one round trip and one wait for the disk are shared by many, and a caller that is cancelled never
breaks off an exchange in the middle: the exchange is not the caller's.

Knows exchanges and their order. Must not know keys, clusters or retries.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol

Command = tuple[str | bytes | int, ...]
Exchange = Callable[[Sequence[Command]], Awaitable[list[Any]]]
"""Sends commands on one connection; their replies, errors of the server among them as values."""

PIPELINES: Final = 8
"""Pipelines of one ``Batches`` that may be under way at once."""


class Closing(Protocol):
    """What is asked once at the end of each pipeline, for all that is in it."""

    def commands(self) -> Sequence[Command]: ...

    def verdict(self, replies: Sequence[Any]) -> Any: ...


class _Asked(NamedTuple):
    commands: Sequence[Command]
    replies: asyncio.Future[list[Any]]


class Batches:
    """The way to one server. With a ``closing``, its verdict is the last reply of every request."""

    def __init__(self, exchange: Exchange, closing: Closing | None = None) -> None:
        self._exchange = exchange
        self._closing = closing
        self._waiting: list[_Asked] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def request(self, commands: Sequence[Command]) -> asyncio.Future[list[Any]]:
        """The replies to some commands, which stay together and in order.

        Fails as the exchange does: then nobody knows which of the commands were carried out.
        """
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        asked = _Asked(commands, loop.create_future())
        self._waiting.append(asked)
        return asked.replies

    async def close(self) -> None:
        """Wait until nothing is under way."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    def _send(self, ended: asyncio.Task[None] | None = None) -> None:
        if ended is not None:
            self._under_way.discard(ended)
        if self._waiting and len(self._under_way) < PIPELINES:
            batch, self._waiting = self._waiting, []
            task = asyncio.ensure_future(self._carry(batch))
            self._under_way.add(task)
            task.add_done_callback(self._send)

    async def _carry(self, batch: list[_Asked]) -> None:
        commands = [command for asked in batch for command in asked.commands]
        if self._closing is not None:
            commands += self._closing.commands()
        try:
            replies = await self._exchange(commands)
        except asyncio.CancelledError:
            for asked in batch:
                asked.replies.cancel()
            raise
        except Exception as lost:
            for asked in batch:
                if not asked.replies.done():
                    asked.replies.set_exception(lost)
            return
        asked_for = sum(len(asked.commands) for asked in batch)
        verdict = [] if self._closing is None else [self._closing.verdict(replies[asked_for:])]
        start = 0
        for asked in batch:
            end = start + len(asked.commands)
            if not asked.replies.done():
                asked.replies.set_result(replies[start:end] + verdict)
            start = end
