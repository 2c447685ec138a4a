"""One server for the tests of the API, and players who talk to it."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.scenarios.client import Answer, Client
from tests.scenarios.server import PATIENCE, Server

Newcomer = Callable[[], Client]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server as people run it, on its embedded store."""
    running = Server(tmp_path_factory.mktemp("api"))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def served(server: Server) -> str:
    """The address of that server."""
    return server.url


@pytest.fixture
def stranger(server: Server) -> Iterator[Client]:
    """Somebody without a token."""
    client = Client(server.url, patience=PATIENCE)
    yield client
    client.close()


@pytest.fixture
def newcomer(server: Server) -> Iterator[Newcomer]:
    """Registers a new player each time."""
    made: list[Client] = []

    def register() -> Client:
        made.append(Client(server.url, patience=PATIENCE).register(f"Player {len(made)}"))
        return made[-1]

    yield register
    for each in made:
        each.close()


def problem(answer: Answer, status: int, code: str) -> dict[str, object]:
    """The problem that the answer must be."""
    assert answer.headers["content-type"] == "application/problem+json", answer
    found: dict[str, object] = json.loads(answer.body)
    assert (answer.status, found["status"], found["code"]) == (status, status, code), found
    return found
