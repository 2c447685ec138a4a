"""Undo, redo, proposals, forks, differences, explanations and bookmarks, as any client sees them."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.scenarios.client import Client, Failed, any_of
from tests.scenarios.conftest import Join, opened_match
from tests.scenarios.server import Server


def table(server: Server, player: Join, game: str = "tiny", **more: Any) -> tuple[str, list[Client]]:
    players = [player(server, name) for name in ("Ariadne", "Bacchus")]
    if more:
        match = players[0].create(game, 2, **more)
        players[1].join(match, 1)
        return match, players
    return opened_match(players, game), players


def move(match: str, players: list[Client], seat: int) -> Any:
    view, etag = players[seat].view(match, seat)
    return players[seat].move(match, seat, view["moves"][0]["move"], etag)


def refused(client: Client, path: str, body: Any) -> tuple[int, str]:
    with pytest.raises(Failed) as failed:
        client.command(path, body)
    problem = failed.value.answer.json
    return failed.value.answer.status, problem["code"]


def test_a_free_undo_is_done_at_once(server: Server, player: Join) -> None:
    match, players = table(server, player)
    before, _ = players[0].view(match, 0)
    assert before["moves"][0]["undo"] == "free"
    moved = move(match, players, 0)
    assert players[0].get(f"{match}/undo")["targets"] == [{"version": before["version"], "undo": "free"}]
    answer = players[0].command(f"{match}/undo", {"seat": 0, "to": before["version"]})
    assert answer.status == 201
    done = answer.json
    assert done["event"]["kind"] == "undo"
    assert done["event"]["effects"][0]["from"] == moved["event"]["version"]
    assert done["receipt"].startswith("c2sp.org/tlog-proof@v1\n")
    assert (done["view"]["version"], done["view"]["head"]) == (4, before["head"])
    assert done["view"]["state"] == before["state"]
    assert answer.headers["location"] == f"{match}/events/4"
    again = players[0].command(f"{match}/redo", {"seat": 0}).json
    assert again["view"]["state"] == players[0].get(f"{match}/view", at=3)["state"]


def test_fault_1_over_anothers_decision_an_undo_is_a_proposal(server: Server, player: Join) -> None:
    match, players = table(server, player)
    move(match, players, 0)
    move(match, players, 1)
    answer = players[0].command(f"{match}/undo", {"seat": 0, "to": 2})
    assert answer.status == 202
    proposal = answer.json["proposal"]
    assert (proposal["kind"], proposal["by"], proposal["to"], proposal["head"]) == ("undo", 0, 2, 4)
    assert proposal["needs"] == [1]
    assert players[1].view(match, 1)[0]["proposals"] == [proposal]
    place = f"{match}/proposals/{proposal['id']}"
    assert refused(players[0], f"{place}/consent", {"seat": 0}) == (403, "forbidden")
    assert refused(players[0], f"{place}/consent", {"seat": 1}) == (403, "forbidden")
    done = players[1].command(f"{place}/consent", {"seat": 1})
    assert (done.status, done.json["view"]["head"]) == (201, 2)
    assert refused(players[1], f"{place}/consent", {"seat": 1}) == (409, "proposal_void")


def test_fault_10_what_was_meant_for_an_earlier_table_is_refused(server: Server, player: Join) -> None:
    """A move and an undo that come twice with the ETag of the view they are for are each done once."""
    match, players = table(server, player)
    view, etag = players[0].view(match, 0)
    body = {"seat": 0, "move": view["moves"][0]["move"]}
    assert players[0].ask("POST", f"{match}/moves", body, If_Match=etag).status == 201
    assert players[0].ask("POST", f"{match}/moves", body, If_Match=etag).status == 412
    _, etag = players[0].view(match, 0)
    back = {"seat": 0, "to": view["version"]}
    assert players[0].ask("POST", f"{match}/undo", back, If_Match=etag).status == 201
    assert players[0].ask("POST", f"{match}/undo", back, If_Match=etag).status == 412
    assert players[0].view(match, 0)[0]["head"] == view["version"]


def test_a_refusal_a_withdrawal_and_a_consent_that_is_not_the_last(server: Server, player: Join) -> None:
    players = [player(server, name) for name in ("Ariadne", "Bacchus", "Circe")]
    match = opened_match(players, "tiny")
    start = players[0].get(match)["version"]
    for seat in range(3):
        move(match, players, seat)

    def propose() -> str:
        made = players[0].command(f"{match}/undo", {"seat": 0, "to": start}).json["proposal"]
        return f"{match}/proposals/{made['id']}"

    place = propose()
    waiting = players[1].command(f"{place}/consent", {"seat": 1})
    assert (waiting.status, waiting.json["proposal"]["given"]) == (200, [1])
    closed = players[2].command(f"{place}/refuse", {"seat": 2})
    assert (closed.status, closed.json["closed"]) == (200, "refused")
    place = propose()
    assert players[0].command(f"{place}/withdraw", {"seat": 0}).json["closed"] == "withdrawn"
    place = propose()
    leader = players[0].get(match)["to_act"][0]
    move(match, players, leader)
    assert refused(players[1], f"{place}/consent", {"seat": 1}) == (409, "proposal_void")
    assert refused(players[1], f"{match}/proposals/9/consent", {"seat": 1}) == (404, "not_found")


def test_policies_and_targets_are_refused_with_their_codes(server: Server, player: Join) -> None:
    match, players = table(server, player, undo="off")
    move(match, players, 0)
    assert refused(players[0], f"{match}/undo", {"seat": 0, "to": 2}) == (409, "undo_not_allowed")
    assert refused(players[0], f"{match}/undo", {"seat": 0, "to": 3}) == (409, "undo_not_allowed")
    assert refused(players[0], f"{match}/redo", {"seat": 0}) == (409, "undo_not_allowed")
    for bad in ({"seat": 0}, {"seat": 0, "to": 0}, {"seat": 0, "to": "2"}, {"seat": 0, "to": 2, "x": 1}):
        assert refused(players[0], f"{match}/undo", bad) == (400, "malformed")
    players[0].token = ""
    assert refused(players[0], f"{match}/undo", {"seat": 0, "to": 2}) == (401, "unauthenticated")


def test_a_proposal_makes_no_etag_stale(server: Server, player: Join) -> None:
    match, players = table(server, player)
    move(match, players, 0)
    view, etag = players[1].view(match, 1)
    players[1].command(f"{match}/undo", {"seat": 1, "to": 2})
    assert players[1].move(match, 1, view["moves"][0]["move"], etag)["view"]["version"] == 5


@pytest.mark.parametrize("game", ["tiny", "iliad"])
def test_a_finished_match_is_forked_and_analysed(
    server: Server, player: Join, rng: random.Random, game: str
) -> None:
    match, players = table(server, player, game)
    start = players[0].get(match)["version"]
    assert refused(players[0], f"{match}/forks", {"at": start}) == (403, "forbidden")
    for _ in range(3):
        move(match, players, players[0].get(match)["to_act"][0])
    players[1].ask("DELETE", f"{match}/seats/1")
    zoe = player(server, "Zoe")
    answer = zoe.command(f"{match}/forks", {"at": start + 1})
    child = answer.headers["location"]
    made = answer.json
    assert made["parent"]["match"] == match.rpartition("/")[2]
    assert made["parent"]["version"] == start + 1
    assert (made["undo"], made["status"]) == ("casual", "playing")
    assert [seat["player"]["id"] for seat in made["seats"]] == [zoe.id, zoe.id]
    assert zoe.get(f"{child}/view")["state"] == hidden(
        zoe.get(f"{match}/view", seat=0, at=start + 1)["state"], zoe, child
    )
    for _ in range(4):
        seat = zoe.get(child)["to_act"][0]
        view, etag = zoe.view(child, seat)
        assert {each["undo"] for each in view["moves"]} == {"free"}
        zoe.move(child, seat, any_of(view["moves"], rng), etag)
    zoe.command(f"{child}/undo", {"seat": 0, "to": 1})
    assert zoe.get(f"{child}/view")["head"] == 1


def hidden(whole: Any, zoe: Client, child: str) -> Any:
    """The whole state with holes where the view of the child's first version has some."""
    seen = zoe.get(f"{child}/view", seat=0, at=1)["state"]

    def cover(value: Any, shape: Any) -> Any:
        if shape is None:
            return None
        if isinstance(shape, dict):
            return {key: cover(value[key], shape[key]) for key in shape}
        if isinstance(shape, list):
            return [cover(*each) for each in zip(value, shape, strict=True)]
        return value

    return cover(whole, seen)


