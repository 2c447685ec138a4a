"""A server for the contract tests, and a player to talk to it."""

from collections.abc import Iterator

import pytest

from tests.scenarios.client import Client
from tests.scenarios.server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with the games of the package, and of the tests."""
    running = Server(tmp_path_factory.mktemp("contract"))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture
def player(server: Server) -> Iterator[Client]:
    client = Client(server.url).register("Ariadne")
    yield client
    client.close()
