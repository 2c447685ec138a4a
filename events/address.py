"""Where a store is, and the client of redis-py that speaks to it.

A server is ``redis://[user:password@]host[:port][/database]``, with TLS ``rediss://…``, on a socket
``unix:///path[?db=n]``. The one that Sentinels name is
``redis+sentinel://[user:password@]host[:port][,host:port…]/service[/database]``.

Knows addresses and how long to wait. Must not know commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Self
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff

_SENTINELS: Final = "redis+sentinel"
_SENTINEL_PORT: Final = 26379
_CONNECT: Final = 2.0
"""Seconds for which a connection is waited for."""


class Address(Struct, frozen=True):
    """An address of one of the forms above. ``str`` of it is the place alone: never the password."""

    url: str
    place: str

    def __str__(self) -> str:
        return self.place

    def __repr__(self) -> str:
        return f"Address({self.place})"

    @classmethod
    def parse(cls, url: str) -> Self:
        """Raises ValueError for an address of another form."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        if parts.scheme == "unix" and parts.path:
            return cls(url, unquote(parts.path))
        if parts.scheme in ("redis", "rediss") and parts.hostname:
            return cls(url, f"{parts.hostname}:{parts.port or 6379}")
        if parts.scheme == _SENTINELS and host and parts.path.strip("/"):
            return cls(url, f"{parts.path.split('/')[1]}@{host}")
        raise ValueError(
            "a store address is redis://host:port, rediss://host:port, unix:///path "
            "or redis+sentinel://host:port/service"
        )

    def client(self, *, silence: float | None, connections: int) -> Redis:
        """A client of one server: that of the address, or the primary that its Sentinels name by then.

        ``silence``: seconds without an answer that count as lost, if any do. ``connections``: how many it
        opens at most.
        """
        options = _options(silence, connections)
        if self.url.startswith(_SENTINELS):
            return self._watched(options)
        return Redis.from_url(self.url, **options)

    def cluster(
        self, *, silence: float | None, connections: int, known: Sequence[ClusterNode] = ()
    ) -> RedisCluster:
        """A client of the whole cluster of which the server of the address is one; as many a server.

        ``known``: other servers of it, to be asked if that one has gone.
        """
        options = _options(silence, connections)
        return RedisCluster.from_url(self.url, require_full_coverage=False, startup_nodes=[*known], **options)

    def _watched(self, options: dict[str, Any]) -> Redis:
        parts = urlsplit(self.url)
        service, _, database = parts.path.strip("/").partition("/")
        sentinels = [
            (host, int(port or _SENTINEL_PORT))
            for host, _, port in (each.partition(":") for each in self.place.partition("@")[2].split(","))
        ]
        entry: dict[str, Any] = {
            "username": unquote(parts.username or "") or None,
            "password": unquote(parts.password or "") or None,
            "db": int(database or 0),
        }
        asked = {
            name: options[name] for name in ("socket_timeout", "socket_connect_timeout", "retry", "protocol")
        }
        watch = Sentinel(sentinels, sentinel_kwargs=asked)  # type: ignore[no-untyped-call]
        client: Redis = watch.master_for(service, **entry, **options)
        return client


async def hang_up(client: Redis | RedisCluster) -> None:
    """Close a client and all that it was made with."""
    await client.aclose()
    pool = getattr(client, "connection_pool", None)
    if isinstance(pool, SentinelConnectionPool):
        await pool.sentinel_manager.aclose()


def _options(silence: float | None, connections: int) -> dict[str, Any]:
    return {
        "socket_timeout": silence,
        "socket_connect_timeout": _CONNECT,
        # Its default sends again what got no reply. Whether that is right is for us to know.
        "retry": Retry(NoBackoff(), 0),
        "max_connections": connections,
        "client_name": "kleos",
        # In version 3 servers may speak unasked, and a reply that is left over could no longer be told.
        "protocol": 2,
    }
