"""The document of the event streams is what the code says, and says what is sent."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleos.api.feed_document import document, published
from kleos.api.framing import End, Reset
from kleos.api.news import NewsCursor, NewsEnd, NewsReset
from kleos.projections.news import NewsItem, Present
from tests.scenarios.client import Client

OPENAPI = Path(__file__).resolve().parents[2] / "openapi"


def test_the_published_document_is_what_the_code_says() -> None:
    assert (OPENAPI / "asyncapi.json").read_bytes() == published(), "run `kleos openapi --events`"


@pytest.mark.parametrize(
    ("message", "fields"), [("event", {"event", "opened"}), ("news", set(NewsItem.__struct_fields__))]
)
def test_items_are_described_by_the_document_beside_it(message: str, fields: set[str]) -> None:
    file, _, pointer = document()["components"]["messages"][message]["payload"]["$ref"].partition("#/")
    found = msgspec.json.decode((OPENAPI / file).read_bytes())
    for step in pointer.split("/"):
        found = found[step]
    assert fields <= set(found["properties"])


@pytest.mark.parametrize("kind", [Reset, End, Present, NewsCursor, NewsReset, NewsEnd])
def test_the_signs_are_described_as_they_are_written(kind: Any) -> None:
    schemas = document()["components"]["schemas"]
    assert list(schemas[kind.__name__]["properties"]) == list(kind.__struct_fields__)


def test_the_server_shows_it(stranger: Client) -> None:
    assert stranger.get(stranger.get("/")["links"]["asyncapi"]) == document()
