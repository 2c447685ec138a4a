"""The lobby over HTTP: seats filled anew, abandoning, invitations, rematches, what waits for me."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client


def seated(newcomer: Newcomer, seats: int = 2, **more: Any) -> tuple[list[Client], str]:
    players = [newcomer() for _ in range(seats)]
    match = players[0].create("tiny", seats, **more)
    for seat in range(1, seats):
        players[seat].join(match, seat)
    return players, match


def first_move(player: Client, match: str, seat: int) -> Any:
    view, etag = player.view(match, seat)
    return player.move(match, seat, view["moves"][0]["move"], etag)


# Filling a seat anew


def test_a_newcomer_takes_the_seat_of_who_stayed_away_and_sees_its_hand(newcomer: Newcomer) -> None:
    """Fault 49."""
    players, match = seated(newcomer, 3, deadline={"seconds": 3, "policy": "wait"})
    hand = players[1].view(match, 1)[0]["state"]["places"][1]["hand"]
    for seat in (0, 2):
        first_move(players[seat], match, seat)
    time.sleep(3.1)
    assert players[0].command(f"{match}/seats/1/vacate", {}).status == 201
    assert players[0].get(match)["seats"][1]["player"] is None
    zoe = newcomer()
    zoe.join(match, 1)
    assert zoe.view(match, 1)[0]["state"]["places"][1]["hand"] == hand
    problem(players[1].ask("GET", f"{match}/view?seat=1"), 403, "forbidden")
    problem(players[1].ask("POST", f"{match}/seats", {}), 409, "match_full")
    first_move(zoe, match, 1)


def test_who_is_there_is_asked(newcomer: Newcomer) -> None:
    players, match = seated(newcomer, 3)
    answer = players[2].command(f"{match}/seats/1/vacate", {"by": 2})
    assert answer.status == 202
    proposal = answer.json["proposal"]
    assert (proposal["kind"], proposal["seat"], proposal["needs"]) == ("replace", 1, [0, 1])
    place = f"{match}/proposals/{proposal['id']}/consent"
    assert players[0].command(place, {"seat": 0}).status == 200
    assert players[1].command(place, {"seat": 1}).status == 201
    assert players[1].get(match)["seats"][1]["player"] is None


def test_a_seat_that_the_match_does_not_have_is_not_found(newcomer: Newcomer) -> None:
    players, match = seated(newcomer)
    problem(players[0].ask("DELETE", f"{match}/seats/2"), 404, "not_found")
    for what in ("claim", "vacate"):
        problem(players[0].ask("POST", f"{match}/seats/2/{what}", {}), 404, "not_found")


# Abandoning


def test_a_match_is_abandoned_by_agreement(newcomer: Newcomer) -> None:
    players, match = seated(newcomer)
    answer = players[0].command(f"{match}/abandon", {"seat": 0})
    assert (answer.status, answer.json["proposal"]["kind"]) == (202, "abandon")
    assert players[1].view(match, 1)[0]["proposals"] == [answer.json["proposal"]]
    name = answer.json["proposal"]["id"]
    done = players[1].command(f"{match}/proposals/{name}/consent", {"seat": 1})
    assert (done.status, done.json["view"]["status"]) == (201, "abandoned")
    problem(players[0].ask("POST", f"{match}/abandon", {"seat": 0}), 409, "match_finished")


# Invitations


def test_an_invited_player_sees_a_private_match_and_gets_the_seat(newcomer: Newcomer) -> None:
    host, guest, other = newcomer(), newcomer(), newcomer()
    match = host.create("tiny", 2, visibility="private")
    problem(guest.ask("GET", match), 404, "not_found")
    made = host.command(f"{match}/invitations", {"seat": 1, "player": guest.id})
    assert made.json == {"id": "i2", "seat": 1, "player": guest.id, "invite": None}
    assert guest.get(match)["id"] in {
        each["id"] for each in guest.get("/v1/matches", player=guest.id)["items"]
    }
    problem(other.ask("GET", match), 404, "not_found")
    invite = host.get(match)["invite"]
    problem(other.ask("POST", f"{match}/seats", {"seat": 1, "invite": invite}), 409, "seat_taken")
    assert guest.join(match, 1)["status"] == "playing"


def test_a_link_opens_one_seat_once_until_it_is_revoked(newcomer: Newcomer) -> None:
    host, guest, other = newcomer(), newcomer(), newcomer()
    match = host.create("tiny", 3, visibility="private")
    first = host.command(f"{match}/invitations", {"seat": 2}).json
    second = host.command(f"{match}/invitations", {}).json
    assert host.get(f"{match}/invitations")["items"] == [first, second]
    problem(guest.ask("GET", f"{match}/invitations"), 404, "not_found")
    joined = guest.command(f"{match}/seats", {"invite": first["invite"]}).json
    assert joined["seats"][2]["player"]["id"] == guest.id
    problem(guest.ask("GET", f"{match}/invitations"), 403, "forbidden")
    problem(other.ask("POST", f"{match}/seats", {"invite": first["invite"]}), 403, "forbidden")
    assert host.ask("DELETE", f"{match}/invitations/{second['id']}").status == 200
    problem(other.ask("POST", f"{match}/seats", {"invite": second["invite"]}), 403, "forbidden")
    problem(host.ask("DELETE", f"{match}/invitations/{second['id']}"), 409, "wrong_phase")
    problem(host.ask("DELETE", f"{match}/invitations/nonsense"), 404, "not_found")


@pytest.mark.parametrize("forged", ["i2.", "i2.AAAAAAAAAAAAAAAAAAAAAAAA", ".", "i2", "\u03ba\u03bb.x"])
def test_a_forged_link_opens_nothing(newcomer: Newcomer, forged: str) -> None:
    host, other = newcomer(), newcomer()
    match = host.create("tiny", 2, visibility="private")
    host.command(f"{match}/invitations", {"seat": 1})
    problem(other.ask("POST", f"{match}/seats", {"invite": forged}), 404, "not_found")


def test_the_link_of_one_match_opens_no_other(newcomer: Newcomer) -> None:
    host, other = newcomer(), newcomer()
    matches = [host.create("tiny", 2, visibility="private") for _ in range(2)]
    links = [host.command(f"{match}/invitations", {}).json for match in matches]
    assert links[0]["id"] == links[1]["id"]
    problem(other.ask("POST", f"{matches[0]}/seats", {"invite": links[1]["invite"]}), 404, "not_found")


def test_invitations_are_for_players_who_exist(newcomer: Newcomer) -> None:
    host = newcomer()
    match = host.create("tiny", 2)
    problem(host.ask("POST", f"{match}/invitations", {"player": "nobody"}), 400, "malformed")


# Rematch


def test_both_ask_for_a_rematch_and_get_the_same_one(newcomer: Newcomer) -> None:
    players, match = seated(newcomer, options={"preset": "long"})
    problem(players[0].ask("POST", f"{match}/rematch"), 409, "wrong_phase")
    players[1].ask("DELETE", f"{match}/seats/1")
    with ThreadPoolExecutor(4) as pool:
        clients = [Client(each.url) for each in players * 2]
        for client, player in zip(clients, players * 2, strict=True):
            client.token, client.id = player.token, player.id
        answers = list(pool.map(lambda each: each.ask("POST", f"{match}/rematch"), clients))
        for client in clients:
            client.close()
    assert {answer.status for answer in answers} == {201}
    (again,) = {answer.headers["location"] for answer in answers}
    told = players[0].get(again)
    old = players[0].get(match)
    assert told["rematch_of"] == old["id"]
    assert told["options"] == old["options"]
    guest = next(each for each in players if told["seats"][players.index(each)]["player"] is None)
    stranger = newcomer()
    problem(stranger.ask("POST", f"{again}/seats", {}), 409, "match_full")
    problem(stranger.ask("POST", f"{match}/rematch"), 403, "forbidden")
    assert guest.command(f"{again}/seats", {}).json["status"] == "playing"
    assert guest.ask("POST", f"{match}/rematch").json["version"] > 1, "asked again, the match as it is now"


# The catalogue


def test_my_turn_lists_what_waits_for_me_and_nothing_else(newcomer: Newcomer) -> None:
    players, match = seated(newcomer)
    idle = players[0].create("tiny", 2)
    private = players[0].create("tiny", 2, visibility="private", undo="casual")
    players[0].join(private, 1)

    def waiting(player: Client) -> list[str]:
        return [f"/v1/matches/{each['id']}" for each in player.get("/v1/matches", turn="me")["items"]]

    assert waiting(players[0]) == [private, match]
    assert waiting(players[1]) == [match]
    first_move(players[0], match, 0)
    assert waiting(players[0]) == [private]
    assert waiting(players[1]) == [match]
    assert idle not in waiting(players[0])
    assert players[0].get("/v1/matches", turn="me", game="iliad")["items"] == []


def test_my_turn_needs_somebody(stranger: Client, newcomer: Newcomer) -> None:
    problem(stranger.ask("GET", "/v1/matches?turn=me"), 401, "unauthenticated")
    problem(newcomer().ask("GET", "/v1/matches?turn=you"), 400, "malformed")
    problem(newcomer().ask("GET", "/v1/matches?turn=me&player=x"), 400, "malformed")


def test_pages_link_to_the_next(newcomer: Newcomer) -> None:
    host = newcomer()
    made = [host.create("tiny", 2) for _ in range(5)]
    path, seen = f"/v1/matches?player={host.id}&limit=2", []
    while path:
        answer = host.ask("GET", path)
        seen += [f"/v1/matches/{each['id']}" for each in answer.json["items"]]
        link = answer.headers.get("link")
        assert (link is None) == (answer.json["next"] is None)
        path = "" if link is None else link.removeprefix("<").partition(">")[0]
    assert seen == made[::-1]
    _, match = seated(newcomer)
    answer = host.ask("GET", f"{match}/events?limit=1")
    assert answer.headers["link"] == f'<{match}/events?limit=1&after=1>; rel="next"'
