"""The page of the faults that others had names, for each, tests that exist and name its number."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "field-reports.md"
ROWS = re.findall(r"^\| (\d+) \| [^|]+ \| (.*) \|$", PAGE.read_text(), re.MULTILINE)


@cache
def _functions(path: str) -> dict[str, str]:
    """The functions of a file: name and docstring by name."""
    tree = ast.parse((REPOSITORY / path).read_text())
    found = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {each.name: f"{each.name} {ast.get_docstring(each) or ''}" for each in found}


@pytest.mark.parametrize(("number", "tests"), ROWS, ids=[number for number, _ in ROWS])
def test_a_fault_has_its_tests(number: str, tests: str) -> None:
    named = re.findall(r"`(tests/[^`]+)` (\w+)", tests)
    assert named
    assert len(named) == tests.count("<br>") + 1
    for path, name in named:
        said = _functions(path)[f"test_{name}"]
        assert re.search(rf"\b[Ff]aults?_?.*(?<!\d){number}(?!\d)", said.replace("_", " ")), (path, name)


def test_every_fault_stands_once_and_in_order() -> None:
    numbers = [int(number) for number, _ in ROWS]
    assert numbers == sorted(set(numbers))
    assert len(numbers) > 50
