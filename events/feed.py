"""The feed: every event of a bucket in the order of their commits, read from anywhere and followed for ever.

Knows streams and positions. Must not know what a notice says.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any, Final, Self

from msgspec import Struct

from kleos.events.connection import Connection, StoreUnavailable, Unsettled
from kleos.events.keyspace import Keyspace
from kleos.events.servers import LOST, Entries, Servers

_BLOCK: Final = 5000
"""Milliseconds for which the reader waits for news; then the server says that there are none."""
_SILENCE: Final = 2 * _BLOCK / 1000
"""Seconds after which a server that should at least have said so counts as gone."""
_PAGE: Final = 256
_RESPITE: Final = 0.1
"""Seconds between two attempts to reach a server that is away."""


class FeedEntry(Struct, frozen=True, kw_only=True):
    """One entry of a bucket's feed: ``match`` came to ``version``.

    ``position`` orders the entries of a bucket. ``news`` is what the event means to whom, empty if nothing to
    anybody.
    """

    bucket: int
    position: str
    match: str
    version: int
    news: bytes

    @classmethod
    def of(cls, bucket: int, position: bytes, fields: Mapping[bytes, bytes], **more: bytes) -> Self:
        """The entry that a store's reply holds."""
        return cls(
            bucket=bucket,
            position=position.decode(),
            match=fields[b"m"].decode(),
            version=int(fields[b"v"]),
            news=fields.get(b"t", b""),
            **more,
        )

    @property
    def at(self) -> int:
        """When the store took the event, in milliseconds since the epoch by its clock."""
        return int(self.position.partition("-")[0])


class Notice(FeedEntry, frozen=True, kw_only=True):
    """An entry with how its match stood when it was read: that of ``version`` or of a later one, which has an
    entry of its own.
    """

    notice: bytes


class Feed:
    """The feeds of all buckets of a store."""

    def __init__(self, connection: Connection, keys: Keyspace) -> None:
        self._connection = connection
        self._keys = keys

    async def page(self, bucket: int, after: str, limit: int) -> list[Notice]:
        """Entries of a bucket after a position, oldest first."""
        key = self._keys.key(bucket, "feed")
        entries = await self._connection.call(key, "XRANGE", key, f"({after}", "+", "COUNT", limit)
        return await self._notices(bucket, entries)

    async def entries(self, bucket: int, after: str, limit: int) -> list[FeedEntry]:
        """As ``page``, without asking how the matches stand."""
        key = self._keys.key(bucket, "feed")
        found = await self._connection.call(key, "XRANGE", key, f"({after}", "+", "COUNT", limit)
        return [FeedEntry.of(bucket, position, fields) for position, fields in found]

    async def positions(self) -> dict[int, str]:
        """Where each bucket ends now."""

        async def end(bucket: int) -> str:
            key = self._keys.key(bucket, "feed")
            last = await self._connection.call(key, "XREVRANGE", key, "+", "-", "COUNT", 1)
            return last[0][0].decode() if last else "0"

        buckets = range(self._keys.buckets)
        return dict(zip(buckets, await asyncio.gather(*map(end, buckets)), strict=True))

    async def follow(self, after: Mapping[int, str] | None) -> AsyncGenerator[Notice, None]:
        """Every entry after the given positions (default: from now), for ever; see ``Store.follow``."""
        positions = await self.positions() if after is None else dict.fromkeys(range(self._keys.buckets), "0")
        positions |= after or {}
        buckets = {self._keys.key(bucket, "feed"): bucket for bucket in positions}
        told: asyncio.Queue[Notice | Exception] = asyncio.Queue(maxsize=1024)
        servers = await self._connection.apart(connections=len(buckets))
        lookout = _Lookout(servers)
        tails = [
            asyncio.ensure_future(
                self._tail(lookout, {key: positions[buckets[key]] for key in keys}, buckets, told)
            )
            for keys in servers.readable_together(buckets)
        ]
        try:
            while isinstance(news := await told.get(), Notice):
                yield news
            raise news
        finally:
            for tail in tails:
                tail.cancel()
            await asyncio.wait(tails)
            await servers.close()

    async def _tail(
        self,
        lookout: _Lookout,
        positions: dict[str, str],
        buckets: Mapping[str, int],
        told: asyncio.Queue[Notice | Exception],
    ) -> None:
        """Tell the news of some buckets, through all outages; at last why it cannot go on."""
        while True:
            try:
                async with asyncio.timeout(_SILENCE):
                    news = await lookout.servers.read_news(positions, count=_PAGE, block=_BLOCK)
                for name, entries in news:
                    key = name.decode()
                    for notice in await self._notices(buckets[key], entries):
                        await told.put(notice)
                        positions[key] = notice.position
            except (*LOST, StoreUnavailable, Unsettled):
                await asyncio.sleep(_RESPITE)
                await lookout.survey()
            except Exception as ended:
                await told.put(ended)
                return

    async def _notices(self, bucket: int, entries: Entries) -> list[Notice]:
        """The entries, each with how its match stands, asked for once a match."""
        matches = list(dict.fromkeys(fields[b"m"] for _, fields in entries))
        heads = [self._keys.match(match.decode(), "head") for match in matches]
        if not matches:
            return []
        notices = await self._connection.calls(heads[0], [("HGET", head, "notice") for head in heads])
        standing: dict[bytes, Any] = dict(zip(matches, notices, strict=True))
        return [
            Notice.of(bucket, position, fields, notice=standing[fields[b"m"]]) for position, fields in entries
        ]


class _Lookout:
    """The servers of those who read on. Who has lost one must know where its buckets are now."""

    def __init__(self, servers: Servers) -> None:
        self.servers = servers
        self._surveying: asyncio.Task[None] | None = None

    async def survey(self) -> None:
        """Find out anew which servers there are, or fail to; all who ask meanwhile share the answer."""
        if self._surveying is None or self._surveying.done():
            self._surveying = asyncio.create_task(self._survey())
        await asyncio.wait([self._surveying])

    async def _survey(self) -> None:
        with suppress(*LOST):
            async with asyncio.timeout(_SILENCE):
                await self.servers.survey()
