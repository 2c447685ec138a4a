"""A Redis or Valkey server, or a cluster of them, as one thing that answers calls by key.

A call whose connection breaks is made again, to wherever the key lives by then, until ``patience`` runs out.
A broken connection does not tell whether the call was carried out, so **everything called here must be
idempotent**: reads, and Functions that recognise a repeated command. After that ``StoreUnavailable`` says
that the outcome is unknown.

Knows what errors mean and when to try again. Must not know matches or events.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Self, TypeVar

from redis.exceptions import (
    AskError,
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)

from kleos.events.address import Address
from kleos.events.batch import PIPELINES, Batches, Command
from kleos.events.confirmation import Confirmation
from kleos.events.library import Library
from kleos.events.servers import LOST, Servers, find

T = TypeVar("T")
FunctionCall = tuple[str, Sequence[str], Sequence[str | bytes | int]]
"""The name of a Function, its keys, its arguments."""

PATIENCE = 5.0
"""Seconds for which a call is tried; a failover of a cluster takes about two."""

SILENCE = 2.0
"""Seconds after which a server that owes a reply counts as gone."""

_SETTLING = (AskError, BusyLoadingError, ClusterDownError, ReadOnlyError, TryAgainError)
_REFUSED = (AuthenticationError, NoPermissionError, OutOfMemoryError)
_FULL = ("MISCONF", "NOREPLICAS")
_REDIRECTIONS = 4


class StoreUnavailable(Exception):
    """The store did not answer in time, or can take no more. Whether a write happened is not known."""


class Unsettled(Exception):
    """The server that should serve the key cannot just now."""


class Connection:
    """The way to every server needed. Made by ``Connection.open``."""

    def __init__(self, address: Address, servers: Servers, *, patience: float) -> None:
        self.address = address
        self._servers = servers
        self._patience = patience
        self._calls: dict[str, Batches] = {}
        self._commits: dict[str, Batches] = {}
        self._surveying: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, url: str, *, patience: float = PATIENCE, silence: float = SILENCE) -> Self:
        """Connect to the server at ``url``, and to its cluster if it is part of one.

        Raises ValueError for an address of another form, StoreUnavailable if nobody answers or the password
        is refused.
        """
        address = Address.parse(url)
        servers = await _patiently(
            lambda: find(address, silence=silence, connections=2 * PIPELINES), address, patience
        )
        return cls(address, servers, patience=patience)

    async def close(self) -> None:
        for batches in (*self._calls.values(), *self._commits.values()):
            await batches.close()
        if self._surveying is not None:
            self._surveying.cancel()
        await self._servers.close()

    # Calls

    async def call(self, key: str, *command: str | bytes | int) -> Any:
        """The reply to one command about ``key``; see ``calls``."""
        return (await self.calls(key, [command]))[0]

    async def calls(self, key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies to commands about keys in the hash slot of ``key``, sent in one go.

        Replies are as redis-py gives them. Raises StoreUnavailable, or ResponseError if the server refuses
        one of them for good.
        """
        return await self._patiently(lambda: self._redirected(self._to, key, commands))

    async def function(
        self, library: Library, name: str, keys: Sequence[str], *arguments: str | bytes | int
    ) -> Any:
        """Call one Function; see ``functions``."""
        return (await self.functions(library, [(name, keys, arguments)]))[0]

    async def functions(self, library: Library, calls: Sequence[FunctionCall]) -> list[Any]:
        """Call Functions in one go; their keys share one hash slot. A missing library is loaded first."""
        commands = [_fcall(library, each) for each in calls]
        home = calls[0][1][0]
        return await self._with(library, lambda: self.calls(home, commands))

    async def commit(self, library: Library, call: FunctionCall, *, replicas: int) -> tuple[Any, str]:
        """Call a Function that writes; its reply, and where the write is now (see ``Confirmation``)."""
        home = call[1][0]

        def to(server: str) -> Batches:
            way = self._commits.get(server)
            if way is None:
                way = self._commits[server] = self._way(server, Confirmation(replicas))
            return way

        async def attempt() -> list[Any]:
            return await self._redirected(to, home, [_fcall(library, call)])

        reply, confirmed = await self._with(library, lambda: self._patiently(attempt))
        return reply, confirmed

    async def load(self, library: Library) -> None:
        """Load the library on every server that takes writes and does not have it."""
        for reply in (await self.everywhere("FUNCTION", "LOAD", library.source)).values():
            if isinstance(reply, ResponseError) and "already exists" not in str(reply):
                raise reply

    async def _with(self, library: Library, call: Callable[[], Awaitable[T]]) -> T:
        try:
            return await call()
        except ResponseError as error:
            if "function not found" not in str(error).lower():
                raise
        await self.load(library)
        return await call()

    async def everywhere(self, *command: str | bytes | int) -> dict[str, Any]:
        """The reply of every server that takes writes; an error that would not pass is a reply too."""

        async def attempt() -> dict[str, Any]:
            names = self.servers()
            replies = await asyncio.gather(*(self._to(name).request([command]) for name in names))
            for [reply] in replies:
                if isinstance(reply, _SETTLING):
                    raise_unless_answer(reply)
            return {name: reply for name, [reply] in zip(names, replies, strict=True)}

        return await self._patiently(attempt)

    # Servers

    def servers(self) -> list[str]:
        """The name of every server that takes writes."""
        return self._servers.names()

    def home(self, key: str) -> str:
        """The name of the server on which a key lives, as far as is known."""
        return self._servers.home(key)

    async def apart(self, *, connections: int) -> Servers:
        """The same servers for blocking reads, without all of the above; the caller's to close."""
        return await self._patiently(lambda: self._servers.apart(connections))

    def _to(self, server: str) -> Batches:
        way = self._calls.get(server)
        if way is None:
            way = self._calls[server] = self._way(server)
        return way

    def _way(self, server: str, closing: Confirmation | None = None) -> Batches:
        return Batches(lambda commands: self._servers.exchange(server, commands), closing)

    async def _redirected(
        self, to: Callable[[str], Batches], key: str, commands: Sequence[Command]
    ) -> list[Any]:
        """One attempt at some commands, followed to wherever the servers of a cluster send it."""
        server, asking = self.home(key), False
        for _ in range(_REDIRECTIONS):
            sent = [part for each in commands for part in (("ASKING",), each)] if asking else commands
            replies = await to(server).request(sent)
            if asking:
                replies = replies[1 : 2 * len(commands) : 2] + replies[2 * len(commands) :]
            redirection = next((each for each in replies if isinstance(each, AskError)), None)
            if redirection is None:
                for reply in replies:
                    raise_unless_answer(reply)
                return replies
            server = await self._servers.redirected(redirection)
            asking = redirection.status_code == "ASK"
        raise Unsettled("the slot moves from server to server")

    # Trying again

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        return await _patiently(attempt, self.address, self._patience, self._survey)

    async def _survey(self) -> None:
        """Survey once for all who wait; a failed one is the next attempt's concern."""
        surveying = self._surveying
        if surveying is None or surveying.done():
            surveying = self._surveying = asyncio.ensure_future(self._servers.survey())
        await asyncio.wait([surveying])
        if not surveying.cancelled():
            surveying.exception()


