"""Faults reported by clients of other game servers, held against this one, by their numbers (F)."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.contract.toolbox import DOCUMENT
from tests.scenarios.client import Answer, Client
from tests.scenarios.server import Server

Anybody = Callable[[str], Client]
OPENAPI: dict[str, Any] = json.loads(DOCUMENT.read_text())


@pytest.fixture
def anybody(server: Server) -> Iterator[Anybody]:
    """Makes clients: registered under a name, or nobody for the empty one."""
    made: list[Client] = []

    def client(name: str) -> Client:
        made.append(Client(server.url))
        return made[-1].register(name) if name else made[-1]

    yield client
    for each in made:
        each.close()


@pytest.fixture(scope="module")
def table(server: Server) -> Iterator[dict[str, Any]]:
    """A match of each kind of seat: one person and one bot at play, and one with a seat that is vacant."""
    client = Client(server.url).register("Ariadne")
    playing = client.create("iliad", 2)
    client.command(f"{playing}/seats", {"seat": 1, "bot": "random"})
    vacant = client.create("cyclades", 2)
    while not (view := client.view(playing, 0))[0]["moves"]:
        pass
    client.move(playing, 0, view[0]["moves"][0]["move"], view[1])
    yield {"client": client, "playing": playing, "vacant": vacant}
    client.close()


def _schema(path: str, method: str, status: int, media: str) -> dict[str, Any]:
    answer = OPENAPI["paths"][path][method]["responses"][str(status)]
    return {**answer["content"][media]["schema"], "components": OPENAPI["components"]}


def _assert_as_documented(path: str, answer: Answer, method: str = "get") -> None:
    media = answer.headers["content-type"].partition(";")[0]
    Draft202012Validator(_schema(path, method, answer.status, media)).validate(answer.json)


READS = {
    "/v1/matches": "/v1/matches",
    "/v1/matches/{match_id}": "{match}",
    "/v1/matches/{match_id}/view": "{match}/view",
    "/v1/matches/{match_id}/moves": "{match}/moves",
    "/v1/matches/{match_id}/events": "{match}/events",
    "/v1/matches/{match_id}/events/{version}": "{match}/events/1",
    "/v1/matches/{match_id}/events/{version}/explanation": "{match}/events/1/explanation",
    "/v1/matches/{match_id}/undo": "{match}/undo",
    "/v1/matches/{match_id}/bookmarks": "{match}/bookmarks",
    "/v1/games/{game}": "/v1/games/cyclades",
    "/v1/players/me": "/v1/players/me",
}


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("match", ["playing", "vacant"])
@pytest.mark.parametrize("caller", ["its player", "a stranger", "nobody"])
def test_fault_125_real_answers_are_what_the_document_says(
    anybody: Anybody, table: dict[str, Any], path: str, match: str, caller: str
) -> None:
    """Persons, bots and vacant seats; asked by one who sits there, by a stranger, and without a token."""
    names = {"a stranger": "Bacchus", "nobody": ""}
    who = anybody(names[caller]) if caller in names else table["client"]
    _assert_as_documented(path, who.ask("GET", READS[path].format(match=table[match])))


REFUSED = {
    "no such place": ("GET", "/nowhere", None, {}),
    "no such method": ("PATCH", "/v1/matches", None, {}),
    "no such match": ("GET", "/v1/matches/none", None, {}),
    "nobody": ("POST", "/v1/matches", {"game": "iliad", "seats": 2}, {"Authorization": "Bearer wrong"}),
    "not JSON": ("POST", "/v1/players", b"{", {"Content-Type": "application/json"}),
    "not said to be JSON": ("POST", "/v1/players", b"{}", {"Content-Type": "text/html"}),
    "not of the form": ("POST", "/v1/players", {}, {}),
    "too large": ("POST", "/v1/players", b"[" * 5_000_000, {"Content-Type": "application/json"}),
    "not to be had so": ("GET", "/v1/matches", None, {"Accept": "image/png"}),
    "not a number": ("GET", "/v1/matches?limit=many", None, {}),
    "a path that no text is": ("GET", "/v1/matches/%ff%fe", None, {}),
}


@pytest.mark.parametrize("refusal", REFUSED)
def test_fault_126_every_refusal_is_a_problem_from_whichever_layer(anybody: Anybody, refusal: str) -> None:
    method, path, body, headers = REFUSED[refusal]
    nobody = anybody("")
    answer = nobody.ask(method, path, body, **headers)
    assert 400 <= answer.status < 500
    assert answer.headers["content-type"] == "application/problem+json"
    Draft202012Validator(
        {"$ref": "#/components/schemas/ProblemBody", "components": OPENAPI["components"]}
    ).validate(answer.json)
    assert answer.json["status"] == answer.status
    page = nobody.ask("GET", f"/problems/{answer.json['code']}")
    assert page.json["status"] == answer.status


def test_fault_129_a_move_against_the_rules_is_told_the_rule_the_reason_and_what_is_legal(
    anybody: Anybody,
) -> None:
    one, other = anybody("Ariadne"), anybody("Bacchus")
    match = one.create("cyclades", 2)
    other.join(match, 1)
    seat = one.get(match)["to_act"][0]
    acting = (one, other)[seat]
    answer = acting.ask("POST", f"{match}/moves", {"seat": seat, "move": {"type": "end_turn"}})
    assert answer.status == 422
    _assert_as_documented("/v1/matches/{match_id}/moves", answer, "post")
    problem = answer.json
    assert problem["code"] == "illegal"
    assert problem["rule"].startswith("cyclades.")
    assert problem["reason"]
    legal = acting.get(problem["links"]["moves"], seat=seat)["moves"]
    assert acting.ask("POST", f"{match}/moves", {"seat": seat, "move": legal[0]["move"]}).status == 201


def test_fault_131_the_examples_of_the_document_are_accepted(anybody: Anybody) -> None:
    """Each body that it shows, sent by a player of one match: as it stands, but for the ids that it names.

    It is done, or there is nothing to do it to yet; never is it of another form than the documented one.
    """
    sent = 0
    for path, methods in OPENAPI["paths"].items():
        for method, operation in methods.items():
            for media in operation.get("requestBody", {}).get("content", {}).values():
                for example in media.get("examples", {}).values():
                    client = anybody("Ariadne")
                    match = client.create("iliad", 2, seat=0).rpartition("/")[2]
                    ids = {"match": match, "player": anybody("Bacchus").id}
                    body = example["value"] | {name: ids[name] for name in ids if name in example["value"]}
                    answer = client.ask(method.upper(), path.format(match_id=match, seat=0), body)
                    done = 200 <= answer.status < 300
                    assert done or answer.json["code"] in ("wrong_phase", "forbidden"), (
                        path,
                        example,
                        answer,
                    )
                    _assert_as_documented(path, answer, method)
                    sent += 1
    assert sent
