"""The table at the end of ``docs/rules/cyclades.md`` has no gap, and what it names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs/rules/cyclades.md").read_text()
SOURCES = "\n".join(path.read_text() for path in sorted((ROOT / "core/cyclades").rglob("*.py")))
TESTS = set(
    re.findall(
        r"^def (test_\w+)",
        "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py"))),
        re.MULTILINE,
    )
)
CASES = (
    *(1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38),
    *(40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 74, 76),
    *(77, 79, 80, 82, 83, 85, 86, 88, 89, 91, 92, 94, 95, 97, 98, 100, 101, 103, 104, 106, 107),
)


class Row(NamedTuple):
    rule: str
    code: list[str]
    tests: list[str]


def rows() -> Iterator[Row]:
    _, _, table = DOCUMENT.partition("## Where each rule lives")
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0] not in ("rule", "---"):
            yield Row(cells[0], re.findall(r"`([\w.]+)`", cells[1]), cells[2].split(", "))


ROWS = {row.rule: row for row in rows()}


def test_every_numbered_rule_has_a_row() -> None:
    paragraphs = re.findall(r"^## (\d+)\. ", DOCUMENT, re.MULTILINE)
    numbered = [
        *re.findall(r"\*\*(\d+\.\d|S\d)\b", DOCUMENT),
        *re.findall(r"^\| ([CR]-\d\d) ", DOCUMENT, re.MULTILINE),
    ]
    whole = {each for each in paragraphs if each not in ("9", "10", "12", "14", "19", "20", "21")}
    assert ROWS.keys() == whole | set(numbered)
    assert {f"C-{number:02}" for number in range(1, 61)} <= ROWS.keys()
    assert {f"R-{number:02}" for number in range(1, 28)} <= ROWS.keys()


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.rule)
def test_code_and_tests_of_a_rule_exist(row: Row) -> None:
    assert row.code
    for name in row.code:
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(f"kleos.core.cyclades.{module}"), attribute), name
    assert row.tests
    for test in row.tests:
        if test.startswith("case "):
            assert any(each.startswith(f"test_case_{int(test[5:]):03}_") for each in TESTS), test
        else:
            assert test.strip("`") in TESTS, test


def test_every_rule_the_code_cites_is_written_down() -> None:
    cited = set(re.findall(r'"cyclades\.([\w.-]+)"', SOURCES)) - {"bots"}
    refusals = (ROOT / "core/cyclades/refusals.py").read_text()
    cited |= set(re.findall(r'"((?:[CR]-\d\d)|\d+(?:\.\d)?)"', refusals))
    assert cited
    assert cited <= ROWS.keys()


def test_every_case_is_a_test() -> None:
    """Fault 117."""
    numbers = {int(test[10:13]) for test in TESTS if test.startswith("test_case_")}
    assert numbers == set(CASES)
