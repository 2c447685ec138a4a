"""Problems (RFC 9457): whatever goes wrong becomes one of the ``codes``, and that a document.

Every answer outside 2xx and 304, from whichever layer, is one of these. This module knows what the layers
below raise; it knows no route. A refusal of the rules keeps its own code and gets its status here.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from kleos.api.codes import PROBLEMS
from kleos.api.wording import in_json_words
from kleos.core.kernel import Refused
from kleos.events.archive import ArchiveFault, ArchiveUnavailable
from kleos.events.command import Stale
from kleos.events.heads import Frozen
from kleos.events.loading import UnknownMatch, UnknownVersion
from kleos.events.store import Archived, CommandMismatch, StoreUnavailable

MEDIA: Final = "application/problem+json"
_log = logging.getLogger("kleos.api")


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
        state = request.scope["state"]
        named = (state.get("request_id"), state.get("trace_id", "-"))
        _log.error("request %s (trace %s) failed", *named, exc_info=error)
    return Response(
        problem.body(request.app.state.settings.public_url),
        status_code=problem.status,
        media_type=MEDIA,
        headers=problem.headers,
    )
