"""Whatever is sent, the answer is a problem that says what is wrong, and nothing has changed."""

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.scenarios.client import Answer, Client
from tests.scenarios.conftest import opened_match
from tests.scenarios.server import Server

JSON = {"Content_Type": "application/json"}
MIB = 1 << 20


class Stage(NamedTuple):
    """A match of Tiny that waits for both seats; its players, another player, and somebody unknown."""

    match: str
    players: list[Client]
    stranger: Client
    nobody: Client

    def state(self) -> tuple[Any, ...]:
        """All that must not change."""
        lobby = self.stranger.get("/v1/matches", limit=200)
        return self.stranger.get(self.match), lobby, list(self.stranger.events(self.match))


@pytest.fixture(scope="module")
def stage(server: Server) -> Iterator[Stage]:
    players = [Client(server.url).register(name) for name in ("Ariadne", "Bacchus")]
    stranger = Client(server.url).register("Stranger")
    nobody = Client(server.url)
    yield Stage(opened_match(players, "tiny"), players, stranger, nobody)
    for each in (*players, stranger, nobody):
        each.close()


def refused(answer: Answer, *expected: tuple[int, str]) -> None:
    """The answer is the problem document expected, in full."""
    assert answer.headers["content-type"].split(";")[0] == "application/problem+json", answer
    problem = answer.json
    assert (answer.status, problem["code"]) in expected, problem
    assert problem["status"] == answer.status
    assert problem["type"].endswith(f"/problems/{problem['code']}")
    assert problem["title"]
    assert problem["detail"]


def card(value: str) -> bytes:
    return b'{"seat":0,"move":{"type":"pledge","card":' + value.encode() + b"}}"


MALFORMED, ILLEGAL = (400, "malformed"), (422, "illegal")
BODIES = {
    "nothing": (b"", MALFORMED),
    "not JSON": (b"{", MALFORMED),
    "text after the JSON": (card("1") + b"}", MALFORMED),
    "an array": (b"[]", MALFORMED),
    "null": (b"null", MALFORMED),
    "a string": (b'"pledge"', MALFORMED),
    "no move": (b'{"seat":0}', MALFORMED),
    "no seat": (b'{"move":{"type":"pledge","card":1}}', MALFORMED),
    "an unknown field": (b'{"seat":0,"move":{"type":"pledge","card":1},"x":1}', MALFORMED),
    "an unknown field of the move": (b'{"seat":0,"move":{"type":"pledge","card":1,"x":1}}', MALFORMED),
    "a move without a type": (b'{"seat":0,"move":{"card":1}}', MALFORMED),
    "an unknown type of move": (b'{"seat":0,"move":{"type":"fly"}}', MALFORMED),
    "a type that is a number": (b'{"seat":0,"move":{"type":7}}', MALFORMED),
    "a text for a number": (card('"1"'), MALFORMED),
    "true for a number": (card("true"), MALFORMED),
    "null for a number": (card("null"), MALFORMED),
    "minus one": (card("-1"), MALFORMED),
    "a fraction": (card("1.5"), MALFORMED),
    "2^63": (card(str(2**63)), MALFORMED),
    "2^64": (card(str(2**64)), MALFORMED),
    "a thousand digits": (card("9" * 1000), MALFORMED),
    "a large exponent": (card("1e999"), MALFORMED),
    "NaN": (card("NaN"), MALFORMED),
    "Infinity": (card("Infinity"), MALFORMED),
    "a card not held": (card("99"), ILLEGAL),
    "a seat below zero": (b'{"seat":-1,"move":{"type":"pledge","card":1}}', MALFORMED),
    "a seat beyond the table": (b'{"seat":2,"move":{"type":"pledge","card":1}}', MALFORMED),
    "a seat that is a fraction": (b'{"seat":0.5,"move":{"type":"pledge","card":1}}', MALFORMED),
    "a seat of 2^63": (b'{"seat":9223372036854775808,"move":{"type":"pledge","card":1}}', MALFORMED),
    "NUL bytes": (b'{"seat":0,"move":{"type":"ple\x00dge","card":1}}', MALFORMED),
    "an escaped NUL": (b'{"seat":0,"move":{"type":"pledge\\u0000","card":1}}', MALFORMED),
    "half a surrogate pair": (b'{"seat":0,"move":{"type":"\\ud800","card":1}}', MALFORMED),
    "bytes that are not UTF-8": (b'{"seat":0,"move":{"type":"\xff","card":1}}', MALFORMED),
    "a byte order mark": (b"\xef\xbb\xbf" + card("1"), MALFORMED),
    "UTF-16": (card("1").decode().encode("utf-16"), MALFORMED),
    "a key twice": (b'{"seat":1,"seat":0,"move":{"type":"pledge","card":1}}', MALFORMED),
    "deep nesting": (b'{"seat":0,"move":' + b"[" * 20_000 + b"]" * 20_000 + b"}", MALFORMED),
    "deep nesting of objects": (b'{"move":' * 5_000 + b"1" + b"}" * 5_000, MALFORMED),
    "a body of 10 MB": (card('"' + "x" * 10 * MIB + '"'), (413, "too_large")),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_bad_body_of_a_move_changes_nothing(stage: Stage, name: str) -> None:
    """Fault 114."""
    body, expected = BODIES[name]
    before = stage.state()
    try:
        answer = stage.players[0].ask("POST", f"{stage.match}/moves", body, **JSON)
    except (OSError, http.client.HTTPException):
        if name != "a body of 10 MB":  # a server may stop reading before we have sent it all
            raise
        answer = announced(stage.players[0], f"{stage.match}/moves", len(body))
    refused(answer, expected)
    assert stage.state() == before


def announced(client: Client, path: str, length: int) -> Answer:
    """The answer to the mere announcement of a body."""
    wire = http.client.HTTPConnection(urlsplit(client.url).netloc, timeout=30)
    wire.putrequest("POST", path)
    wire.putheader("Authorization", f"Bearer {client.token}")
    wire.putheader("Content-Type", "application/json")
    wire.putheader("Content-Length", str(length))
    wire.endheaders()
    got = wire.getresponse()
    answer = Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
    wire.close()
    return answer


GOOD: dict[str, Any] = {"game": "tiny", "seats": 2}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"game": "tiny"},
        {"seats": 2},
        {**GOOD, "game": "chess"},
        {**GOOD, "game": "../tiny"},
        {**GOOD, "game": None},
        {**GOOD, "seats": 1},
        {**GOOD, "seats": -1},
        {**GOOD, "seats": 2.5},
        {**GOOD, "seats": 2**63},
        {**GOOD, "seats": "2"},
        {**GOOD, "seat": 2},
        {**GOOD, "seat": -1},
        {**GOOD, "undo": "never"},
        {**GOOD, "visibility": "secret"},
        {**GOOD, "start": "now"},
        {**GOOD, "options": []},
        {**GOOD, "options": {"preset": "huge"}},
        {**GOOD, "options": {"unknown": 1}},
        {**GOOD, "options": {"rounds": -1}},
        {**GOOD, "entropy": "not base64url!"},
        {**GOOD, "entropy": "A" * 87},
        {**GOOD, "colour": "red"},
    ],
    ids=lambda body: json.dumps(body)[:60],
)
def test_a_bad_match_is_not_created(stage: Stage, body: Any) -> None:
    before = stage.state()
    refused(stage.stranger.ask("POST", "/v1/matches", body), MALFORMED)
    assert stage.state() == before


