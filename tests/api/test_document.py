"""The published document is what the code says, and says everything."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleos.api.app import create_litestar, describe
from kleos.api.codes import PROBLEMS
from kleos.api.components import references
from kleos.api.document import operations
from kleos.api.publish import own_games
from kleos.api.settings import Settings

PUBLISHED = Path(__file__).resolve().parents[2] / "openapi" / "openapi.json"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(describe(own_games()))
    return found


def test_the_published_document_is_what_the_code_says() -> None:
    assert PUBLISHED.read_bytes() == describe(own_games()), "run `kleos openapi`"


def test_every_path_but_the_assets_is_in_the_document(document: dict[str, Any]) -> None:
    paths = {route.path_format for route in create_litestar(Settings()).routes}
    assert paths - set(document["paths"]) == {"/static/{name}"}


def test_every_operation_is_told_in_words(document: dict[str, Any]) -> None:
    for path, _, handler, operation in operations(create_litestar(Settings())):
        assert operation.summary, path
        assert handler.fn.__doc__, path
    for methods in document["paths"].values():
        for operation in methods.values():
            assert all(each["description"] for each in operation["parameters"])


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    known = {
        f"#/components/{kind}/{name}" for kind, found in document["components"].items() for name in found
    }
    assert references(document) <= known


def test_moves_are_told_apart_by_their_type(document: dict[str, Any]) -> None:
    move = document["components"]["schemas"]["IliadMove"]
    assert move["discriminator"]["propertyName"] == "type"
    assert set(move["discriminator"]["mapping"]) >= {"place", "attack", "pass"}


def test_no_name_of_the_document_comes_from_the_code(document: dict[str, Any]) -> None:
    """Generators make classes of names and titles: module paths and numbers are noise, two alike clash."""
    for name, schema in document["components"]["schemas"].items():
        assert name.isalpha(), name
        assert schema["title"] == name


def test_whatever_is_sent_has_limits(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    bodies = [
        operation["requestBody"]
        for methods in document["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    ]
    reached: set[str] = set()
    waiting = references(bodies)
    while waiting:
        reached |= waiting
        waiting = {ref for each in waiting for ref in references(schemas[each.rpartition("/")[2]])} - reached
    for each in reached:
        assert list(_unlimited(schemas[each.rpartition("/")[2]])) == [], each


def _unlimited(schema: Any) -> Iterator[Any]:
    """Strings and arrays of any length."""
    if isinstance(schema, list):
        for each in schema:
            yield from _unlimited(each)
    if isinstance(schema, dict):
        limits = {"string": {"maxLength", "pattern"}, "array": {"maxItems"}}.get(str(schema.get("type")))
        if limits is not None and not limits & schema.keys():
            yield schema
        for each in schema.values():
            yield from _unlimited(each)


def test_request_bodies_refuse_what_they_do_not_know(document: dict[str, Any]) -> None:
    for name in ("NewPlayer", "NewMatch", "NewSeat", "IliadPlay", "IliadPlace"):
        assert document["components"]["schemas"][name]["additionalProperties"] is False, name


def test_every_refusal_is_a_problem(document: dict[str, Any]) -> None:
    statuses = {str(kind.status) for kind in PROBLEMS.values()}
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if status in statuses:
                    assert list(answer["content"]) == ["application/problem+json"]
                else:
                    assert status in {"200", "201", "202", "204", "304"}
