"""One server, or a cluster of them: which of them keeps a key, and one exchange of commands with it.

redis-py does the work: connections, the protocol, the table of slots. Servers are named by strings. Must not
know what is asked, nor try anything again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from redis.asyncio import Redis, RedisCluster
from redis.exceptions import (
    AskError,
    ClusterError,
    ConnectionError,
    MovedError,
    RedisClusterException,
    ResponseError,
    TimeoutError,
)

from kleos.events.address import Address, hang_up
from kleos.events.batch import Command

LOST: Final = (ConnectionError, TimeoutError, ClusterError, RedisClusterException, OSError)
"""What is raised when there is no answer, or nobody to ask."""

Entries = Sequence[tuple[bytes, Mapping[bytes, bytes]]]
"""Entries of a stream: their ids and fields."""
News = Sequence[tuple[bytes, Entries]]
"""Streams in which there is something new, each with its new entries."""


class Servers(ABC):
    """What ``One`` and ``Cluster`` have in common. Everything may raise one of ``LOST``."""

    def __init__(self, client: Redis | RedisCluster, address: Address) -> None:
        self._client = client
        self._address = address

    @abstractmethod
    def names(self) -> list[str]:
        """Every server that takes writes."""

    @abstractmethod
    def home(self, key: str, /) -> str:
        """The server on which a key lives, as far as is known."""

    @abstractmethod
    async def exchange(self, server: str, commands: Sequence[Command], /) -> list[Any]:
        """Send commands on one connection; the replies, errors of the server among them as values."""

    @abstractmethod
    async def redirected(self, error: AskError) -> str:
        """The server to which another one sent us, and which is the key's home from now on if it moved."""

    @abstractmethod
    async def survey(self) -> None:
        """Find out anew which servers there are."""

    @abstractmethod
    async def apart(self, connections: int) -> Servers:
        """The same by a client of the caller's own, for blocking reads; it is the caller's to close.

        It has no bound on silence: that is the caller's too. (With one, redis-py sends through ``wait_for``,
        which before Python 3.12 can swallow a cancellation.)
        """

    @abstractmethod
    def readable_together(self, keys: Iterable[str]) -> list[list[str]]:
        """The keys, grouped as one ``read_news`` may read them."""

    async def read_news(self, positions: Mapping[str, str], *, count: int, block: int) -> News:
        """Entries of streams after a position each, waited for up to ``block`` milliseconds."""
        streams: dict[Any, Any] = {**positions}
        news: Any = await self._client.xread(streams, count=count, block=block)
        return news or []

    async def close(self) -> None:
        await hang_up(self._client)


class One(Servers):
    """A single server, or the one that Sentinels name: the client asks them for each new connection."""

    _client: Redis

    def names(self) -> list[str]:
        return [str(self._address)]

    def home(self, _key: str, /) -> str:
        return str(self._address)

    async def exchange(self, _server: str, commands: Sequence[Command], /) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return await pipeline.execute(raise_on_error=False)

    async def redirected(self, error: AskError) -> str:
        raise error

    async def survey(self) -> None:
        pass

    async def apart(self, connections: int) -> Servers:
        return One(self._address.client(silence=None, connections=connections), self._address)

    def readable_together(self, keys: Iterable[str]) -> list[list[str]]:
        return [list(keys)]


class Cluster(Servers):
    """A cluster. A pipeline is sent to a server by name, so that redirections are seen here.

    The library follows them too, but sends ASKING and what it is for on whatever connections are free.
    """

    _client: RedisCluster

    def names(self) -> list[str]:
        return [node.name for node in self._client.get_primaries()]

    def home(self, key: str) -> str:
        return self._client.nodes_manager.get_node_from_slot(self._client.keyslot(key)).name

    async def exchange(self, server: str, commands: Sequence[Command]) -> list[Any]:
        node = self._client.get_node(node_name=server)
        if node is None:
            raise ClusterError(f"{server} is not in the cluster any more")
        pipeline = self._client.pipeline()
        for command in commands:
            pipeline.execute_command(*command, target_nodes=node)
        replies = await pipeline.execute(raise_on_error=False, allow_redirections=False)
        for reply in replies:
            if isinstance(reply, LOST) and not isinstance(reply, ResponseError):
                raise reply
        return replies

    async def redirected(self, error: AskError) -> str:
        if isinstance(error, MovedError):
            await self._client.nodes_manager.move_slot(error)
        node = self._client.get_node(error.host, error.port)
        if node is None:
            raise ClusterError(f"{error.host}:{error.port} is new in the cluster")
        return node.name

    async def survey(self) -> None:
        await self._client.nodes_manager.initialize()

    async def apart(self, connections: int) -> Servers:
        known = self._client.get_nodes()
        client = self._address.cluster(silence=None, connections=connections, known=known)
        return Cluster(await client.initialize(), self._address)

    def readable_together(self, keys: Iterable[str]) -> list[list[str]]:
        return [[key] for key in keys]

    async def read_news(self, positions: Mapping[str, str], *, count: int, block: int) -> News:
        """Asked of the server that is the key's home by now: the library, once it has lost the first server
        it knew, tries that one before it sends anything, for ever.
        """
        [(key, position)] = positions.items()
        asked = ("XREAD", "COUNT", count, "BLOCK", block, "STREAMS", key, position)
        [reply] = await self.exchange(self.home(key), [asked])
        if isinstance(reply, AskError):
            await self.redirected(reply)
            return []
        if isinstance(reply, Exception):
            raise reply
        return reply or []


async def find(address: Address, *, silence: float, connections: int) -> Servers:
    """The server of an address, or the cluster that it is part of. Raises one of ``LOST``."""
    client = address.client(silence=silence, connections=connections)
    try:
        report = await client.info("cluster")
    except BaseException:
        await hang_up(client)
        raise
    if not report.get("cluster_enabled"):
        return One(client, address)
    await hang_up(client)
    cluster = address.cluster(silence=silence, connections=connections)
    return Cluster(await cluster.initialize(), address)