@pytest.mark.parametrize(
    "body",
    [
        {}, {"name": ""}, {"name": "x" * 65}, {"name": "a\x00b"}, {"name": "a\nb"}, {"name": 7},
        {"name": None},
        {"name": "Ariadne", "key": "not a key"}, {"name": "Ariadne", "admin": True}, [], "Ariadne",
    ],
    ids=lambda body: json.dumps(body)[:60],
)  # fmt: skip
def test_a_bad_player_is_not_registered(stage: Stage, body: Any) -> None:
    refused(stage.nobody.ask("POST", "/v1/players", body), MALFORMED)


@pytest.mark.parametrize(
    ("method", "path", "headers", "expected"),
    [
        ("POST", "{match}/moves", {"Content_Type": "text/plain"}, (415, "unsupported_media_type")),
        ("POST", "{match}/moves", {"Content_Type": "application/xml"}, (415, "unsupported_media_type")),
        ("POST", "/v1/matches", {"Content_Type": "multipart/form-data"}, (415, "unsupported_media_type")),
        ("GET", "{match}", {"Accept": "image/png"}, (406, "not_acceptable")),
        ("GET", "/v1/nowhere", {}, (404, "not_found")),
        ("GET", "/nowhere", {}, (404, "not_found")),
        ("GET", "/v1/matches/unknown", {}, (404, "not_found")),
        ("GET", "/v1/matches/01ARZ3NDEKTSV4RRFFQ69G5FAV", {}, (404, "not_found")),
        ("GET", "/v1/matches/..%2f..%2fetc%2fpasswd", {}, (404, "not_found")),
        ("GET", "/v1/matches/%00", {}, (404, "not_found")),
        ("GET", "/v1/matches/" + "x" * 3000, {}, (404, "not_found")),
        ("GET", "/v1/matches/01ARZ3NDEKTSV4RRFFQ69G5FAV/view", {}, (404, "not_found")),
        ("GET", "/v1/matches/01ARZ3NDEKTSV4RRFFQ69G5FAV/events", {}, (404, "not_found")),
        ("POST", "/v1/matches/01ARZ3NDEKTSV4RRFFQ69G5FAV/seats", {}, (404, "not_found")),
        ("POST", "/v1/matches/01ARZ3NDEKTSV4RRFFQ69G5FAV/start", {}, (404, "not_found")),
        ("GET", "/v1/games/chess", {}, (404, "not_found")),
        ("GET", "{match}/events/0", {}, (404, "not_found")),
        ("GET", "{match}/events/999999", {}, (404, "not_found")),
        ("GET", "{match}/view?at=999999", {}, (404, "not_found")),
        ("GET", "{match}/view?at=-1", {}, MALFORMED),
        ("GET", "{match}/view?at=1.5", {}, MALFORMED),
        ("GET", "{match}/view?at=9223372036854775808", {}, (404, "not_found")),
        ("GET", "{match}/view?seat=two", {}, MALFORMED),
        ("GET", "{match}/view?seat=-1", {}, MALFORMED),
        ("GET", "{match}/view?seat=7", {}, MALFORMED),
        ("GET", "{match}/view?seat=0", {}, (403, "forbidden")),
        ("GET", "{match}/events?after=-1", {}, MALFORMED),
        ("GET", "{match}/events?after=x", {}, MALFORMED),
        ("GET", "{match}/events?limit=0", {}, MALFORMED),
        ("GET", "{match}/events?limit=1000000000", {}, MALFORMED),
        ("GET", "{match}/events/x", {}, MALFORMED),
        ("GET", "{match}/proof", {}, MALFORMED),
        ("GET", "{match}/proof?version=0", {}, (404, "not_found")),
        ("GET", "/v1/matches?cursor=forged", {}, MALFORMED),
        ("GET", "/v1/matches?limit=-1", {}, MALFORMED),
        ("GET", "/v1/matches?status=asleep", {}, MALFORMED),
        ("PUT", "{match}", {}, (405, "method_not_allowed")),
        ("DELETE", "{match}", {}, (405, "method_not_allowed")),
        ("PATCH", "/v1/players", {}, (405, "method_not_allowed")),
        ("DELETE", "{match}/seats/0", {}, (403, "forbidden")),
        ("DELETE", "{match}/seats/7", {}, MALFORMED),
        ("DELETE", "{match}/seats/x", {}, MALFORMED),
    ],
)
def test_a_bad_request_is_answered_with_a_problem(
    stage: Stage, method: str, path: str, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    before = stage.state()
    body: Any = (b"{}" if headers else {}) if method == "POST" else None
    answer = stage.stranger.ask(method, path.format(match=stage.match), body, **headers)
    # what cannot be an id or a number of this place may be called malformed or unknown
    allowed = {expected, MALFORMED if expected[1] == "not_found" else (404, "not_found")}
    refused(answer, *(allowed if expected[0] in (400, 404) else {expected}))
    if answer.status == 405:
        assert answer.headers["allow"]
    assert stage.state() == before


@pytest.mark.parametrize(
    "token",
    [
        "", "Bearer", "Bearer ", "Bearer nonsense", "Basic QXJpYWRuZTp4", "Bearer kleos_" + "A" * 43,
        "Bearer \xff", "bearer " + "x" * 4000,
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "{match}/moves"), ("POST", "/v1/matches"), ("GET", "/v1/players/me")]
)
def test_who_does_not_say_who_they_are_may_do_nothing(
    stage: Stage, method: str, path: str, token: str
) -> None:
    before = stage.state()
    body = json.loads(card("1")) if method == "POST" else None
    headers = {"Authorization": token} if token else {}
    answer = stage.nobody.ask(method, path.format(match=stage.match), body, **headers)
    refused(answer, (401, "unauthenticated"))
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert stage.state() == before


