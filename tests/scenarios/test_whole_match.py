"""A match over HTTP from its creation to its outcome, whatever happens to the server on the way."""

import random
import subprocess
import sys
from typing import Any

from tests.scenarios import client
from tests.scenarios.client import Client, play
from tests.scenarios.conftest import Join, assert_readable, assert_whole, opened_match, survived
from tests.scenarios.server import Server


def test_the_client_by_itself_says_what_it_needs() -> None:
    alone = [sys.executable, client.__file__]
    done = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


def test_a_server_killed_three_times_loses_nothing_it_acknowledged(
    mortal: Server, player: Join, rng: random.Random
) -> None:
    players = [player(mortal, "Ariadne"), player(mortal, "Bacchus")]
    match = opened_match(players)
    acknowledged = survived(mortal, match, players, rng)
    assert_whole(match, players, acknowledged)
    assert_readable(match, players)


def test_what_a_seat_saw_is_what_it_can_read_again(server: Server, player: Join, rng: random.Random) -> None:
    """Fault 77."""
    players = [player(server, "Ariadne"), player(server, "Bacchus")]
    match = opened_match(players)
    seen: dict[tuple[int, int], Any] = {}
    for answer in play(match, players, rng):
        version = answer["event"]["version"]
        for seat, each in enumerate(players):
            seen[seat, version] = each.view(match, seat)[0]["state"]
        if version >= 40:
            break
    for (seat, version), state in seen.items():
        assert players[seat].get(f"{match}/view", seat=seat, at=version)["state"] == state


def test_an_accepted_move_is_answered_with_what_everybody_reads(
    server: Server, player: Join, rng: random.Random
) -> None:
    """Fault 91."""
    players = [player(server, "Ariadne"), player(server, "Bacchus")]
    match = opened_match(players)
    stranger = Client(server.url)
    answer = next(play(match, players, rng))
    version = answer["event"]["version"]
    assert stranger.get(f"{match}/events/{version}")["event"] == answer["event"]
    assert stranger.ask("GET", f"{match}/proof?version={version}").body.decode() == answer["receipt"]
    assert answer["view"]["version"] == version
    assert answer["durability"] == "fsync"
    stranger.close()
