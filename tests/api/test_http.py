"""What holds for every answer, whichever layer gives it."""

import http.client
import json
import re
import socket
import time
from urllib.parse import urlsplit

import pytest

from kleos.api.codes import PROBLEMS
from kleos.api.problems import problem_of
from kleos.events.store import Archived
from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client
from tests.scenarios.server import PATIENCE, Server

WIRE = [
    *("malformed", "unauthenticated", "forbidden", "not_found", "method_not_allowed", "not_acceptable"),
    *("unsupported_media_type", "too_large", "not_your_turn", "wrong_phase", "seat_taken", "match_full"),
    *(
        "match_finished",
        "frozen",
        "stale",
        "illegal",
        "command_mismatch",
        "proposal_void",
        "undo_not_allowed",
    ),
    *("rate_limited", "store_unavailable", "internal", "archive_damaged", "archive_unavailable"),
]


def test_the_codes_are_those_that_clients_rely_on() -> None:
    assert set(WIRE) == set(PROBLEMS)


@pytest.mark.parametrize("code", WIRE)
def test_every_problem_has_a_page_at_its_type(stranger: Client, code: str) -> None:
    page = stranger.ask("GET", f"/problems/{code}", Accept="text/html")
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert PROBLEMS[code].title.encode() in page.body.replace(b"&#x27;", b"'")
    assert stranger.get(f"/problems/{code}")["status"] == PROBLEMS[code].status


def test_a_match_that_is_only_kept_to_be_read_is_frozen() -> None:
    found = problem_of(Archived("4V0M", 13))
    assert (found.status, found.code, found.more) == (409, "frozen", {"version": 13})
    assert found.detail == "match 4V0M is in the archive, where it ends with version 13"


def test_the_type_of_a_problem_is_the_address_of_its_page(stranger: Client) -> None:
    found = problem(stranger.ask("GET", "/v1/nowhere"), 404, "not_found")
    assert found["type"] == "/problems/not_found"
    assert stranger.get(str(found["type"]))["code"] == "not_found"


def test_a_problem_does_not_repeat_what_a_client_calls_the_server(stranger: Client) -> None:
    answer = stranger.ask("GET", "/v1/nowhere", Host="evil.example")
    problem(answer, 404, "not_found")
    assert b"evil" not in answer.body


def test_a_wrong_method_is_told_the_right_ones(stranger: Client) -> None:
    answer = stranger.ask("DELETE", "/v1/matches")
    problem(answer, 405, "method_not_allowed")
    assert {"GET", "POST"} <= set(re.split(r", *", answer.headers["allow"]))


def test_options_lists_every_method_of_the_path(stranger: Client) -> None:
    answer = stranger.ask("OPTIONS", "/v1/matches")
    assert answer.status == 204
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    problem(stranger.ask("OPTIONS", "/v1/nowhere"), 404, "not_found")


def test_head_answers_like_get_without_the_body(stranger: Client) -> None:
    got, head = (stranger.ask(method, "/v1/games") for method in ("GET", "HEAD"))
    assert (head.status, head.body) == (200, b"")
    same = ("content-type", "content-length", "cache-control")
    assert [head.headers[name] for name in same] == [got.headers[name] for name in same]


@pytest.mark.parametrize(
    "path", ["/v1/games", "/v1/nowhere", "/openapi.json", "/docs", "/healthz", "/v1/players/me"]
)
def test_head_keeps_the_connection_and_tells_the_length_of_get(server: Server, path: str) -> None:
    wire = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    lengths = []
    wire.connect()
    opened = wire.sock
    for method in ("HEAD", "GET", "HEAD"):
        wire.request(method, path)
        answer = wire.getresponse()
        body = answer.read()
        lengths.append(answer.headers["content-length"])
        assert len(body) == (int(lengths[-1]) if method == "GET" else 0)
        assert wire.sock is opened, "the connection was closed"
    wire.close()
    assert len(set(lengths)) == 1
    assert "Traceback" not in server.output.read_text()


@pytest.mark.parametrize("path", ["/v1/games", "/v1/matches", "/v1/players", "/v1/matches/m/moves/check"])
def test_the_allowed_methods_are_the_same_whoever_is_asked(stranger: Client, path: str) -> None:
    listed = stranger.ask("OPTIONS", path).headers["allow"]
    assert stranger.ask("PATCH", path).headers["allow"] == listed
    assert ("HEAD" in listed) == ("GET" in listed)
    head = stranger.ask("HEAD", path)
    assert (head.status == 405) == ("HEAD" not in listed)
    assert head.headers.get("allow", listed) == listed


def test_a_web_page_of_any_origin_may_ask(stranger: Client) -> None:
    origin = "https://frontend.example"
    preflight = stranger.ask(
        "OPTIONS",
        "/v1/matches",
        Origin=origin,
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization, idempotency-key, if-match",
    )
    assert preflight.status in (200, 204)
    assert preflight.headers["access-control-allow-origin"] == "*"
    allowed = preflight.headers["access-control-allow-headers"].lower()
    assert {"authorization", "idempotency-key", "if-match"} <= set(re.split(r", *", allowed))
    answer = stranger.ask("GET", "/v1/nowhere", Origin=origin)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "ETag" in answer.headers["access-control-expose-headers"]


