"""The store goes away, or is full: the server says so, does not fall, and goes on when the store does."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from kleos.events.connection import Connection
from kleos.events.embedded import Embedded
from tests.scenarios.client import Answer, Client
from tests.scenarios.server import Server

pytestmark = pytest.mark.slow


class Outage:
    """A store on a folder, to be stopped and started, beside a server that uses it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._store: Embedded | None = None

    def _run(self, doing: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(60)

    def start(self) -> str:
        self._store = self._run(Embedded.start(self._folder))
        assert self._store is not None
        return self._store.url

    def stop(self) -> None:
        if self._store is not None:
            self._run(self._store.stop())
            self._store = None

    def configure(self, name: str, value: str) -> None:
        assert self._store is not None
        url = self._store.url

        async def set_it() -> None:
            connection = await Connection.open(url)
            await connection.everywhere("CONFIG", "SET", name, value)
            await connection.close()

        self._run(set_it())

    def close(self) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def outage(tmp_path: Path) -> Iterator[Outage]:
    outage = Outage(tmp_path / "store")
    yield outage
    outage.close()


@pytest.fixture
def player(outage: Outage, tmp_path: Path) -> Iterator[Client]:
    """A player of a server that uses the store."""
    server = Server(tmp_path, "--redis", outage.start(), "--data", str(tmp_path / "data"))
    server.start()
    client = Client(server.url).register("Ariadne")
    yield client
    client.close()
    assert server.stop() == 0


def alone(player: Client) -> str:
    """A match that the player plays with both hands; its path."""
    match = player.create("tiny", 2, undo="casual")
    player.join(match, 1)
    return match


def a_move(player: Client, match: str) -> dict[str, Any]:
    """The body of a legal move of seat 0."""
    return {"seat": 0, "move": player.view(match, 0)[0]["moves"][0]["move"]}


def assert_unavailable(answer: Answer) -> None:
    assert (answer.status, answer.json["code"]) == (503, "store_unavailable")
    assert answer.headers["retry-after"].isdigit()


def test_while_the_store_is_away_the_server_says_so(outage: Outage, player: Client) -> None:
    match = alone(player)
    before = list(player.events(match))
    move = a_move(player, match)
    outage.stop()
    assert_unavailable(player.ask("POST", f"{match}/moves", move, Idempotency_Key="once"))
    assert_unavailable(player.ask("GET", "/v1/matches"))
    assert player.ask("GET", "/readyz").status == 503
    assert player.ask("GET", "/healthz").status == 200
    outage.start()
    assert list(player.events(match)) == before
    assert player.ask("POST", f"{match}/moves", move, Idempotency_Key="once").status == 201
    assert len(list(player.events(match))) == len(before) + 1
    assert player.ask("GET", "/readyz").status == 200


def test_a_full_store_takes_nothing_and_loses_nothing(outage: Outage, player: Client) -> None:
    match = alone(player)
    before = list(player.events(match))
    move = a_move(player, match)
    outage.configure("maxmemory", "1")
    assert_unavailable(player.ask("POST", f"{match}/moves", move, Idempotency_Key="once"))
    assert list(player.events(match)) == before
    outage.configure("maxmemory", "0")
    assert player.ask("POST", f"{match}/moves", move, Idempotency_Key="once").status == 201
    assert len(list(player.events(match))) == len(before) + 1
