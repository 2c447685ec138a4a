"""The game of docs/adding-a-game.md is a game, and the page shows it as it is."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from kleos.core.kernel import conform

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "examples" / "nim" / "nim.py"


@pytest.fixture(scope="module")
def nim() -> Any:
    spec = importlib.util.spec_from_file_location("nim", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["nim"] = module
    spec.loader.exec_module(module)
    yield module.NIM
    del sys.modules["nim"]


def test_nim_conforms(nim: Any) -> None:
    report = conform.check(nim, options=[{}, {"heaps": [1]}, {"heaps": [9, 9, 9]}])
    assert not report.failures, report.failures


def test_the_page_shows_the_code_as_it_is() -> None:
    page = (ROOT / "docs" / "adding-a-game.md").read_text()
    source = SOURCE.read_text()
    shown = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown
    for block in shown:
        for part in block.strip("\n").split("\n\n"):
            assert part in source or "conform" in block, f"not in nim.py:\n{part}"
