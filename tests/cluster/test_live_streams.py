"""A cluster loses a primary while many follow matches that lie all over it: everybody hears all, once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.client import Client
from tests.scenarios.conftest import opened_match
from tests.scenarios.followers import (
    Follower,
    MatchFollower,
    NewsFollower,
    assert_all_was_told_once,
    followed,
)
from tests.scenarios.server import PATIENCE, Server

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
MATCHES = 3
SEED = 11


@pytest.fixture
def served(cluster: Any, tmp_path: Path) -> Iterator[Server]:
    """A server on the cluster, whose heart beats fast."""
    running = Server(
        tmp_path, "--redis", cluster.url, "--data", str(tmp_path / "served"), KLEOS_HEARTBEAT="1"
    )
    running.start()
    yield running
    running.kill()


async def homes(cluster: Any, matches: list[str]) -> set[int]:
    """The primaries on which the matches lie, by their numbers."""
    found = set()
    for number, node in enumerate(cluster.nodes[:3]):
        for match in matches:
            name = match.rpartition("/")[2]
            if await node.ask("KEYS", f"*:m:{name}:events"):
                found.add(number)
    return found


async def test_streams_hear_everything_once_while_a_primary_dies(cluster: Any, served: Server) -> None:
    rng = random.Random(SEED)
    pair = [Client(served.url, patience=PATIENCE).register(name) for name in ("Anna", "Ben")]
    players: dict[str, list[Client]] = {}
    since = [NewsFollower(client, 0).cursor for client in pair]
    while len(players) < MATCHES or len(await homes(cluster, list(players))) < 2:
        players[opened_match(pair, "tiny")] = pair
    dies = min(await homes(cluster, list(players)))
    news = [NewsFollower(client, len(players), cursor) for client, cursor in zip(pair, since, strict=True)]
    streams = [MatchFollower(f"seat:{seat}", match, pair[seat].token) for match in players for seat in (0, 1)]
    followers: list[Follower] = [*streams, *news]

    async def die_when_all_listen() -> None:
        while not all(one.items for one in followers):
            await asyncio.sleep(0.02)
        cluster.nodes[dies].kill()

    dying = asyncio.create_task(die_when_all_listen())
    await followed(served.url, followers, players, rng)
    await dying
    assert (await cluster.nodes[dies + 3].ask("ROLE"))[0] == b"master", "its replica has taken over"
    for one in streams:
        log = [item["event"] for item in pair[0].events(one.match)]
        assert [item["event"] for item in one.items] == log
        assert [event["version"] for event in log] == list(range(1, len(log) + 1))
    for seat, (client, told) in enumerate(zip(pair, news, strict=True)):
        assert_all_was_told_once(told, client, dict.fromkeys(players, seat))
    for client in pair:
        client.close()
