"""The running server against its own document, by schemathesis: every operation, valid and invalid input."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from openapi_spec_validator import validate

from tests.scenarios.client import Client
from tests.scenarios.server import Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("contract"))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture
def player(server: Server) -> Iterator[Client]:
    client = Client(server.url).register("Ariadne")
    yield client
    client.close()


def test_the_document_is_valid_openapi(player: Client) -> None:
    validate(player.get("/openapi.json"))


def test_the_server_does_what_the_document_says(server: Server, player: Client, tmp_path: Path) -> None:
    """Two kinds of finding are not faults: a seat that the document allows and the match does not have, and
    the loss of the token by which all else is asked.
    """
    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json"),
            *("--header", f"Authorization: Bearer {player.token}"),
            *("--checks", "all", "--exclude-checks", "positive_data_acceptance"),
            *("--exclude-operation-id", "revoke"),
            *("--max-examples", "20", "--generation-database", "none", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:]  # it prints its seed
    said = server.output.read_text()
    assert "Traceback" not in said
