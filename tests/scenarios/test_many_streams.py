"""Many streams over many matches, cut off at any moment: every client hears 1 … n, in order, nothing else.

What each was sent is scanned for what it may not know; and each player's news are told once, all of them.
"""

import asyncio
import random

import pytest

from tests.scenarios.client import Answer, Client
from tests.scenarios.conftest import Join, opened_match
from tests.scenarios.followers import MatchFollower, NewsFollower, assert_all_was_told_once, followed
from tests.scenarios.leaks import Heard, Knowledge, scan
from tests.scenarios.server import Server

READERS = ("seat:0", "seat:1", "spectator")


@pytest.mark.parametrize(
    ("matches", "each"), [(2, 6), pytest.param(10, 20, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_every_stream_hears_all_of_its_match_and_nothing_else(
    server: Server, player: Join, rng: random.Random, matches: int, each: int
) -> None:
    """Fault 94."""
    players = {}
    for number in range(matches):
        pair = [player(server, f"{name} {number}") for name in "AB"]
        players[opened_match(pair, "canary")] = pair
    followers = [
        MatchFollower(name, match, {"seat:0": pair[0].token, "seat:1": pair[1].token}.get(name, ""))
        for match, pair in players.items()
        for name in (READERS * each)[:each]
    ]
    last_move = asyncio.run(followed(server.url, [*followers], players, rng))
    assert len(followers) == matches * each
    assert sum(one.connections for one in followers) > len(followers), "some were cut off"
    for match, pair in players.items():
        log = [item["event"] for item in pair[0].events(match)]
        assert [event["version"] for event in log] == list(range(1, len(log) + 1))
        knowledge = _knowledge(pair[0], match)
        for one in followers:
            if one.match == match:
                assert [item["event"] for item in one.items] == log
                heard = [
                    Heard(one.name, version, Answer(200, {}, line))
                    for at, version, line in one.lines
                    if at < last_move[match]  # with the last move all is opened
                ]
                assert scan(heard, knowledge) == []


@pytest.mark.parametrize("matches", [3, pytest.param(20, marks=pytest.mark.slow)], ids=["few", "many"])
def test_a_players_news_of_all_matches_are_told_once(
    server: Server, player: Join, rng: random.Random, matches: int
) -> None:
    """One player is in every match, in either seat; another in the half of them."""
    anna, ben, cleo = (player(server, name) for name in ("Anna", "Ben", "Cleo"))
    seats: dict[Client, dict[str, int]] = {anna: {}, ben: {}, cleo: {}}
    news = {anna: NewsFollower(anna, matches), ben: NewsFollower(ben, (matches + 1) // 2)}
    players = {}
    for number in range(matches):
        pair = [anna, (ben, cleo)[number % 2]]
        rng.shuffle(pair)
        match = opened_match(pair, "tiny")
        players[match] = pair
        for seat, client in enumerate(pair):
            seats[client][match] = seat
    asyncio.run(followed(server.url, [*news.values()], players, rng))
    assert all(one.connections > 1 for one in news.values()), "each was cut off"
    for client, one in news.items():
        assert {item["links"]["match"] for item in one.items} == set(seats[client])
        assert_all_was_told_once(one, client, seats[client])


def _knowledge(client: Client, match: str) -> Knowledge:
    """Who may know which salt: each opening has one, which nobody can guess."""
    knowledge = Knowledge(READERS)
    for item in client.events(match):
        for audience, opening in item["opened"].items():
            knowledge.add(opening["salt"], audience, since=item["event"]["version"])
    assert knowledge.since
    return knowledge
