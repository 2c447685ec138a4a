"""The lobby: who may see, join, start and leave a match."""

import pytest

from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client


def test_a_match_needs_only_a_game_and_seats(newcomer: Newcomer) -> None:
    host = newcomer()
    made = host.command("/v1/matches", {"game": "tiny", "seats": 2})
    assert made.status == 201
    match = made.json
    assert made.headers["location"] == f"/v1/matches/{match['id']}"
    assert match["seats"][0]["player"] == {"id": host.id, "name": "Player 0"}
    assert match["seats"][1]["player"] is None
    assert (match["status"], match["version"], match["undo"], match["visibility"]) == (
        "open",
        1,
        "consent",
        "public",
    )
    assert host.get(made.headers["location"]) == match


def test_its_creator_need_not_sit_in_it(newcomer: Newcomer) -> None:
    match = newcomer().create("tiny", 2, seat=None)
    assert all(seat["player"] is None for seat in newcomer().get(match)["seats"])


def test_joining_again_changes_nothing_and_gives_the_match(newcomer: Newcomer) -> None:
    """Fault 93."""
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 3)
    first = guest.join(match, 2)
    again = guest.command(f"{match}/seats", {"seat": 2})
    assert (again.status, again.json) == (201, first)
    assert guest.command(f"{match}/seats", {}).json == first
    assert first["version"] == 2
    assert "idempotency-replayed" not in again.headers


def test_a_join_whose_answer_was_lost_is_told_as_the_one_it_was(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 3)
    key = {"Idempotency-Key": "sit-down"}
    first, again = (guest.ask("POST", f"{match}/seats", {"seat": 2}, **key) for _ in range(2))
    assert (first.status, again.status) == (201, 201)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    problem(guest.ask("POST", f"{match}/seats", {}, **key), 422, "command_mismatch")


def test_a_taken_seat_is_refused_with_what_is_free(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 3)
    found = problem(guest.ask("POST", f"{match}/seats", {"seat": 0}), 409, "seat_taken")
    assert (found["seat"], found["version"]) == (0, 1)
    assert "1, 2" in str(found["detail"])


def test_a_match_without_free_seats_is_full_or_begun(newcomer: Newcomer) -> None:
    host, guest, late = newcomer(), newcomer(), newcomer()
    match = host.create("tiny", 2, start="manual")
    guest.join(match, 1)
    problem(late.ask("POST", f"{match}/seats", {}), 409, "match_full")
    problem(guest.ask("POST", f"{match}/start"), 403, "forbidden")
    started = host.command(f"{match}/start", {})
    assert (started.status, started.json["status"]) == (200, "playing")
    problem(late.ask("POST", f"{match}/seats", {}), 409, "match_full")
    problem(late.ask("POST", f"{match}/seats", {"seat": 1}), 409, "seat_taken")


def test_who_leaves_before_the_start_frees_the_seat(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 3)
    guest.join(match, 1)
    answer = guest.ask("DELETE", f"{match}/seats/1")
    assert (answer.status, answer.json["seats"][1]["player"]) == (200, None)


def test_who_leaves_afterwards_has_resigned(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 2)
    guest.join(match, 1)
    answer = guest.ask("DELETE", f"{match}/seats/1")
    assert answer.json["status"] == "finished"
    assert answer.json["outcome"]["winners"] == [0]
    problem(
        host.ask("POST", f"{match}/moves", {"seat": 0, "move": {"type": "pledge", "card": 1}}),
        409,
        "match_finished",
    )


def test_only_the_creator_seats_bots(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    match = host.create("tiny", 3)
    problem(guest.ask("POST", f"{match}/seats", {"seat": 1, "bot": "random"}), 403, "forbidden")
    problem(host.ask("POST", f"{match}/seats", {"seat": 1, "bot": "oracle"}), 400, "malformed")
    assert host.command(f"{match}/seats", {"seat": 1, "bot": "random"}).json["seats"][1]["bot"] == "random"


def test_a_private_match_is_joined_by_invitation(newcomer: Newcomer, stranger: Client) -> None:
    host, guest = newcomer(), newcomer()
    made = host.command("/v1/matches", {"game": "tiny", "seats": 3, "visibility": "private"})
    match, invite = made.headers["location"], made.json["invite"]
    for body in ({"seat": 1}, {"seat": 1, "invite": "x" * len(invite)}, {"seat": 1, "invite": "é"}):
        problem(guest.ask("POST", f"{match}/seats", body), 404, "not_found")
    problem(stranger.ask("GET", match), 404, "not_found")
    joined = guest.command(f"{match}/seats", {"seat": 1, "invite": invite}).json
    assert "invite" not in joined
    assert guest.get(match) == joined
    assert "invite" in host.get(match)
    assert match.rpartition("/")[2] in [
        each["id"] for each in guest.get("/v1/matches", player=guest.id)["items"]
    ]
    assert not stranger.get("/v1/matches", player=guest.id)["items"]


def test_the_list_is_paged_newest_first_and_filtered(newcomer: Newcomer, stranger: Client) -> None:
    host = newcomer()
    made = [host.create("tiny", 2).rpartition("/")[2] for _ in range(5)]
    found, cursor = [], None
    while True:
        query = {"player": host.id, "limit": 2, **({"cursor": cursor} if cursor else {})}
        page = stranger.get("/v1/matches", **query)
        found += [each["id"] for each in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == made[::-1]
    assert not stranger.get("/v1/matches", player=host.id, status="playing")["items"]
    assert not stranger.get("/v1/matches", player=host.id, game="iliad")["items"]


@pytest.mark.parametrize("query", ["game=null", "player=null"])
def test_null_may_be_a_name_like_any_other(newcomer: Newcomer, stranger: Client, query: str) -> None:
    newcomer().create("tiny", 2)
    assert stranger.get(f"/v1/matches?{query}")["items"] == []


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "status=asleep", "cursor=forged"])
def test_a_list_that_cannot_be_is_malformed(stranger: Client, query: str) -> None:
    problem(stranger.ask("GET", f"/v1/matches?{query}"), 400, "malformed")


def test_a_revoked_token_is_nobodys(newcomer: Newcomer) -> None:
    player = newcomer()
    assert player.get("/v1/players/me")["player"]["id"] == player.id
    assert player.ask("DELETE", "/v1/players/me/token").status == 204
    answer = player.ask("GET", "/v1/games")
    assert answer.status == 200
    found = player.ask("GET", "/v1/matches")
    problem(found, 401, "unauthenticated")
    assert "invalid_token" in found.headers["www-authenticate"]


@pytest.mark.parametrize("game", ["tiny", "iliad", "cyclades"])
def test_creating_again_gives_the_same_bytes_and_says_so(newcomer: Newcomer, game: str) -> None:
    host = newcomer()
    first, again = (
        host.command("/v1/matches", {"game": game, "seats": 2}, Idempotency_Key="once") for _ in range(2)
    )
    assert again.body == first.body
    assert again.headers["etag"] == first.headers["etag"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
