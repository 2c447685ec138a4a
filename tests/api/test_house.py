"""The house moves for bots and for those who gave up, whatever happens to the process."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Newcomer
from tests.scenarios.client import Client
from tests.scenarios.server import Server


def eventually(client: Client, match: str, status: str, seconds: float = 30) -> Any:
    deadline = time.monotonic() + seconds
    while (found := client.get(match))["status"] != status:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("game", ["tiny", "iliad"])
def test_bots_play_a_whole_match_among_themselves(newcomer: Newcomer, game: str) -> None:
    host = newcomer()
    match = host.create(game, 2, seat=None)
    for seat, bot in enumerate(("random", "greedy")):
        host.command(f"{match}/seats", {"seat": seat, "bot": bot})
    assert eventually(host, match, "finished")["outcome"]["ranking"]
    moves = [each["event"] for each in host.events(match) if each["event"]["kind"] == "move"]
    assert moves
    assert all(each["player"] is None for each in moves)


def test_the_house_plays_on_for_whoever_gave_up(newcomer: Newcomer) -> None:
    players = [newcomer() for _ in range(3)]
    match = players[0].create("tiny", 3)
    for seat in (1, 2):
        players[seat].join(match, seat)
    assert players[2].ask("DELETE", f"{match}/seats/2").json["status"] == "playing"
    deadline = time.monotonic() + 30
    while players[0].get(match)["status"] == "playing":
        assert time.monotonic() < deadline
        for seat in (0, 1):
            view, etag = players[seat].view(match, seat)
            if view["moves"]:
                move = {"seat": seat, "move": view["moves"][0]["move"]}
                assert players[seat].ask("POST", f"{match}/moves", move, If_Match=etag).status in (
                    201,
                    412,
                    409,
                )
    assert players[0].get(match)["outcome"]["reason"] != "resignation"


def test_a_match_of_bots_goes_on_after_a_power_cut(tmp_path: Path) -> None:
    """Fault 105."""
    server = Server(tmp_path)
    server.start()
    host = Client(server.url, patience=30).register("Host")
    match = host.create("iliad", 2, seat=None)
    for seat in range(2):
        host.command(f"{match}/seats", {"seat": seat, "bot": "random"})
    assert host.get(match)["status"] == "playing"
    server.kill()
    server.start()
    eventually(host, match, "finished")
    host.close()
    assert server.stop() == 0
