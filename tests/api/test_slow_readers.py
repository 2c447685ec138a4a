"""A client that takes nothing is sent away with the reason, and has lost nothing when it comes back."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.api.framing import LINES
from kleos.api.meter import Meter
from kleos.api.stream import Cadence, Stream
from kleos.api.telling import Frames, MatchTeller, Reader
from kleos.core.match import Match
from kleos.core.match.actions import Create, Join
from kleos.events.log import Log
from kleos.events.note import Signer
from kleos.events.store import Store
from kleos.projections.herald import Herald

pytestmark = pytest.mark.anyio
CADENCE = Cadence(heartbeat=10.0, patience=0.2)


class Connection:
    """The server's side of a connection: it waits before it writes while the client takes nothing."""

    def __init__(self) -> None:
        self.taking = asyncio.Event()
        self.taking.set()
        self.written = b""
        self.finished = False

    async def send(self, message: Any) -> None:
        await self.taking.wait()
        self.written += message.get("body", b"")
        self.finished = message["type"] == "http.response.body" and not message["more_body"]

    async def receive(self) -> Any:
        await asyncio.Event().wait()

    @property
    def said(self) -> list[Any]:
        return [json.loads(line) for line in self.written.splitlines() if line]


@pytest.fixture
async def log(store: Store) -> Log:
    return Log(store, Signer("play.example", Ed25519PrivateKey.generate()))


@pytest.fixture
async def herald(store: Store, log: Log) -> AsyncIterator[Herald]:
    told = Herald(store, log)
    await told.start()
    yield told
    await told.close()


@pytest.fixture
async def match(log: Log) -> Match:
    action = Create(game="tiny", rules="tiny/1", seats=3, options={}, seat=0)
    return (await log.create("anna", action)).match


def stream(
    herald: Herald, match: Match, meter: Meter, after: int = 0, frames: Frames | None = None
) -> Stream:
    async def known() -> bool:
        return True

    reader = Reader(seats=lambda _: (), allowed=lambda _: True, known=known)
    teller = MatchTeller(herald, match, reader, LINES, frames=frames or Frames(), after=after)
    return Stream(herald, teller, live=True, cadence=CADENCE, meter=meter)


async def until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def test_it_hears_why_when_it_takes_something_again(herald: Herald, log: Log, match: Match) -> None:
    meter, connection = Meter(), Connection()
    running = asyncio.create_task(stream(herald, match, meter).send_body(connection.send, connection.receive))
    await until(lambda: len(connection.said) == 1)
    connection.taking.clear()
    await log.submit(match.id, "ben", None, Join())
    await until(lambda: meter.streams_ended)
    connection.taking.set()
    await running
    end = {"reason": "slow", "version": 1, "reconnect": True}
    assert connection.said[1:] == [{"end": end}], "the cursor is before what was not taken"
    assert connection.finished
    assert (meter.streams.total(), meter.streams_ended) == (0, {("slow",): 1})
    again = Connection()
    running = asyncio.create_task(stream(herald, match, meter, after=1).send_body(again.send, again.receive))
    await until(lambda: again.said)
    assert again.said[0]["event"]["version"] == 2
    herald.fall_silent()
    await running


async def test_one_that_never_takes_anything_is_given_up(herald: Herald, match: Match) -> None:
    meter, connection = Meter(), Connection()
    connection.taking.clear()
    async with asyncio.timeout(CADENCE.heartbeat):
        await stream(herald, match, meter).send_body(connection.send, connection.receive)
    assert not connection.finished, "so the server closes the connection"
    assert meter.streams.total() == 0


async def test_a_thousand_listeners_cost_one_read_and_one_writing(
    herald: Herald, log: Log, store: Store, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections, frames = [Connection() for _ in range(1000)], Frames()
    streams = [
        asyncio.create_task(stream(herald, match, Meter(), frames=frames).send_body(each.send, each.receive))
        for each in connections
    ]
    await until(lambda: all(len(each.said) == 1 for each in connections))
    reads = writings = 0
    read, written = store.read, LINES.item

    async def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal reads
        reads += 1
        return await read(*args, **kwargs)

    def written_down(framing: Any, cursor: str, encoded: bytes) -> bytes:
        nonlocal writings
        writings += 1
        return written(cursor, encoded)

    monkeypatch.setattr(store, "read", counted)
    monkeypatch.setattr(type(LINES), "item", written_down)
    await log.submit(match.id, "ben", None, Join())
    await until(lambda: all(len(each.said) == 2 for each in connections))
    assert reads <= 2, "the entries, and the match that they make"
    assert writings == 1, "all of them are spectators, so they are told the same bytes"
    herald.fall_silent()
    await asyncio.gather(*streams)
