"""What a store promises when things break: nothing acknowledged is lost, nothing is done twice."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from redis.exceptions import ResponseError

from kleos.events.command import Command
from kleos.events.connection import PATIENCE, Connection
from kleos.events.embedded import Embedded, NoServer
from kleos.events.store import Appended, Conflict, Store, StoreUnavailable, UnsafeStore

pytestmark = pytest.mark.anyio


@pytest.fixture(
    scope="module",
    params=[("asyncio", {"use_uvloop": False}), ("asyncio", {"use_uvloop": True})],
    ids=["asyncio", "uvloop"],
)
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Both event loops: what they do with a broken or half-open connection differs."""
    backend: tuple[str, dict[str, bool]] = request.param
    return backend


async def append(store: Store, match: str, expected: int, command: str | None = None) -> Appended:
    return await store.append(
        match,
        expected=expected,
        command=Command((command or f"{match}-{expected}").encode()),
        public=b"event %d of %s" % (expected + 1, match.encode()),
        sealed=b"sealed",
        head=b"head",
        notice=b"notice",
    )


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Embedded]:
    """A server of the test's own, to do harm to."""
    async with await Embedded.start(tmp_path) as server:
        yield server


async def process_id(store: Store) -> int:
    [report] = (await store.connection.everywhere("INFO", "server")).values()
    return int(report["process_id"])


# Killed servers


async def test_a_server_killed_while_it_writes_loses_nothing_acknowledged(tmp_path: Path) -> None:
    acknowledged: dict[str, int] = {}

    async def play(store: Store, match: str) -> None:
        version = 0
        while True:
            version = (await append(store, match, version)).version
            acknowledged[match] = version

    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url, patience=0.1)
        players = [asyncio.ensure_future(play(store, f"m{number}")) for number in range(8)]
        while len(acknowledged) < len(players) and not any(each.done() for each in players):
            await asyncio.sleep(0.01)
        os.kill(await process_id(store), signal.SIGKILL)
        ends = await asyncio.gather(*players, return_exceptions=True)
        await store.close()
    assert all(isinstance(end, StoreUnavailable) for end in ends)
    assert len(acknowledged) == len(players)

    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url)
        for match, version in acknowledged.items():
            events = await store.read(match)
            assert [each.version for each in events] == list(range(1, len(events) + 1))
            assert len(events) - version in (0, 1), "only the event in flight may be there unacknowledged"
            assert events[-1].public == b"event %d of %s" % (len(events), match.encode())
            assert await store.command(match, f"{match}-{version - 1}".encode()) == (version, b"")
            assert (await append(store, match, len(events))).version == len(events) + 1
        await store.close()


async def test_a_store_outlives_a_restart_of_its_server(tmp_path: Path) -> None:
    server = await Embedded.start(tmp_path)
    store = await Store.connect(server.url)
    following = store.follow({})
    await append(store, "m", 0)
    assert (await anext(following)).version == 1
    os.kill(await process_id(store), signal.SIGKILL)
    await server.stop()
    waiting = asyncio.ensure_future(append(store, "m", 1))
    await asyncio.sleep(0.05)
    async with await Embedded.start(tmp_path):
        assert await waiting == Appended(2, replayed=False, durability="fsync")
        assert (await asyncio.wait_for(anext(following), 5)).version == 2
        await following.aclose()
        await store.close()


async def test_without_a_server_a_call_ends_when_patience_does(server: Embedded) -> None:
    store = await Store.connect(server.url, patience=0.3)
    await server.stop()
    began = asyncio.get_running_loop().time()
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await append(store, "m", 0)
    assert asyncio.get_running_loop().time() - began < PATIENCE
    with pytest.raises(StoreUnavailable):
        await store.ping()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await Store.connect(server.url, patience=0.1)


