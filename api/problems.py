"""Problems (RFC 9457): the closed set of ways in which the API says no, and their rendering.

Every answer outside 2xx and 304, from whichever layer, is one of these. This module knows codes, statuses
and words; it knows no route. A refusal of the rules keeps its own code and gets its status here.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from msgspec import Struct

from kleos.api.wording import in_json_words
from kleos.core.kernel import Refused
from kleos.events.archive import ArchiveFault, ArchiveUnavailable
from kleos.events.log import Frozen, Stale, UnknownMatch, UnknownVersion
from kleos.events.store import Archived, CommandMismatch, StoreUnavailable

MEDIA: Final = "application/problem+json"
_log = logging.getLogger("kleos.api")


class Kind(Struct, frozen=True):
    """One row of the catalogue of problems: what its page says."""

    status: int
    title: str
    meaning: str
    remedy: str


PROBLEMS: Final[dict[str, Kind]] = {
    "malformed": Kind(
        400,
        "The request is not of the documented form",
        "A field is missing, unknown, given twice or of the wrong type; a parameter is out of its range; "
        "or the body is not JSON.",
        "Read `detail`: it names the place. The forms are in the API's documentation.",
    ),
    "unauthenticated": Kind(
        401,
        "Who are you?",
        "The request needs a bearer token and has none, or the token is unknown, expired or revoked.",
        "Register with POST /v1/players and send `Authorization: Bearer <token>`.",
    ),
    "forbidden": Kind(
        403,
        "Not yours to do",
        "You are known, but this seat, match or view is somebody else's.",
        "Ask for your own seat, or as a spectator.",
    ),
    "not_found": Kind(
        404,
        "Nothing here for you",
        "There is no such thing, or it is private and you are not part of it: the two look the same.",
        "Check the id. To join a private match you need its invitation.",
    ),
    "method_not_allowed": Kind(
        405,
        "Not a method of this resource",
        "The resource exists but does not know the method.",
        "`Allow` lists the methods it knows.",
    ),
    "not_acceptable": Kind(
        406,
        "No representation of the kind you accept",
        "The `Accept` header rules out every media type that this resource has.",
        "Accept one of the types named in `detail`.",
    ),
    "not_your_turn": Kind(
        409,
        "Another seat is to act",
        "Your seat has nothing to decide at the head of the match.",
        "Wait until `to_act` in your view names your seat.",
    ),
    "wrong_phase": Kind(
        409,
        "Not at this stage of the match",
        "The action exists, but not while the match is as it is.",
        "Look at the match's `status`.",
    ),
    "seat_taken": Kind(
        409, "Somebody sits there", "The seat has a player or a bot.", "Choose a free seat, or name none."
    ),
    "match_full": Kind(
        409, "No seat is free", "Every seat of the match is taken.", "Watch as a spectator, or open another."
    ),
    "match_finished": Kind(
        409,
        "The match is over",
        "Nothing is decided any more in a finished or abandoned match.",
        "Read it: every version of it stays.",
    ),
    "frozen": Kind(
        409,
        "The match can be read, and not be gone on with",
        "The store has not got the log that this server has signed: it was set back, or changed. Whoever "
        "holds a receipt can prove it. Or the match was brought in from elsewhere before it was over.",
        "Keep your receipts, and tell the operator, who finds out with `kleos fsck`.",
    ),
    "stale": Kind(
        412,
        "The match has moved on",
        "`If-Match` names a version that is no longer the head; nothing was done.",
        "Read what you missed (`links.missed`), decide again, and send the new `ETag`.",
    ),
    "too_large": Kind(
        413, "Too large", "The body is larger than any request of this API.", "Send less than `limit` bytes."
    ),
    "unsupported_media_type": Kind(
        415, "Not JSON", "Bodies are `application/json`.", "Send `Content-Type: application/json`."
    ),
    "illegal": Kind(
        422,
        "The rules forbid it",
        "The move is well-formed and it is your turn, but the rule named in `rule` does not allow it.",
        "Choose a move that `links.legal_alternatives` lists.",
    ),
    "command_mismatch": Kind(
        422,
        "The same key with another request",
        "This `Idempotency-Key` was used before for a different request.",
        "Use a fresh key for each thing you want done; repeat a key only with the very same request.",
    ),
    "proposal_void": Kind(
        409,
        "The proposal no longer stands",
        "The head moved since it was made, or it was decided already.",
        "Make a new proposal at the present head.",
    ),
    "undo_not_allowed": Kind(
        409,
        "This cannot be undone or redone",
        "The match's undo policy does not allow it, or there is nothing there to go to.",
        "A view shows for each move what undoing it would take.",
    ),
    "rate_limited": Kind(429, "Too many requests", "You asked too often.", "Wait for `Retry-After` seconds."),
    "internal": Kind(
        500,
        "Our mistake",
        "Something failed that should not. Nothing that was acknowledged is lost.",
        "Report it with the `X-Request-Id` of the answer.",
    ),
    "store_unavailable": Kind(
        503,
        "The store cannot be reached",
        "The event store did not confirm in time. Whether the command was carried out is settled by "
        "repeating it with the same `Idempotency-Key`.",
        "Try again after `Retry-After` seconds.",
    ),
    "archive_damaged": Kind(
        500,
        "The archive has not got the match as it was",
        "The match is in the archive, and its bundle there is missing or has been changed. Rather than "
        "something wrong of it, nothing is shown.",
        "Tell the operator, who finds out with `kleos fsck`: a copy of the bundle, put back, mends it.",
    ),
    "archive_unavailable": Kind(
        503,
        "The archive cannot be reached",
        "The match is in the archive, which does not answer.",
        "Try again after `Retry-After` seconds.",
    ),
}


class Problem(Exception):
    """An answer that says no. ``more`` are further members of the body, ``headers`` of the response."""

    def __init__(self, code: str, detail: str, *, headers: dict[str, str] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.headers = headers or {}
        self.more = {name: value for name, value in more.items() if value is not None}

    @property
    def status(self) -> int:
        return PROBLEMS[self.code].status

    def body(self, base: str) -> bytes:
        """The document; ``base`` is the address of the server as its settings know it, without a slash at its
        end. Empty, the type is a path: what a client calls us (``Host``) is nothing to repeat.
        """
        kind = PROBLEMS[self.code]
        head = {
            "type": f"{base}/problems/{self.code}",
            "title": kind.title,
            "status": kind.status,
            "code": self.code,
            "detail": self.detail,
        }
        return msgspec.json.encode(head | self.more)


def unauthenticated(detail: str, *, invalid: bool = False) -> Problem:
    """401 with the challenge of RFC 6750."""
    challenge = 'Bearer realm="kleos"' + (', error="invalid_token"' if invalid else "")
    return Problem("unauthenticated", detail, headers={"WWW-Authenticate": challenge})


_GONE: Final = "client disconnected prematurely"
"""What Litestar says, as an error of the server, when nobody is there to be answered."""
_OF_STATUS: Final = {kind.status: code for code, kind in reversed(PROBLEMS.items())}


def _from_framework(error: HTTPException) -> Problem:
    """Litestar's own errors: routing, parameters, body size."""
    if error.detail == _GONE:
        return Problem("malformed", "the body broke off")
    code = _OF_STATUS.get(error.status_code, "malformed" if error.status_code < 500 else "internal")
    headers = {name.title(): value for name, value in (error.headers or {}).items()}
    match code:
        case "not_found":
            return Problem(code, "there is no such resource")
        case "internal":
            _log.error("framework error", exc_info=error)
            return Problem(code, "an unexpected error; it has been logged")
        case "malformed":
            return Problem(code, _parameter(error))
        case _:
            return Problem(code, PROBLEMS[code].meaning, headers=headers)


