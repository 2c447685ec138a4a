"""Webhooks as they are kept: who wants to be told what, what is still to be told, and what became of it.

Beside each player, in the same hash slot::

    kleos:{b07}:p:<player>            hash        hook:<id> -> a ``Hook`` as JSON
    kleos:{b07}:p:<player>:hook:<id>  list        its deliveries' ids, the newest first
    kleos:{b07}:webhooks:due          sorted set  deliveries by the time of their next attempt
    kleos:{b07}:webhooks:deliveries   hash        a ``Delivery`` as JSON, by id

The feed of every bucket is read through one consumer group, so that of all processes one handles an entry,
and another takes it over if that one dies. A delivery has an id that follows from what it tells, so an entry
that is handled twice tells nobody twice. What was lost on the way to a process comes back after ``LEASE``.
Knows neither rules nor HTTP.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from typing import Final, Literal

import msgspec
from msgspec import Struct
from redis.exceptions import ResponseError

from kleos.core.kernel.errors import Forbidden
from kleos.core.match import TidingKind
from kleos.events.library import Library
from kleos.events.store import FeedEntry, Store

FUNCTIONS = Library.read("kleos.events", "hook_enqueue", "hook_claim", "hook_settle")
GROUP: Final = "webhooks"
HOOKS: Final = 10
"""How many webhooks a player may have."""
REMEMBERED: Final = 100
"""Deliveries that are remembered of one webhook."""
LEASE: Final = 60_000
"""Milliseconds after which somebody else takes over what a process began."""
_PAGE: Final = 100


class Hook(Struct, frozen=True):
    """Where a player wants to be told of some kinds of events; ``secret`` signs what is sent there."""

    id: str
    player: str
    url: str
    events: tuple[TidingKind, ...]
    secret: bytes
    created_at: int


class Attempt(Struct, frozen=True):
    """One attempt: the status of the answer, or why there was none."""

    at: int
    status: int | None
    error: str | None = None


class Delivery(Struct, frozen=True):
    """Something to tell a webhook: ``body`` is sent as it is, at every attempt the same."""

    id: str
    hook: str
    player: str
    type: str
    body: str
    created_at: int
    state: Literal["pending", "delivered", "failed"] = "pending"
    attempts: tuple[Attempt, ...] = ()


class Webhooks:
    """The webhooks of a store, and their queue. ``consumer`` names the process."""

    def __init__(self, store: Store, consumer: str | None = None) -> None:
        self._store = store
        self._consumer = consumer or secrets.token_hex(8)

    # Who wants to be told

    async def of(self, player: str) -> list[Hook]:
        """The webhooks of a player, the oldest first."""
        place = self._player(player)
        kept = await self._store.connection.call(place, "HGETALL", place)
        found = [
            msgspec.json.decode(value, type=Hook)
            for field, value in kept.items()
            if field.startswith(b"hook:")
        ]
        return sorted(found, key=lambda hook: (hook.created_at, hook.id))

    async def add(self, player: str, url: str, events: tuple[TidingKind, ...], at: int) -> Hook:
        """A new webhook. Raises Forbidden for one too many."""
        if len(await self.of(player)) >= HOOKS:
            raise Forbidden(f"a player has at most {HOOKS} webhooks; delete one first")
        hook = Hook(secrets.token_hex(8), player, url, events, secrets.token_bytes(32), at)
        place = self._player(player)
        await self._store.connection.call(place, "HSET", place, f"hook:{hook.id}", msgspec.json.encode(hook))
        return hook

    async def hook(self, player: str, hook: str) -> Hook | None:
        """One webhook of a player."""
        place = self._player(player)
        kept = await self._store.connection.call(place, "HGET", place, f"hook:{hook}")
        return None if kept is None else msgspec.json.decode(kept, type=Hook)

    async def remove(self, player: str, hook: str) -> bool:
        """Forget a webhook with its deliveries; False if there was none."""
        place = self._player(player)
        if not await self._store.connection.call(place, "HDEL", place, f"hook:{hook}"):
            return False
        due, deliveries = self._queue(self._store.bucket(player))
        log = self._log(player, hook)
        if ids := await self._store.connection.call(log, "LRANGE", log, 0, -1):
            await self._store.connection.calls(log, [("ZREM", due, *ids), ("HDEL", deliveries, *ids)])
        await self._store.connection.call(log, "DEL", log)
        return True

    async def forget(self, player: str) -> None:
        """Forget all webhooks of a player, with everything that was, or was to be, told there."""
        for hook in await self.of(player):
            await self.remove(player, hook.id)

    # What is to be told

    async def enqueue(self, delivery: Delivery, at: int) -> bool:
        """Put a delivery into the queue, due at the time ``at``; False if one of its id was there."""
        keys = [*self._queue(self._store.bucket(delivery.player)), self._log(delivery.player, delivery.hook)]
        kept = msgspec.json.encode(delivery)
        return bool(
            await self._store.connection.function(
                FUNCTIONS, "hook_enqueue", keys, delivery.id, kept, at, REMEMBERED
            )
        )

    async def claim(self, now: int, limit: int) -> list[Delivery]:
        """Deliveries whose time has come: for ``LEASE`` they are this process's to make."""

        async def some(bucket: int) -> list[bytes]:
            found: list[bytes] = await self._store.connection.function(
                FUNCTIONS, "hook_claim", self._queue(bucket), now, now + LEASE, limit
            )
            return found

        found = await asyncio.gather(*(some(bucket) for bucket in range(self._store.buckets)))
        return [msgspec.json.decode(each, type=Delivery) for bucket in found for each in bucket]

    async def settle(self, delivery: Delivery, again: int | None) -> None:
        """Keep what came of an attempt, and when to try again, if at all."""
        await self._store.connection.function(
            FUNCTIONS,
            "hook_settle",
            self._queue(self._store.bucket(delivery.player)),
            delivery.id,
            msgspec.json.encode(delivery),
            "" if again is None else again,
        )

    async def deliveries(self, player: str, hook: str) -> list[Delivery]:
        """What was told a webhook, the newest first."""
        log = self._log(player, hook)
        _, deliveries = self._queue(self._store.bucket(player))
        ids = await self._store.connection.call(log, "LRANGE", log, 0, -1)
        kept = await self._store.connection.call(log, "HMGET", deliveries, *ids) if ids else []
        return [msgspec.json.decode(each, type=Delivery) for each in kept if each is not None]

    # The feed

    async def join(self) -> None:
        """Be one of those who read the feed; what was there before the first came is nobody's."""
        for bucket in range(self._store.buckets):
            feed = self._feed(bucket)
            try:
                await self._store.connection.call(feed, "XGROUP", "CREATE", feed, GROUP, "$", "MKSTREAM")
            except ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    async def news(self) -> list[FeedEntry]:
        """Entries that nobody else handles: new ones, and those of a process that went away."""

        async def some(bucket: int) -> list[FeedEntry]:
            feed = self._feed(bucket)
            left, read = await self._store.connection.calls(
                feed,
                [
                    ("XAUTOCLAIM", feed, GROUP, self._consumer, LEASE, "0", "COUNT", _PAGE),
                    ("XREADGROUP", "GROUP", GROUP, self._consumer, "COUNT", _PAGE, "STREAMS", feed, ">"),
                ],
            )
            entries = [*left[1], *(read[0][1] if read else [])]
            return [FeedEntry.of(bucket, position, fields) for position, fields in entries]

        found = await asyncio.gather(*(some(bucket) for bucket in range(self._store.buckets)))
        return [entry for bucket in found for entry in bucket]

    async def handled(self, entries: Iterable[FeedEntry]) -> None:
        """Some entries are done with; before, they would come again."""
        by_bucket: dict[int, list[str]] = {}
        for each in entries:
            by_bucket.setdefault(each.bucket, []).append(each.position)
        for bucket, positions in by_bucket.items():
            feed = self._feed(bucket)
            await self._store.connection.call(feed, "XACK", feed, GROUP, *positions)

    def _feed(self, bucket: int) -> str:
        return self._store.key(bucket, "feed")

    def _player(self, player: str) -> str:
        return self._store.key(self._store.bucket(player), f"p:{player}")

    def _log(self, player: str, hook: str) -> str:
        return f"{self._player(player)}:hook:{hook}"

    def _queue(self, bucket: int) -> list[str]:
        return [self._store.key(bucket, "webhooks:due"), self._store.key(bucket, "webhooks:deliveries")]