def test_a_running_match_against_bots_is_forked_by_its_player(server: Server, player: Join) -> None:
    anna = player(server, "Ariadne")
    match = anna.create("iliad", 3)
    for seat in (1, 2):
        anna.command(f"{match}/seats", {"seat": seat, "bot": "random"})
    start = anna.get(match)["version"]
    before = anna.get(f"{match}/view", seat=0, at=start)["state"]
    child = anna.command(f"{match}/forks", {"at": start}).headers["location"]
    assert anna.get(f"{child}/view", seat=0, at=1)["state"] == before


def test_a_difference_is_a_patch_and_words(server: Server, player: Join) -> None:
    match, players = table(server, player)
    move(match, players, 0)
    found = players[1].get(f"{match}/diff", **{"from": 2, "to": 3, "seat": "1"})
    assert (found["from"], found["to"]) == (2, 3)
    assert found["words"] == [{"version": 3, "words": ["Seat 0 pledges a card."]}]
    paths = {operation["path"] for operation in found["patch"]}
    assert "/places/0/pledged/0" in paths
    mine = players[0].get(f"{match}/diff", **{"from": 2, "to": 3})
    assert mine["words"] != found["words"]
    back = players[0].get(f"{match}/diff", **{"from": 3, "to": 2})
    assert len(back["patch"]) == len(mine["patch"])
    for query, status in (({"from": 2, "to": 9}, 404), ({"from": 0, "to": 2}, 400), ({"to": 2}, 400)):
        with pytest.raises(Failed) as failed:
            players[0].get(f"{match}/diff", **query)
        assert failed.value.answer.status == status
    with pytest.raises(Failed) as failed:
        players[0].get(f"{match}/diff", **{"from": 2, "to": 3, "seat": 1})
    assert failed.value.answer.status == 403


