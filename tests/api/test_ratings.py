"""Ratings over HTTP: the leaderboard of a game, and a player's page."""

import random
from typing import Any

from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client, play


def finished(players: list[Client], **more: Any) -> str:
    match = players[0].create("tiny", len(players), **more)
    for seat in range(1, len(players)):
        players[seat].join(match, seat)
    for _ in play(match, players, random.Random(3)):
        pass
    return match


def record(client: Client) -> Any:
    return client.get(f"/v1/players/{client.id}")


def test_finished_matches_among_people_count(newcomer: Newcomer, stranger: Client) -> None:
    players = [newcomer(), newcomer()]
    match = finished(players)
    winners = players[0].get(match)["outcome"]["winners"]
    for seat, player in enumerate(players):
        page = record(player)
        told = page["ratings"]["tiny"]
        assert (told["rating"]["matches"], told["rating"]["wins"]) == (1, int(seat in winners))
        assert [f"/v1/matches/{each['match']}" for each in told["history"]] == [match]
        assert [f"/v1/matches/{each['id']}" for each in page["matches"]] == [match]
    board = stranger.get("/v1/games/tiny/ratings", limit=200)
    ratings = [each["rating"] for each in board["items"]]
    assert ratings == sorted(ratings, reverse=True)
    assert {player.id for player in players} <= {each["player"]["id"] for each in board["items"]}


def test_what_is_not_rated_does_not_count(newcomer: Newcomer) -> None:
    players = [newcomer(), newcomer()]
    match = finished(players, rated=False)
    assert players[0].get(match)["rated"] is False
    assert record(players[0])["ratings"] == {}


def test_a_casual_match_is_not_rated_whatever_was_asked_for(newcomer: Newcomer) -> None:
    host = newcomer()
    assert host.get(host.create("tiny", 2, undo="casual", rated=True))["rated"] is False


def test_a_page_shows_no_private_matches_to_strangers(newcomer: Newcomer, stranger: Client) -> None:
    host = newcomer()
    host.create("tiny", 2, visibility="private")
    assert record(host)["matches"]
    assert stranger.get(f"/v1/players/{host.id}")["matches"] == []


def test_the_leaderboard_goes_page_by_page(newcomer: Newcomer, stranger: Client) -> None:
    for _ in range(2):
        finished([newcomer(), newcomer()])
    whole = stranger.get("/v1/games/tiny/ratings", limit=200)["items"]
    first = stranger.ask("GET", "/v1/games/tiny/ratings?limit=1")
    assert first.json["items"] == whole[:1]
    second = stranger.ask("GET", first.headers["link"].removeprefix("<").partition(">")[0])
    assert second.json["items"] == whole[1:2]
    assert [each["rank"] for each in whole] == list(range(1, len(whole) + 1))


def test_who_and_what_is_unknown(stranger: Client) -> None:
    problem(stranger.ask("GET", "/v1/players/nobody"), 404, "not_found")
    problem(stranger.ask("GET", "/v1/games/nothing/ratings"), 404, "not_found")
    problem(stranger.ask("GET", "/v1/games/tiny/ratings?limit=0"), 400, "malformed")
