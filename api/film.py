"""Films: a match as frames, one a version, read from a server or from a file. Knows no terminal.

A frame shows what one seat, or a spectator, could see. A film of a match under way grows; what it has shown
stays as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Protocol

import msgspec
from msgspec import Raw, Struct

from kleos.api.client import JSON, Client
from kleos.api.framing import LINES
from kleos.core.kernel import EVERYTHING, Game, Viewer
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import audience
from kleos.core.match import OVER, Match, codec
from kleos.events.bundle import opening_of, unpack
from kleos.events.envelope import Damaged, Entry
from kleos.events.replay import replay
from kleos.projections.words import sentences

AnyGame = Game[Any, Any, Any]
_ZIP: Final = b"PK"


class Frame(Struct, frozen=True):
    """One version: what happened in its event, in sentences, and the table after it.

    ``head`` is the version whose state that is: an undo shows an earlier one. ``table`` is None before the
    start, and where the film does not hold what it takes to know it.
    """

    version: int
    head: int
    status: str
    kind: str
    words: tuple[str, ...]
    table: str | None


class Film(Protocol):
    """A match that can be looked at version by version."""

    title: str

    def length(self) -> int:
        """The newest version there is now."""
        ...

    def frame(self, version: int) -> Frame:
        """The frame of one version from 1 to ``length()``."""
        ...

    def over(self) -> bool:
        """Whether it will grow no more."""
        ...

    def undone(self) -> frozenset[int]:
        """The versions whose decisions are not in force at the newest version: they were taken back."""
        ...


class NoFilm(Exception):
    """There is nothing to be shown; the text says why."""


class ServedFilm:
    """A match on a server, as the client's player may see it through ``seat`` (None: its own, or none)."""

    def __init__(self, client: Client, match: str, seat: str | None) -> None:
        found = client.match(match)
        self._client = client
        self._match = match
        self._seat = seat
        self._game = pinned(found["rules"])
        self._version: int = found["version"]
        self._status: str = found["status"]
        self._read_only: bool = found["read_only"]
        self._items: list[JSON] = []
        self.title = f"{self._game.title}, match {match}" + " (a read-only copy)" * self._read_only

    def length(self) -> int:
        if not self.over():
            found = self._client.match(self._match)
            self._version, self._status = found["version"], found["status"]
        return self._version

    def over(self) -> bool:
        return self._opened() or self._read_only

    def _opened(self) -> bool:
        return self._status in OVER

    def undone(self) -> frozenset[int]:
        self._load(self._version)
        return undone([each["event"] for each in self._items[: self._version]])

    def _load(self, version: int) -> None:
        while len(self._items) < version:
            self._items += self._client.events(self._match, len(self._items))

    def frame(self, version: int) -> Frame:
        self._load(version)
        view = self._client.view(self._match, self._seat, at=version)
        item = self._items[version - 1]
        shown = view["state"] and self._game.table(view["state"], view["seat"], over=view["status"] in OVER)
        eyes = None if self._opened() else _audience_of(view["seat"])
        words = sentences(self._game, item["event"], item["opened"], eyes)
        head = _heads([each["event"] for each in self._items[:version]])[-1]
        return Frame(version, head, view["status"], item["event"]["kind"], words, shown)


class FileFilm:
    """The log of a match in a file: a bundle, or lines of ``GET …/events`` (``application/x-ndjson``)."""

    def __init__(self, path: Path, seat: str | None) -> None:
        self._items = read(path)
        events = [msgspec.json.decode(each.event) for each in self._items]
        self._events: list[JSON] = events
        self._game = pinned(events[0]["rules"])
        self._viewer = _viewer(seat)
        self._matches = self._folded()
        self.title = f"{self._game.title}, match {events[0]['match']} in {path.name}"

    def _folded(self) -> list[Match] | None:
        """Every version, if the file holds all that was hidden."""
        if any(
            set(event["sealed"]) != set(item.opened)
            for event, item in zip(self._events, self._items, strict=True)
        ):
            return None
        entries = (Entry(n, bytes(each.event), each.opened) for n, each in enumerate(self._items, start=1))
        try:
            return list(replay(entries))
        except Damaged as error:
            raise NoFilm(f"the file is damaged: {error}") from None

    def length(self) -> int:
        return len(self._items)

    def over(self) -> bool:
        return True

    def undone(self) -> frozenset[int]:
        return undone(self._events)

    def frame(self, version: int) -> Frame:
        event, item = self._events[version - 1], self._items[version - 1]
        opened = {name: msgspec.json.decode(raw) for name, raw in item.opened.items()}
        eyes = None if self._viewer.open else _audience_of(self._viewer.seat)
        words = sentences(self._game, event, opened, eyes)
        if self._matches is None:
            head = _heads(self._events[:version])[-1]
            return Frame(version, head, "playing", event["kind"], words, None)
        match = self._matches[version - 1]
        seen = codec(match.rules).view(match.state, self._viewer)
        shown = seen and self._game.table(seen, self._viewer.seat, over=match.opened)
        return Frame(version, match.head, match.status, event["kind"], words, shown)


class Item(Struct, frozen=True):
    """A line of the file."""

    event: Raw
    opened: dict[str, Raw]


def read(path: Path) -> list[Item]:
    """The events in a file; ``NoFilm`` if it is not the log of a match from its first event on."""
    try:
        items = _items(path.read_bytes())
        versions = [msgspec.json.decode(each.event)["version"] for each in items]
    except OSError as error:
        raise NoFilm(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise NoFilm(f"{path} is not the log of a match: {error}") from None
    if not items or versions != list(range(1, len(items) + 1)):
        raise NoFilm(f"{path} does not hold a match from its first event on")
    return items


def _items(data: bytes) -> list[Item]:
    """The events of a bundle or of a text; ``ValueError`` if it is neither."""
    if not data.startswith(_ZIP):
        lines = [each for each in data.splitlines() if each and not LINES.is_end(each)]
        return [msgspec.json.decode(each, type=Item) for each in lines]
    bundle = unpack(data)
    pairs = zip(bundle.events, bundle.openings, strict=True)
    return [Item(Raw(event), opening_of(openings)) for event, openings in pairs]


def _audience_of(seat: int | None) -> str:
    return "nobody" if seat is None else audience(seat)


def _viewer(seat: str | None) -> Viewer:
    if seat is None:
        return EVERYTHING
    return Viewer() if seat == "spectator" else Viewer(int(seat))


def _heads(events: list[JSON]) -> list[int]:
    """The head after each event: where an undo or redo moved it, or the event itself if it went on."""
    heads: list[int] = []
    for event in events:
        moved = [effect["to"] for effect in event["effects"] if effect["type"] == "head_moved"]
        if moved:
            heads.append(moved[-1])
        elif event["kind"] in ("create", "join", "leave", "start", "move"):
            heads.append(event["version"])
        else:
            heads.append(heads[-1])
    return heads


def undone(events: list[JSON]) -> frozenset[int]:
    """The versions of decisions that are not on the line which leads to the last head."""
    heads = _heads(events)
    decided_at = {
        event["version"]: before
        for event, before in zip(events, [0, *heads], strict=False)
        if event["kind"] == "move"
    }
    on_line, head = set(), heads[-1]
    while head in decided_at:
        on_line.add(head)
        head = decided_at[head]
    return frozenset(decided_at) - on_line
