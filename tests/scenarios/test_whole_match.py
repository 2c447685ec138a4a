"""A match over HTTP from its creation to its outcome, whatever happens to the server on the way."""

import random
import threading
from typing import Any

from tests.scenarios.client import Client, play
from tests.scenarios.conftest import Join, opened_match
from tests.scenarios.server import Server


def test_a_server_killed_three_times_loses_nothing_it_acknowledged(
    mortal: Server, player: Join, rng: random.Random
) -> None:
    players = [player(mortal, "Ariadne"), player(mortal, "Bacchus")]
    match = opened_match(players)
    acknowledged = []
    kills = set(rng.sample(range(3, 40), 3))

    def die_and_rise() -> None:
        mortal.kill()
        mortal.start()

    for number, answer in enumerate(play(match, players, rng)):
        acknowledged.append(answer["event"])
        if number in kills:
            threading.Timer(rng.uniform(0, 0.01), die_and_rise).start()  # while the next request is under way
    assert len(acknowledged) > max(kills)
    assert_whole(match, players, acknowledged)
    assert_readable(match, players)


def test_what_a_seat_saw_is_what_it_can_read_again(server: Server, player: Join, rng: random.Random) -> None:
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


def assert_whole(match: str, players: list[Client], acknowledged: list[Any]) -> None:
    """Every acknowledged event is in the log, once, in its place; there are no gaps; the match has ended."""
    log = [item["event"] for item in players[0].events(match)]
    assert [event["version"] for event in log] == list(range(1, len(log) + 1))
    assert [log[event["version"] - 1] for event in acknowledged] == acknowledged
    assert [event for event in log if event["kind"] == "move"] == acknowledged
    assert len({event["command"] for event in log}) == len(log)
    ended = players[0].get(match)
    assert ended["status"] == "finished"
    assert ended["version"] == len(log)
    assert ended["outcome"]["winners"]


def assert_readable(match: str, players: list[Client]) -> None:
    """Every version can be read for every seat and by a spectator."""
    stranger = Client(players[0].url)
    ended = stranger.get(match)
    readers: list[tuple[Client, int | str]] = [*((each, seat) for seat, each in enumerate(players))]
    for reader, seat in [*readers, (stranger, "spectator")]:
        for version in range(1, ended["version"] + 1):
            view = reader.get(f"{match}/view", seat=seat, at=version)
            assert (view["version"], view["moves"]) == (version, [])
            assert view["seat"] == (None if seat == "spectator" else seat)
        assert reader.get(f"{match}/view", seat=seat)["outcome"] == ended["outcome"]
    stranger.close()
