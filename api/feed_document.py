"""The AsyncAPI document of the event streams: what is sent, in which frames, and how a client comes back.

Made of the types that the streams are written with; the events themselves are described once, in the OpenAPI
document beside this one.
"""

from __future__ import annotations

import inspect
from importlib.metadata import version
from typing import Any, Final

import msgspec

from kleos.api.framing import LINES, SERVER_SENT, End, Reset

DESCRIPTION: Final = """\
The events of a match as they happen. The cursor is the version: open the stream with `after`, or with
`Last-Event-ID`, and everything later is sent in order, none missing and none twice, first what was missed and
then what happens. An event is sent only when it is on disk.

The same frames come as server-sent events (`Accept: text/event-stream`) and as lines of JSON
(`Accept: application/x-ndjson`). A comment, or an empty line, is a heartbeat.
"""
ITEM: Final = {"$ref": "./openapi.json#/components/schemas/Item"}
FRAMES: Final = ("event", "reset", "end")


def document() -> dict[str, Any]:
    """The document, AsyncAPI 3.0."""
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
        "channels": {"events": _channel()},
        "operations": {"follow": _operation()},
        "components": {
            "messages": {name: _message(name) for name in FRAMES},
            "schemas": {"Reset": _schema(Reset), "End": _schema(End)},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _channel() -> dict[str, Any]:
    return {
        "address": "/v1/matches/{match}/events",
        "title": "The log of a match, live",
        "parameters": {"match": {"description": "The id of the match."}},
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in FRAMES},
        "bindings": {"http": {}},
    }


def _operation() -> dict[str, Any]:
    query = {"after": {"type": "integer", "minimum": 0}, "live": {"type": "boolean", "default": True}}
    return {
        "action": "receive",
        "channel": {"$ref": "#/channels/events"},
        "summary": f"Follow a match as `{SERVER_SENT.media}` or `{LINES.media}`.",
        "bindings": {"http": {"method": "GET", "query": {"type": "object", "properties": query}}},
        "messages": [{"$ref": f"#/channels/events/messages/{name}"} for name in FRAMES],
    }


def _message(name: str) -> dict[str, Any]:
    payload = {
        "event": ITEM,
        "reset": {"$ref": "#/components/schemas/Reset"},
        "end": {"$ref": "#/components/schemas/End"},
    }[name]
    told = {
        "event": "One event, with the sealed parts that you may have. `id` is its version, the cursor.",
        "reset": _told(Reset),
        "end": _told(End),
    }[name]
    return {"name": name, "title": name.capitalize(), "description": told, "payload": payload}


def _told(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").split())


def _schema(kind: type) -> dict[str, Any]:
    (_,), components = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    schema: dict[str, Any] = components[kind.__name__]
    return schema


def published() -> bytes:
    """The document in the bytes that are published."""
    pretty: bytes = msgspec.json.format(msgspec.json.encode(document()), indent=2)
    return pretty + b"\n"
