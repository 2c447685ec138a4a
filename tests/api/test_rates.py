"""Limits of rate: exactly so many, for each player by itself, over all processes; and what is counted."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.conftest import problem
from tests.api.listening import LINES, Stream
from tests.scenarios.client import Client
from tests.scenarios.server import PATIENCE, Server

MOST, SECONDS = 5, 3600


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two processes that serve one port and share one limit."""
    running = Server(
        tmp_path_factory.mktemp("rates"),
        *("--data", str(tmp_path_factory.mktemp("rates-data")), "--workers", "2"),
        KLEOS_RATE_PLAYER=f"{MOST}/{SECONDS}",
        KLEOS_RATE_ADDRESS="100/3600",
    )
    running.start()
    yield running
    assert running.stop() == 0


def test_fault_127_whatever_is_limited_the_refusal_is_of_one_kind(server: Server, tmp_path: Path) -> None:
    """By player, by address, and for what leads nowhere: one body, the policy by name, when to come back."""
    addressed = Server(tmp_path, KLEOS_RATE_ADDRESS="1/3600")
    addressed.start()
    player, stranger, astray = Client(server.url).register("A"), Client(addressed.url), Client(addressed.url)
    for _ in range(MOST):
        player.ask("GET", "/v1/players/me")
    stranger.ask("GET", "/v1/games")
    refused = [player.ask("GET", "/v1/players/me"), player.ask("POST", "/v1/matches", {})]
    refused += [stranger.ask("GET", "/v1/games"), astray.ask("GET", "/wp-login.php")]
    told = [problem(each, 429, "rate_limited") for each in refused]
    assert [each["policy"] for each in told] == ["player", "player", "address", "address"]
    assert len({frozenset(each) for each in told}) == 1
    for answer, body in zip(refused, told, strict=True):
        assert 1 <= int(answer.headers["retry-after"]) <= SECONDS
        assert answer.headers["ratelimit-policy"].startswith(f'"{body["policy"]}";')
    for each in (player, stranger, astray):
        each.close()
    assert addressed.stop() == 0


def test_a_player_may_ask_so_often_and_not_once_more(server: Server) -> None:
    player, other = (Client(server.url, patience=PATIENCE).register(name) for name in ("A", "B"))
    left = []
    for _ in range(MOST):
        player.close()  # each on a connection of its own: either process may serve it
        answer = player.ask("GET", "/v1/players/me")
        assert answer.status == 200
        assert answer.headers["ratelimit-policy"] == f'"player";q={MOST};w={SECONDS}'
        left.append(re.fullmatch(r'"player";r=(\d+);t=(\d+)', answer.headers["ratelimit"]))
    assert [int(each[1]) for each in left if each] == [4, 3, 2, 1, 0]
    refused = player.ask("GET", "/v1/players/me")
    assert problem(refused, 429, "rate_limited")["policy"] == "player"
    assert 1 <= int(refused.headers["retry-after"]) <= SECONDS / MOST
    assert other.ask("GET", "/v1/players/me").status == 200, "another player is not concerned"
    for each in (player, other):
        each.close()


def test_whoever_brings_no_good_token_counts_by_address(tmp_path: Path) -> None:
    server = Server(tmp_path, KLEOS_RATE_ADDRESS="2/3600")
    server.start()
    stranger = Client(server.url)
    stranger.token = "kleos_aaaaaaaaaaaaaaaa_" + "x" * 43
    problem(stranger.ask("GET", "/v1/players/me"), 401, "unauthenticated")
    stranger.token = ""
    assert stranger.ask("GET", "/v1/games").headers["ratelimit"].startswith('"address";r=0;')
    problem(stranger.ask("POST", "/v1/players", {"name": "C"}), 429, "rate_limited")
    for path in ("/healthz", "/readyz", "/metrics"):
        assert stranger.ask("GET", path, Accept="*/*").status == 200
    stranger.close()
    assert server.stop() == 0


def test_what_leads_nowhere_counts_too(tmp_path: Path) -> None:
    server = Server(tmp_path, KLEOS_RATE_ADDRESS="2/3600")
    server.start()
    stranger = Client(server.url)
    answer = stranger.ask("GET", "/v1/nowhere")
    problem(answer, 404, "not_found")
    assert answer.headers["ratelimit"].startswith('"address";r=1;')
    problem(stranger.ask("DELETE", "/v1/games"), 405, "method_not_allowed")
    refused = stranger.ask("GET", "/wp-login.php")
    assert problem(refused, 429, "rate_limited")["policy"] == "address"
    assert int(refused.headers["retry-after"]) >= 1
    stranger.close()
    assert server.stop() == 0


