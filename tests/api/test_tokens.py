"""Scoped tokens: each is good for what it says and for nothing else, until it is revoked or expires."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from kleos.api.access import RIGHTS
from kleos.api.app import create_litestar
from kleos.api.document import operations
from kleos.api.settings import Settings
from kleos.events.accounts import ScopeKind
from kleos.events.bundle import unpack
from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client

SCOPES: list[ScopeKind] = sorted(RIGHTS)


class Table:
    """A private match in which the host plays seat 0 and a guest seat 1, and another match of the host."""

    def __init__(self, newcomer: Newcomer) -> None:
        self.host, self.guest = newcomer(), newcomer()
        self.match = self.host.create("tiny", 2, visibility="private")
        invite = self.host.get(self.match)["invite"]
        self.guest.command(f"{self.match}/seats", {"seat": 1, "invite": invite})
        self.other = self.host.create("tiny", 2)
        self._made: list[Client] = []

    def issue(self, **wanted: Any) -> Any:
        return self.host.command("/v1/players/me/tokens", wanted).json

    def holder(self, token: str) -> Client:
        client = Client(self.host.url)
        client.token, client.id = token, token[-8:]
        self._made.append(client)
        return client

    def scoped(self, scope: str, **more: Any) -> Client:
        if scope == "seat":
            more = {"match": self.match.rpartition("/")[2], "seat": 0} | more
        return self.holder(self.issue(scope=scope, **more)["token"])

    def close(self) -> None:
        for each in self._made:
            each.close()


@pytest.fixture
def table(newcomer: Newcomer) -> Iterator[Table]:
    table = Table(newcomer)
    yield table
    table.close()


def allowed(client: Client, method: str, path: str, body: Any = None) -> bool:
    """Whether the token is good for it: what is refused for another reason was not refused for that."""
    answer = client.ask(method, path, body)
    if answer.status == 403:
        return "this token is" not in answer.json["detail"]
    return True


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_is_good_for_what_it_says_and_for_nothing_else(table: Table, scope: ScopeKind) -> None:
    client = table.scoped(scope)
    asked = {
        "read": ("GET", f"{table.match}/view", None),
        "play": ("POST", f"{table.match}/undo", {"seat": 0, "to": 1}),
        "join": ("POST", f"{table.match}/rematch", None),
        "organise": ("POST", f"{table.match}/invitations", {}),
        "rule": ("POST", f"{table.match}/annotations", {"text": "x"}),
        "account": ("GET", "/v1/players/me/tokens", None),
    }
    good = {right for right, request in asked.items() if allowed(client, *request)}
    assert good == RIGHTS[scope]


@pytest.mark.parametrize("scope", SCOPES)
def test_only_who_plays_sees_through_a_seat(table: Table, scope: ScopeKind) -> None:
    client = table.scoped(scope)
    seen = client.get(f"{table.match}/view")
    opened = [each for each in client.events(table.match) if each["opened"]]
    if scope in ("full", "seat", "bot"):
        assert seen["seat"] == 0
        assert opened
    else:
        assert (seen["seat"], opened) == (None, [])
        problem(client.ask("GET", f"{table.match}/view?seat=0"), 403, "forbidden")
    assert ("invite" in client.get(table.match)) == (scope in ("full", "organise"))
    exported = unpack(client.ask("GET", f"{table.match}/bundle").body).openings
    assert (set(exported) == {b"{}"}) == (not opened)


def test_a_token_for_a_seat_speaks_for_no_other_and_nowhere_else(table: Table) -> None:
    match = table.host.create("tiny", 2, undo="casual")
    table.host.join(match, 1)
    client = table.scoped("seat", match=match.rpartition("/")[2], seat=1)
    move = client.view(match, 1)[0]["moves"][0]["move"]
    problem(client.ask("GET", f"{match}/view?seat=0"), 403, "forbidden")
    problem(client.ask("POST", f"{match}/moves", {"seat": 0, "move": move}), 403, "forbidden")
    problem(client.ask("GET", table.match), 403, "forbidden")
    problem(client.ask("GET", "/v1/matches"), 403, "forbidden")
    assert client.ask("POST", f"{match}/moves", {"seat": 1, "move": move}).status == 201


@pytest.mark.parametrize("scope", ["bot", "seat"])
def test_what_only_the_creator_may_do_takes_a_token_for_organising(table: Table, scope: str) -> None:
    match = table.host.create("tiny", 3, start="manual")
    client = table.scoped(scope, match=match.rpartition("/")[2])
    problem(client.ask("POST", f"{match}/seats", {"seat": 1, "bot": "random"}), 403, "forbidden")
    for seat in (1, 2):
        table.host.command(f"{match}/seats", {"seat": seat, "bot": "random"})
    problem(client.ask("DELETE", f"{match}/seats/1"), 403, "forbidden")
    table.host.command(f"{match}/start", {})
    for by in (None, 0):
        problem(client.ask("POST", f"{match}/seats/1/vacate", {"by": by}), 403, "forbidden")
    organiser = table.scoped("organise", match=match.rpartition("/")[2])
    problem(organiser.ask("POST", f"{match}/seats/1/vacate", {"by": 0}), 403, "forbidden")
    assert organiser.ask("POST", f"{match}/seats/1/vacate", {"by": None}).status == 201


def test_a_token_for_playing_takes_and_leaves_its_players_seats(table: Table) -> None:
    client = table.scoped("bot")
    match = table.guest.create("tiny", 3)
    assert client.ask("POST", f"{match}/seats", {"seat": 2}).status == 201
    assert client.ask("DELETE", f"{match}/seats/2").status == 200
    assert client.ask("POST", "/v1/matches", {"game": "tiny", "seats": 2}).status == 403


def test_an_organiser_runs_matches_and_takes_no_seat(table: Table) -> None:
    client = table.scoped("organise")
    problem(client.ask("POST", "/v1/matches", {"game": "tiny", "seats": 2}), 403, "forbidden")
    made = client.command("/v1/matches", {"game": "tiny", "seats": 2, "seat": None})
    match = made.headers["location"]
    problem(client.ask("POST", f"{match}/seats", {"seat": 0}), 403, "forbidden")
    client.command(f"{match}/seats", {"seat": 0, "bot": "random"})
    assert client.ask("DELETE", f"{match}/seats/0").status == 200
    problem(client.ask("DELETE", f"{table.match}/seats/0"), 403, "forbidden")
    problem(client.ask("POST", f"{table.match}/seats/1/vacate", {"by": 0}), 403, "forbidden")


def test_a_token_knows_what_it_is_good_for(table: Table) -> None:
    match = table.match.rpartition("/")[2]
    client = table.scoped("seat")
    assert client.get("/v1/players/me") == {
        "player": {"id": table.host.id, "name": table.host.get("/v1/players/me")["player"]["name"]},
        "scope": {"kind": "seat", "match": match, "seat": 0},
    }
    assert client.ask("DELETE", "/v1/players/me/token").status == 204
    problem(client.ask("GET", "/v1/players/me"), 401, "unauthenticated")


def test_tokens_are_listed_without_their_secrets_and_revoked_by_id(table: Table) -> None:
    issued = table.issue(scope="bot", label="my bot", expires_in=3600)
    listed = table.host.get("/v1/players/me/tokens")["items"]
    assert [each["label"] for each in listed] == ["", "my bot"]
    assert {**listed[1], "token": issued["token"]} == issued
    assert issued["token"] not in str(listed)
    client = table.holder(issued["token"])
    assert client.get("/v1/players/me")["scope"]["kind"] == "bot"
    assert table.host.ask("DELETE", f"/v1/players/me/tokens/{issued['id']}").status == 204
    problem(client.ask("GET", "/v1/players/me"), 401, "unauthenticated")
    problem(table.host.ask("DELETE", f"/v1/players/me/tokens/{issued['id']}"), 404, "not_found")
    problem(table.guest.ask("DELETE", f"/v1/players/me/tokens/{listed[0]['id']}"), 404, "not_found")


def test_a_token_expires(table: Table) -> None:
    client = table.scoped("bot", expires_in=3)
    client.get("/v1/players/me")
    time.sleep(4.1)
    problem(client.ask("GET", "/v1/players/me"), 401, "unauthenticated")
    assert len(table.host.get("/v1/players/me/tokens")["items"]) == 1


@pytest.mark.parametrize(
    ("wanted", "status", "code"),
    [
        ({"scope": "seat"}, 400, "malformed"),
        ({"scope": "seat", "seat": 0}, 400, "malformed"),
        ({"scope": "bot", "seat": 0}, 400, "malformed"),
        ({"scope": "god"}, 400, "malformed"),
        ({"scope": "bot", "expires_in": 0}, 400, "malformed"),
        ({"scope": "bot", "match": "NOSUCHMATCH"}, 404, "not_found"),
    ],
)
def test_tokens_that_make_no_sense_are_not_issued(table: Table, wanted: Any, status: int, code: str) -> None:
    problem(table.host.ask("POST", "/v1/players/me/tokens", wanted), status, code)


def test_nobody_gets_a_token_for_the_seat_of_another(table: Table) -> None:
    """Fault 47."""
    wanted = {"scope": "seat", "match": table.match.rpartition("/")[2], "seat": 1}
    problem(table.host.ask("POST", "/v1/players/me/tokens", wanted), 403, "forbidden")


def test_every_operation_with_a_token_says_what_it_must_be_good_for() -> None:
    known = frozenset().union(*RIGHTS.values())
    for path, _, handler, operation in operations(create_litestar(Settings())):
        if operation.auth == "required":
            assert operation.rights, path
            assert known.issuperset(operation.rights), (path, handler)
