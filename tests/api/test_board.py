"""The picture of a table over HTTP: the same rules as a view, and a page that can run nothing."""

import re
import xml.etree.ElementTree as ET

import pytest

from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client
from tests.scenarios.conftest import opened_match

SVG = "image/svg+xml"


@pytest.fixture(params=["iliad", "cyclades"])
def table(request: pytest.FixtureRequest, newcomer: Newcomer) -> tuple[str, list[Client]]:
    """A match of two, and who plays it."""
    players = [newcomer(), newcomer()]
    return opened_match(players, request.param), players


Table = tuple[str, list[Client]]


def test_a_match_leads_to_its_picture(table: Table, stranger: Client) -> None:
    match, _ = table
    place = stranger.get(match)["links"]["board"]
    answer = stranger.ask("GET", place)
    assert (answer.status, answer.headers["content-type"]) == (200, SVG)
    assert ET.fromstring(answer.body).get("role") == "img"
    policy = answer.headers["content-security-policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def test_it_shows_what_the_view_of_the_same_eyes_shows(table: Table, stranger: Client) -> None:
    match, players = table
    for asker, eyes in ((stranger, "spectator"), (players[0], "0"), (players[1], "1")):
        told = asker.ask("GET", f"{match}/view?seat={eyes}&include=none", Accept="text/plain").body.decode()
        description = ET.fromstring(asker.ask("GET", f"{match}/board.svg?seat={eyes}").body)[1].text
        assert description
        assert description in told
    assert players[0].ask("GET", f"{match}/board.svg").body != stranger.ask("GET", f"{match}/board.svg").body


def test_only_its_player_looks_through_a_seat(table: Table, stranger: Client) -> None:
    match, players = table
    for asker in (stranger, players[1]):
        problem(asker.ask("GET", f"{match}/board.svg?seat=0"), 403, "forbidden")
    problem(players[0].ask("GET", f"{match}/board.svg?seat=7"), 400, "malformed")
    problem(players[0].ask("GET", f"{match}/board.svg?at=999"), 404, "not_found")
    problem(players[0].ask("GET", f"{match}/board.svg", Accept="image/png"), 406, "not_acceptable")


def test_it_is_sent_once_and_the_past_does_not_change(table: Table) -> None:
    match, players = table
    version = players[0].get(match)["version"]
    view, etag = players[0].view(match, 0)
    now = players[0].ask("GET", f"{match}/board.svg?seat=0")
    past = players[0].ask("GET", f"{match}/board.svg?seat=0&at={version}")
    assert len({etag, now.headers["etag"], past.headers["etag"]}) == 3
    assert now.body == past.body
    assert (now.headers["cache-control"], past.headers["cache-control"]) == (
        "private, no-cache",
        "private, max-age=60, immutable",
    )
    for answer, query in ((now, ""), (past, f"&at={version}")):
        again = players[0].ask(
            "GET", f"{match}/board.svg?seat=0{query}", **{"If-None-Match": answer.headers["etag"]}
        )
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", answer.headers["etag"])
    seat = players[0].get(match)["to_act"][0]
    view, etag = players[seat].view(match, seat)
    players[seat].move(match, seat, view["moves"][0]["move"], etag)
    later = players[0].ask("GET", f"{match}/board.svg?seat=0", **{"If-None-Match": now.headers["etag"]})
    assert later.status == 200
    assert players[0].ask("GET", f"{match}/board.svg?seat=0&at={version}").body == past.body


def test_before_the_start_there_is_nothing_to_see(newcomer: Newcomer) -> None:
    host = newcomer()
    match = host.create("iliad", 3)
    refused = problem(host.ask("GET", f"{match}/board.svg"), 404, "not_found")
    assert refused["detail"] == "there is nothing on the table at version 1: play has not begun"


def test_a_game_that_draws_none_says_so_and_has_no_link(newcomer: Newcomer) -> None:
    players = [newcomer(), newcomer()]
    match = opened_match(players, "tiny")
    assert players[0].get(match)["links"]["board"] is None
    refused = problem(players[0].ask("GET", f"{match}/board.svg"), 404, "not_found")
    assert refused["detail"] == "tiny draws no picture of its table; its view is there as JSON and as text"


def test_the_report_shows_the_table_at_the_beginning_and_at_the_end(table: Table, stranger: Client) -> None:
    match, _ = table
    page = stranger.ask("GET", f"{match}/report", Accept="text/html")
    assert page.body.count(b'<img class="table"') == 1  # play has only begun: both are the same
    assert b"img-src data:" in page.headers["content-security-policy"].encode()
    (picture,) = stranger.ask("GET", f"{match}/report", Accept="application/json").json["pictures"]
    assert picture["svg"] == stranger.ask("GET", f"{match}/board.svg").body.decode()


def test_the_lobby_leads_to_the_table(table: Table, stranger: Client) -> None:
    match, _ = table
    assert f'href="{match}/board.svg"' in stranger.ask("GET", "/", Accept="text/html").body.decode()


def test_after_a_resignation_nobody_is_to_act_in_words_or_on_the_picture(
    table: Table, stranger: Client
) -> None:
    match, players = table
    played = stranger.get(match)["version"]
    assert players[0].ask("DELETE", f"{match}/seats/0").status == 200
    for query, due in (("", False), (f"&at={played}", True)):
        told = stranger.ask("GET", f"{match}/view?seat=spectator{query}", Accept="text/plain").body.decode()
        drawn = stranger.ask("GET", f"{match}/board.svg?seat=spectator{query}").body.decode()
        assert [bool(re.search(r"to play|[Tt]o decide", each)) for each in (told, drawn)] == [due, due]
