"""The answers of an operation, as the OpenAPI document shows them: successes, refusals, headers, links.

Which answers there are is read off the ``Operation``; which operation may follow an answer is told here.
"""

from __future__ import annotations

from typing import Any, Final

from kleos.api.codes import PROBLEMS
from kleos.api.components import Components, Schema, references, tidy
from kleos.api.examples import recorded
from kleos.api.operation import JSON, Operation
from kleos.api.problems import MEDIA

EXAMPLE: Final = "#/components/examples/"
OF_MATCHES: Final = ("Matches", "Playing", "Proof", "Referee", "Time")
"""Tags of what is about a match, which may be in the archive."""
EVERYWHERE: Final = ("malformed", "not_acceptable", "internal")
HEADERS: Final = {
    name: {"description": text, "schema": tidy({"type": kind})}
    for name, kind, text in (
        ("X-Request-Id", "string", "The id of this exchange in the server's log."),
        ("Access-Control-Allow-Origin", "string", "To a page of an origin that the server admits."),
        ("ETag", "string", "Names the version and how it is seen; for `If-Match` and `If-None-Match`."),
        ("Location", "string", "Where the new resource is."),
        ("RateLimit-Policy", "string", "The limit of rate, where the server has one."),
        ("RateLimit", "string", "What is left of it."),
        ("Preference-Applied", "string", "The wait that was heeded."),
        ("WWW-Authenticate", "string", "How to say who you are."),
        ("Retry-After", "integer", "Seconds to wait."),
    )
}
_OF_EVERY_ANSWER: Final = ("X-Request-Id", "Access-Control-Allow-Origin")
_OF_STATUS: Final = {
    201: "Location",
    401: "WWW-Authenticate",
    412: "ETag",
    429: "Retry-After",
    503: "Retry-After",
}
_SUCCESSES: Final = {200: "Done.", 201: "Made.", 202: "Proposed.", 204: "Done; there is nothing to say."}

SAME_MATCH: Final = {"match_id": "$request.path.match_id"}
MADE_MATCH: Final = {"match_id": "$response.body#/id"}
LISTED_MATCH: Final = {"match_id": "$response.body#/items/0/id"}
SEEN_MATCH: Final = {"match_id": "$response.body#/match"}
PLAYED: Final = {**SAME_MATCH, "version": "$response.body#/event/version"}
PROPOSED: Final = {**SAME_MATCH, "proposal": "$response.body#/proposal/id"}
_TO_A_MATCH: Final = ("read_match", "join", "start", "read_view", "list_events", "read_checkpoint")
_AFTER_A_MOVE: Final = ("read_view", "list_moves", "play", "read_undo", "undo")
LINKS: Final[dict[tuple[str, int], dict[str, dict[str, str]]]] = {
    ("list_games", 200): {"read_game": {"game": "$response.body#/items/0/game"}},
    ("create_match", 201): {
        **dict.fromkeys(_TO_A_MATCH, MADE_MATCH),
        "leave": {**MADE_MATCH, "seat": "$response.body#/seats/0/seat"},
    },
    ("fork", 201): dict.fromkeys(("read_match", "read_view", "play"), MADE_MATCH),
    ("list_matches", 200): dict.fromkeys(("read_match", "join", "read_view"), LISTED_MATCH),
    ("join", 201): dict.fromkeys(("start", "read_view", "list_moves", "play"), MADE_MATCH),
    ("start", 200): dict.fromkeys(("read_view", "list_moves", "play"), MADE_MATCH),
    ("read_view", 200): dict.fromkeys(("play", "check", "read_undo"), SEEN_MATCH),
    ("list_moves", 200): dict.fromkeys(("play", "check"), SEEN_MATCH),
    ("read_news", 200): {"read_news": {"since": "$response.body#/cursor"}},
    ("play", 201): {
        **dict.fromkeys(_AFTER_A_MOVE, SAME_MATCH),
        **dict.fromkeys(("read_event", "read_explanation", "read_proof"), PLAYED),
        "read_checkpoint": SAME_MATCH,
    },
    ("undo", 201): dict.fromkeys(("read_view", "redo"), SAME_MATCH),
    ("undo", 202): dict.fromkeys(("consent", "refuse", "withdraw"), PROPOSED),
    ("redo", 202): dict.fromkeys(("consent", "refuse", "withdraw"), PROPOSED),
    ("put_bookmark", 200): {"delete_bookmark": {**SAME_MATCH, "name": "$request.path.name"}},
    ("problems", 200): {"problem": {"code": "$response.body#/items/0/code"}},
}
"""(operation, status) -> what may follow -> its parameters, as OpenAPI runtime expressions."""


