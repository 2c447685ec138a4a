"""Many requests at the same moment: one of them happens, the others are told what did."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tests.scenarios.client import Answer, Client
from tests.scenarios.conftest import Join, opened_match
from tests.scenarios.server import Server

REPEATS = 50
RACERS = 40


def at_once(client: Client, requests: list[tuple[str, Any, dict[str, str]]]) -> list[Answer]:
    """POST all of these at the same moment, each over a connection of its own."""
    together = Barrier(len(requests))

    def send(request: tuple[str, Any, dict[str, str]]) -> Answer:
        path, body, headers = request
        alone = Client(client.url)
        alone.token = client.token
        alone.ask("GET", "/v1/players/me")  # connected before the start
        together.wait()
        answer = alone.ask("POST", path, body, **headers)
        alone.close()
        return answer

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


def test_parallel_repeats_of_one_command_make_one_event(server: Server, player: Join) -> None:
    players = [player(server, "Ariadne"), player(server, "Bacchus")]
    match = opened_match(players, "canary")
    before = players[0].get(match)["version"]
    move = players[0].view(match, 0)[0]["moves"][0]["move"]
    one = (f"{match}/moves", {"seat": 0, "move": move}, {"Idempotency_Key": "once"})
    answers = at_once(players[0], [one] * REPEATS)
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert players[0].get(match)["version"] == before + 1


def test_parallel_repeats_of_a_creation_make_one_match(server: Server, player: Join) -> None:
    ariadne = player(server, "Ariadne")
    one = ("/v1/matches", {"game": "canary", "seats": 2, "seat": 0}, {"Idempotency_Key": "once"})
    answers = at_once(ariadne, [one] * REPEATS)
    assert {answer.status for answer in answers} == {201}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert len(ariadne.get("/v1/matches", player=ariadne.id)["items"]) == 1


def test_a_key_that_comes_back_with_another_body_is_refused(server: Server, player: Join) -> None:
    players = [player(server, "Ariadne"), player(server, "Bacchus")]
    match = opened_match(players, "canary")
    first, second = (entry["move"] for entry in players[0].view(match, 0)[0]["moves"][:2])
    players[0].command(f"{match}/moves", {"seat": 0, "move": first}, Idempotency_Key="once")
    version = players[0].get(match)["version"]
    answer = players[0].ask("POST", f"{match}/moves", {"seat": 0, "move": second}, Idempotency_Key="once")
    assert (answer.status, answer.json["code"]) == (422, "command_mismatch")
    assert players[0].get(match)["version"] == version


@pytest.mark.parametrize("conditional", [True, False], ids=["If-Match", "without a condition"])
def test_of_racers_at_one_version_one_wins(
    server: Server, player: Join, rng: random.Random, conditional: bool
) -> None:
    """Fault 85."""
    players = [player(server, "Ariadne"), player(server, "Bacchus")]
    match = opened_match(players, "canary")
    view, etag = players[0].view(match, 0)
    condition = {"If_Match": etag} if conditional else {}
    race = [
        (
            f"{match}/moves",
            {"seat": 0, "move": rng.choice(view["moves"])["move"]},
            {"Idempotency_Key": f"racer-{number}", **condition},
        )
        for number in range(RACERS)
    ]
    answers = at_once(players[0], race)
    won = [answer for answer in answers if answer.status == 201]
    lost = [answer for answer in answers if answer.status != 201]
    assert len(won) == 1
    current = players[0].get(match)["version"]
    assert current == view["version"] + 1 == won[0].json["event"]["version"]
    allowed = {(412, "stale")} if conditional else {(409, "not_your_turn"), (422, "illegal")}
    for answer in lost:
        problem = answer.json
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.status, problem["code"]) in allowed
        assert problem["version" if "version" in problem else "current"] == current


def test_of_players_who_want_one_seat_one_gets_it(server: Server, player: Join) -> None:
    ariadne = player(server, "Ariadne")
    match = ariadne.create("canary", 3)
    suitors = [player(server, f"Suitor {number}") for number in range(10)]
    with ThreadPoolExecutor(len(suitors)) as pool:
        answers = list(pool.map(lambda each: each.ask("POST", f"{match}/seats", {"seat": 1}), suitors))
    assert sorted(answer.status for answer in answers) == [201] + [409] * (len(suitors) - 1)
    assert {answer.json["code"] for answer in answers if answer.status == 409} == {"seat_taken"}