async def test_a_server_that_falls_silent_counts_as_gone(server: Embedded) -> None:
    store = await Store.connect(server.url, patience=0.5, silence=0.2)
    pid = await process_id(store)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable):
            await append(store, "m", 0)
    finally:
        os.kill(pid, signal.SIGCONT)
    await store.close()
    store = await Store.connect(server.url)
    await append(store, "other", 0)
    assert len(await store.read("m")) <= 1
    await store.close()


# Lost replies


class Lossy:
    """Stands between a store and its server, and loses the replies to some appends: the server did them."""

    def __init__(self, server: str, lose: int, *, hang_up: bool) -> None:
        self.lost = 0
        self._server = unquote(urlsplit(server).path)
        self._lose = lose
        self._hang_up = hang_up
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, path: Path) -> str:
        self._listener = await asyncio.start_unix_server(self._accept, path)
        return f"unix://{path}"

    async def close(self) -> None:
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        upstream, downstream = await asyncio.open_unix_connection(self._server)
        try:
            while asked := await reader.read(1 << 16):
                downstream.write(asked)
                answer = await upstream.read(1 << 16)
                if b"_append" in asked and b"FUNCTION" not in asked and self.lost < self._lose:
                    self.lost += 1
                    if self._hang_up:
                        break
                    continue
                writer.write(answer)
                await writer.drain()
        finally:
            writer.close()
            downstream.close()


@pytest.mark.parametrize("hang_up", [True, False], ids=["the connection breaks", "nothing is heard"])
async def test_a_lost_reply_makes_one_event(server: Embedded, tmp_path: Path, hang_up: bool) -> None:
    """Fault 90."""
    lossy = Lossy(server.url, lose=2, hang_up=hang_up)
    store = await Store.connect(await lossy.open(tmp_path / "lossy"), silence=0.1)
    try:
        assert await append(store, "m", 0) == Appended(1, replayed=True, durability="fsync")
        assert lossy.lost == 2
        assert [each.version for each in await store.read("m")] == [1]
        assert len(await store.feed(store.bucket("m"))) == 1
    finally:
        await store.close()
        await lossy.close()


# Cancelled requests


async def test_cancelled_callers_leave_the_others_their_own_replies(store: Store, rng: random.Random) -> None:
    async def play(match: str) -> None:
        version = 0
        while version < 30:
            version = (await append(store, match, version)).version
            events = await store.read(match, after=version - 1)
            assert events[0].public == b"event %d of %s" % (version, match.encode())

    async def abandon(number: int) -> None:
        started = asyncio.ensure_future(append(store, f"abandoned{number}", 0))
        for _ in range(rng.randrange(6)):
            await asyncio.sleep(0)
        started.cancel()
        await asyncio.gather(started, return_exceptions=True)

    async def abandon_many() -> None:
        for number in range(200):
            await abandon(number)

    await asyncio.gather(abandon_many(), *(play(f"m{number}") for number in range(5)))
    for number in range(200):
        events = await store.read(f"abandoned{number}")
        assert len(events) <= 1
        assert await append(store, f"abandoned{number}", 0) == Appended(
            1, replayed=bool(events), durability="fsync"
        )


