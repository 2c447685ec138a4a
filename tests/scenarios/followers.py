"""Clients of the live streams whose connections are cut again and again: what they heard in the end.

Each comes back with its cursor, in either form, with a parameter or with ``Last-Event-ID``.
"""

import asyncio
import json
import random
import time
from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import urlsplit

from tests.scenarios.client import Client, any_of

TIME = 120.0
"""Seconds in which everybody has to have heard everything."""


class Follower(ABC):
    """One client of one stream: ``items`` is what it was told; ``token`` is empty for a stranger."""

    parameter: str
    """What the cursor is called in a query."""

    def __init__(self, path: str, token: str) -> None:
        self.path = path
        self.token = token
        self.items: list[Any] = []
        self.cursor = ""
        self.connections = 0

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether all was heard that this client waits for."""

    @abstractmethod
    def said(self, frame: Any, line: bytes) -> None:
        """A frame came, in this line."""

    def line(self, line: bytes) -> None:
        """A line of either form."""
        said = line.removeprefix(b"data: ").strip()
        if said.startswith(b"{"):
            self.said(json.loads(said), line)

    def request(self, rng: random.Random) -> bytes:
        """Ask for the stream from where it was cut."""
        accept = rng.choice(("text/event-stream", "application/x-ndjson"))
        by_header = bool(self.cursor) and rng.random() < 0.5
        query = "" if by_header or not self.cursor else f"?{self.parameter}={self.cursor}"
        lines = [f"GET {self.path}{query} HTTP/1.1", "Host: kleos", f"Accept: {accept}"]
        if by_header:
            lines.append(f"Last-Event-ID: {self.cursor}")
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def follow(self, address: str, rng: random.Random) -> None:
        """Read until all is over, cutting the connection again and again; later after one in vain."""
        longest = 0.5
        while not self.over:
            self.connections += 1
            before = self.cursor
            try:
                async with asyncio.timeout(rng.uniform(0.01, longest)):
                    await self._read(address, rng)
            except (TimeoutError, OSError):
                pass
            longest = 0.5 if self.cursor != before else min(2 * longest, 10)

    async def _read(self, address: str, rng: random.Random) -> None:
        parts = urlsplit(address)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            writer.write(self.request(rng))
            async for line in reader:
                if line.endswith(b"\n"):
                    self.line(line)
                if self.connections == 1 and self.items:
                    return  # however fast the machine is, each is cut off once
        finally:
            writer.transport.abort()  # in the middle of whatever is under way


class MatchFollower(Follower):
    """Follows a match to its end; ``lines`` are what came, each with its time and version."""

    parameter = "after"

    def __init__(self, name: str, match: str, token: str) -> None:
        super().__init__(f"{match}/events", token)
        self.name = name
        self.match = match
        self.lines: list[tuple[float, int, bytes]] = []

    @property
    def over(self) -> bool:
        return bool(self.items) and _ends(self.items[-1]["event"])

    def said(self, frame: Any, line: bytes) -> None:
        if "event" in frame:
            self.items.append(frame)
            version = frame["event"]["version"]
            self.cursor = str(version)
            self.lines.append((time.monotonic(), version, line))


def _ends(event: dict[str, Any]) -> bool:
    return "match_ended" in {each["type"] for each in event["effects"]}


class NewsFollower(Follower):
    """Follows a player's news until so many matches are over."""

    parameter = "since"

    def __init__(self, client: Client, matches: int, since: str = "") -> None:
        super().__init__("/v1/players/me/news", client.token)
        self._matches = matches
        self.cursor = since or client.get(self.path)["cursor"]

    @property
    def over(self) -> bool:
        return [each["type"] for each in self.items].count("match.over") == self._matches

    def said(self, frame: Any, line: bytes) -> None:
        [content, *more] = frame.values()
        if not more and isinstance(content, dict):  # a line of JSON, of which an event is the content
            frame = content
        if "id" in frame:
            self.items.append(frame)
        self.cursor = frame.get("cursor", self.cursor)


def play_all(matches: dict[str, list[Client]], rng: random.Random) -> dict[str, float]:
    """Play every match to its end, a move here and a move there; when the last move of each was asked for."""
    playing, asked = list(matches), dict.fromkeys(matches, 0.0)
    while playing:
        match = rng.choice(playing)
        now = matches[match][0].get(match)
        if now["status"] != "playing":
            playing.remove(match)
            continue
        seat = rng.choice(now["to_act"])
        view, etag = matches[match][seat].view(match, seat)
        asked[match] = time.monotonic()
        matches[match][seat].move(match, seat, any_of(view["moves"], rng), etag)
    return asked


async def followed(
    address: str, followers: list[Follower], matches: dict[str, list[Client]], rng: random.Random
) -> dict[str, float]:
    """Play all while everybody follows, and until they have heard it; see ``play_all``."""
    seeds = [random.Random(rng.random()) for _ in followers]
    try:
        async with asyncio.timeout(TIME), asyncio.TaskGroup() as group:
            for one, seed in zip(followers, seeds, strict=True):
                group.create_task(one.follow(address, seed))
            return await asyncio.to_thread(play_all, matches, rng)
    except TimeoutError:
        waiting = [(one.path, one.cursor, one.connections) for one in followers if not one.over]
        raise AssertionError(f"{len(waiting)} have not heard everything: {waiting[:5]}") from None


def news_of(client: Client, match: str, seat: int) -> list[tuple[str, int]]:
    """What a seat's player has to be told of a match that is over, from the views of a spectator."""
    last = client.get(match)["version"]
    told: list[tuple[str, int]] = []
    before: Any = {"status": "open", "to_act": []}
    for version in range(1, last + 1):
        view = client.get(f"{match}/view", seat="spectator", at=version)
        if view["status"] == "playing" and before["status"] == "open":
            told.append(("match.started", version))
        if seat in view["to_act"] and seat not in before["to_act"]:
            told.append(("match.your_turn", version))
        if view["status"] in ("finished", "abandoned") and before["status"] == "playing":
            told.append(("match.over", version))
        before = view
    return told


def assert_all_was_told_once(follower: NewsFollower, client: Client, matches: dict[str, int]) -> None:
    """``matches`` has the player's seat in each."""
    ids = [each["id"] for each in follower.items]
    assert len(set(ids)) == len(ids), "nothing twice"
    for match, seat in matches.items():
        told = [
            (each["type"], each["version"])
            for each in follower.items
            if each["links"]["match"] == match and each["seat"] == seat
        ]
        assert told == news_of(client, match, seat)
