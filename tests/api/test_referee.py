"""The referee over HTTP: every ruling is an event that everybody sees."""

from typing import Any

from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client


def table(newcomer: Newcomer, **more: Any) -> tuple[list[Client], Client, str]:
    players, referee = [newcomer(), newcomer()], newcomer()
    match = players[0].create("tiny", 2, referee=referee.id, visibility="private", **more)
    invite = players[0].get(match)["invite"]
    players[1].command(f"{match}/seats", {"seat": 1, "invite": invite})
    return players, referee, match


def test_a_referee_rules_and_everybody_sees_who_and_why(newcomer: Newcomer) -> None:
    players, referee, match = table(newcomer)
    assert referee.get(match)["referee"] == referee.id
    referee.command(f"{match}/annotations", {"text": "Seat 1 asked for a ruling.", "version": 2})
    referee.command(f"{match}/adjourn", {"text": "Back at noon."})
    view, _ = players[0].view(match, 0)
    assert (view["adjourned"], view["to_act"], view["moves"]) == (True, [], [])
    problem(players[0].ask("POST", f"{match}/abandon", {"seat": 0}), 409, "wrong_phase")
    referee.command(f"{match}/resume", {"text": "Go on."})
    assert players[0].view(match, 0)[0]["moves"]
    done = referee.command(f"{match}/adjudicate", {"text": "Agreed.", "ranking": [[1], [0]]})
    assert (done.status, done.json["view"]["outcome"]["winners"]) == (201, [1])
    ruled = [each["event"] for each in players[1].events(match) if each["event"]["player"] == referee.id]
    assert [each["kind"] for each in ruled] == ["annotate", "adjourn", "resume", "adjudicate"]
    assert ruled[0]["effects"][0]["text"] == "Seat 1 asked for a ruling."


def test_a_referee_sees_what_a_spectator_sees(newcomer: Newcomer) -> None:
    """Fault 43."""
    players, referee, match = table(newcomer)
    seen = referee.get(f"{match}/view")
    assert (seen["seat"], seen["moves"]) == (None, [])
    assert seen["state"] == players[0].get(f"{match}/view", seat="spectator")["state"]
    problem(referee.ask("GET", f"{match}/view?seat=0"), 403, "forbidden")
    assert not any(each["opened"] for each in referee.events(match))


def test_nobody_else_rules(newcomer: Newcomer) -> None:
    players, referee, match = table(newcomer)
    for path, body in (("annotations", {"text": "x"}), ("adjourn", {"text": "x"}), ("resume", {"text": "x"})):
        problem(players[0].ask("POST", f"{match}/{path}", body), 403, "forbidden")
        problem(newcomer().ask("POST", f"{match}/{path}", body), 404, "not_found")
    problem(
        players[1].ask("POST", f"{match}/adjudicate", {"text": "I win", "ranking": [[1], [0]]}),
        403,
        "forbidden",
    )
    problem(referee.ask("POST", f"{match}/adjudicate", {"text": "x", "ranking": [[1]]}), 400, "malformed")
    problem(referee.ask("POST", f"{match}/adjudicate", {"text": "x", "ranking": []}), 400, "malformed")
    problem(referee.ask("POST", f"{match}/annotations", {"text": "\u0000"}), 400, "malformed")
    problem(referee.ask("POST", f"{match}/annotations", {"text": "x", "version": 99}), 409, "wrong_phase")


def test_the_creator_appoints_a_referee_who_exists_before_the_start(newcomer: Newcomer) -> None:
    host, referee = newcomer(), newcomer()
    match = host.create("tiny", 2)
    problem(host.ask("PUT", f"{match}/referee", {"player": "nobody"}), 400, "malformed")
    problem(host.ask("PUT", f"{match}/referee", {"player": host.id}), 403, "forbidden")
    assert host.ask("PUT", f"{match}/referee", {"player": referee.id}).json["referee"] == referee.id
    problem(referee.ask("POST", f"{match}/seats", {}), 403, "forbidden")
    newcomer().join(match, 1)
    problem(host.ask("PUT", f"{match}/referee", {"player": None}), 409, "wrong_phase")
    body = {"game": "tiny", "seats": 2, "referee": "nobody"}
    problem(host.ask("POST", "/v1/matches", body), 400, "malformed")
