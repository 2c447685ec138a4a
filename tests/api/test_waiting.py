"""Long polling: whoever wishes to wait is answered when there is news, or at the time."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from kleos.api.waiting import LONGEST, wished
from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Answer, Client
from tests.scenarios.server import Server


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("wait=25", 25),
        ("respond-async, wait=5", 5),
        ('WAIT = "7"; foo', 7),
        ("wait=999", LONGEST),
        ("wait=0", 0),
        ("wait=-1", None),
        ("wait", None),
        ("waiting=3", None),
    ],
)
def test_what_a_header_wishes(header: str | None, seconds: int | None) -> None:
    assert wished(header) == seconds


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as threads:
        yield threads


def waiting(pool: ThreadPoolExecutor, client: Client, path: str, **headers: str) -> Future[Answer]:
    """A request under way that is not answered yet."""
    asked = pool.submit(client.ask, "GET", path, Prefer="wait=20", **headers)
    time.sleep(0.2)
    assert not asked.done()
    return asked


@pytest.mark.parametrize("part", ["", "/view", "/moves"])
def test_an_answer_that_did_not_change_is_held_until_it_does(
    newcomer: Newcomer, pool: ThreadPoolExecutor, part: str
) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    known = host.ask("GET", match + part)
    asked = waiting(pool, host, match + part, If_None_Match=known.headers["etag"])
    began = time.monotonic()
    guest.join(match, 1)
    answer = asked.result()
    assert time.monotonic() - began < 20
    assert answer.status == 200
    assert answer.headers["etag"] != known.headers["etag"]
    assert answer.headers["preference-applied"] == "wait=20"
    assert answer.json["version"] == 2


def test_an_empty_page_is_held_until_it_is_not(newcomer: Newcomer, pool: ThreadPoolExecutor) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    asked = waiting(pool, host, f"{match}/events?after=1")
    guest.join(match, 1)
    assert [each["event"]["version"] for each in asked.result().json["items"]] == [2]


def test_a_token_that_is_revoked_meanwhile_is_not_answered(
    newcomer: Newcomer, pool: ThreadPoolExecutor, server: Server
) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    asked = waiting(pool, host, f"{match}/events?after=1")
    same = Client(server.url)
    same.token = host.token
    assert same.ask("DELETE", "/v1/players/me/token").status == 204
    same.close()
    guest.join(match, 1)
    problem(asked.result(), 401, "unauthenticated")


def test_whoever_waits_for_answers_has_so_many_open_and_not_one_more(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    own = Server(tmp_path, KLEOS_STREAMS_PLAYER="1")
    own.start()
    host, same, guest = (Client(own.url) for _ in range(3))
    host.register("Anna")
    guest.register("Ben")
    same.token = host.token
    match = host.create("tiny", 2)
    asked = waiting(pool, host, f"{match}/events?after=1")
    assert problem(same.ask("GET", f"{match}/events?after=1", Prefer="wait=20"), 429, "rate_limited")
    guest.join(match, 1)
    assert asked.result().status == 200
    assert same.ask("GET", f"{match}/events?after=2", Prefer="wait=1").status == 200, (
        "one that is answered makes room"
    )
    for client in (host, same, guest):
        client.close()
    assert own.stop() == 0


def test_without_news_it_is_304_when_the_time_is_over(newcomer: Newcomer) -> None:
    host = newcomer()
    match = host.create("tiny", 2)
    etag = host.ask("GET", match).headers["etag"]
    began = time.monotonic()
    answer = host.ask("GET", match, If_None_Match=etag, Prefer="wait=1")
    assert answer.status == 304
    assert 0.9 < time.monotonic() - began < 20
    assert host.ask("GET", f"{match}/events?after=1", Prefer="wait=0").json["items"] == []


def test_nobody_waits_for_what_is_news_already_or_will_never_be(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    old = host.ask("GET", match).headers["etag"]
    guest.join(match, 1)
    began = time.monotonic()
    assert host.ask("GET", match, If_None_Match=old, Prefer="wait=20").status == 200
    assert host.ask("GET", match, Prefer="wait=20").status == 200
    guest.ask("DELETE", f"{match}/seats/1")
    over = host.ask("GET", match).headers["etag"]
    assert host.ask("GET", match, If_None_Match=over, Prefer="wait=20").status == 304
    assert time.monotonic() - began < 20
