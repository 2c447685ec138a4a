"""Servers for the scenarios, and the players who talk to them."""

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.scenarios.client import Answer, Client
from tests.scenarios.server import PATIENCE, Server

Join = Callable[..., Client]


@pytest.fixture
def rng() -> random.Random:
    """A source of moves; its seed is printed, and taken from ``KLEOS_TEST_SEED`` to repeat a failure."""
    seed = int(os.environ.get("KLEOS_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"KLEOS_TEST_SEED={seed}")
    return random.Random(seed)


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
