"""The OpenAPI document, made from the route handlers and the types they name.

Schemas are msgspec's own (JSON Schema 2020-12, as OpenAPI 3.1 wants it), those of each game under its name
(``IliadMove``, ``IliadState``). What a handler accepts, answers and refuses is read off its ``Operation``,
its docstring is the description: nothing is written twice. The output is the same for the same code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.params import ParameterKwarg
from litestar.routes import HTTPRoute

from kleos.api import replies
from kleos.api.answers import HEADERS, answers, problem_examples
from kleos.api.components import AnyGame, Components, Schema, tidy
from kleos.api.operation import JSON, Operation, operation_of
from kleos.api.schemas import ended
from kleos.api.waiting import LONGEST
from kleos.events.tiles import LEVELS

TAGS: Final = {
    "Games": "What can be played.",
    "Players": "Accounts and their tokens.",
    "Matches": "The lobby: create, find, join, leave, start.",
    "Webhooks": "Be told instead of asking.",
    "Ratings": "How strong players are.",
    "Referee": "Who rules on a match: annotate, adjourn, adjudicate.",
    "Playing": "The table: views, moves, events.",
    "Time": "Undo, redo, proposals, forks, differences, explanations, bookmarks.",
    "Proof": "What settles a dispute without trusting the server.",
    "Operations": "For whoever runs or explores the service.",
}
PARAMETERS: Final = {
    "match_id": "The id of the match.",
    "game": "The name of the game, as /v1/games lists it.",
    "seat": "A seat number, or `spectator`.",
    "at": "A version: the table as it was then.",
    "time": "A time of day (RFC 3339): the table as it was then. Not together with `at`.",
    "version": "The version that the event made.",
    "from": "The version to start from.",
    "to": "The version to arrive at.",
    "log": "`true`: the proof that the match is in the server's own log. Goes alone.",
    "level": "The level of the tile: 0 holds the hashes of the entries.",
    "tile": "The number of the tile as C2SP writes it, `067` or `x001/x234/067`: in groups of three digits, "
    "each but the last behind an `x` and before a slash. A partial tile of 12 hashes has `.p/12` behind. "
    "A slash may be sent as it is, or as `%2F`.",
    "proposal": "The id of the proposal.",
    "name": "The name of the bookmark.",
    "include": "`none` for the state alone, without the legal moves.",
    "after": "A version: only what came later.",
    "since": "A cursor that came with the news: only what came later.",
    "live": "Whether a stream goes on with what happens from now on.",
    "limit": "At most so many items.",
    "cursor": "`next` of the page before.",
    "status": "Only matches of this status.",
    "player": "Only matches in which this player (an id) takes part.",
    "turn": "`me`: only matches in which you have something to decide.",
    "player_id": "The id of the player.",
    "offset": "How many to leave out at the beginning.",
    "hook_id": "The id of the webhook.",
    "token_id": "The id of the token.",
    "invitation": "The id of the invitation.",
    "code": "The code of a problem.",
}
DESCRIPTION: Final = """\
Board games whose every move is an event that stays.

Register a player, create a match or take a seat in one, read your view, play one of the moves it lists. Every
accepted move is answered with a receipt: a signed proof, checkable offline, that it is in the match's log.

* **Who you are**: `Authorization: Bearer <token>`, from `POST /v1/players`. Public matches can be read
  without.
* **Commands** may carry `Idempotency-Key` (do it once, however often it is sent) and `If-Match` with the
  `ETag` of a view (do it at the version I saw, or not at all).