async def _patiently(
    attempt: Callable[[], Awaitable[T]],
    address: Address,
    patience: float,
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> T:
    """Attempt until it succeeds, is refused for good, or ``patience`` runs out."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    pause = 0.01
    while True:
        try:
            return await attempt()
        except (*LOST, Unsettled) as lost:
            for refused in (lost, lost.__cause__):  # the library wraps a refused password at times
                if isinstance(refused, AuthenticationError):
                    raise _meaning(refused) from lost
            if loop.time() + pause > deadline:
                raise StoreUnavailable(f"the store at {address} does not answer: {lost}") from lost
        await asyncio.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(2 * pause, 0.4)
        if meanwhile is not None:
            await meanwhile()


def _fcall(library: Library, call: FunctionCall) -> Command:
    name, keys, arguments = call
    return ("FCALL", library.function(name), len(keys), *keys, *arguments)


def raise_unless_answer(reply: Any) -> None:
    """Raise what an error of the server means: Unsettled, StoreUnavailable, or ResponseError as it is."""
    if isinstance(reply, RedisError):
        raise _meaning(reply) from reply


def _meaning(error: RedisError) -> Exception:
    said = f"{error.status_code} {error}" if error.status_code else str(error)
    if isinstance(error, _SETTLING):
        return Unsettled(said)
    if isinstance(error, _REFUSED) or said.startswith(_FULL):
        return StoreUnavailable(f"the store refuses: {said}")
    return error
