"""docs/quickstart.md and the tour of the README are run as they stand, every line, in three languages."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.toolbox import OPENAPI, run, tool
from tests.scenarios.server import Server

pytestmark = pytest.mark.slow
PAGE = OPENAPI.parent / "docs" / "quickstart.md"
README = OPENAPI.parent / "README.md"
WRITTEN = "http://127.0.0.1:8000"
"""Where the page's server is."""
KLEOS = Path(sys.executable).with_name("kleos")
"""What `python3 dev.py` turns into."""


def _said(language: str, server: Server, page: Path = PAGE) -> str:
    """All blocks of a language, one after the other, asking this server."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    text = "\n".join(blocks)
    assert text.count(WRITTEN) == 1
    return text.replace(WRITTEN, server.url).replace("python3 dev.py", str(KLEOS))


def test_with_curl(server: Server, tmp_path: Path) -> None:
    said = run("bash", "-euo", "pipefail", "-c", _said("sh", server), where=tmp_path)
    assert said.startswith('"playing"\n')
    assert "c2sp.org/tlog-proof@v1" in said
    assert "ok    receipts" in said
    assert '[1,"create"]' in said
    assert "null" not in said
    assert said.splitlines()[-2].strip('"') in ("illegal", "not_your_turn")


def test_the_tour_of_the_readme(server: Server, tmp_path: Path) -> None:
    """As somebody follows it who looks again until there are moves."""
    look = """curl -sS -H "$me" $api/matches/$match/view"""
    again = f"until {look} | jq -e '.moves[0]' >/dev/null; do sleep 0.1; done\n"
    tour = _said("sh", server, README).replace("move=$(", f"{again}move=$(")
    said = run("bash", "-euo", "pipefail", "-c", tour, where=tmp_path)
    assert said.startswith('"playing"\n')
    assert said.endswith('"fsync"\n')


def test_with_python(server: Server, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _said("python", server)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "'type': 'offer_to" in done.stdout
    assert done.stdout.strip().endswith("fsync")


def test_with_typescript(server: Server, tmp_path: Path) -> None:
    for name in ("kleos.ts", "tsconfig.json"):
        shutil.copy(OPENAPI / "typescript" / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(OPENAPI / "node_modules")
    (tmp_path / "first.ts").write_text(_said("ts", server))
    tool("tsc", "-p", ".", where=tmp_path)
    assert run("node", "first.js", where=tmp_path).startswith("playing [")
