"""The store: matches as streams of events, appended atomically or not at all.

Knows streams, versions and bytes. Must not know what the bytes mean: rules, seats and proofs are above it.

A match lives in one of ``buckets`` buckets, chosen by a stable hash of its id. The bucket's tag is the hash
tag of all keys, so a bucket is in one slot of a cluster and one Function can touch all of it::

    kleos:{b07}:m:<id>:events     stream  <version>-0 -> p, the public bytes
    kleos:{b07}:m:<id>:sealed     stream  <version>-0 -> s, the openings
    kleos:{b07}:m:<id>:commands   hash    command id -> version and fingerprint
    kleos:{b07}:m:<id>:head       hash    the tail's version and notice, and what its writer left for the next
    kleos:{b07}:m:<id>:snapshot   hash    a cache
    kleos:{b07}:feed              stream  every event of the bucket, in the order of their commits
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from typing import Literal, Self

from msgspec import Struct

from kleos.events.connection import (
    PATIENCE,
    SILENCE,
    Connection,
    StoreUnavailable,
    Unsettled,
    raise_unless_answer,
)
from kleos.events.durability import UnsafeStore, objections
from kleos.events.library import Library
from kleos.events.wire import Command, Endpoint, Wire

__all__ = [
    "Appended",
    "CommandMismatch",
    "Conflict",
    "Notice",
    "Store",
    "StoreUnavailable",
    "Stored",
    "UnsafeStore",
]

FUNCTIONS = Library.read("kleos.events", "append", "save_snapshot")
_Entries = Sequence[tuple[bytes, list[bytes]]]
"""Entries of a stream as they are replied: their ids, and their fields and values by turns."""
_BLOCK = 5000
"""Milliseconds for which the reader of the feed waits for news; then the server says that there are none."""


class Stored(Struct, frozen=True):
    """One event as it is stored. ``sealed`` is empty where nothing is sealed."""

    version: int
    public: bytes
    sealed: bytes


class Appended(Struct, frozen=True):
    """The answer to an append that is in the log.

    ``replayed``: the command was there already, and ``version`` is the one it made. That is also the answer
    after a lost reply, when the store asked again. ``durability`` is ``fsync``, on the server's disk, or
    ``memory`` where the settings do not promise that. Replicas follow on their own: a failover may take back
    what the lost primary had not yet sent.
    """

    version: int
    replayed: bool
    durability: Literal["fsync", "memory"]


class Notice(Struct, frozen=True):
    """One entry of a bucket's feed: ``match`` came to ``version``.

    ``position`` orders the entries of a bucket. ``notice`` is how the match stood when the entry was read:
    that of ``version`` or of a later one, which has an entry of its own.
    """

    bucket: int
    position: str
    match: str
    version: int
    notice: bytes


class Conflict(Exception):
    """The match is not at the version at which the writer decided, but at ``current``; 0 is no match."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the match is at version {current}")
        self.current = current