def test_an_event_is_explained_and_a_move_not_made_is_judged(server: Server, player: Join) -> None:
    match, players = table(server, player)
    move(match, players, 0)
    mine = players[0].get(f"{match}/events/3/explanation")
    assert (mine["again"], mine["effects"][0]["rule"], len(mine["legal"])) == (True, "tiny.2", 3)
    assert players[1].get(f"{match}/events/3/explanation")["legal"] is None
    body = {"seat": 0, "move": {"type": "pledge", "card": 99}, "at": 2}
    said = players[0].ask("POST", f"{match}/explain", body).json
    assert (said["legal"], said["code"], said["rule"]) == (False, "illegal", "tiny.2")
    legal = {"seat": 0, "move": mine["legal"][0]["move"], "at": 2}
    assert players[0].ask("POST", f"{match}/explain", legal).json == {"version": 2, "legal": True}
    assert players[1].ask("POST", f"{match}/explain", body).status == 403


def test_bookmarks_are_ones_own(server: Server, player: Join) -> None:
    match, players = table(server, player)
    place = f"{match}/bookmarks"
    assert players[0].ask("PUT", f"{place}/the%20start", {"version": 2}).json == {
        "name": "the start",
        "version": 2,
    }
    assert players[0].ask("PUT", f"{place}/first", {"version": 1}).status == 200
    assert [each["name"] for each in players[0].get(place)["items"]] == ["first", "the start"]
    assert players[1].get(place)["items"] == []
    assert players[0].ask("PUT", f"{place}/far", {"version": 99}).json["code"] == "not_found"
    assert players[0].ask("PUT", f"{place}/a%2Fb", {"version": 1}).status in (400, 404)
    assert players[0].ask("DELETE", f"{place}/first").status == 204
    assert players[0].ask("DELETE", f"{place}/first").status == 404
    assert [each["name"] for each in players[0].get(place)["items"]] == ["the start"]


def test_killed_in_the_middle_of_an_undo_it_is_done_or_not(
    mortal: Server, player: Join, rng: random.Random
) -> None:
    kill_during_undos(mortal, player, rng, kills=3)


@pytest.mark.slow
def test_killed_in_the_middle_of_an_undo_forty_times(
    mortal: Server, player: Join, rng: random.Random
) -> None:
    kill_during_undos(mortal, player, rng, kills=40)


def kill_during_undos(mortal: Server, player: Join, rng: random.Random, *, kills: int) -> None:
    """Before or after, never between: the view after the restart is that of one of two versions, for all."""
    match, players = table(mortal, player, undo="casual")
    start = players[0].get(match)["version"]
    with ThreadPoolExecutor(1) as other:
        for _ in range(kills):
            move(match, players, players[0].get(match)["to_act"][0])
            before = players[0].get(match)
            dying = other.submit(die_and_rise, mortal, rng.uniform(0, 0.02))
            answer = players[0].command(f"{match}/undo", {"seat": 0, "to": start}).json
            dying.result()
            after = players[0].get(match)
            assert (after["version"], after["head"]) == (before["version"] + 1, start)
            assert answer["view"]["state"] == players[0].get(f"{match}/view", at=start)["state"]
            for seat, client in enumerate(players):
                now = client.get(f"{match}/view", seat=seat)["state"]
                assert now == client.get(f"{match}/view", seat=seat, at=start)["state"]
    versions = [item["event"]["version"] for item in players[0].events(match)]
    assert versions == list(range(1, len(versions) + 1))


def die_and_rise(server: Server, delay: float) -> None:
    time.sleep(delay)
    server.kill()
    server.start()
