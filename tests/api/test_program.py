"""Lines to paste begin as the command line that printed them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kleos.api.program import first_move, program

ROOT = Path(__file__).resolve().parents[2]
KLEOS = Path(sys.executable).with_name("kleos")


def said(*command: str | Path, where: Path) -> str:
    """What a command prints as an error."""
    ended = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 2
    return ended.stderr


def test_a_program_on_the_path_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [str(KLEOS), "serve"])
    monkeypatch.setenv("PATH", str(KLEOS.parent))
    assert program() == "kleos"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == os.path.relpath(KLEOS)


def test_a_program_that_is_not_kleos_does_not_name_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [__file__])
    assert program() == "kleos"


def test_what_dev_py_starts_names_dev_py_as_it_was_called(tmp_path: Path) -> None:
    names_itself = (
        "import sys; sys.argv = ['dev.py', 'play', 'new']; sys.orig_argv = ['/usr/bin/python3', 'dev.py']\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import dev, pathlib\n"
        "dev.install = lambda: None\n"
        f"dev.VENV = pathlib.Path({str(KLEOS.parents[1])!r})\n"
        "dev.main(['play', 'new'])\n"
    )
    assert "python3 dev.py play new iliad" in said(sys.executable, "-c", names_itself, where=tmp_path)


def test_the_first_line_opens_the_easiest_game() -> None:
    assert first_move(["cyclades", "iliad"], "http://h").endswith(
        " play new iliad --auto 1 --server http://h"
    )
    assert " play new nim " in first_move(["nim"], "http://h")
