"""The AsyncAPI document of the live streams: what is sent, in which frames, and how a client comes back.

Made of the types that the streams are written with; what stands in the OpenAPI document beside this one is
described there, once.
"""

from __future__ import annotations

import inspect
from importlib.metadata import version
from typing import Any, Final

import msgspec
from msgspec import Struct

from kleos.api.framing import LINES, SERVER_SENT, End, Reset
from kleos.api.news import NewsCursor, NewsEnd, NewsReset
from kleos.projections.news import NewsItem, Present

DESCRIPTION: Final = """\
Two streams: the events of a match as they happen, and what a player is told over all their matches. Open one
with its cursor, as a parameter or as `Last-Event-ID`, and everything later is sent in order, none missing and
none twice, first what was missed and then what happens. What is sent is on disk.

The same frames come as server-sent events (`Accept: text/event-stream`) and as lines of JSON
(`Accept: application/x-ndjson`). A comment, or an empty line, is a heartbeat.
"""
_OPENAPI: Final = "./openapi.json#/components/schemas/"
_SCHEMAS: Final = "#/components/schemas/"


class Frame(Struct, frozen=True):
    """One kind of frame. ``content`` is the type of what it carries, ``schema`` where that is described."""

    name: str
    title: str
    content: type | None
    schema: str
    told: str

    @classmethod
    def of(cls, name: str, content: type, *, published: bool = False) -> Frame:
        """A frame that carries a type, ``published`` in the OpenAPI document or described here."""
        schema = (_OPENAPI if published else _SCHEMAS) + content.__name__
        title = " ".join(name.split("_")).capitalize()
        told = " ".join((inspect.getdoc(content) or "").split())
        return cls(name, title, None if published else content, schema, told)


class Channel(Struct, frozen=True):
    """A stream: its address, its cursor's parameter, and its frames by their names on the wire."""

    address: str
    title: str
    summary: str
    cursor: dict[str, Any]
    frames: dict[str, Frame]
    parameters: dict[str, Any] = {}


CHANNELS: Final = {
    "events": Channel(
        "/v1/matches/{match}/events",
        "The log of a match, live",
        "Follow a match",
        {"after": {"type": "integer", "minimum": 0}},
        {
            "event": Frame(
                "event",
                "Event",
                None,
                f"{_OPENAPI}Item",
                "One event, with the sealed parts that you may have. `id` is its version, the cursor.",
            ),
            "reset": Frame.of("reset", Reset),
            "end": Frame.of("end", End),
        },
        {"match": {"description": "The id of the match."}},
    ),
    "news": Channel(
        "/v1/players/me/news",
        "What a player is told, live",
        "Be told of your turns",
        {"since": {"type": "string"}},
        {
            "news": Frame.of("news", NewsItem, published=True),
            "present": Frame.of("present", Present),
            "cursor": Frame.of("news_cursor", NewsCursor),
            "reset": Frame.of("news_reset", NewsReset),
            "end": Frame.of("news_end", NewsEnd),
        },
    ),
}


def document() -> dict[str, Any]:
    """The document, AsyncAPI 3.0."""
    frames = [frame for channel in CHANNELS.values() for frame in channel.frames.values()]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Kleos event streams",
            "version": version("kleos"),
            "description": DESCRIPTION,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": "127.0.0.1:8000",
                "protocol": "http",
                "description": "As `kleos serve` starts it.",
                "security": [{"$ref": "#/components/securitySchemes/token"}],
            }
        },
        "channels": {name: _channel(channel) for name, channel in CHANNELS.items()},
        "operations": {f"follow_{name}": _operation(name, channel) for name, channel in CHANNELS.items()},
        "components": {
            "messages": {frame.name: _message(frame) for frame in frames},
            "schemas": _schemas([frame.content for frame in frames if frame.content is not None]),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _channel(channel: Channel) -> dict[str, Any]:
    out: dict[str, Any] = {
        "address": channel.address,
        "title": channel.title,
        "messages": {
            name: {"$ref": f"#/components/messages/{frame.name}"} for name, frame in channel.frames.items()
        },
        "bindings": {"http": {}},
    }
    return out | ({"parameters": channel.parameters} if channel.parameters else {})


def _operation(name: str, channel: Channel) -> dict[str, Any]:
    query = {**channel.cursor, "live": {"type": "boolean", "default": True}}
    return {
        "action": "receive",
        "channel": {"$ref": f"#/channels/{name}"},
        "summary": f"{channel.summary} as `{SERVER_SENT.media}` or `{LINES.media}`.",
        "bindings": {"http": {"method": "GET", "query": {"type": "object", "properties": query}}},
        "messages": [{"$ref": f"#/channels/{name}/messages/{frame}"} for frame in channel.frames],
    }


def _message(frame: Frame) -> dict[str, Any]:
    payload = {"$ref": frame.schema}
    return {"name": frame.name, "title": frame.title, "description": frame.told, "payload": payload}


def _schemas(kinds: list[type]) -> dict[str, Any]:
    _, components = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS + "{name}")
    found: dict[str, Any] = components
    return found


def published() -> bytes:
    """The document in the bytes that are published."""
    pretty: bytes = msgspec.json.format(msgspec.json.encode(document()), indent=2)
    return pretty + b"\n"