* **Every refusal** is `application/problem+json` with a stable `code`; its `type` is a page that explains it.
* **What is hidden** from you is null, in views, events and everywhere else, until the match is over.
"""


_ETAG: Final = '(W/)?"[\\x21\\x23-\\x7E]*"'
ETAGS: Final = rf"^(\*|{_ETAG}(, {_ETAG})*)$"
FORMS: Final[dict[str, Schema]] = {
    "name": {"pattern": "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$"},
    "time": {"format": "date-time"},
    "level": {"minimum": 0, "maximum": LEVELS - 1},
    "tile": {
        "pattern": r"^(x[0-9]{3}/){0,4}[0-9]{3}(\.p/[1-9][0-9]{0,2})?$",
        "examples": ["067", "x001/x234/067", "000.p/12"],
    },
}
"""What a parameter has to look like, where its handler leaves that to others."""
SERVER: Final = "The server that this document came from, be it production, staging or local."


def document(app: Litestar, games: Iterable[AnyGame]) -> dict[str, Any]:
    """The document of an application for the games given."""
    schemas = Components(list(games))
    problem = schemas.of(replies.ProblemBody)
    paths: dict[str, Any] = {}
    for path, method, handler, operation in operations(app):
        paths.setdefault(path, {})[method.lower()] = _operation(schemas, problem, path, handler, operation)
    schemas.fill_in()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kleos",
            "version": version("kleos"),
            "summary": "An event-sourced backend for board games.",
            "description": DESCRIPTION,
            "contact": {"name": _authors()},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": SERVER, "x-internal": False}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "examples": problem_examples(paths),
            "headers": HEADERS,
            "schemas": {
                name: schema | {"title": name} for name, schema in sorted(schemas.components.items())
            },
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "From `POST /v1/players`."}
            },
        },
    }


def _authors() -> str:
    return metadata("kleos")["Author"]


def operations(app: Litestar) -> list[tuple[str, str, HTTPRouteHandler, Operation]]:
    """Every documented operation: path template, method, handler and what it says of itself, in order."""
    found = [
        (route.path_format, method, handler, operation)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in sorted(handler.http_methods)
        if (operation := operation_of(handler)) is not None
    ]
    return sorted(found, key=lambda each: (list(TAGS).index(each[3].tag), each[0], each[1]))


def _operation(
    schemas: Components, problem: Schema, path: str, handler: HTTPRouteHandler, operation: Operation
) -> dict[str, Any]:
    name = handler.fn.__name__
    out: dict[str, Any] = {
        "operationId": name,
        "summary": operation.summary,
        "description": _prose(handler.fn) + (TOKENLESS if operation.auth == "optional" else ""),
        "tags": [operation.tag],
        "parameters": [*_parameters(path, handler), *_headers(operation)],
        "security": _SECURITY[operation.auth],
        "responses": answers(name, path, operation, schemas, problem),
    }
    if operation.body is not None:
        content: dict[str, Any] = {"schema": schemas.of(operation.body)}
        if operation.examples:
            content["examples"] = {
                label.replace(" ", "-"): {"summary": label, "value": value}
                for label, value in operation.examples.items()
            }
        out["requestBody"] = {"required": not operation.body_optional, "content": {JSON: content}}
    return out


TOKENLESS: Final = "\n\nThe token is optional: without one you see what everybody may."
_SECURITY: Final[dict[str, list[dict[str, list[str]]]]] = {
    "none": [],
    "optional": [{}, {"token": []}],
    "required": [{"token": []}],
}


def _prose(function: Callable[..., Any]) -> str:
    """The docstring, with the line breaks of its paragraphs undone."""
    text = inspect.getdoc(function) or ""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _parameters(path: str, handler: HTTPRouteHandler) -> list[dict[str, Any]]:
    out = []
    for argument, field in handler.parsed_fn_signature.parameters.items():
        if argument == "request":
            continue
        name = getattr(field.kwarg_definition, "name", None) or argument
        in_path = f"{{{name}}}" in path
        schema = _parameter_schema(field.annotation, field.kwarg_definition) | FORMS.get(name, {})
        if not in_path and field.default not in (None, inspect.Parameter.empty) and field.has_default:
            schema["default"] = field.default
        out.append(
            {
                "name": name,
                "in": "path" if in_path else "query",
                "required": in_path or not field.has_default,
                "description": PARAMETERS[name],
                "schema": schema,
            }
        )
    return out


def _parameter_schema(annotation: Any, constraints: Any) -> Schema:
    schema: Schema = tidy(msgspec.json.schema(str if annotation is Path else annotation))
    if "anyOf" in schema:  # a parameter is left out, never null
        (schema,) = [each for each in schema["anyOf"] if each != {"type": "null"}]
    if isinstance(schema.get("enum"), list):
        schema["enum"] = [each for each in schema["enum"] if each is not None]
    if isinstance(constraints, ParameterKwarg):
        if constraints.pattern is not None:
            schema["pattern"] = ended(constraints.pattern)
        if constraints.ge is not None:
            schema["minimum"] = constraints.ge
        if constraints.le is not None:
            schema["maximum"] = constraints.le
    return schema


def _headers(operation: Operation) -> list[dict[str, Any]]:
    out = []
    if operation.command or operation.keyed:
        out.append(
            _header(
                "Idempotency-Key",
                "Your own name for this command, 1 to 255 visible ASCII characters. Sent again with the same "
                "request it is answered as the first time; with another it is refused.",
                {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x21-\\x7E]+$"},
            )
        )
    if operation.command:
        out.append(
            _header(
                "If-Match",
                "The `ETag` of a view or of the match: carry the command out at that version or not at all.",
                {"type": "string", "pattern": ETAGS},
            )
        )
    if operation.conditional:
        out.append(
            _header(
                "If-None-Match",
                "An `ETag` you have: 304 if nothing changed.",
                {"type": "string", "pattern": ETAGS},
            )
        )
    if operation.waits:
        out.append(
            _header(
                "Prefer",
                "`wait=25`: hold an answer that would tell nothing new (304, an empty page) for so many "
                f"seconds, {LONGEST} at most, and answer as soon as there is news.",
                {"type": "string"},
            )
        )
    if operation.resumes:
        out.append(
            _header(
                "Last-Event-ID",
                "What to go on after: the `id` of the last event you have.",
                {"type": "string", "pattern": operation.resumes},
            ),
        )
    return out


def _header(name: str, description: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}
