#!/usr/bin/env python3
"""The project's commands, each complete in itself on a machine with only Python and git.

    python3 dev.py serve [ARGS]     start the server; so with every command of kleos: play, bench, ...
    python3 dev.py test [ARGS]      run the tests; arguments go to pytest
    python3 dev.py check            format, lint, types, import direction: what CI checks before any test
    python3 dev.py mutants [ARGS]   what the tests of the verifier do not notice; long, before a release

Makes `.venv` on first use and again whenever pyproject.toml, the interpreter or the folder changes. It knows
the standard library and pyproject.toml, nothing of the code it installs.
"""

# The syntax of this file stays that of Python 3.6, so that an old interpreter reaches the next lines.
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever starts this with an older one shall be told
    sys.exit(f"kleos needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable})")

import hashlib
import json
import os
import shlex
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "installed.json"
SIDE_BY_SIDE = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")
"""Each process of the tests starts a server and a store of its own: a few are faster, many are not."""
CHECKS = (
    ("ruff", "format", "--check", "--quiet", "."),
    ("ruff", "check", "--quiet", "."),
    ("mypy", "-p", "kleos"),
    ("mypy", "tests", "examples", "dev.py"),
    ("pyright",),
    ("lint-imports", "--no-logo"),
)


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print((__doc__ or "").strip())
        return 0 if arguments else 2
    if arguments[0] == "check":
        install("test", "check")
        return check()
    if arguments[0] == "test":
        install("test")
        os.chdir(ROOT)
        return become("python", "-m", "pytest", *SIDE_BY_SIDE, *arguments[1:])
    if arguments[0] == "mutants":
        install("test")
        os.chdir(ROOT)
        return become("python", "-m", "tests.mutation.run", *arguments[1:])
    install()
    # Lines to paste that kleos prints shall begin as this one did.
    os.environ["_KLEOS_CALLED"] = shlex.join((Path(sys.orig_argv[0]).name, sys.argv[0]))
    return become("kleos", *arguments)


def check() -> int:
    """Run every check, the later ones too when one fails; say how long each took."""
    os.chdir(ROOT)
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    failed = 0
    for command in CHECKS:
        began = time.monotonic()
        ended = subprocess.run(
            (VENV / "bin" / command[0], *command[1:]), env={**os.environ, "PATH": path}, check=False
        )
        verdict = "ok" if ended.returncode == 0 else "FAILED"
        print(f"{verdict:>6} {time.monotonic() - began:5.1f} s  {' '.join(command)}", flush=True)
        failed += ended.returncode != 0
    return 1 if failed else 0


def become(command: str, *arguments: str) -> NoReturn:
    """Turn this process into a program of the environment: its signals and exit status are ours."""
    sys.stdout.flush()
    program = str(VENV / "bin" / command)
    os.execv(program, [program, *arguments])


def install(*groups: str) -> None:
    """See to it that the environment holds the project (editable), its dependencies, and those of ``groups``.

    One process installs at a time, the others wait. The stamp is written last: an installation that was
    interrupted has none and is begun again from nothing.
    """
    try:
        import fcntl  # noqa: PLC0415 - the commands that need no lock say so better than a missing module
    except ImportError:
        sys.exit("kleos runs on Linux and macOS; on Windows use the Windows Subsystem for Linux")
    with (ROOT / "pyproject.toml").open("rb") as project:
        fcntl.flock(project, fcntl.LOCK_EX)
        text = project.read()
        found = installed()
        wanted = fingerprint(text)
        fresh = found.get("fingerprint") == wanted
        present = set(found.get("groups", ())) if fresh else set()
        if fresh and present.issuperset(groups):
            return
        if not fresh:
            make_environment()
        pip("install", "--editable", str(ROOT), *requirements(text, groups))
        record = json.dumps({"fingerprint": wanted, "groups": sorted(present.union(groups))})
        draft = STAMP.with_suffix(".new")
        draft.write_text(record)
        draft.replace(STAMP)


def installed() -> dict[str, Any]:
    """The stamp of the last complete installation; empty if there is none."""
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def fingerprint(project: bytes) -> str:
    """What an environment depends on: the project file, the interpreter, the folder (paths are full)."""
    parts = (project, sys.version.encode(), os.fsencode(sys.base_prefix), os.fsencode(ROOT))
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def requirements(project: bytes, groups: tuple[str, ...]) -> list[str]:
    """The requirements of dependency groups (PEP 735), read here: pip before 25.1 cannot."""
    table = tomllib.loads(project.decode())["dependency-groups"]
    return [requirement for group in groups for requirement in table[group]]


def make_environment() -> None:
    say(f"making {VENV.name} (once, about half a minute)")
    ended = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        said = (ended.stderr + ended.stdout).strip().splitlines()
        hint = "on Debian and Ubuntu it is a package of its own: apt-get install python3-venv"
        sys.exit(f"Python's venv module does not work here ({hint}): {said[-1] if said else 'no message'}")


def pip(*arguments: str) -> None:
    ended = subprocess.run(
        [VENV / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        said = ended.stderr.strip().splitlines() or ["no message"]
        error = next((line for line in said if line.startswith("ERROR")), said[-1])
        unreachable = "connection" in ended.stderr.lower() or "resolve" in ended.stderr.lower()
        hint = " (no package index within reach: is there a network?)" if unreachable else ""
        sys.exit(f"could not install the dependencies{hint}: {error}")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