def test_an_empty_bucket_fills_up_by_itself(tmp_path: Path) -> None:
    server = Server(tmp_path, KLEOS_RATE_PLAYER="1/1")
    server.start()
    player = Client(server.url).register("Ariadne")
    assert player.ask("GET", "/v1/players/me").status == 200
    while (refused := player.ask("GET", "/v1/players/me")).status == 200:
        pass  # a second has passed between the two
    assert refused.status == 429
    time.sleep(int(refused.headers["retry-after"]))
    answer = player.ask("GET", "/v1/players/me")
    assert answer.status == 200, "Retry-After was the truth"
    player.close()
    assert server.stop() == 0


def test_a_player_and_an_address_have_so_many_streams_open_and_not_one_more(tmp_path: Path) -> None:
    server = Server(tmp_path, KLEOS_STREAMS_PLAYER="2", KLEOS_STREAMS_ADDRESS="1")
    server.start()
    host, guest = (Client(server.url).register(name) for name in "AB")
    stranger = Client(server.url)
    match = host.create("tiny", 2)
    opened = [Stream(host, path, LINES) for path in (f"{match}/events", "/v1/players/me/news")]
    opened.append(Stream(stranger, f"{match}/events", LINES))
    assert [each.status for each in opened] == [200, 200, 200]
    cursor = host.get("/v1/players/me/news")["cursor"]
    for client, policy in ((host, "streams_player"), (stranger, "streams_address")):
        refused = client.ask("GET", f"{match}/events", Accept=LINES)
        assert problem(refused, 429, "rate_limited")["policy"] == policy
        assert int(refused.headers["retry-after"]) >= 1
    for path in (f"{match}/events?after=1", f"/v1/players/me/news?since={cursor}"):
        refused = host.ask("GET", path, Prefer="wait=20")
        assert problem(refused, 429, "rate_limited")["policy"] == "streams_player", (
            "so does what is waited for"
        )
        assert int(refused.headers["retry-after"]) >= 1
        assert host.ask("GET", path).status == 200, "pages are not streams"
    opened.append(Stream(guest, f"{match}/events", LINES))
    assert opened[-1].status == 200, "each player by itself"
    opened[0].close()
    deadline = time.monotonic() + PATIENCE
    while (again := Stream(host, f"{match}/events", LINES)).status == 429:
        assert time.monotonic() < deadline, "a stream that is closed makes room"
        again.close()
    for stream in (*opened[1:], again):
        stream.close()
    for client in (host, guest, stranger):
        client.close()
    assert server.stop() == 0


def test_what_happened_is_counted(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    host, guest = (Client(server.url).register(name) for name in ("A", "B"))
    match = host.create("tiny", 2)
    guest.join(match, 1)
    view, etag = host.view(match, 0)
    host.move(match, 0, view["moves"][0]["move"], etag)
    stale = host.ask("POST", f"{match}/moves", {"seat": 0, "move": view["moves"][0]["move"]}, If_Match=etag)
    assert stale.status == 412
    streams = [Stream(host, f"{match}/events", LINES) for _ in range(2)]
    streams.append(Stream(host, "/v1/players/me/news", LINES))
    told = host.ask("GET", "/metrics", Accept="*/*")
    assert told.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    counts = dict(re.findall(r'^(kleos_\S+?),?process="\d+"} (\S+)$', told.body.decode(), re.MULTILINE))
    assert counts['kleos_events_total{game="tiny",kind="move"'] == "1"
    assert counts['kleos_events_total{game="tiny",kind="create"'] == "1"
    assert counts['kleos_refusals_total{code="stale"'] == "1"
    assert counts['kleos_requests_total{method="POST",status="412"'] == "1"
    assert counts['kleos_append_seconds_count{game="tiny"'] == "3"
    assert counts['kleos_append_seconds_bucket{game="tiny",le="+Inf"'] == "3"
    assert counts['kleos_streams{game="tiny"'] == "2"
    assert counts['kleos_streams{game=""'] == "1"
    for stream in streams:
        stream.close()
    for each in (host, guest):
        each.close()
    assert server.stop() == 0
