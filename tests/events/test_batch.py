"""What many callers ask together: each gets its own replies, and none can break off what others asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from kleos.events.batch import PIPELINES, Batches, Command

pytestmark = pytest.mark.anyio


class Server:
    """Echoes commands once it may, and remembers what came together."""

    def __init__(self, *, open: bool = True) -> None:
        self.pipelines: list[list[Command]] = []
        self.gate = asyncio.Event()
        if open:
            self.gate.set()

    async def exchange(self, commands: Sequence[Command]) -> list[Any]:
        self.pipelines.append(list(commands))
        await self.gate.wait()
        if ("fail",) in commands:
            raise ConnectionError("lost")
        return [command[0] for command in commands]


async def gather(*asked: asyncio.Future[list[Any]]) -> list[list[Any]]:
    return [await each for each in asked]


class Close:
    """Closes each pipeline with two commands."""

    def commands(self) -> list[Command]:
        return [("close",), ("count",)]

    def verdict(self, replies: Sequence[Any]) -> Any:
        return f"verdict on {replies}"


async def test_what_is_asked_in_one_turn_goes_in_one_pipeline() -> None:
    server = Server()
    batches = Batches(server.exchange)
    replies = await gather(batches.request([("a",), ("b",)]), batches.request([("c",)]))
    assert replies == [["a", "b"], ["c"]]
    assert server.pipelines == [[("a",), ("b",), ("c",)]]


async def test_the_closing_is_asked_once_and_its_verdict_told_to_all() -> None:
    server = Server()
    batches = Batches(server.exchange, Close())
    replies = await gather(batches.request([("a",)]), batches.request([("b",), ("c",)]))
    verdict = "verdict on ['close', 'count']"
    assert replies == [["a", verdict], ["b", "c", verdict]]
    assert server.pipelines == [[("a",), ("b",), ("c",), ("close",), ("count",)]]


async def test_beyond_so_many_pipelines_what_comes_up_goes_together_later() -> None:
    server = Server(open=False)
    batches = Batches(server.exchange)
    asked = []
    for number in range(PIPELINES + 5):
        asked.append(batches.request([(number,)]))
        await asyncio.sleep(0)
    assert len(server.pipelines) == PIPELINES
    server.gate.set()
    assert await asyncio.gather(*asked) == [[number] for number in range(PIPELINES + 5)]
    assert server.pipelines[PIPELINES:] == [[(PIPELINES + late,) for late in range(5)]]


async def test_a_caller_that_leaves_does_not_break_off_what_it_asked() -> None:
    server = Server(open=False)
    batches = Batches(server.exchange)
    left, stayed = batches.request([("left",)]), batches.request([("stayed",)])
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    left.cancel()
    server.gate.set()
    assert await stayed == ["stayed"]
    await batches.close()


async def test_a_lost_exchange_is_lost_to_all_that_were_in_it_and_to_no_others() -> None:
    server = Server()
    batches = Batches(server.exchange)
    first, second = batches.request([("fail",)]), batches.request([("a",)])
    lost = await asyncio.gather(first, second, return_exceptions=True)
    assert [str(each) for each in lost] == ["lost", "lost"]
    assert await batches.request([("b",)]) == ["b"]
