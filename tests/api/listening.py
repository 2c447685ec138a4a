"""A reader of live streams, on the standard library: what any client can do."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.scenarios.client import Client

SSE = "text/event-stream"
LINES = "application/x-ndjson"
PATIENCE = 20.0
"""Seconds within which a stream has to say what is expected of it."""


class Frame(NamedTuple):
    """One thing that a stream said: an ``event``, a ``reset``, an ``end``, a ``heartbeat`` or a ``retry``."""

    kind: str
    content: Any = None
    cursor: str | None = None


class Stream:
    """One open stream; iterate over its frames. ``headers`` are those of the answer."""

    def __init__(self, client: Client, path: str, accept: str = SSE, **headers: str) -> None:
        self._deadline = time.monotonic() + PATIENCE
        self._wire = http.client.HTTPConnection(urlsplit(client.url).netloc, timeout=PATIENCE)
        sent = {"Accept": accept} | {name.replace("_", "-"): value for name, value in headers.items()}
        if client.token:
            sent["Authorization"] = f"Bearer {client.token}"
        self._wire.request("GET", path, headers=sent)
        self._answer = self._wire.getresponse()
        self.status = self._answer.status
        self.headers = {name.lower(): value for name, value in self._answer.getheaders()}
        self._frames = self._lines() if accept == LINES else self._server_sent()

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        assert time.monotonic() < self._deadline, "nothing but heartbeats"
        return next(self._frames)

    def until(self, kind: str) -> list[Frame]:
        """All frames up to the first of a kind, that one included."""
        got = []
        for frame in self:
            got.append(frame)
            if frame.kind == kind:
                return got
        raise AssertionError(f"the stream ended without {kind}: {got[-3:]}")

    def items(self, number: int) -> list[Any]:
        """The next events, so many of them, whatever is said between."""
        got: list[Any] = []
        while len(got) < number:
            frame = next(self)
            assert frame.kind in ("event", "heartbeat", "retry"), frame
            if frame.kind == "event":
                got.append(frame.content)
        return got

    def close(self) -> None:
        self._answer.close()
        self._wire.close()

    def _lines(self) -> Iterator[Frame]:
        for line in self._answer:
            if line == b"\n":
                yield Frame("heartbeat")
                continue
            said = json.loads(line)
            kind = "event" if "event" in said else next(iter(said))
            yield Frame(kind, said if kind == "event" else said[kind])

    def _server_sent(self) -> Iterator[Frame]:
        fields: dict[str, str] = {}
        for raw in self._answer:
            line = raw.decode().rstrip("\n")
            name, _, value = line.partition(":")
            if line:
                fields[name] = value.removeprefix(" ")
            elif fields:
                yield _frame(fields)
                fields = {}


def _frame(fields: dict[str, str]) -> Frame:
    if "event" in fields:
        return Frame(fields["event"], json.loads(fields["data"]), fields.get("id"))
    return Frame("retry", int(fields["retry"])) if "retry" in fields else Frame("heartbeat")


def versions(items: list[Any]) -> list[int]:
    return [each["event"]["version"] for each in items]
