"""A cluster loses a primary: appends wait for the replica to take over, and go on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kleos.events.command import Command
from kleos.events.store import Appended, Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


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


async def test_matches_go_on_when_a_primary_dies(cluster: Any) -> None:
    store = await Store.connect(cluster.url, patience=15)
    following = store.follow({})
    waiting = asyncio.ensure_future(anext(following))  # it follows before, during and after
    matches = [f"m{number}" for number in range(32)]
    for version in range(3):
        await asyncio.gather(*(append(store, match, version) for match in matches))
    assert set(store.connection.servers()) == {node.name for node in cluster.nodes[:3]}

    cluster.nodes[0].kill()
    for version in range(3, 6):
        answers = await asyncio.gather(*(append(store, match, version) for match in matches))
        assert {each.version for each in answers} == {version + 1}
    assert cluster.nodes[3].name in store.connection.servers()

    for match in matches:
        assert [each.version for each in await store.read(match)] == [1, 2, 3, 4, 5, 6]
    heard: dict[str, list[int]] = {}
    async with asyncio.timeout(20):
        for number in range(6 * len(matches)):
            notice = await anext(following) if number else await waiting
            heard.setdefault(notice.match, []).append(notice.version)
    assert heard == {match: [1, 2, 3, 4, 5, 6] for match in matches}
    await following.aclose()
    await store.close()


async def test_a_bucket_moves_to_another_server_while_it_is_written_to(cluster: Any) -> None:
    store = await Store.connect(cluster.url)
    await append(store, "m", 0)
    feed = store.key(store.bucket("m"), "feed")
    slot = int(await cluster.nodes[0].ask("CLUSTER", "KEYSLOT", feed))
    source, target, *_ = sorted(cluster.nodes[:3], key=lambda node: node.name != store.connection.home(feed))
    await target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", await source.ask("CLUSTER", "MYID"))
    await source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", await target.ask("CLUSTER", "MYID"))
    keys = await source.ask("CLUSTER", "GETKEYSINSLOT", slot, 1000)
    await source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)

    # All keys of the match are over there: the source says ASK, and the target answers.
    assert (await append(store, "m", 1)).version == 2
    # Some keys of a new match could be anywhere: the servers say TRYAGAIN until the move is complete.
    new = next(name for name in map(str, range(1000)) if store.bucket(name) == store.bucket("m"))
    waiting = asyncio.ensure_future(append(store, new, 0))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    for node in (target, source):
        await node.ask("CLUSTER", "SETSLOT", slot, "NODE", await target.ask("CLUSTER", "MYID"))
    assert (await waiting).version == 1
    # The move is known from now on.
    assert (await append(store, "m", 2)).version == 3
    assert store.connection.home(feed) == target.name
    assert [each.version for each in await store.read("m")] == [1, 2, 3]
    await store.close()
