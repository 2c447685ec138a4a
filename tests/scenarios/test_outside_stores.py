"""The same whole match on other stores: Redis 8, a cluster of six, and two server processes on one store."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.client import play
from tests.scenarios.conftest import Join, assert_readable, assert_whole, opened_match, survived
from tests.scenarios.server import Server

pytestmark = pytest.mark.slow


@pytest.fixture(params=["store_url", "redis_url", "cluster_url"])
def outside(request: pytest.FixtureRequest) -> str:
    """The address of a store that is not the server's own."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def pair(outside: str, tmp_path: Path) -> Iterator[list[Server]]:
    """Two servers on one store, with one key to sign with."""
    servers = [Server(tmp_path / name, "--redis", outside, "--data", str(tmp_path / "data")) for name in "ab"]
    for each in servers:
        each.start()
    yield servers
    for each in servers:
        each.kill()


def test_a_killed_server_loses_nothing(
    outside: str, tmp_path: Path, player: Join, rng: random.Random
) -> None:
    server = Server(tmp_path, "--redis", outside, "--data", str(tmp_path / "data"))
    server.start()
    players = [player(server, "Ariadne"), player(server, "Bacchus")]
    match = opened_match(players)
    acknowledged = survived(server, match, players, rng)
    assert_whole(match, players, acknowledged)
    assert_readable(match, players)
    assert server.stop() == 0


def test_players_of_one_match_may_talk_to_different_servers(
    pair: list[Server], player: Join, rng: random.Random
) -> None:
    players = [player(server, name) for server, name in zip(pair, ("Ariadne", "Bacchus"), strict=True)]
    match = opened_match(players)
    acknowledged = [answer["event"] for answer in play(match, players, rng)]
    assert_whole(match, players, acknowledged)
    assert_readable(match, players)
    logs = [list(each.events(match)) for each in players]
    assert logs[0] == logs[1]


def test_one_server_may_die_while_the_other_serves(
    pair: list[Server], player: Join, rng: random.Random
) -> None:
    players = [player(pair[0], "Ariadne"), player(pair[1], "Bacchus")]
    match = opened_match(players)
    for number, _ in enumerate(play(match, players, rng)):
        if number == 10:
            pair[0].kill()
            players[0].close()
            players[0].turn_to(pair[1].url)
    assert players[1].get(match)["status"] == "finished"
