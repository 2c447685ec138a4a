"""Live streams: one cursor, nothing missing, nothing twice, nothing of others, and an end that says why."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.api.conftest import Newcomer, problem
from tests.api.listening import LINES, SSE, Stream, versions
from tests.scenarios.client import Client
from tests.scenarios.server import Server

Open = Callable[..., Stream]
HEARTBEAT = 0.2


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose heart beats fast."""
    running = Server(tmp_path_factory.mktemp("streams"), KLEOS_HEARTBEAT=str(HEARTBEAT))
    running.start()
    yield running
    assert running.stop() == 0


class Table(NamedTuple):
    host: Client
    guest: Client
    match: str

    def move(self) -> Any:
        """One move of whoever is to act; its event."""
        seat = self.host.get(self.match)["to_act"][0]
        player = (self.host, self.guest)[seat]
        view, etag = player.view(self.match, seat)
        return player.move(self.match, seat, view["moves"][0]["move"], etag)["event"]

    def finish(self) -> int:
        """Play to the end; how many events there are."""
        while self.host.get(self.match)["status"] == "playing":
            self.move()
        return int(self.host.get(self.match)["version"])


@pytest.fixture
def table(newcomer: Newcomer) -> Table:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    guest.join(match, 1)
    return Table(host, guest, match)


@pytest.fixture
def listen() -> Iterator[Open]:
    opened: list[Stream] = []

    def begin(client: Client, match: str, query: str = "", accept: str = SSE, **headers: str) -> Stream:
        opened.append(Stream(client, f"{match}/events{query}", accept, **headers))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_stream_tells_what_was_then_what_happens_then_that_it_is_over(
    table: Table, listen: Open, accept: str
) -> None:
    stream = listen(table.host, table.match, accept=accept)
    assert stream.headers["content-type"].startswith(accept)
    assert versions(stream.items(2)) == [1, 2]
    table.move()
    assert stream.items(1) == [table.host.get(f"{table.match}/events/3")]
    length = table.finish()
    said = [each for each in stream.until("end") if each.kind != "heartbeat"]
    assert versions([each.content for each in said[:-1]]) == list(range(4, length + 1))
    assert said[-1].content == {"reason": "over", "version": length, "reconnect": False}
    assert list(stream) == [], "nothing follows the end"


def test_the_cursor_is_the_version_wherever_it_is_given(table: Table, listen: Open) -> None:
    """Fault 101."""
    for stream in (
        listen(table.host, table.match, "?after=1"),
        listen(table.host, table.match, Last_Event_ID="1"),
        listen(table.host, table.match, "?after=0", Last_Event_ID="1"),  # an EventSource that comes back
        listen(table.host, table.match, Last_Event_ID="1", accept=LINES),
    ):
        [frame] = [each for each in stream.until("event") if each.kind == "event"]
        assert frame.content["event"]["version"] == 2
        assert frame.cursor in ("2", None)
    page = table.host.ask("GET", f"{table.match}/events", Last_Event_ID="1").json
    assert versions(page["items"]) == [2]


def test_a_page_refuses_a_cursor_that_is_none(table: Table) -> None:
    problem(table.host.ask("GET", f"{table.match}/events", Last_Event_ID="x"), 400, "malformed")


@pytest.mark.parametrize(
    ("header", "reason"), [("999", "ahead"), ("yesterday", "not_a_cursor"), ("-1", "not_a_cursor")]
)
@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_cursor_that_cannot_be_served_is_reset_and_all_is_told_again(
    table: Table, listen: Open, accept: str, header: str, reason: str
) -> None:
    stream = listen(table.host, table.match, accept=accept, Last_Event_ID=header)
    reset = stream.until("reset")[-1]
    assert reset.content == {"reason": reason, "version": 2}
    assert reset.cursor == ("0" if accept == SSE else None)
    assert versions(stream.items(2)) == [1, 2]


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_quiet_stream_shows_that_it_is_alive(table: Table, listen: Open, accept: str) -> None:
    """Fault 99."""
    stream = listen(table.host, table.match, "?after=2", accept=accept)
    stream.until("heartbeat")
    began = time.monotonic()
    stream.until("heartbeat")
    assert HEARTBEAT / 2 < time.monotonic() - began < 15


def test_clients_are_told_to_come_back_at_different_times(table: Table, listen: Open) -> None:
    """Fault 101."""
    times = {next(listen(table.host, table.match)).content for _ in range(8)}
    assert len(times) > 1
    assert all(1000 <= each <= 3000 for each in times)


def test_a_client_that_has_all_of_a_match_that_is_over_is_told_not_to_come_back(
    table: Table, listen: Open
) -> None:
    length = table.finish()
    assert listen(table.host, table.match, Last_Event_ID=str(length)).status == 204
    again = listen(table.host, table.match, Last_Event_ID=str(length - 1))
    assert [each.kind for each in again] == ["retry", "event", "end"]


