"""A primary with a replica: what is said to be replicated is, and a replica that is away holds nobody up."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from kleos.events.command import Command
from kleos.events.confirmation import WAIT
from kleos.events.store import Appended, Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SERVICE = "kleos"


async def append(store: Store, match: str, expected: int) -> Appended:
    return await store.append(
        match,
        expected=expected,
        command=Command(f"{match}-{expected}".encode()),
        public=b"{}",
        sealed=b"sealed",
        head=b"",
        notice=b"",
    )


async def replicated(nodes: Callable[[], Any]) -> tuple[Any, Any]:
    """A primary and its replica, which confirms what is written."""
    primary, replica = nodes(), nodes()
    primary.start()
    replica.start(replicaof=f"127.0.0.1 {primary.port}")
    await replica.until(b"master_link_status:up", "INFO", "replication")
    store = await Store.connect(primary.url, replicas=1)
    await until_replicated(store, "first")
    await store.close()
    return primary, replica


async def until_replicated(store: Store, match: str) -> None:
    """Append until the replica keeps up."""
    version = len(await store.read(match))
    async with asyncio.timeout(10):
        while (await append(store, match, version)).durability != "replicated:1":
            version += 1
            await asyncio.sleep(0.1)


async def test_an_append_is_replicated_when_the_replica_has_it_on_its_disk(nodes: Callable[[], Any]) -> None:
    primary, replica = await replicated(nodes)
    store = await Store.connect(primary.url, replicas=1)
    answers = await asyncio.gather(*(append(store, f"m{number}", 0) for number in range(20)))
    assert {each.durability for each in answers} == {"replicated:1"}
    await store.close()
    primary.kill()
    await replica.ask("REPLICAOF", "NO", "ONE")
    copy = await Store.connect(replica.url)
    for number in range(20):
        assert len(await copy.read(f"m{number}")) == 1
    await copy.close()


async def test_without_replicas_to_wait_for_the_answer_is_of_the_servers_own_disk(
    nodes: Callable[[], Any],
) -> None:
    primary, _ = await replicated(nodes)
    store = await Store.connect(primary.url)
    assert (await append(store, "m", 0)).durability == "fsync"
    await store.close()


async def test_a_replica_that_is_away_holds_up_one_append_and_nobody_else(nodes: Callable[[], Any]) -> None:
    primary, replica = await replicated(nodes)
    store = await Store.connect(primary.url, replicas=1)
    assert (await append(store, "m", 0)).durability == "replicated:1"

    async def timed(doing: Any) -> tuple[Any, float]:
        began = time.monotonic()
        return await doing, time.monotonic() - began

    replica.signal(signal.SIGSTOP)
    waiting = asyncio.ensure_future(timed(append(store, "m", 1)))
    await asyncio.sleep(0.05)
    _, reading = await timed(store.read("m"))
    held_up, took = await waiting
    assert (held_up.version, held_up.durability) == (2, "fsync")
    assert took >= WAIT > reading
    answer, took = await timed(append(store, "m", 2))
    assert answer.durability == "fsync"
    assert took < WAIT

    replica.signal(signal.SIGCONT)
    await until_replicated(store, "m")
    await store.close()


async def test_a_store_is_where_the_sentinels_say_it_is(nodes: Callable[[], Any]) -> None:
    primary, replica = await replicated(nodes)
    sentinels = [nodes() for _ in range(3)]
    for sentinel in sentinels:
        sentinel.start_as_sentinel(SERVICE, primary, quorum=2)
    for sentinel in sentinels:
        await sentinel.until(b"slaves=1,sentinels=3", "INFO", "sentinel")
    watched = ",".join(sentinel.name for sentinel in sentinels)
    store = await Store.connect(f"redis+sentinel://{watched}/{SERVICE}", patience=30, replicas=1)
    following = store.follow(await store.positions())
    assert (await append(store, "m", 0)).version == 1
    assert (await anext(following)).version == 1

    primary.kill()
    assert (await append(store, "m", 1)).version == 2
    assert (await replica.ask("ROLE"))[0] == b"master"
    assert [each.version for each in await store.read("m")] == [1, 2]
    assert (await asyncio.wait_for(anext(following), 20)).version == 2
    await following.aclose()
    await store.close()
