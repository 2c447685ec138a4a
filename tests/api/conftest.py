"""One real server for the tests of the API's clients."""

from collections.abc import Iterator

import pytest

from tests.scenarios.server import Server


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server that offers Tiny."""
    running = Server(tmp_path_factory.mktemp("served"))
    running.start()
    yield running.url
    assert running.stop() == 0
