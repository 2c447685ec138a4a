"""What an endpoint says about itself: the source of the OpenAPI document and of content negotiation.

A route handler carries one ``Operation``, so what is served and what is documented cannot part ways.
"""

from __future__ import annotations

from typing import Any, Final, Literal
from urllib.parse import urlencode

from litestar import Request
from litestar.handlers.base import BaseRouteHandler
from litestar.response.base import ASGIResponse
from msgspec import Struct

from kleos.api.problems import Problem

JSON: Final = "application/json"
TEXT: Final = "text/plain"
Auth = Literal["none", "optional", "required"]
Right = Literal["read", "play", "join", "organise", "rule", "account"]
"""What a token must be good for; see ``access``."""


class Operation(Struct, frozen=True, kw_only=True):
    """One method of one path. The handler's docstring is its description.

    ``answers`` maps a status to the type of its JSON body (None for no body); ``media`` are other media types
    in which the success can be had; ``problems`` are the codes beyond those that follow from where the
    operation is and what it takes (``answers``).
    """

    summary: str
    tag: str
    answers: dict[int, Any]
    body: Any = None
    body_optional: bool = False
    examples: dict[str, Any] = {}
    """Bodies to show, by what they are for."""
    auth: Auth = "none"
    rights: tuple[Right, ...] = ("account",)
    """What a required token must be good for, one of these. Unless said otherwise, the whole account."""
    media: tuple[str, ...] = (JSON,)
    problems: tuple[str, ...] = ()
    conditional: bool = False
    """A read with ETag and 304."""
    command: bool = False
    """A command: takes Idempotency-Key and If-Match."""
    waits: bool = False
    """Takes ``Prefer: wait``."""
    resumes: str = ""
    """Takes Last-Event-ID, of this pattern."""
    keyed: bool = False
    """Takes Idempotency-Key alone."""


def op(**fields: Any) -> dict[str, Operation]:
    """The ``opt`` of a route handler."""
    return {"operation": Operation(**fields)}


def operation_of(handler: BaseRouteHandler) -> Operation | None:
    found = handler.opt.get("operation")
    return found if isinstance(found, Operation) else None


def preferred(accept: str | None, offered: tuple[str, ...]) -> str | None:
    """The offered media type that an ``Accept`` header likes best (RFC 9110 §12.5.1); None if it takes none.

    Among equals the order of ``offered`` decides.
    """
    if not accept or accept == "*/*" or accept == offered[0]:
        return offered[0]
    ranges = [_range(part) for part in accept.split(",") if part.strip()]
    best: tuple[float, int] | None = None
    chosen: str | None = None
    for place, media in enumerate(offered):
        quality = _quality(media, ranges)
        if quality > 0 and (best is None or (quality, -place) > best):
            best, chosen = (quality, -place), media
    return chosen


def _range(part: str) -> tuple[str, float]:
    media, *parameters = (each.strip().lower() for each in part.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return media, float(parameter[2:])
            except ValueError:
                return media, 0.0
    return media, 1.0


def _quality(media: str, ranges: list[tuple[str, float]]) -> float:
    """The quality of the most specific range that covers ``media``."""
    covering = (media, media.partition("/")[0] + "/*", "*/*")
    for pattern in covering:
        for named, quality in ranges:
            if named == pattern:
                return quality
    return 0.0


def takes_gzip(accept_encoding: str | None) -> bool:
    """Whether an answer may be packed: ``gzip`` is named, or all codings are, and not to be left out
    (RFC 9110 §12.5.3).
    """
    weights = dict(_range(part) for part in (accept_encoding or "").split(","))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


async def negotiate(request: Request[Any, Any, Any]) -> None:
    """Before a handler runs: refuse, while nothing is done, what could not be answered or read."""
    _plain_numbers(request)
    _no_nulls(request)
    operation = operation_of(request.route_handler)
    if operation is None:
        return
    headers = request.headers
    if preferred(headers.get("accept"), operation.media) is None:
        raise Problem("not_acceptable", f"this is served as {', '.join(operation.media)}")
    if operation.body is not None:
        _json_only(headers.get("content-type", ""), optional=operation.body_optional)


def _plain_numbers(request: Request[Any, Any, Any]) -> None:
    """A number in a path is written in one way: what Python takes for one besides is nowhere."""
    parts = request.scope["path"].split("/")
    if any(isinstance(each, int) and str(each) not in parts for each in request.path_params.values()):
        raise Problem("not_found", "a number in a path is written in digits, without leading zeros")


def _no_nulls(request: Request[Any, Any, Any]) -> None:
    """A parameter without a value is left out; where no text belongs, ``null`` would pass for one."""
    if b"=null" in request.scope["query_string"]:
        for argument, field in request.route_handler.parsed_fn_signature.parameters.items():
            name = getattr(field.kwarg_definition, "name", None) or argument
            if request.query_params.get(name) == "null" and str not in (field.annotation, *field.args):
                raise Problem("malformed", f"{name} is null: leave out what has no value")


def _json_only(content_type: str, *, optional: bool) -> None:
    media = content_type.partition(";")[0].strip().lower()
    if media == JSON or (media.startswith("application/") and media.endswith("+json")):
        return
    if content_type or not optional:
        raise Problem("unsupported_media_type", f"the body is {JSON}, not {media or 'unnamed'}")


def chosen_media(request: Request[Any, Any, Any], offered: tuple[str, ...]) -> str:
    """The media type to answer in; ``negotiate`` has made sure that there is one."""
    return preferred(request.headers.get("accept"), offered) or offered[0]


def next_page(request: Request[Any, Any, Any], **changed: str | None) -> dict[str, str]:
    """The ``Link`` header (RFC 8288) to the page with these parameters; none where they are None."""
    if None in changed.values():
        return {}
    given = {name: request.query_params[name] for name in request.query_params}
    return {"Link": f'<{request.scope["path"]}?{urlencode(given | changed)}>; rel="next"'}


def answer(
    body: bytes, *, status: int = 200, media: str = JSON, headers: dict[str, str] | None = None
) -> ASGIResponse:
    """A response of ready bytes; a text's type gets ``; charset=utf-8``."""
    return ASGIResponse(body=body, status_code=status, media_type=media, headers=headers)
