"""The document of the event streams is what the code says, and says what is sent."""

from pathlib import Path

import msgspec

from kleos.api.feed_document import document, published
from kleos.api.framing import End, Reset
from tests.scenarios.client import Client

OPENAPI = Path(__file__).resolve().parents[2] / "openapi"


def test_the_published_document_is_what_the_code_says() -> None:
    assert (OPENAPI / "asyncapi.json").read_bytes() == published(), "run `kleos openapi --events`"


def test_events_are_described_by_the_document_beside_it() -> None:
    file, _, pointer = document()["components"]["messages"]["event"]["payload"]["$ref"].partition("#/")
    found = msgspec.json.decode((OPENAPI / file).read_bytes())
    for step in pointer.split("/"):
        found = found[step]
    assert {"event", "opened"} <= set(found["properties"])


def test_the_signs_are_described_as_they_are_written() -> None:
    schemas = document()["components"]["schemas"]
    for kind in (Reset, End):
        assert list(schemas[kind.__name__]["properties"]) == list(kind.__struct_fields__)


def test_the_server_shows_it(stranger: Client) -> None:
    assert stranger.get(stranger.get("/")["links"]["asyncapi"]) == document()
