"""Clients made from the document by other people's generators play whole matches, of both games."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.toolbox import DOCUMENT, OPENAPI, run, tool
from tests.scenarios.client import Client
from tests.scenarios.server import Server

pytestmark = pytest.mark.slow
GAMES = pytest.mark.parametrize("game", ["iliad", "cyclades"])
GENERATE = ("openapi.json", "--default-non-nullable=false", "-o")


@pytest.fixture(scope="session")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled program; the compiler is strict."""
    out = tmp_path_factory.mktemp("typescript")
    tool("tsc", "-p", "typescript", "--outDir", str(out))
    (out / "package.json").write_text('{"type": "module"}')
    (out / "node_modules").symlink_to(OPENAPI / "node_modules")
    return out / "play.js"


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program beside the client it imports, which was generated without a warning."""
    out = tmp_path_factory.mktemp("python")
    generator = str(Path(sys.executable).with_name("openapi-python-client"))
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls ruff
    said = run(
        *(generator, "generate", "--path", str(DOCUMENT), "--meta", "none"),
        *("--config", str(OPENAPI / "python" / "config.yaml")),
        *("--output-path", str(out / "kleos_client"), "--fail-on-warning"),
        where=out,
    )
    assert "arning" not in said
    return Path(shutil.copy(OPENAPI / "python" / "play.py", out))


def test_the_published_types_are_those_of_the_document(tmp_path: Path) -> None:
    made = tmp_path / "kleos.ts"
    tool("openapi-typescript", *GENERATE, str(made))
    assert made.read_text() == (OPENAPI / "typescript" / "kleos.ts").read_text(), (
        f"in openapi/: npx openapi-typescript {' '.join(GENERATE)} typescript/kleos.ts"
    )


@GAMES
def test_a_typescript_client_plays_a_match(server: Server, typescript: Path, game: str) -> None:
    _assert_played(server, run("node", str(typescript), server.url, game, where=typescript.parent))


@GAMES
def test_a_python_client_plays_a_match(server: Server, python: Path, game: str) -> None:
    _assert_played(server, run(sys.executable, str(python), server.url, game, where=python.parent))


def _assert_played(server: Server, said: str) -> None:
    """The program saw an outcome, and the log has every move that it made."""
    *moves, outcome = (json.loads(line) for line in said.splitlines())
    assert outcome["winners"]
    reader = Client(server.url)
    newest = reader.get("/v1/matches", limit=1)["items"][0]
    log = list(reader.events(f"/v1/matches/{newest['id']}", limit=500))
    reader.close()
    assert newest["outcome"] == outcome
    assert [_made(item["event"]) for item in log if item["event"]["kind"] == "move"] == moves


def _made(event: dict[str, Any]) -> dict[str, Any]:
    return {"version": event["version"], "action": event["action"]}
