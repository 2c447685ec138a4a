"""How a stream is written down: server-sent events, or lines of JSON. The same frames, the same cursor.

A stream consists of items, which carry their version as the cursor, and of three signs about itself:

* a heartbeat, when there was nothing else to say for a while;
* ``reset``: the cursor cannot be served; forget what you have, the log is told again from its first event;
* ``end``: why the stream ends, and whether to come back with the cursor.

Knows bytes only.
"""

from __future__ import annotations

import secrets
from typing import Final, Protocol

import msgspec
from msgspec import Struct

RETRY: Final = (1000, 3000)
"""Milliseconds after which a client should come back, by chance: not all at once."""


class Reset(Struct, frozen=True):
    """The cursor cannot be served: the log has ``version`` events and is told again from the first."""

    reason: str
    version: int


class End(Struct, frozen=True):
    """Why the stream ends after event ``version``; ``reconnect``: whether to come back with that cursor."""

    reason: str
    version: int
    reconnect: bool


class Framing(Protocol):
    """One way of writing a stream down."""

    @property
    def media(self) -> str: ...

    def opening(self) -> bytes:
        """What comes first."""

    def item(self, version: int, encoded: bytes) -> bytes:
        """An event; ``version`` is the cursor from which to go on after it."""

    def heartbeat(self) -> bytes: ...

    def reset(self, sign: Reset) -> bytes: ...

    def end(self, sign: End) -> bytes: ...


class Lines:
    """``application/x-ndjson``: an item a line; a sign is an object with its name as only key."""

    media: Final = "application/x-ndjson"

    def opening(self) -> bytes:
        return b""

    def item(self, version: int, encoded: bytes) -> bytes:  # noqa: ARG002 - it is in the item
        return encoded + b"\n"

    def heartbeat(self) -> bytes:
        return b"\n"

    def reset(self, sign: Reset) -> bytes:
        return msgspec.json.encode({"reset": sign}) + b"\n"

    def end(self, sign: End) -> bytes:
        return msgspec.json.encode({"end": sign}) + b"\n"

    def is_end(self, line: bytes) -> bool:
        """Whether a line is the sign of the end, for whoever reads a stream that was kept."""
        return line.startswith(b'{"end":')


class ServerSent:
    """``text/event-stream`` (WHATWG HTML): ``EventSource`` comes back with the cursor by itself."""

    media: Final = "text/event-stream"

    def opening(self) -> bytes:
        low, high = RETRY
        return b"retry: %d\n\n" % (low + secrets.randbelow(high - low + 1))

    def item(self, version: int, encoded: bytes) -> bytes:
        return b"id: %d\nevent: event\ndata: %b\n\n" % (version, encoded)

    def heartbeat(self) -> bytes:
        return b":\n\n"

    def reset(self, sign: Reset) -> bytes:
        return b"id: 0\nevent: reset\ndata: %b\n\n" % msgspec.json.encode(sign)

    def end(self, sign: End) -> bytes:
        return b"event: end\ndata: %b\n\n" % msgspec.json.encode(sign)


LINES: Final = Lines()
SERVER_SENT: Final = ServerSent()
