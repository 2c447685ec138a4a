"""The tools outside Python that read the published document: npm's packages as openapi/ pins them."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

OPENAPI = Path(__file__).resolve().parents[2] / "openapi"
DOCUMENT = OPENAPI / "openapi.json"
_INSTALLED = OPENAPI / "node_modules" / ".package-lock.json"
_LOCK = OPENAPI / "package-lock.json"


def install() -> None:
    """Put the pinned packages into openapi/node_modules, unless they are there already.

    Tests run side by side: one process installs, the others wait.
    """
    with _LOCK.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _INSTALLED.exists() and _INSTALLED.stat().st_mtime >= _LOCK.stat().st_mtime:
            return
        assert shutil.which("npm"), "these tests need Node.js 20 or newer with npm; .ci/run installs it"
        run("npm", "ci", "--no-progress", where=OPENAPI)
        _INSTALLED.touch()


def run(*command: str, where: Path) -> str:
    """Run a command that must succeed; everything it said."""
    done = subprocess.run(
        command,
        cwd=where,
        env={**os.environ, "NO_COLOR": "1", "OPTIC_TELEMETRY_LEVEL": "off"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:]
    return done.stdout


def tool(name: str, *arguments: str, where: Path = OPENAPI) -> str:
    """Run one of the installed tools."""
    install()
    return run(str(OPENAPI / "node_modules" / ".bin" / name), *arguments, where=where)
