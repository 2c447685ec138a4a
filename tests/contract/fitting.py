"""Hooks for schemathesis: what the document cannot say and a match knows.

A case that is valid by the schema is made to fit the match it is sent to, so that the server has to accept
it or refuse it by the rules. Cases that are meant to be invalid are sent as they are. Loaded by way of
SCHEMATHESIS_HOOKS.
"""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from functools import cache
from typing import Any

import msgspec
import schemathesis
from schemathesis.generation import GenerationMode

from kleos.core.kernel import Game, Refused
from kleos.core.kernel.registry import current

SERVER = os.environ["CONTRACT_SERVER"]
SOME_KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
"""The public key of the first test of RFC 8032, section 7.1."""
SOME_MOVE = {"iliad": {"type": "pass"}, "cyclades": {"type": "end_turn"}}
SOME_HOOK = "https://bot.example/kleos"
ENDS_A_TOKEN = ("revoke", "erase")


@cache
def shared() -> str:
    """The token of the one player who asks everything."""
    return registered("Ariadne")


@schemathesis.auth(refresh_interval=None)
class Token:
    """One player asks everything; only what ends a token gets one of its own each time."""

    def get(self, case: schemathesis.Case[Any], _context: schemathesis.AuthContext) -> str:
        ends = case.operation.definition.raw["operationId"] in ENDS_A_TOKEN
        return registered("Icarus") if ends else shared()

    def set(self, case: schemathesis.Case[Any], token: str, _context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]
) -> None:
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    name = case.operation.definition.raw["operationId"]
    if name in ENDS_A_TOKEN:  # one of its own: the others are asked with the first for the rest of the run
        case.headers["Authorization"] = f"Bearer {ask('POST', '/v1/players', {'name': 'Icarus'})['token']}"
    for header in ("If-Match", "If-None-Match"):  # the tool sends 0 where it finds no string for a pattern
        if case.headers.get(header) == "0":
            del case.headers[header]
    _fit_query(name, case.query)
    if isinstance(case.body, dict):
        body = _whole(case.body)
        _fit_body(name, body, case.path_parameters.get("match_id"), case.headers.get("Authorization"))
        case.body = body


def _fit_query(name: str, query: dict[str, Any]) -> None:
    query.pop("cursor", None)  # a cursor is what a page gave out; nobody can make one
    if name == "read_proof":  # either one version, or two, or from the ledger
        if str(query.pop("log", False)).lower() == "true":
            query.clear()
            query["log"] = "true"
        elif "version" in query or not {"from", "to"} & query.keys():
            query.setdefault("version", 1)
            query.pop("from", None)
            query.pop("to", None)
        else:
            known = sorted(int(query[each]) for each in ("from", "to") if each in query)
            query["from"], query["to"] = known[0], known[-1]
    if "turn" in query:  # whose turn it is, or who sits there
        query.pop("player", None)
    if "at" in query:  # a version or a time
        query.pop("time", None)
    if "seat" in query:  # every match of this run has this seat
        query["seat"] = "0"


def _fit_body(name: str, body: dict[str, Any], match_id: str | None, who: str | None) -> None:
    if name == "create_match":
        body["game"] = body["game"] if body["game"] in SOME_MOVE else "iliad"
        body["seats"] = 2
        if not _settles(current(body["game"]), body.get("options", {}), body["seats"]):
            del body["options"]
    for place in ("seat", "by"):
        if isinstance(body.get(place), int):
            body[place] %= 2
    if isinstance(body.get("name"), str) and not _shows(body["name"]):
        body["name"] = "Ariadne"
    if isinstance(body.get("key"), str):  # not every text of the right length is a point of the curve
        body["key"] = SOME_KEY
    if name == "issue_token":  # one scope has a match and a seat, no other has a seat
        body |= {"match": "none", "seat": 0} if body["scope"] == "seat" else {"seat": None}
    if isinstance(body.get("bot"), str):
        body["bot"] = "random"
    if name == "add_webhook":
        body["url"] = SOME_HOOK
    for someone in ("referee", "player"):  # only ids of players are known
        if isinstance(body.get(someone), str):
            body[someone] = _somebody()
    if isinstance(body.get("ranking"), list):  # every seat in its place
        body["ranking"] = [[1], [0]]
    if "move" in body:
        game = _game(match_id, who)
        if not _fits(body["move"], current(game).Move):
            body["move"] = SOME_MOVE[game]


@cache
def _somebody() -> str:
    """The id of a player who is not the one that asks."""
    return str(ask("POST", "/v1/players", {"name": "Daedalus"})["player"]["id"])


def _whole(value: Any) -> Any:
    """JSON Schema takes 2.0 for an integer; this API has no floats at all (docs/log-format.md)."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list) else value


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _settles(game: Game[Any, Any, Any], options: Any, seats: int) -> bool:
    """Whether the options are this game's, and go together."""
    try:
        game.settle(msgspec.convert(options, game.Options), seats)
    except (msgspec.ValidationError, Refused):
        return False
    return True


def _game(match_id: str | None, who: str | None) -> str:
    """The game of a match; any, where there is none to be seen for ``who`` asks: the answer will be 404."""
    try:
        return str(ask("GET", f"/v1/matches/{match_id}", who=who)["game"])
    except (urllib.error.HTTPError, ValueError, KeyError):
        return "iliad"


def _shows(name: str) -> bool:
    """Whether a name can be seen: the pattern cannot tell which characters Unicode has assigned to what."""
    return name.isprintable() and any(map(str.isalnum, name))


def registered(name: str) -> str:
    """The token of a new player."""
    return str(ask("POST", "/v1/players", {"name": name})["token"])


def ask(method: str, path: str, body: Any = None, *, who: str | None = None) -> Any:
    """What the server answers to ``who``, an Authorization header."""
    request = urllib.request.Request(
        SERVER + urllib.parse.quote(path),
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"} | ({} if who is None else {"Authorization": who}),
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
