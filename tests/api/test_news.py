"""News over HTTP: what waits, then each thing once; as a page, a page that waits, and a stream."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.api.conftest import Newcomer, problem
from tests.api.listening import LINES, SSE, Stream
from tests.scenarios.client import Client
from tests.scenarios.server import Server

NEWS = "/v1/players/me/news"
HEARTBEAT = 0.3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose heart beats fast."""
    running = Server(tmp_path_factory.mktemp("news"), KLEOS_HEARTBEAT=str(HEARTBEAT))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture
def listen() -> Iterator[Callable[..., Stream]]:
    opened: list[Stream] = []

    def begin(client: Client, query: str = "", accept: str = SSE, **headers: str) -> Stream:
        opened.append(Stream(client, NEWS + query, accept, **headers))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def kinds(items: list[Any]) -> list[tuple[str, int | None]]:
    return [(each["type"].removeprefix("match."), each["seat"]) for each in items]


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_stream_says_what_waits_then_what_happens_in_every_match(
    newcomer: Newcomer, listen: Callable[..., Stream], accept: str
) -> None:
    host, guest = newcomer(), newcomer()
    old = host.create("tiny", 2)
    guest.join(old, 1)
    stream = listen(guest, accept=accept)
    present = stream.until("present")[-1]
    assert kinds(present.content["waiting"]) == [("your_turn", 1)]
    assert present.content["waiting"][0]["links"]["match"] == old
    new = host.create("tiny", 2)
    guest.join(new, 1)
    frames = [stream.until("news")[-1] for _ in range(2)]
    assert kinds([each.content for each in frames]) == [("started", 1), ("your_turn", 1)]
    for each in frames:
        assert (each.content["links"]["match"], each.content["version"], each.content["status"]) == (
            new,
            2,
            "playing",
        )
        assert each.cursor == (each.content["cursor"] if accept == SSE else None)
    host.ask("DELETE", f"{old}/seats/0")
    over = stream.until("news")[-1].content
    assert (over["type"], over["links"]["match"], over["status"]) == ("match.over", old, "finished")


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_the_cursor_goes_on_wherever_it_is_given(
    newcomer: Newcomer, listen: Callable[..., Stream], accept: str
) -> None:
    host, guest = newcomer(), newcomer()
    first = guest.get(NEWS)
    assert (first["items"], first["present"], first["reset"]) == ([], [], None)
    match = host.create("tiny", 2)
    guest.join(match, 1)
    page = guest.get(NEWS, since=first["cursor"], limit=1)
    assert (kinds(page["items"]), page["present"]) == ([("started", 1)], None)
    assert page["items"][-1]["cursor"] == page["cursor"]
    rest = guest.get(NEWS, since=page["cursor"])
    assert kinds(rest["items"]) == [("your_turn", 1)]
    assert guest.get(NEWS, since=rest["cursor"])["items"] == []
    for stream in (
        listen(guest, f"?since={page['cursor']}", accept),
        listen(guest, "", accept, Last_Event_ID=page["cursor"]),
        listen(guest, f"?since={first['cursor']}", accept, Last_Event_ID=page["cursor"]),
    ):
        assert stream.until("news")[-1].content == rest["items"][0]
    present = listen(guest, f"?since={page['cursor']}&live=false", accept)
    assert [each.kind for each in present if each.kind != "retry"] == ["news", "end"]


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_cursor_that_cannot_be_served_is_reset_and_what_waits_is_told(
    newcomer: Newcomer, listen: Callable[..., Stream], accept: str
) -> None:
    host, guest = newcomer(), newcomer()
    guest.join(host.create("tiny", 2), 1)
    stream = listen(guest, "?since=yesterday", accept)
    assert stream.until("reset")[-1].content == {"reason": "not_a_cursor"}
    assert kinds(next(stream).content["waiting"]) == [("your_turn", 1)]
    page = guest.get(NEWS, since="yesterday")
    assert (page["reset"], kinds(page["present"])) == ({"reason": "not_a_cursor"}, [("your_turn", 1)])
    problem(guest.ask("GET", f"{NEWS}?since=a.b"), 400, "malformed")
    problem(guest.ask("GET", NEWS, Last_Event_ID="a.b"), 400, "malformed")


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_quiet_stream_shows_that_it_is_alive_and_how_far_it_is(
    newcomer: Newcomer, listen: Callable[..., Stream], accept: str
) -> None:
    host, stranger = newcomer(), newcomer()
    stream = listen(host, accept=accept)
    first = stream.until("present")[-1].content["cursor"]
    began = time.monotonic()
    assert stream.until("cursor")[-1].content["cursor"] == first
    assert HEARTBEAT / 2 < time.monotonic() - began < 15
    stranger.create("tiny", 2)
    while (cursor := stream.until("cursor")[-1].content["cursor"]) == first:
        pass
    assert host.get(NEWS, since=cursor)["items"] == []


def test_a_page_waits_for_news(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    since = host.get(NEWS)["cursor"]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(host.ask, "GET", f"{NEWS}?since={since}", Prefer="wait=20")
        time.sleep(0.2)
        assert not asked.done()
        guest.join(match, 1)
        answer = asked.result(timeout=15)
    assert kinds(answer.json["items"]) == [("started", 0), ("your_turn", 0)]
    assert answer.headers["preference-applied"] == "wait=20"
    began = time.monotonic()
    assert host.ask("GET", f"{NEWS}?since={answer.json['cursor']}", Prefer="wait=1").json["items"] == []
    assert 0.9 < time.monotonic() - began < 20


def test_news_are_for_those_whose_they_are(newcomer: Newcomer, stranger: Client) -> None:
    host = newcomer()
    match = host.create("tiny", 2)
    problem(stranger.ask("GET", NEWS), 401, "unauthenticated")
    bound = host.command(
        "/v1/players/me/tokens", {"scope": "seat", "match": match.split("/")[-1], "seat": 0}
    ).json
    seat = Client(host.url)
    seat.token = bound["token"]
    problem(seat.ask("GET", NEWS), 403, "forbidden")
    seat.close()


def test_a_revoked_token_ends_the_stream(newcomer: Newcomer, listen: Callable[..., Stream]) -> None:
    host = newcomer()
    stream = listen(host)
    stream.until("present")
    assert host.ask("DELETE", "/v1/players/me/token").status == 204
    end = stream.until("end")[-1].content
    assert (end["reason"], end["reconnect"]) == ("denied", False)
