"""How a stream is written down: server-sent events, or lines of JSON. The same frames, the same cursor.

A stream consists of items, which carry the cursor, and of signs about itself. Those that every stream has:

* a heartbeat, when there was nothing else to say for a while;
* ``reset``: the cursor cannot be served; forget what you have;
* ``end``: why the stream ends, and whether to come back with the cursor.

Knows bytes only.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

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


class Lines:
    """``application/x-ndjson``: an item a line; a sign is an object with its name as only key."""

    media: Final = "application/x-ndjson"

    def opening(self) -> bytes:
        return b""

    def item(self, cursor: str, encoded: bytes) -> bytes:  # noqa: ARG002 - it is in the item
        return encoded + b"\n"

    def heartbeat(self) -> bytes:
        return b"\n"

    def sign(self, name: str, content: Any, cursor: str | None = None) -> bytes:  # noqa: ARG002 - as above
        return msgspec.json.encode({name: content}) + b"\n"

    def is_end(self, line: bytes) -> bool:
        """Whether a line is the sign of the end, for whoever reads a stream that was kept."""
        return line.startswith(b'{"end":')


class ServerSent:
    """``text/event-stream`` (WHATWG HTML): ``EventSource`` comes back with the cursor by itself."""

    media: Final = "text/event-stream"

    def opening(self) -> bytes:
        low, high = RETRY
        return b"retry: %d\n\n" % (low + secrets.randbelow(high - low + 1))

    def item(self, cursor: str, encoded: bytes) -> bytes:
        return b"id: %b\nevent: event\ndata: %b\n\n" % (cursor.encode(), encoded)

    def heartbeat(self) -> bytes:
        return b":\n\n"

    def sign(self, name: str, content: Any, cursor: str | None = None) -> bytes:
        """With a ``cursor``, that is what the client comes back with from now on."""
        place = b"" if cursor is None else b"id: %b\n" % cursor.encode()
        return b"%bevent: %b\ndata: %b\n\n" % (place, name.encode(), msgspec.json.encode(content))


Framing = Lines | ServerSent

LINES: Final = Lines()
SERVER_SENT: Final = ServerSent()
FRAMINGS: Final[dict[str, Framing]] = {each.media: each for each in (LINES, SERVER_SENT)}
