"""The running server against its own document, by schemathesis: every operation, valid and invalid input."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scenarios.server import Server

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
CASES = 5000
"""As many at least are sent."""


def test_the_server_does_what_the_document_says(server: Server, tmp_path: Path, seed: int) -> None:
    """Every check on every operation in every phase; what is said to it beforehand is in fitting.py."""
    done = subprocess.run(
        [
            *(
                str(Path(sys.executable).with_name("schemathesis")),
                "--config-file",
                HERE / "schemathesis.toml",
            ),
            *("run", f"{server.url}/openapi.json", "--checks", "all", "--max-examples", "25"),
            *("--seed", str(seed)),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "CONTRACT_SERVER": server.url,
            "PYTHONPATH": str(HERE),
            "SCHEMATHESIS_HOOKS": "fitting",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    sent = re.search(r"(\d+) generated", done.stdout)
    assert sent is not None
    assert int(sent[1]) >= CASES
    assert "Traceback" not in server.output.read_text()
