"""The page of rules, the code and the tests belong together: nothing cited is unwritten, nothing untested."""

import ast
import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "rules" / "iliad.md").read_text()
PARAGRAPHS = re.findall(r"^- \*\*([0-9CR][0-9.-]*)\*\* ", PAGE, re.MULTILINE)
ROWS = re.findall(r"^\| ([0-9CR][0-9.-]*) \| `([\w.]+)` \| (.+) \|$", PAGE, re.MULTILINE)


def cited() -> set[str]:
    """The paragraphs that effects and refusals of the code name."""
    modules = (ROOT / "core" / "iliad").glob("*.py")
    return {
        rule for module in modules for rule in re.findall(r'"iliad\.([0-9CR][0-9.-]*)"', module.read_text())
    }


def written() -> set[str]:
    """The names of all tests of this folder."""
    return {
        node.name
        for module in Path(__file__).parent.glob("test_*.py")
        for node in ast.parse(module.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_paragraph_that_code_cites_is_written() -> None:
    assert {"4.1", "C-05", "R-09"} <= cited()
    assert cited() - set(PARAGRAPHS) == set()


def test_every_paragraph_has_its_code_and_its_tests() -> None:
    assert len(PARAGRAPHS) == len(set(PARAGRAPHS)) > 100
    assert [paragraph for paragraph, _, _ in ROWS] == PARAGRAPHS


def test_the_code_that_the_table_names_exists() -> None:
    for _, place, _ in ROWS:
        module, *names = place.split(".")
        found = importlib.import_module(f"kleos.core.iliad.{module}")
        for name in names:
            found = getattr(found, name)


def test_the_tests_that_the_table_names_exist() -> None:
    named = {name for _, _, names in ROWS for name in re.findall(r"`(\w+)`", names)}
    assert named - written() == set()