def _parameter(error: HTTPException) -> str:
    """Which parameter is wrong, and how."""
    extra = error.extra
    if isinstance(extra, list) and extra and isinstance(extra[0], dict):
        said = in_json_words(str(extra[0].get("message", error.detail)))
        return f"{extra[0].get('key', 'a parameter')}: {said}"
    return error.detail


def _not_in_archive(error: ArchiveFault) -> Problem:
    """The operator reads where the archive is, and what is wrong with it; whoever asked does not."""
    _log.error("%s", error)
    if isinstance(error, ArchiveUnavailable):
        return Problem("archive_unavailable", error.told, headers={"Retry-After": "5"})
    return Problem("archive_damaged", error.told)


def problem_of(error: Exception) -> Problem:
    """The problem that an exception of any layer is; what nobody expected is ``internal``."""
    match error:
        case Problem():
            return error
        case Refused():
            reason = in_json_words(error.reason)
            return Problem(error.code, reason, rule=error.rule, reason=reason, seat=error.seat)
        case UnknownMatch():
            return Problem("not_found", "there is no such match")
        case UnknownVersion():
            return Problem("not_found", f"the versions are 1 to {error.current}", version=error.current)
        case Stale():
            return Problem("stale", "the match has moved on", current=error.current, version=error.current)
        case Frozen() | Archived():
            return Problem("frozen", str(error), version=error.size)
        case ArchiveFault():
            return _not_in_archive(error)
        case CommandMismatch():
            return Problem("command_mismatch", PROBLEMS["command_mismatch"].meaning)
        case StoreUnavailable():
            return Problem(
                "store_unavailable", "the event store did not confirm", headers={"Retry-After": "1"}
            )
        case HTTPException():
            return _from_framework(error)
        case RecursionError():
            return Problem("malformed", "the request is nested too deeply")
        case _:
            return Problem("internal", "an unexpected error; it has been logged")


def answer_problem(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The exception handler of the application."""
    problem = problem_of(error)
    request.app.state.backend.meter.refusals[problem.code,] += 1
    if problem.code == "too_large":
        problem.more["limit"] = request.app.state.settings.max_body
    if problem.code == "internal":
        _log.error("request %s failed", request.scope["state"].get("request_id"), exc_info=error)
    return Response(
        problem.body(request.app.state.settings.public_url),
        status_code=problem.status,
        media_type=MEDIA,
        headers=problem.headers,
    )


def base_url(request: Request[Any, Any, Any]) -> str:
    """How the client reached us, unless the settings know better."""
    public: str = request.app.state.settings.public_url
    if public:
        return public
    host = request.headers.get("host", "")
    return f"{request.scope['scheme']}://{host}" if host else ""
