"""Whole matches over HTTP of every game at every number of seats, by a client that knows no rules."""

import random
from typing import Any

import pytest

from tests.scenarios.client import play
from tests.scenarios.conftest import Join
from tests.scenarios.server import Server

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    *(("iliad", seats, {}) for seats in range(2, 7)),
    ("iliad", 4, {"teams": True}),
    ("iliad", 4, {"teams": True, "team4": "six"}),
    *(("cyclades", seats, {"max_cycles": 8}) for seats in range(2, 6)),
]
"""Game, seats, and options: those that make another table, and for Cyclades an end of random play."""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats", "options"), TABLES)
def test_a_match_is_played_to_its_outcome(
    server: Server, player: Join, rng: random.Random, game: str, seats: int, options: dict[str, Any]
) -> None:
    players = [player(server, f"Player {seat}") for seat in range(seats)]
    match = players[0].create(game, seats, options=options)
    for seat in range(1, seats):
        players[seat].join(match, seat)
    played = [answer["event"]["version"] for answer in play(match, players, rng)]
    ended = players[0].get(match)
    assert ended["status"] == "finished"
    assert ended["outcome"]["winners"]
    assert sorted(seat for group in ended["outcome"]["ranking"] for seat in group) == list(range(seats))
    told = [item["event"] for item in players[-1].events(match, limit=200)]
    assert [event["version"] for event in told] == list(range(1, ended["version"] + 1))
    assert played == [event["version"] for event in told if event["kind"] == "move"]