def test_the_end_is_told_once_also_when_a_seat_is_given_up(table: Table, listen: Open) -> None:
    """Fault 98."""
    stream = listen(table.host, table.match)
    table.guest.ask("DELETE", f"{table.match}/seats/1")
    said = [each for each in stream.until("end") if each.kind == "event"]
    ended = [
        effect
        for each in said
        for effect in each.content["event"]["effects"]
        if effect["type"] in ("match_ended", "match_abandoned")
    ]
    assert len(ended) == 1


def test_a_stream_opens_to_a_seat_its_own_parts_and_no_others(
    table: Table, listen: Open, stranger: Client
) -> None:
    streams = [listen(each, table.match) for each in (table.host, table.guest, stranger)]
    for _ in range(4):
        table.move()
    heard = [stream.items(6) for stream in streams]
    assert [[each["event"] for each in items] for items in heard[1:]] == [
        [each["event"] for each in heard[0]]
    ] * 2
    opened = [{name for item in items for name in item["opened"]} for items in heard]
    assert opened == [{"seat:0"}, {"seat:1"}, set()]


def test_a_private_match_is_not_there_for_others(newcomer: Newcomer, listen: Open) -> None:
    host = newcomer()
    match = host.create("tiny", 2, visibility="private")
    assert listen(newcomer(), match).status == 404
    assert versions(listen(host, match).items(1)) == [1]


def test_whoever_leaves_a_private_match_hears_no_more_of_it(newcomer: Newcomer, listen: Open) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 3, visibility="private")
    guest.command(f"{match}/seats", {"seat": 1, "invite": host.get(match)["invite"]})
    stream = listen(guest, match)
    stream.items(2)
    guest.ask("DELETE", f"{match}/seats/1")
    end = stream.until("end")
    assert [each.kind for each in end if each.kind != "heartbeat"] == ["end"], "not even that it left"
    assert end[-1].content == {"reason": "denied", "version": 2, "reconnect": False}


def test_a_revoked_token_ends_its_streams(table: Table, listen: Open) -> None:
    stream = listen(table.guest, table.match)
    stream.items(2)
    assert table.guest.ask("DELETE", "/v1/players/me/token").status == 204
    assert stream.until("end")[-1].content["reason"] == "denied"


def test_a_revoked_token_hears_nothing_more_of_a_match_that_is_not_quiet(table: Table, listen: Open) -> None:
    stream = listen(table.guest, table.match)
    stream.items(2)
    view, etag = table.host.view(table.match, 0)
    assert table.guest.ask("DELETE", "/v1/players/me/token").status == 204
    table.host.move(table.match, 0, view["moves"][0]["move"], etag)
    said = [each for each in stream.until("end") if each.kind != "heartbeat"]
    assert [(each.kind, each.content) for each in said] == [
        ("end", {"reason": "denied", "version": 2, "reconnect": False})
    ]


def test_head_of_a_stream_does_not_wait(table: Table) -> None:
    head = table.host.ask("HEAD", f"{table.match}/events", Accept=SSE)
    assert (head.status, head.body) == (200, b"")


def test_a_server_that_stops_ends_its_streams_in_order(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    host = Client(server.url).register("Host")
    match = host.create("tiny", 2)
    streams = [Stream(host, f"{match}/events", accept) for accept in (SSE, LINES)]
    for each in streams:
        each.items(1)
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 5, "no stream held it up"
    for each in streams:
        assert each.until("end")[-1].content == {"reason": "stopping", "version": 1, "reconnect": True}
        each.close()
    host.close()


def test_a_log_in_words_tells_a_seat_what_it_may_know(table: Table, stranger: Client) -> None:
    table.move()
    mine, theirs = (
        each.ask("GET", f"{table.match}/events", Accept="text/plain") for each in (table.host, stranger)
    )
    assert mine.headers["content-type"] == "text/plain; charset=utf-8"
    assert "2. seat 1: join\n   Seat 1 is taken.\n" in mine.body.decode()
    assert "Play begins." in mine.body.decode()
    assert "hidden" in theirs.body.decode()
    assert mine.body != theirs.body


def test_a_view_in_words_lists_the_moves_by_number(table: Table, stranger: Client) -> None:
    told = table.host.ask("GET", f"{table.match}/view", Accept="text/plain").body.decode()
    moves = table.host.get(f"{table.match}/view")["moves"]
    assert f"{len(moves):3}  pledge the" in told
    assert "To act: seat 0, seat 1" in told
    assert "pledge" not in stranger.ask("GET", f"{table.match}/view", Accept="text/plain").body.decode()
    problem(table.host.ask("GET", f"{table.match}/view", Accept=SSE), 406, "not_acceptable")
    json.loads(table.host.ask("GET", f"{table.match}/view", Accept="*/*").body)
