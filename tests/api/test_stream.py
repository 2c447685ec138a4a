"""What a stream says last: when the store does not answer at its start, and to whom may read no more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from matches import SIGNER

from kleos.api.framing import LINES, SERVER_SENT, Framing
from kleos.api.meter import Meter
from kleos.api.news import NewsTeller
from kleos.api.stream import Cadence, Stream
from kleos.events.embedded import Embedded
from kleos.events.log import Log
from kleos.events.store import Store
from kleos.projections.catalogue import Catalogue
from kleos.projections.herald import Herald
from kleos.projections.news import NewsDesk

pytestmark = pytest.mark.anyio
CADENCE = Cadence(heartbeat=0.02, patience=5.0)


@asynccontextmanager
async def desk_of(store: Store) -> AsyncIterator[NewsDesk]:
    herald = Herald(store, Log(store, SIGNER))
    await herald.start()
    try:
        yield NewsDesk(store, Catalogue(store), herald)
    finally:
        await herald.close()


async def known() -> bool:
    return True


async def heard(
    desk: NewsDesk, since: str | None, framing: Framing, known: Callable[[], Awaitable[bool]] = known
) -> str:
    """All that anna's news stream says, which has to end by itself."""
    said = bytearray()

    async def send(message: Any) -> None:
        said.extend(message.get("body", b""))

    async def receive() -> Any:
        await asyncio.Event().wait()

    teller = NewsTeller(desk, "anna", known, framing, since)
    stream = Stream(desk.herald, teller, live=True, cadence=CADENCE, meter=Meter())
    async with asyncio.timeout(20):
        await stream.send_body(send, receive)
    return said.decode()


async def test_who_comes_while_the_store_is_away_keeps_the_cursor_there_was(tmp_path: Path) -> None:
    server = await Embedded.start(tmp_path)
    store = await Store.connect(server.url, patience=0.1)
    async with desk_of(store) as desk:
        with desk.herald.attend("anna") as attendant:
            since = (await desk.read("anna", attendant).present()).cursor
        await server.stop()
        for given in (since, None):
            end = {"reason": "unavailable", "cursor": given, "reconnect": True}
            assert json.loads(await heard(desk, given, LINES)) == {"end": end}
            frame = (await heard(desk, given, SERVER_SENT)).rstrip("\n").split("\n\n")[-1]
            ids = [] if given is None else [f"id: {given}"]
            assert [line for line in frame.split("\n") if line.startswith("id")] == ids
    await store.close()


async def test_who_may_read_no_more_is_told_nothing_not_even_how_far_it_is(store: Store) -> None:
    answers = iter((True, False, False))

    async def known() -> bool:
        return next(answers)

    async with desk_of(store) as desk:
        said = [json.loads(line) for line in (await heard(desk, None, LINES, known)).splitlines()]
    assert [name for each in said for name in each] == ["present", "end"]
    assert said[-1]["end"] == {
        "reason": "denied",
        "cursor": said[0]["present"]["cursor"],
        "reconnect": False,
    }
