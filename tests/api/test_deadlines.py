"""Deadlines over HTTP: told as times, kept by the house whatever happens to the process."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client
from tests.scenarios.server import Server

SECONDS = 3
"""Long enough for a few requests on a busy machine."""
SOON = {"seconds": SECONDS, "policy": "bot"}


def until(client: Client, match: str, wanted: Any, seconds: float = 30) -> Any:
    """The match, as soon as it is as wanted."""
    end = time.monotonic() + seconds
    while not wanted(found := client.get(match)):
        assert time.monotonic() < end, found
        time.sleep(0.05)
    return found


def seated(newcomer: Newcomer, **more: Any) -> tuple[list[Client], str]:
    players = [newcomer(), newcomer()]
    match = players[0].create("tiny", 2, **more)
    players[1].join(match, 1)
    return players, match


def test_deadlines_are_absolute_times_in_the_match_and_in_every_view(newcomer: Newcomer) -> None:
    """Fault 102."""
    players, match = seated(newcomer, deadline={"seconds": 3600})
    told = players[0].get(match)
    assert told["deadline"] == {"seconds": 3600, "policy": "bot"}
    began = datetime.fromisoformat(told["updated_at"])
    assert [each["seat"] for each in told["due"]] == [0, 1]
    assert {(datetime.fromisoformat(each["at"]) - began).total_seconds() for each in told["due"]} == {3600}
    assert players[1].view(match, 1)[0]["due"] == told["due"]
    listed = players[0].get("/v1/matches", player=players[0].id)["items"]
    assert listed[0]["due"] == told["due"]


def test_without_a_deadline_nobody_is_hurried(newcomer: Newcomer) -> None:
    players, match = seated(newcomer)
    assert [players[0].get(match)[part] for part in ("deadline", "due")] == [None, []]


def test_the_house_decides_for_who_is_late(newcomer: Newcomer) -> None:
    players, match = seated(newcomer, deadline=SOON)
    due = datetime.fromisoformat(players[0].get(match)["due"][0]["at"]).timestamp() * 1000
    until(players[0], match, lambda found: found["version"] >= 4)
    moves = [each["event"] for each in players[0].events(match) if each["event"]["kind"] == "move"][:2]
    for event in moves:
        assert event["player"] is None
        assert event["at"] >= due
        assert event["effects"][0]["type"] == "time_ran_out"
    assert not any(each["resigned"] for each in players[0].get(match)["seats"])


def test_who_is_late_resigns_where_that_is_the_policy(newcomer: Newcomer) -> None:
    players, match = seated(newcomer, deadline={"seconds": SECONDS, "policy": "resign"})
    view, etag = players[1].view(match, 1)
    players[1].move(match, 1, view["moves"][0]["move"], etag)
    found = until(players[0], match, lambda found: found["status"] == "finished")
    assert found["outcome"]["winners"] == [1]


def test_who_waits_may_claim(newcomer: Newcomer) -> None:
    players, match = seated(newcomer, deadline={"seconds": SECONDS, "policy": "wait"})
    view, etag = players[0].view(match, 0)
    players[0].move(match, 0, view["moves"][0]["move"], etag)
    time.sleep(SECONDS + 0.1)
    assert players[0].get(match)["status"] == "playing", "nothing happens by itself"
    problem(players[1].ask("POST", f"{match}/seats/0/claim"), 403, "forbidden")
    problem(newcomer().ask("POST", f"{match}/seats/1/claim"), 403, "forbidden")
    answer = players[0].command(f"{match}/seats/1/claim", {})
    assert answer.json["outcome"]["winners"] == [0]


@pytest.mark.parametrize("deadline", [{"seconds": 0}, {"seconds": 10, "policy": "nag"}, {"policy": "bot"}, 7])
def test_a_deadline_that_is_none_is_refused(newcomer: Newcomer, deadline: Any) -> None:
    body = {"game": "tiny", "seats": 2, "deadline": deadline}
    problem(newcomer().ask("POST", "/v1/matches", body), 400, "malformed")


def test_a_deadline_that_passed_while_the_server_was_down_is_kept_when_it_is_up(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    players = [Client(server.url, patience=30).register(name) for name in ("Ann", "Ben")]
    match = players[0].create("tiny", 2, deadline=SOON)
    players[1].join(match, 1)
    due = players[0].get(match)["due"]
    server.kill()
    time.sleep(SECONDS)
    server.start()
    late = [
        each["event"]["effects"][0] for each in _all(players[0], match) if each["event"]["kind"] == "move"
    ][:2]
    told = [datetime.fromisoformat(each["at"]).timestamp() * 1000 for each in due]
    assert [(each["seat"], each["due"]) for each in late] == [(0, told[0]), (1, told[1])]
    for each in players:
        each.close()
    assert server.stop() == 0


def _all(client: Client, match: str) -> list[Any]:
    until(client, match, lambda found: found["version"] >= 4)
    return list(client.events(match))


def test_several_processes_keep_a_deadline_once(tmp_path: Path, store_url: str) -> None:
    servers = [
        Server(tmp_path / str(each), "--redis", store_url, "--data", str(tmp_path)) for each in range(2)
    ]
    for server in servers:
        server.start()
    players = [Client(servers[0].url, patience=30).register(name) for name in ("Ann", "Ben")]
    match = players[0].create("tiny", 2, deadline=SOON)
    players[1].join(match, 1)
    until(players[0], match, lambda found: found["version"] >= 5)
    moves = [each["event"] for each in players[0].events(match) if each["event"]["kind"] == "move"]
    lateness = [(each["effects"][0]["seat"], each["effects"][0]["due"]) for each in moves]
    assert len(lateness) == len(set(lateness))
    for each in players:
        each.close()
    assert [server.stop() for server in servers] == [0, 0]
