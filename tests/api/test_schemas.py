"""The schemas of games are JSON Schema, whatever the types say in Python."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kleos.api.schemas import ended, game_schemas
from kleos.core.kernel.registry import current


def patterns(schema: Any) -> Iterator[str]:
    """Every ``pattern`` in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from patterns(each)


def test_patterns_end_as_ecma_262_has_it() -> None:
    found = set(patterns(game_schemas(current("cyclades"))))
    assert found
    assert all(each.startswith("^") and each.endswith("$") for each in found)


@pytest.mark.parametrize("pattern", [r"^a\Z", "^a$", "^a"])
def test_only_the_end_of_a_pattern_is_said_otherwise(pattern: str) -> None:
    assert re.search(ended(pattern), "a")
    assert ended(pattern) == pattern.replace(r"\Z", "$")