def test_a_seat_is_moved_by_its_player_alone(stage: Stage) -> None:
    before = stage.state()
    for client, seat in ((stage.players[1], 0), (stage.stranger, 0), (stage.stranger, 1)):
        move = stage.players[seat].view(stage.match, seat)[0]["moves"][0]["move"]
        answer = client.ask("POST", f"{stage.match}/moves", {"seat": seat, "move": move})
        refused(answer, (403, "forbidden"))
    assert stage.state() == before


def test_a_private_match_does_not_exist_for_strangers(stage: Stage) -> None:
    match = stage.players[0].create("tiny", 2, visibility="private")
    unknown = "/v1/matches/01ARZ3NDEKTSV4RRFFQ69G5FAV"
    for path in ("", "/view", "/events", "/moves", "/checkpoint", "/bundle", "/events/1", "/proof?version=1"):
        real, imagined = (stage.stranger.ask("GET", where + path) for where in (match, unknown))
        refused(real, (404, "not_found"))
        same = imagined.body.decode().replace(unknown.rpartition("/")[2], match.rpartition("/")[2])
        assert real.json.keys() == imagined.json.keys()
        assert {k: v for k, v in real.json.items() if k != "request"} == {
            k: v for k, v in json.loads(same).items() if k != "request"
        }
    refused(stage.stranger.ask("POST", f"{match}/seats", {"seat": 1}), (404, "not_found"))
    assert match not in str(stage.stranger.get("/v1/matches", limit=200))


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["no request line", "a version to come", "a bad header", "a bad length", "a bad chunk", "TLS"],
)
def test_what_is_not_http_harms_nobody(stage: Stage, sent: bytes) -> None:
    place = urlsplit(stage.stranger.url)
    with socket.create_connection((place.hostname, place.port), timeout=5) as wire:
        wire.sendall(sent)
        wire.shutdown(socket.SHUT_WR)
        answer = wire.recv(4096)
    assert not answer.startswith(b"HTTP/1.1 5")
    assert stage.stranger.get("/v1/games")["items"]
