"""Servers for the scenarios, and the players who talk to them."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.client import Answer, Client, play
from tests.scenarios.server import PATIENCE, Server

Join = Callable[..., Client]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server on its embedded store, for all tests that leave it standing."""
    running = Server(tmp_path_factory.mktemp("server"))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    """A server on its embedded store, to be killed by the test."""
    running = Server(tmp_path)
    running.start()
    yield running
    running.kill()


@pytest.fixture
def player() -> Iterator[Join]:
    """Makes registered players: ``player(server, "Ariadne")``."""
    made: list[Client] = []

    def register(server: Server, name: str, heard: Callable[[Answer], object] | None = None) -> Client:
        made.append(Client(server.url, patience=PATIENCE, heard=heard).register(name))
        return made[-1]

    yield register
    for each in made:
        each.close()


def opened_match(players: list[Client], game: str = "iliad") -> str:
    """A match of two in which both players sit and the first decision is due; its path."""
    match = players[0].create(game, len(players))
    joined = [each.join(match, seat) for seat, each in enumerate(players[1:], start=1)]
    assert joined[-1]["status"] == "playing"
    return match


def survived(server: Server, match: str, players: list[Client], rng: random.Random) -> list[Any]:
    """Play to the end while the server is killed three times and started again; the events acknowledged."""
    acknowledged = []
    kills = sorted(rng.sample(range(3, 40), 3))
    with ThreadPoolExecutor(1) as other:
        restarts = []

        def die_and_rise(delay: float) -> None:
            time.sleep(delay)
            server.kill()
            server.start()

        for number, answer in enumerate(play(match, players, rng)):
            acknowledged.append(answer["event"])
            if number in kills:  # it dies while the next request is under way
                restarts.append(other.submit(die_and_rise, rng.uniform(0, 0.01)))
        for each in restarts:
            each.result()
    assert len(acknowledged) > kills[-1]
    return acknowledged


def assert_whole(match: str, players: list[Client], acknowledged: list[Any]) -> None:
    """Every acknowledged event is in the log, once, in its place; there are no gaps; the match has ended."""
    log = [item["event"] for item in players[0].events(match)]
    assert [event["version"] for event in log] == list(range(1, len(log) + 1))
    assert [log[event["version"] - 1] for event in acknowledged] == acknowledged
    assert [event for event in log if event["kind"] == "move"] == acknowledged
    assert len({event["command"] for event in log}) == len(log)
    ended = players[0].get(match)
    assert ended["status"] == "finished"
    assert ended["version"] == len(log)
    assert ended["outcome"]["winners"]


def assert_readable(match: str, players: list[Client]) -> None:
    """Every version can be read for every seat and by a spectator."""
    stranger = Client(players[0].url)
    ended = stranger.get(match)
    readers: list[tuple[Client, int | str]] = [*((each, seat) for seat, each in enumerate(players))]
    for reader, seat in [*readers, (stranger, "spectator")]:
        for version in range(1, ended["version"] + 1):
            view = reader.get(f"{match}/view", seat=seat, at=version)
            assert (view["version"], view["moves"]) == (version, [])
            assert view["seat"] == (None if seat == "spectator" else seat)
        assert reader.get(f"{match}/view", seat=seat)["outcome"] == ended["outcome"]
    stranger.close()
