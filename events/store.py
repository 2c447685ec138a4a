"""The store: matches as streams of events, appended atomically or not at all.

Matches that are in the archive are read from there, as if they were here. Knows streams, versions and bytes;
which keys a match has is told in ``keyspace``. Must not know what the bytes mean: rules, seats and proofs are
above it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Self

from kleos.events.appended import Appended, Archived, CommandMismatch, Conflict
from kleos.events.archive import Archive, Stub
from kleos.events.bundle import Bundle
from kleos.events.command import Command
from kleos.events.connection import PATIENCE, SILENCE, Connection, StoreUnavailable, raise_unless_answer
from kleos.events.durability import UnsafeStore, objections
from kleos.events.feed import Feed, FeedEntry, Notice
from kleos.events.keyspace import Keyspace
from kleos.events.library import Library
from kleos.events.stored import Stored, part

__all__ = [
    "Appended",
    "Archived",
    "CommandMismatch",
    "Conflict",
    "FeedEntry",
    "Notice",
    "Store",
    "StoreUnavailable",
    "Stored",
    "UnsafeStore",
]

FUNCTIONS = Library.read("kleos.events", "append", "save_snapshot")


class Store:
    """The streams of all matches. Made by ``Store.connect``; share one in a process."""

    def __init__(
        self, connection: Connection, keys: Keyspace, archive: Archive, *, safe: bool, replicas: int
    ) -> None:
        self.connection = connection
        self.archive = archive
        self.durability = "fsync" if safe else "memory"
        self._keys = keys
        self._replicas = replicas
        self._feed = Feed(connection, keys)

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        buckets: int = 64,
        allow_unsafe: bool = False,
        prefix: str = "kleos",
        archive: Archive | None = None,
        replicas: int = 0,
        patience: float = PATIENCE,
        silence: float = SILENCE,
    ) -> Self:
        """Open the store at ``url``: one server, or any server of a cluster.

        ``buckets`` is fixed by the first process that ever connects. ``replicas``: how many are to confirm an
        append too; one that does not in time holds nothing up, the answer says so. ``patience``: seconds for
        which a call is tried while the store does not answer; ``silence``: seconds without an answer that
        count as lost.

        Raises UnsafeStore unless ``allow_unsafe``, StoreUnavailable, or ValueError for a wrong address or
        number of buckets.
        """
        connection = await Connection.open(url, patience=patience, silence=silence)
        try:
            found = await objections(connection)
            if found and not allow_unsafe:
                raise UnsafeStore(f"the store at {connection.address} is not safe: " + "; ".join(found))
            await _agree_on_buckets(connection, f"{prefix}:buckets", buckets)
            await connection.load(FUNCTIONS)
        except BaseException:
            await connection.close()
            raise
        keys = Keyspace(prefix, buckets)
        return cls(connection, keys, archive or Archive(), safe=not found, replicas=replicas)

    async def close(self) -> None:
        await self.connection.close()

    async def ping(self) -> None:
        """Raises StoreUnavailable unless every server answers."""
        for reply in (await self.connection.everywhere("PING")).values():
            raise_unless_answer(reply)

    # Keys

    @property
    def buckets(self) -> int:
        return self._keys.buckets

    def bucket(self, identifier: str) -> int:
        """The bucket of a match or a player."""
        return self._keys.bucket(identifier)

    def key(self, bucket: int, name: str) -> str:
        """The key of that name in a bucket."""
        return self._keys.key(bucket, name)

    def apart(self, tag: str, name: str) -> str:
        """The key of that name outside all buckets, in a slot of its ``tag``."""
        return self._keys.apart(tag, name)

    # Writing

    async def append(
        self,
        match: str,
        *,
        expected: int,
        command: Command | None,
        public: bytes,
        sealed: bytes,
        head: bytes,
        notice: bytes,
        news: bytes = b"",
    ) -> Appended:
        """Make event ``expected + 1``, unless it is not the next one or the command was accepted before.

        1. A command with the same id and fingerprint in the log: its version, as ``replayed``. With another
           fingerprint: CommandMismatch. A request without a command is known by its bytes instead.
        2. The match is at another version than ``expected`` (0: there must be no match): Conflict.
        3. The event, its openings, ``head`` and one entry of the feed are written, all or none, and on disk
           before this returns (see ``durability``). ``notice`` is how the match stands now, ``news`` what the
           event means to whom: the first is overwritten by the next event, the second stays in the feed.

        A lost connection is met by asking again, so there is one event at most. Raises StoreUnavailable when
        no answer came: the event may or may not be there; the same command settles it.
        """
        parts = ("events", "commands", "head")
        keys = [*(self._keys.match(match, part) for part in parts), self.key(self.bucket(match), "feed")]
        named, fingerprint = (b"", b"") if command is None else (command.id, command.fingerprint)
        arguments = (expected, named, fingerprint, public, sealed, head, match, notice, news)
        (code, version), durability = await self.commit(FUNCTIONS, "append", keys, arguments)
        match code:
            case b"conflict":
                raise Conflict(version)
            case b"mismatch":
                raise CommandMismatch(version)
            case b"archived":
                return await self._appended_once(match, command, public, expected, version)
            case b"replayed":
                return Appended(version=version, replayed=True, durability=self.durability)
            case _:
                return Appended(version=version, replayed=False, durability=durability)

    async def _appended_once(
        self, match: str, command: Command | None, public: bytes, expected: int, last: int
    ) -> Appended:
        """The answer to an append to a match in the archive: that of then, if it is the same request."""
        if command is None:
            there = await self.read(match, after=expected, limit=1)
            accepted = (expected + 1, b"") if [each.public for each in there] == [public] else None
        else:
            accepted = await self.command(match, command.id)
        if accepted is None:
            raise Archived(match, last)
        version, fingerprint = accepted
        if command is not None and fingerprint != command.fingerprint:
            raise CommandMismatch(version)
        return Appended(version=version, replayed=True, durability=self.durability)

    async def commit(
        self, library: Library, function: str, keys: list[str], arguments: tuple[str | bytes | int, ...]
    ) -> tuple[tuple[bytes, int], str]:
        """What a Function that writes replied, and where the write is known to be."""
        if self.durability == "memory":
            return await self.connection.function(library, function, keys, *arguments), "memory"
        call = (function, keys, arguments)
        return await self.connection.commit(library, call, replicas=self._replicas)

    # Reading

    async def read(self, match: str, *, after: int = 0, limit: int | None = None) -> list[Stored]:
        """The events with versions above ``after``, in order, at most ``limit``; none of an unknown match."""
        window: tuple[str | int, ...] = (f"({after}-0", "+")
        if limit is not None:
            window += ("COUNT", limit)
        events = self._keys.match(match, "events")
        # Should the match go into the archive meanwhile, the stub is seen, and all is read from there.
        found, stub = await self.connection.calls(
            events,
            [("XRANGE", events, *window), ("HGET", self._keys.match(match, "head"), "archive")],
        )
        if stub is not None:
            return part(await self.archive.bundle(match, Stub.of(stub)), after, limit)
        return [
            Stored(version=_version(place), public=fields[b"p"], sealed=fields.get(b"s", b""))
            for place, fields in found
        ]

    async def stub(self, match: str) -> Stub | None:
        """What leads to the match in the archive; None if it is not there."""
        stored = await self._of_head(match, "archive")
        return None if stored is None else Stub.of(stored)

    async def archived(self, match: str) -> Bundle | None:
        """The bundle of a match in the archive; None if it is not there."""
        stub = await self.stub(match)
        return None if stub is None else await self.archive.bundle(match, stub)

    async def head(self, match: str) -> tuple[int, bytes] | None:
        """The tail's version, and the head bytes of the append that made it; None of an unknown match."""
        key = self._keys.match(match, "head")
        version, head = await self.connection.call(key, "HMGET", key, "version", "head")
        return None if version is None else (int(version), head)

    async def _of_head(self, match: str, field: str) -> Any:
        key = self._keys.match(match, "head")
        return await self.connection.call(key, "HGET", key, field)

    async def notice(self, match: str) -> bytes | None:
        """How the match stands, as its newest event told the feed; None of an unknown match."""
        notice: bytes | None = await self._of_head(match, "notice")
        return notice

    async def command(self, match: str, command: bytes) -> tuple[int, bytes] | None:
        """The version that a command made, and its fingerprint; None if it was never accepted."""
        key = self._keys.match(match, "commands")
        accepted, stub = await self.connection.calls(
            key, [("HGET", key, command), ("HGET", self._keys.match(match, "head"), "archive")]
        )
        if stub is not None:
            accepted = (await self.archive.commands(match, Stub.of(stub))).get(command)
        if accepted is None:
            return None
        version, _, fingerprint = accepted.partition(b":")
        return int(version), fingerprint

    # Snapshots: a cache

    async def snapshot(self, match: str, key: str) -> tuple[int, bytes] | None:
        """The newest snapshot saved under ``key``: its version and bytes."""
        place = self._keys.match(match, "snapshot")
        kept = await self.connection.call(place, "HGET", place, key)
        if kept is None:
            return None
        version, _, state = kept.partition(b":")
        return int(version), state

    async def save_snapshot(self, match: str, key: str, version: int, data: bytes) -> None:
        """Keep a snapshot, unless there is a newer one under ``key``, or the match is in the archive."""
        keys = [self._keys.match(match, part) for part in ("snapshot", "head")]
        await self.connection.function(FUNCTIONS, "save_snapshot", keys, key, version, data)

    # The feed

    async def feed(self, bucket: int, after: str = "0", limit: int = 1000) -> list[Notice]:
        """Entries of a bucket's feed after a position, oldest first: gapless, in the order of the commits."""
        return await self._feed.page(bucket, after, limit)

    async def news(self, bucket: int, after: str, limit: int) -> list[FeedEntry]:
        """The same entries, without how their matches stand."""
        return await self._feed.entries(bucket, after, limit)

    async def positions(self) -> dict[int, str]:
        """Where the feed of each bucket ends now: to read on from here."""
        return await self._feed.positions()

    def follow(self, after: Mapping[int, str] | None = None) -> AsyncGenerator[Notice, None]:
        """Every entry of every bucket's feed after the given positions (default: from now), for ever.

        A blocking connection, in a cluster one for each bucket: a process should follow once and fan out.
        Outages are waited out; nothing is skipped or told twice. Close the generator to stop.
        """
        return self._feed.follow(after)


async def _agree_on_buckets(connection: Connection, key: str, buckets: int) -> None:
    await connection.call(key, "SET", key, buckets, "NX")
    agreed = int(await connection.call(key, "GET", key))
    if agreed != buckets:
        raise ValueError(
            f"this store was made with {agreed} buckets, not {buckets}; the number cannot change"
        )


def _version(place: bytes) -> int:
    return int(place.partition(b"-")[0])
