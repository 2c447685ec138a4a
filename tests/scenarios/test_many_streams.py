"""Many streams over many matches, cut off at any moment: every client hears 1 … n, in order, nothing else.

Each stream is a client of its own, which comes back with its cursor whenever its connection is cut, in either
form, with ``after`` or with ``Last-Event-ID``. What it was sent is scanned for what it may not know.
"""

import asyncio
import json
import random
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.scenarios.client import Answer, Client, any_of
from tests.scenarios.conftest import Join, opened_match
from tests.scenarios.leaks import Heard, Knowledge, scan
from tests.scenarios.server import Server

READERS = ("seat:0", "seat:1", "spectator")
TIME = 120.0
"""Seconds in which everybody has to have heard everything."""


class Reader(NamedTuple):
    """One client of one match: ``token`` is empty for a spectator."""

    name: str
    token: str
    match: str


class Told:
    """What one client was told: whole items in the order of their arrival, and every line with its time."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.items: list[Any] = []
        self.lines: list[tuple[float, int, bytes]] = []
        self.over = False
        self.connections = 0

    @property
    def cursor(self) -> int:
        return self.items[-1]["event"]["version"] if self.items else 0

    def line(self, line: bytes) -> None:
        """A line of either form."""
        said = line.removeprefix(b"data: ").strip()
        if not said.startswith(b"{"):
            return
        frame = json.loads(said)
        if "event" in frame:
            self.items.append(frame)
            self.lines.append((time.monotonic(), self.cursor, line))
            self.over = any(each["type"] == "match_ended" for each in frame["event"]["effects"])


async def follow(told: Told, address: str, rng: random.Random) -> None:
    """Read until the match is over, cutting the connection again and again; later after one in vain."""
    longest = 0.5
    while not told.over:
        told.connections += 1
        before = told.cursor
        reader, writer = await asyncio.open_connection(*_host(address))
        try:
            async with asyncio.timeout(rng.uniform(0.01, longest)):
                writer.write(_request(told, rng))
                async for line in reader:
                    if line.endswith(b"\n"):
                        told.line(line)
        except (TimeoutError, OSError):
            pass
        finally:
            writer.transport.abort()  # in the middle of whatever is under way
        longest = 0.5 if told.cursor > before else 2 * longest


def _host(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def _request(told: Told, rng: random.Random) -> bytes:
    accept = rng.choice(("text/event-stream", "application/x-ndjson"))
    by_header = rng.random() < 0.5
    query = "" if by_header else f"?after={told.cursor}"
    lines = [f"GET {told.reader.match}/events{query} HTTP/1.1", "Host: kleos", f"Accept: {accept}"]
    if by_header:
        lines.append(f"Last-Event-ID: {told.cursor}")
    if told.reader.token:
        lines.append(f"Authorization: Bearer {told.reader.token}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


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


async def listen_and_play(
    server: Server, matches: dict[str, list[Client]], each: int, rng: random.Random
) -> tuple[list[Told], dict[str, float]]:
    tokens = {
        match: {"seat:0": players[0].token, "seat:1": players[1].token, "spectator": ""}
        for match, players in matches.items()
    }
    told = [
        Told(Reader(name, tokens[match][name], match))
        for match in matches
        for name in (READERS * each)[:each]
    ]
    seeds = [random.Random(rng.random()) for _ in told]
    async with asyncio.timeout(TIME), asyncio.TaskGroup() as group:
        for one, seed in zip(told, seeds, strict=True):
            group.create_task(follow(one, server.url, seed))
        asked = await asyncio.to_thread(play_all, matches, rng)
    return told, asked


@pytest.mark.parametrize(
    ("matches", "each"), [(2, 6), pytest.param(10, 20, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_every_stream_hears_all_of_its_match_and_nothing_else(
    server: Server, player: Join, rng: random.Random, matches: int, each: int
) -> None:
    """Fault 94."""
    players = {}
    for number in range(matches):
        pair = [player(server, f"{name} {number}") for name in "AB"]
        players[opened_match(pair, "canary")] = pair
    told, last_move = asyncio.run(listen_and_play(server, players, each, rng))
    assert len(told) == matches * each
    assert sum(one.connections for one in told) > len(told), "some were cut off"
    for match, pair in players.items():
        log = [item["event"] for item in pair[0].events(match)]
        knowledge = _knowledge(pair[0], match)
        for one in told:
            if one.reader.match == match:
                assert [item["event"] for item in one.items] == log
                assert [event["version"] for event in log] == list(range(1, len(log) + 1))
                heard = [
                    Heard(one.reader.name, version, Answer(200, {}, line))
                    for at, version, line in one.lines
                    if at < last_move[match]  # with the last move all is opened
                ]
                assert scan(heard, knowledge) == []


def _knowledge(client: Client, match: str) -> Knowledge:
    """Who may know which salt: each opening has one, which nobody can guess."""
    knowledge = Knowledge(READERS)
    for item in client.events(match):
        for audience, opening in item["opened"].items():
            knowledge.add(opening["salt"], audience, since=item["event"]["version"])
    assert knowledge.since
    return knowledge