async def test_a_caller_that_leaves_while_connecting_does_not_take_the_others_along(server: Embedded) -> None:
    connection = await Connection.open(server.url)
    await connection.everywhere("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "NO")
    first = asyncio.ensure_future(connection.call("k", "PING"))
    second = asyncio.ensure_future(connection.call("k", "PING"))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is True
    await connection.close()


# Servers that are not safe, or full


@pytest.mark.parametrize(
    ("setting", "value", "cure"),
    [
        ("appendfsync", "everysec", "CONFIG SET appendfsync always"),
        ("appendonly", "no", "CONFIG SET appendonly yes"),
        ("aof-load-truncated", "yes", "CONFIG SET aof-load-truncated no"),
        ("maxmemory-policy", "allkeys-lru", "CONFIG SET maxmemory-policy noeviction"),
    ],
)
async def test_an_unsafe_setting_is_refused_with_its_cure(
    server: Embedded, setting: str, value: str, cure: str
) -> None:
    admin = await Connection.open(server.url)
    await admin.everywhere("CONFIG", "SET", setting, value)
    await admin.close()
    with pytest.raises(UnsafeStore, match=cure) as refused:
        await Store.connect(server.url)
    assert str(refused.value).count("CONFIG SET") == 1
    assert "\n" not in str(refused.value)
    store = await Store.connect(server.url, allow_unsafe=True)
    assert (await append(store, "m", 0)).durability == "memory"
    await store.close()


async def test_settings_that_may_not_be_read_are_said_to_be_so(server: Embedded) -> None:
    admin = await Connection.open(server.url)
    await admin.everywhere("ACL", "SETUSER", "guest", "on", ">pass word", "~*", "+@all", "-config")
    await admin.close()
    guest = server.url.replace("unix://", "unix://guest:pass%20word@")
    with pytest.raises(UnsafeStore, match="does not let its settings be read"):
        await Store.connect(guest)
    store = await Store.connect(guest, allow_unsafe=True)
    assert (await append(store, "m", 0)).durability == "memory"
    await store.close()


async def test_a_wrong_password_is_an_unavailable_store_and_is_not_repeated(server: Embedded) -> None:
    with pytest.raises(StoreUnavailable, match="WRONGPASS") as refused:
        await Store.connect(server.url.replace("unix://", "unix://guest:secret@"), patience=0.2)
    assert "secret" not in str(refused.value)


async def test_a_full_server_is_unavailable_and_half_an_event_is_never_written(server: Embedded) -> None:
    store = await Store.connect(server.url)
    await append(store, "m", 0)
    await store.connection.everywhere("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(StoreUnavailable, match="OOM"):
        await append(store, "m", 1)
    assert len(await store.read("m")) == 1
    await store.connection.everywhere("CONFIG", "SET", "maxmemory", "0")
    assert await append(store, "m", 1) == Appended(2, replayed=False, durability="fsync")
    await store.close()


async def test_a_write_torn_by_a_full_disk_was_not_acknowledged_and_is_cut_off_on_request(
    tmp_path: Path,
) -> None:
    acknowledged = 0

    async def fill(store: Store) -> None:
        nonlocal acknowledged
        while acknowledged < 1_000:
            acknowledged = (await append(store, "m", acknowledged)).version

    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url, patience=0.2)
        [log] = (tmp_path / "appendonlydir").glob("*.incr.aof")
        room = log.stat().st_size + 5_000
        resource.prlimit(await process_id(store), resource.RLIMIT_FSIZE, (room, room))
        with pytest.raises(StoreUnavailable):
            await fill(store)
        await store.close()
    assert 0 < acknowledged < 1_000
    with pytest.raises(NoServer, match="start once with --repair"):
        await Embedded.start(tmp_path)
    async with await Embedded.start(tmp_path, repair=True) as server:
        store = await Store.connect(server.url)
        assert len(await store.read("m")) == acknowledged
        assert (await append(store, "m", acknowledged)).version == acknowledged + 1
        await store.close()
    async with await Embedded.start(tmp_path):
        pass


async def test_a_stream_ahead_of_its_head_is_refused_with_nothing_written(store: Store, prefix: str) -> None:
    """The head is written with the events; were it ever behind, the stream itself refuses to fork."""
    await append(store, "m", 0)
    events = store.key(store.bucket("m"), "m:m:events")
    await store.connection.call(events, "XADD", events, "7-0", "p", "stray")
    with pytest.raises(ResponseError, match="equal or smaller"):
        await append(store, "m", 1)
    assert await store.head("m") == (1, b"head")
    assert await store.command("m", b"m-1") is None
    with pytest.raises(Conflict):
        await append(store, "m", 7)


@pytest.mark.parametrize(
    "url",
    ["", "redis://", "http://localhost:1", "localhost:6379", "unix://", "unix://x", "redis+sentinel://h"],
)
async def test_an_address_of_another_form_is_a_value_error(url: str) -> None:
    with pytest.raises(ValueError, match="a store address is"):
        await Store.connect(url)
