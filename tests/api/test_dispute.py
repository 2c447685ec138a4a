"""The dispute of docs/proof.md can be repeated as it stands, from the files in examples/."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from dispute import files

from kleos.api.command import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "proof.md").read_text()
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
QUESTIONS = [each for each in BLOCKS if each.startswith("$ kleos explain")]


def test_the_examples_are_what_the_rules_make_of_them() -> None:
    for name, data in files().items():
        written = (ROOT / "examples" / name).read_bytes()
        assert written == data, "write it anew: PYTHONPATH=tests/games python tests/games/dispute.py examples"


@pytest.mark.parametrize("block", QUESTIONS, ids=range(len(QUESTIONS)))
def test_the_page_says_what_the_command_says(
    block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command, *lines = block.splitlines()
    main(shlex.split(command.removeprefix("$ kleos ")))
    said = iter(capsys.readouterr().out.splitlines())
    for line in lines:
        assert line == "…" or line in said, f"{line!r} does not come next"


def test_there_are_questions_on_the_page() -> None:
    assert len(QUESTIONS) == 4