def test_every_answer_names_its_exchange_and_guards_against_misuse(stranger: Client) -> None:
    for path in ("/v1/games", "/v1/nowhere", "/docs", "/healthz"):
        answer = stranger.ask("GET", path, X_Request_Id="mine-1", Accept="*/*")
        assert answer.headers["x-request-id"] == "mine-1"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert stranger.ask("GET", "/healthz", X_Request_Id="a b").headers["x-request-id"] != "a b"


POST = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
NOT_HTTP = {
    "no request line": b"nonsense\r\n\r\n",
    "the greeting of TLS": bytes.fromhex("160301020001000001fc0303"),
    "another version": b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no such method": b"BREW /v1/games HTTP/1.1\r\nHost: x\r\n\r\n",
    "a path beyond all measure": b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"x" * 100_000),
    "a path that is not ASCII": b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header without a colon": b"GET /v1/games HTTP/1.1\r\nHost: x\r\nAccept\r\n\r\n",
    "a NUL in a header": b"GET /v1/games HTTP/1.1\r\nHost: x\r\nAccept: \0\r\n\r\n",
    "a length that is no number": POST + b"Content-Length: much\r\n\r\n{}",
    "a length and chunks": POST
    + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "a chunk without a size": CHUNKED + b"{}\r\n0\r\n\r\n",
    "a chunk after a good one": CHUNKED + b"2\r\n{}\r\nzz\r\n\r\n",
}


@pytest.mark.parametrize("sent", NOT_HTTP)
def test_fault_126_what_is_not_http_gets_a_problem_too(server: Server, sent: str) -> None:
    """From below the application, where there is no request to speak of yet."""
    wire = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    wire.connect()
    assert wire.sock is not None
    wire.sock.sendall(NOT_HTTP[sent])
    answer = http.client.HTTPResponse(wire.sock)
    answer.begin()
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert json.loads(answer.read())["code"] == "malformed"
    assert wire.sock.recv(1) == b"", "what follows could be anything: the connection is closed"
    wire.close()


def test_a_client_that_goes_away_amid_its_body_is_no_fault_of_the_server(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as wire:
        wire.sendall(POST + b"X-Request-Id: gone\r\nContent-Length: 100\r\n\r\n{")
        time.sleep(0.1)
    deadline = time.monotonic() + PATIENCE
    while '"request":"gone"' not in (said := server.output.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert "Traceback" not in said


def test_a_body_too_large_is_told_the_limit(stranger: Client) -> None:
    found = problem(stranger.ask("POST", "/v1/players", {"name": "x" * 70_000}), 413, "too_large")
    assert found["limit"] == 64 * 1024


@pytest.mark.parametrize("path", ["/", "/docs", "/problems", "/problems/stale"])
def test_pages_need_nothing_from_elsewhere(stranger: Client, path: str) -> None:
    page = stranger.ask("GET", path, Accept="text/html")
    assert page.status == 200
    loaded = re.findall(rb'(?:src|href)="([^"]+)"', re.sub(rb"<a [^>]*>", b"", page.body))
    assert loaded
    for asset in loaded:
        if asset != b"data:,":
            assert asset.startswith(b"/static/"), asset
            assert stranger.ask("GET", asset.decode()).status == 200
    assert "unsafe" not in page.headers["content-security-policy"]


def test_assets_come_packed_to_whoever_takes_them_so(stranger: Client) -> None:
    plain = stranger.ask("GET", "/static/swagger-ui-bundle.js", Accept_Encoding="identity")
    packed = stranger.ask("GET", "/static/swagger-ui-bundle.js", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 2
    problem(stranger.ask("GET", "/static/..%2fapp.py"), 404, "not_found")


def test_the_front_door_is_a_lobby_for_people_and_links_for_programs(
    stranger: Client, newcomer: Newcomer
) -> None:
    links = stranger.get("/")["links"]
    for address in links.values():
        assert stranger.ask("OPTIONS", address).status == 204
    host = newcomer()
    match = host.create("tiny", 2)
    lobby = stranger.ask("GET", "/", Accept="text/html,*/*;q=0.1").body.decode()
    assert match in lobby


def test_a_name_is_text_and_nothing_else_on_a_page(stranger: Client, server: Server) -> None:
    host = Client(server.url).register("<script>alert(1)</script>")
    host.create("tiny", 2)
    host.close()
    lobby = stranger.ask("GET", "/", Accept="text/html").body.decode()
    assert "&lt;script&gt;alert(1)" in lobby
    assert "<script>alert" not in lobby


def test_the_document_is_served_with_the_games_of_this_server(stranger: Client) -> None:
    schemas = stranger.get("/openapi.json")["components"]["schemas"]
    assert {"IliadMove", "TinyMove"} <= set(schemas)


def test_a_game_tells_all_that_a_frontend_needs(stranger: Client) -> None:
    listed = {each["game"]: each for each in stranger.get("/v1/games")["items"]}
    game = stranger.get("/v1/games/iliad")
    assert listed["iliad"].items() <= game.items()
    assert {"options", "move", "effect", "state"} <= set(game["schemas"])
    assert game["options"]["preset"] == "sheet"
    assert game["manifest"]
