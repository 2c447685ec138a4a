"""The client: what is sent twice happens once, and what the server says arrives as it was said."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from kleos.api.client import Client, Problem, Unreachable


class Lossy:
    """A relay in front of a server that passes every request on, and loses the first ``lost`` answers."""

    def __init__(self, server: str) -> None:
        self.lost = 0
        self.passed = 0
        upstream = urlsplit(server)
        assert upstream.hostname is not None
        self._upstream = (upstream.hostname, upstream.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._relay)
        self._thread.start()

    def _relay(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            with closing(caller), closing(socket.create_connection(self._upstream)) as server:
                server.sendall(_message(caller))
                answer = _message(server)
                self.passed += 1
                if self.lost:
                    self.lost -= 1
                else:
                    caller.sendall(answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


def _message(source: socket.socket) -> bytes:
    """One HTTP message with the body its Content-Length promises."""
    read = b""
    while b"\r\n\r\n" not in read:
        read += source.recv(65536)
    head, _, body = read.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    wanted = int(lengths[0].partition(b":")[2]) if lengths else 0
    while len(body) < wanted:
        body += source.recv(65536)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def lossy(served: str) -> Iterator[Lossy]:
    relay = Lossy(served)
    yield relay
    relay.close()


def test_a_move_whose_answers_are_lost_is_made_once(lossy: Lossy) -> None:
    """Fault 90."""
    client = Client(lossy.url)
    client.register("Ann")
    match = client.create("tiny", 2, undo="casual")["id"]
    client.take_seat(match, seat=1)
    move = client.view(match, 0)["moves"][0]["move"]
    before = client.match(match)["version"]
    lossy.lost, passed = 2, lossy.passed
    made = client.play(match, 0, move)
    assert lossy.passed == passed + 3, "it was sent three times"
    assert made["event"]["version"] == before + 1
    assert [each["event"]["version"] for each in client.events(match, before)] == [before + 1]


def test_events_come_page_by_page_and_all_of_them(served: str) -> None:
    client = Client(served)
    client.register("Ann")
    match = client.create("tiny", 2, undo="casual", options={"preset": "long"})["id"]
    client.take_seat(match, seat=1)
    while (view := client.view(match))["status"] == "playing":
        seat = view["to_act"][0]
        client.play(match, seat, client.view(match, seat)["moves"][0]["move"])
    versions = [each["event"]["version"] for each in client.events(match, 0)]
    assert versions == list(range(1, view["version"] + 1))
    assert client.events(match, view["version"]) == []


def test_a_refusal_carries_its_code_and_rule(served: str) -> None:
    client = Client(served)
    client.register("Ann")
    match = client.create("tiny", 2, undo="casual")["id"]
    client.take_seat(match, seat=1)
    with pytest.raises(Problem, match=r"tiny\.2") as refusal:
        client.play(match, 0, {"type": "pledge", "card": 99})
    assert (refusal.value.status, refusal.value.code, refusal.value.rule) == (422, "illegal", "tiny.2")
    with pytest.raises(Problem) as unknown:
        client.match("no such match")
    assert (unknown.value.status, unknown.value.code) == (404, "not_found")


def test_only_who_is_registered_may_act(served: str) -> None:
    with pytest.raises(Problem) as refusal:
        Client(served).create("tiny", 2)
    assert (refusal.value.status, refusal.value.code) == (401, "unauthenticated")


@pytest.mark.parametrize("address", ["", "ftp://example.org", "http://"])
def test_what_is_no_address_is_said_to_be_none(address: str) -> None:
    with pytest.raises(Unreachable, match="is not the address of a server"):
        Client(address)


def test_what_does_not_answer_like_kleos_is_unreachable() -> None:
    def answer(listener: socket.socket) -> None:
        caller, _ = listener.accept()
        with caller:
            caller.recv(65536)
            caller.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        with pytest.raises(Unreachable, match="not a Kleos server"):
            Client(f"127.0.0.1:{listener.getsockname()[1]}").me()
        thread.join()
