"""How long after an append the last of a thousand listeners has the event.

The server is a process of its own; this process listens, as a thousand connections, and plays. The time runs
from sending the move, which is before the append, to the moment at which the last listener has the whole
event: the answer to the move competes with the fan-out, so it is no mark to measure from.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator

from kleos.api.bench.http import Tables, server
from kleos.api.bench.load import Line, fire, request
from kleos.api.bench.row import Row

LISTENERS = 1000
EVENTS = 10
_END = b"}\n\n"
"""How the frame of an event ends, and nothing else that a stream says at first."""


class _Ear(asyncio.Protocol):
    """A listener: tells the crowd how many whole events it has received."""

    def __init__(self, crowd: _Crowd) -> None:
        self._crowd = crowd
        self._tail = b""

    def data_received(self, data: bytes) -> None:
        data = self._tail + data
        self._crowd.heard(data.count(_END))
        self._tail = data[1 - len(_END) :]


class _Crowd:
    """All listeners together: how many events they have heard in all."""

    def __init__(self) -> None:
        self._heard = 0
        self._wanted = 0
        self._all = asyncio.Event()

    def heard(self, number: int) -> None:
        self._heard += number
        if self._heard >= self._wanted:
            self._all.set()

    async def until(self, wanted: int) -> None:
        self._wanted = wanted
        self._all.clear()
        if self._heard < wanted:
            await self._all.wait()


async def rows(url: str, game: str) -> AsyncIterator[Row]:
    with tempfile.TemporaryDirectory(prefix="kleos-bench-") as folder:
        kleos = "import sys; from kleos.api.command import main; sys.exit(main())"
        async with server("--port", "-c", kleos, "serve", "--redis", url, "--data", folder) as port:
            waits = await _waits(port, game)
    yield Row(
        name=f"live event to {LISTENERS:,} listeners, the last one",
        unit="ms",
        ours=1000 * statistics.median(waits),
        at_most=250,
    )


async def _waits(port: int, game: str) -> list[float]:
    line = await Line.open(port)
    tables = Tables([line], game, matches=1)
    await tables.lay()
    [(match, _)] = await tables.moves()
    crowd = _Crowd()
    loop = asyncio.get_running_loop()
    transports = []
    asked = request("GET", f"{match}/events", accept="text/event-stream")
    for _ in range(LISTENERS):
        transport, _ear = await loop.create_connection(lambda: _Ear(crowd), "127.0.0.1", port)
        transport.write(asked)
        transports.append(transport)
    [events] = tables.versions
    await crowd.until(LISTENERS * events)
    waits = []
    for _ in range(EVENTS):
        [(same, body)] = await tables.moves()
        assert same == match, "a match of this game lasts longer"
        events += 1
        began = time.perf_counter()
        hearing = asyncio.create_task(crowd.until(LISTENERS * events))
        played = await fire([line], [request("POST", f"{match}/moves", token=tables.token, body=body)])
        await hearing
        waits.append(time.perf_counter() - began)
        tables.answered(played)
    for transport in transports:
        transport.close()
    return waits