def answers(
    name: str, path: str, operation: Operation, schemas: Components, problem: Schema
) -> dict[str, Any]:
    """Every answer of the operation of this name at this path, by status."""
    out: dict[str, Any] = {}
    shown = recorded.on_file().get(name, {})
    for status, kind in operation.answers.items():
        answer: dict[str, Any] = {"description": _SUCCESSES[status], "headers": _headers(operation, status)}
        content = {media: _content(schemas, media, kind) for media in operation.media}
        for media, example in shown.get(str(status), {}).items():
            content[media]["example"] = example
        if kind is not None or (status != 204 and operation.media != (JSON,)):
            answer["content"] = content
        if following := LINKS.get((name, status)):
            answer["links"] = {
                target: {"operationId": target, "parameters": parameters}
                for target, parameters in following.items()
            }
        out[str(status)] = answer
    if operation.conditional:
        out["304"] = {
            "description": "Not changed since the `ETag` you sent.",
            "headers": _headers(operation, 304),
        }
    return out | _refusals(problem, path, operation)


def problem_examples(paths: dict[str, Any]) -> dict[str, Any]:
    """The components that the refusals of these paths refer to, by code."""
    needed = references(paths)
    return {
        code: {"summary": PROBLEMS[code].title, "value": body}
        for code, body in recorded.problem_examples(recorded.on_file()).items()
        if EXAMPLE + code in needed
    }


def _content(schemas: Components, media: str, kind: Any) -> dict[str, Any]:
    if media in ("application/zip", "application/octet-stream"):
        return {"schema": {"type": "string", "format": "binary"}}
    if media != JSON:
        return {"schema": {"type": "string"}}
    return {"schema": schemas.of(kind)}


def _headers(operation: Operation, status: int) -> dict[str, Any]:
    names = {*_OF_EVERY_ANSWER, *filter(None, [_OF_STATUS.get(status)])}
    if status < 400 and (operation.conditional or (operation.command and status in (200, 201))):
        names.add("ETag")
    if status < 400 and operation.tag != "Operations":
        names |= {"RateLimit-Policy", "RateLimit"}
    if status < 400 and operation.waits:
        names.add("Preference-Applied")
    return {each: {"$ref": f"#/components/headers/{each}"} for each in HEADERS if each in names}


def _refusals(problem: Schema, path: str, operation: Operation) -> dict[str, Any]:
    codes = {*operation.problems, *EVERYWHERE, *_implied(path, operation)}
    out: dict[str, Any] = {}
    for status in sorted({PROBLEMS[code].status for code in codes}):
        those = [code for code in PROBLEMS if code in codes and PROBLEMS[code].status == status]
        out[str(status)] = {
            "description": "; ".join(f"`{code}`: {PROBLEMS[code].title}" for code in those),
            "headers": _headers(operation, status),
            "content": {
                MEDIA: {"schema": problem, "examples": {code: {"$ref": EXAMPLE + code} for code in those}}
            },
        }
    return out


def _implied(path: str, operation: Operation) -> set[str]:
    """What can go wrong because of where an operation is and what it takes."""
    out: set[str] = {"not_found"} if "{" in path else set()
    if operation.auth != "none":
        out |= {"unauthenticated", "forbidden", "store_unavailable"}
    if operation.tag != "Operations":
        out.add("rate_limited")
    if operation.tag in OF_MATCHES and "not_found" in operation.problems:
        out |= {"archive_damaged", "archive_unavailable"}
    if operation.body is not None:
        out |= {"too_large", "unsupported_media_type", "store_unavailable"}
    if operation.command or operation.keyed:
        out.add("command_mismatch")
    if operation.command:
        out |= {"stale", "frozen", "wrong_phase", "match_finished"}
    return out