class CommandMismatch(Exception):
    """The command's id was used before, for something else, which made ``version``."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the command was used for another request, which made version {version}")
        self.version = version


class Store:
    """The streams of all matches. Made by ``Store.connect``; share one in a process."""

    def __init__(self, connection: Connection, *, buckets: int, prefix: str, durability: str) -> None:
        self.connection = connection
        self.buckets = buckets
        self.durability: Literal["fsync", "memory"] = "fsync" if durability == "fsync" else "memory"
        self._prefix = prefix

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        buckets: int = 64,
        allow_unsafe: bool = False,
        prefix: str = "kleos",
        patience: float = PATIENCE,
        silence: float = SILENCE,
    ) -> Self:
        """Open the store at ``url``: one server, or any server of a cluster.

        ``buckets`` is fixed by the first process that ever connects. ``patience``: seconds for which a call
        is tried while the store does not answer; ``silence``: seconds without an answer that count as lost.

        Raises UnsafeStore unless ``allow_unsafe``, StoreUnavailable, or ValueError for a wrong address or
        number of buckets.
        """
        connection = await Connection.open(url, patience=patience, silence=silence)
        try:
            found = await objections(connection)
            if found and not allow_unsafe:
                raise UnsafeStore(f"the store at {Endpoint.parse(url)} is not safe: " + "; ".join(found))
            await _agree_on_buckets(connection, f"{prefix}:buckets", buckets)
            await connection.load(FUNCTIONS)
        except BaseException:
            await connection.close()
            raise
        return cls(connection, buckets=buckets, prefix=prefix, durability="memory" if found else "fsync")

    async def close(self) -> None:
        await self.connection.close()

    async def ping(self) -> None:
        """Raises StoreUnavailable unless every server answers."""
        for reply in (await self.connection.everywhere("PING")).values():
            raise_unless_answer(reply)

    # Keys

    def bucket(self, identifier: str) -> int:
        """The bucket of a match or a player: stable across processes and releases."""
        return zlib.crc32(identifier.encode()) % self.buckets

    def key(self, bucket: int, name: str) -> str:
        """The key of that name in a bucket."""
        return f"{self._prefix}:{{b{bucket:02d}}}:{name}"

    def _match(self, match: str, part: str) -> str:
        return self.key(self.bucket(match), f"m:{match}:{part}")

    # Writing

    async def append(
        self,
        match: str,
        *,
        expected: int,
        command: str,
        fingerprint: str,
        public: bytes,
        sealed: bytes,
        head: bytes,
        notice: bytes,
    ) -> Appended:
        """Make event ``expected + 1``, unless it is not the next one or the command was accepted before.

        1. A command with the same id and fingerprint in the log: its version, as ``replayed``. With another
           fingerprint: CommandMismatch.
        2. The match is at another version than ``expected`` (0: there must be no match): Conflict.
        3. The event, its openings, ``head`` and one entry of the feed are written, all or none, and on disk
           before this returns (see ``durability``).

        A lost connection is met by asking again with the same command, so there is one event at most. Raises
        StoreUnavailable when no answer came: the event may or may not be there; the same command settles it.
        """
        code, version = await self.connection.function(
            FUNCTIONS,
            "append",
            [
                self._match(match, "events"),
                self._match(match, "sealed"),
                self._match(match, "commands"),
                self._match(match, "head"),
                self.key(self.bucket(match), "feed"),
            ],
            expected,
            command,
            fingerprint,
            public,
            sealed,
            head,
            match,
            notice,
        )
        match code:
            case b"conflict":
                raise Conflict(version)
            case b"mismatch":
                raise CommandMismatch(version)
            case _:
                return Appended(version=version, replayed=code == b"replayed", durability=self.durability)

    # Reading

    async def read(self, match: str, *, after: int = 0, limit: int | None = None) -> list[Stored]:
        """The events with versions above ``after``, in order, at most ``limit``; none of an unknown match."""
        window: tuple[str | int, ...] = (f"({after}-0", "+")
        if limit is not None:
            window += ("COUNT", limit)
        events = self._match(match, "events")
        # Openings are read after the events, so that none is missing; there may be more of them.
        public, sealed = await self.connection.calls(
            events, [("XRANGE", events, *window), ("XRANGE", self._match(match, "sealed"), *window)]
        )
        openings = {place: fields[1] for place, fields in sealed}
        return [
            Stored(version=_version(place), public=fields[1], sealed=openings.get(place, b""))
            for place, fields in public
        ]

    async def head(self, match: str) -> tuple[int, bytes] | None:
        """The tail's version, and the head bytes of the append that made it; None of an unknown match."""
        key = self._match(match, "head")
        version, head = await self.connection.call(key, "HMGET", key, "version", "head")
        return None if version is None else (int(version), head)

    async def command(self, match: str, command: str) -> tuple[int, str] | None:
        """The version that a command made, and its fingerprint; None if it was never accepted."""
        key = self._match(match, "commands")
        accepted = await self.connection.call(key, "HGET", key, command)
        if accepted is None:
            return None
        version, _, fingerprint = accepted.decode().partition(":")
        return int(version), fingerprint

    # Snapshots: a cache

    async def snapshot(self, match: str, key: str) -> tuple[int, bytes] | None:
        """The newest snapshot saved under ``key``: its version and bytes."""
        place = self._match(match, "snapshot")
        kept = await self.connection.call(place, "HGET", place, key)
        if kept is None:
            return None
        version, _, state = kept.partition(b":")
        return int(version), state

    async def save_snapshot(self, match: str, key: str, version: int, data: bytes) -> None:
        """Keep a snapshot, unless there is a newer one under ``key``."""
        await self.connection.function(
            FUNCTIONS, "save_snapshot", [self._match(match, "snapshot")], key, version, data
        )

    # The feed

    async def feed(self, bucket: int, after: str = "0", limit: int = 1000) -> list[Notice]:
        """Entries of a bucket's feed after a position, oldest first: gapless, in the order of the commits."""
        key = self.key(bucket, "feed")
        entries = await self.connection.call(key, "XRANGE", key, f"({after}", "+", "COUNT", limit)
        if not entries:
            return []
        standings = self._standings(entries)
        return _notices(bucket, entries, await self.connection.calls(key, standings))

    def _standings(self, entries: _Entries) -> list[Command]:
        """The questions for the notices of some entries' matches, in the order of ``_matches``."""
        return [("HGET", self._match(match.decode(), "head"), "notice") for match in _matches(entries)]

    async def positions(self) -> dict[int, str]:
        """Where the feed of each bucket ends now: to read on from here."""

        async def end(bucket: int) -> str:
            key = self.key(bucket, "feed")
            last = await self.connection.call(key, "XREVRANGE", key, "+", "-", "COUNT", 1)
            return last[0][0].decode() if last else "0"

        return dict(enumerate(await asyncio.gather(*(end(bucket) for bucket in range(self.buckets)))))

    async def follow(self, after: Mapping[int, str] | None = None) -> AsyncGenerator[Notice, None]:
        """Every entry of every bucket's feed after the given positions (default: from now), for ever.

        A blocking connection for each server, in a cluster for each bucket: a process should follow once and
        fan out. Outages are waited out; nothing is skipped or told twice. Close the generator to stop.
        """
        positions = (
            await self.positions() if after is None else {**dict.fromkeys(range(self.buckets), "0"), **after}
        )
        while True:
            told: asyncio.Queue[Notice | Exception] = asyncio.Queue(maxsize=1024)
            tails = self._tails(positions, told)
            try:
                while isinstance(news := await told.get(), Notice):
                    positions[news.bucket] = news.position
                    yield news
            finally:
                for tail in tails:
                    tail.cancel()
                await asyncio.wait(tails)
            if not isinstance(news, OSError | Unsettled):
                raise news
            await asyncio.sleep(0.1)
            with suppress(StoreUnavailable):
                await self.ping()  # which finds out where the buckets live by now

    def _tails(
        self, positions: Mapping[int, str], told: asyncio.Queue[Notice | Exception]
    ) -> list[asyncio.Task[None]]:
        buckets = {self.key(bucket, "feed"): bucket for bucket in positions}
        return [
            asyncio.ensure_future(
                self._tail(endpoint, {buckets[key]: positions[buckets[key]] for key in keys}, told)
            )
            for endpoint, keys in self.connection.readable_together(buckets)
        ]

    async def _tail(
        self, endpoint: Endpoint, positions: dict[int, str], told: asyncio.Queue[Notice | Exception]
    ) -> None:
        """Tell the news of some buckets that live on one server, and at last why it cannot go on."""
        buckets = {self.key(bucket, "feed").encode(): bucket for bucket in positions}
        wire: Wire | None = None
        try:
            wire = await self.connection.dedicated(endpoint, silence=2 * _BLOCK / 1000)
            while True:
                read: Command = (
                    "XREAD",
                    "COUNT",
                    256,
                    "BLOCK",
                    _BLOCK,
                    "STREAMS",
                    *buckets,
                    *positions.values(),
                )
                [news] = await wire.request([read])
                raise_unless_answer(news)
                for key, entries in news or ():
                    bucket = buckets[key]
                    standings = await wire.request(self._standings(entries))
                    for standing in standings:
                        raise_unless_answer(standing)
                    for notice in _notices(bucket, entries, standings):
                        await told.put(notice)
                        positions[bucket] = notice.position
        except Exception as ended:
            await told.put(ended)
        finally:
            if wire is not None:
                await wire.close()


async def _agree_on_buckets(connection: Connection, key: str, buckets: int) -> None:
    await connection.call(key, "SET", key, buckets, "NX")
    agreed = int(await connection.call(key, "GET", key))
    if agreed != buckets:
        raise ValueError(
            f"this store was made with {agreed} buckets, not {buckets}; the number cannot change"
        )


def _version(place: bytes) -> int:
    return int(place.partition(b"-")[0])


def _matches(entries: _Entries) -> dict[bytes, int]:
    """The matches of some entries, each with its place in the order of their first."""
    return {match: place for place, match in enumerate(dict.fromkeys(fields[1] for _, fields in entries))}


def _notices(bucket: int, entries: _Entries, standings: Sequence[bytes]) -> list[Notice]:
    matches = _matches(entries)
    return [
        Notice(
            bucket=bucket,
            position=position.decode(),
            match=match.decode(),
            version=int(version),
            notice=standings[matches[match]],
        )
        for position, (_m, match, _v, version) in entries
    ]
