"""A Redis or Valkey server, or a cluster of them, as one thing that answers calls by key.

A call whose connection breaks is made again, to wherever the key lives by then, until ``patience`` runs out.
A broken connection does not tell whether the call was carried out, so **everything called here must be
idempotent**: reads, and Functions that recognise a repeated command. After that ``StoreUnavailable`` says
that the outcome is unknown.

Knows servers, slots and redirections. Must not know matches or events.
"""

from __future__ import annotations

import asyncio
import binascii
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Self, TypeVar

from msgspec.structs import replace

from kleos.events.library import Library
from kleos.events.wire import Command, Endpoint, ReplyError, Wire

T = TypeVar("T")
FunctionCall = tuple[str, Sequence[str], Sequence[str | bytes | int]]
"""The name of a Function, its keys, its arguments."""

PATIENCE = 5.0
"""Seconds for which a call is tried; a failover of a cluster takes about two."""

SILENCE = 2.0
"""Seconds after which a server that owes a reply counts as gone."""

_SETTLING = ("ASK", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MOVED", "READONLY", "TRYAGAIN")
_FULL = ("MISCONF", "NOREPLICAS", "OOM")
_REFUSED = ("NOAUTH", "NOPERM", "WRONGPASS")


SLOTS = 1 << 14


def key_slot(key: str) -> int:
    """The hash slot of a key, by the cluster specification: CRC-16/XMODEM of what its first braces hold."""
    hashed = key.encode()
    _, opened, rest = hashed.partition(b"{")
    tag, closed, _ = rest.partition(b"}")
    return binascii.crc_hqx(tag if opened and closed and tag else hashed, 0) % SLOTS


class StoreUnavailable(Exception):
    """The store did not answer in time, or can take no more. Whether a write happened is not known."""


class Unsettled(Exception):
    """The server named by the slot table cannot serve the key just now."""


class Connection:
    """Open wires to every server needed. Made by ``Connection.open``."""

    def __init__(self, seed: Endpoint, *, patience: float, silence: float) -> None:
        self._seed = seed
        self._patience = patience
        self._silence = silence
        self._wires: dict[Endpoint, asyncio.Task[Wire]] = {}
        self._slots: list[Endpoint] = []
        self._members: list[Endpoint] = []
        self._surveying: asyncio.Task[None] | None = None
        self.cluster = False

    @classmethod
    async def open(cls, url: str, *, patience: float = PATIENCE, silence: float = SILENCE) -> Self:
        """Connect to the server at ``url``, and to its cluster if it is part of one.

        Raises ValueError for an address of another form, StoreUnavailable if nobody answers or the password
        is refused.
        """
        self = cls(Endpoint.parse(url), patience=patience, silence=silence)
        try:
            await self._patiently(self._discover)
        except BaseException:
            await self.close()
            raise
        return self

    async def _discover(self) -> None:
        [reply] = await (await self._wire(self._seed)).request([("INFO", "cluster")])
        raise_unless_answer(reply)
        self.cluster = b"cluster_enabled:1" in reply
        if self.cluster:
            await self._survey()

    async def close(self) -> None:
        opening = list(self._wires.values())
        self._wires.clear()
        if self._surveying is not None:
            self._surveying.cancel()
        for wire in await asyncio.gather(*opening, return_exceptions=True):
            if isinstance(wire, Wire):
                await wire.close()

    # Calls

    async def call(self, key: str, *command: str | bytes | int) -> Any:
        """The reply to one command about ``key``; see ``calls``."""
        return (await self.calls(key, [command]))[0]

    async def calls(self, key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies to commands about keys in the hash slot of ``key``, sent in one go.

        Raises StoreUnavailable, or ReplyError if the server refuses one of them for good.
        """

        async def attempt() -> list[Any]:
            endpoint = self.home(key)
            return await self._redirected(endpoint, key_slot(key), commands)

        return await self._patiently(attempt)

    async def function(
        self, library: Library, name: str, keys: Sequence[str], *arguments: str | bytes | int
    ) -> Any:
        """Call one Function; see ``functions``."""
        return (await self.functions(library, [(name, keys, arguments)]))[0]

    async def functions(self, library: Library, calls: Sequence[FunctionCall]) -> list[Any]:
        """Call Functions in one go; their keys share one hash slot. A missing library is loaded first."""
        commands: list[Command] = [
            ("FCALL", library.function(name), len(keys), *keys, *arguments) for name, keys, arguments in calls
        ]
        home = calls[0][1][0]
        try:
            return await self.calls(home, commands)
        except ReplyError as error:
            if "function not found" not in str(error).lower():
                raise
        await self.load(library)
        return await self.calls(home, commands)

    async def load(self, library: Library) -> None:
        """Load the library on every server that takes writes and does not have it."""
        for reply in (await self.everywhere("FUNCTION", "LOAD", library.source)).values():
            if isinstance(reply, ReplyError) and "already exists" not in str(reply):
                raise reply

    async def everywhere(self, *command: str | bytes | int) -> dict[Endpoint, Any]:
        """The reply of every server that takes writes; an error that would not pass is a reply too."""

        async def attempt() -> dict[Endpoint, Any]:
            endpoints = self.endpoints()
            wires = await asyncio.gather(*(self._wire(endpoint) for endpoint in endpoints))
            replies = await asyncio.gather(*(wire.request([command]) for wire in wires))
            for [reply] in replies:
                if isinstance(reply, ReplyError) and isinstance(_meaning(reply), Unsettled):
                    raise_unless_answer(reply)
            return {endpoint: reply for endpoint, [reply] in zip(endpoints, replies, strict=True)}

        return await self._patiently(attempt)

    # Where keys live

    def endpoints(self) -> list[Endpoint]:
        """Every server that takes writes."""
        return list(dict.fromkeys(self._slots)) if self.cluster else [self._seed]

    def readable_together(self, keys: Iterable[str]) -> list[tuple[Endpoint, list[str]]]:
        """The keys, grouped as one command may read them: all of a server's, in a cluster those of a slot."""
        groups: dict[tuple[Endpoint, int], list[str]] = {}
        for key in keys:
            slot = key_slot(key) if self.cluster else 0
            groups.setdefault((self.home(key), slot), []).append(key)
        return [(endpoint, group) for (endpoint, _slot), group in groups.items()]

    def home(self, key: str) -> Endpoint:
        """The server on which a key lives, as far as is known."""
        return self._slots[key_slot(key)] if self.cluster else self._seed

    async def _wire(self, endpoint: Endpoint) -> Wire:
        """The open wire to a server, opened by whoever comes first."""
        opening = self._wires.get(endpoint)
        if opening is None or (opening.done() and _useless(opening)):
            opening = asyncio.ensure_future(Wire.open(endpoint, silence=self._silence))
            self._wires[endpoint] = opening
        try:
            return await asyncio.shield(opening)
        except ReplyError as refused:
            raise _meaning(refused) from refused

    async def dedicated(self, endpoint: Endpoint, *, silence: float) -> Wire:
        """A wire of the caller's own, for blocking reads; it is the caller's to close."""
        return await Wire.open(endpoint, silence=silence)

    async def _redirected(self, endpoint: Endpoint, slot: int, commands: Sequence[Command]) -> list[Any]:
        asking = False
        for _ in range(4):
            wire = await self._wire(endpoint)
            sent = [part for command in commands for part in (("ASKING",), command)] if asking else commands
            replies = await wire.request(sent)
            if asking:
                replies = replies[1::2]
            redirection = next((str(each).split() for each in replies if _redirects(each)), None)
            if redirection is None:
                for reply in replies:
                    raise_unless_answer(reply)
                return replies
            kind, _slot, place = redirection
            host, _, port = place.rpartition(":")
            endpoint = replace(self._seed, host=host or endpoint.host, port=int(port))
            asking = kind == "ASK"
            if not asking:
                self._slots[slot] = endpoint
        raise Unsettled("the slot moves from server to server")

    async def _survey(self) -> None:
        """Ask any server of the cluster who serves which slots."""
        lost: Exception | None = None
        for endpoint in [self._seed, *self._members]:
            try:
                wire = await self._wire(endpoint)
                [ranges] = await wire.request([("CLUSTER", "SLOTS")])
                raise_unless_answer(ranges)
            except (OSError, Unsettled, ReplyError) as error:
                lost = error
                continue
            self._slots = self._slots or [self._seed] * SLOTS
            self._members = []
            for first, last, *nodes in ranges:
                served_by = [
                    replace(self._seed, host=(host or b"").decode() or endpoint.host, port=port)
                    for host, port, *_ in nodes
                ]
                self._slots[first : last + 1] = served_by[:1] * (last + 1 - first)
                self._members += served_by
            return
        raise Unsettled(f"no server of the cluster answers: {lost}")

    # Trying again

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Attempt until it succeeds, is refused for good, or ``patience`` runs out."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        pause = 0.01
        while True:
            try:
                return await attempt()
            except (OSError, Unsettled) as lost:
                if loop.time() + pause > deadline:
                    raise StoreUnavailable(f"the store at {self._seed} does not answer: {lost}") from lost
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, 0.4)
            if self.cluster:
                await self._resurvey()

    async def _resurvey(self) -> None:
        """Survey once for all who wait; a failed one is the next attempt's concern."""
        surveying = self._surveying
        if surveying is None or surveying.done():
            surveying = self._surveying = asyncio.ensure_future(self._survey())
        await asyncio.wait([surveying])
        if not surveying.cancelled():
            surveying.exception()


def _useless(opening: asyncio.Task[Wire]) -> bool:
    return opening.cancelled() or opening.exception() is not None or opening.result().closed


def _redirects(reply: Any) -> bool:
    return isinstance(reply, ReplyError) and str(reply).startswith(("MOVED ", "ASK "))


def raise_unless_answer(reply: Any) -> None:
    """Raise what an error of the server means: Unsettled, StoreUnavailable, or ReplyError as it is."""
    if isinstance(reply, ReplyError):
        raise _meaning(reply) from reply


def _meaning(error: ReplyError) -> Exception:
    code = str(error).partition(" ")[0]
    if code in _SETTLING:
        return Unsettled(str(error))
    if code in _FULL or code in _REFUSED:
        return StoreUnavailable(f"the store refuses: {error}")
    return error
