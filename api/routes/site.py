"""The front door: the lobby or the links, the documentation and its assets, the pages of problems."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import pages, replies
from kleos.api.access import Asked, backend_of
from kleos.api.codes import PROBLEMS
from kleos.api.feed_document import published
from kleos.api.operation import JSON, answer, chosen_media, op, takes_gzip
from kleos.api.problems import Problem
from kleos.api.routes.games import newest
from kleos.api.routes.matches import summaries
from kleos.events.standing import Standing

HTML: Final = "text/html"
_HOST: Final = re.compile(r"([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
DAY = "public, max-age=86400"
LINKS: Final = {
    "games": "/v1/games",
    "matches": "/v1/matches",
    "players": "/v1/players",
    "keys": "/v1/keys",
    "openapi": "/openapi.json",
    "asyncapi": "/asyncapi.json",
    "docs": "/docs",
    "problems": "/problems",
}


def _base_url(request: Asked) -> str:
    """How the client reached us, unless the settings know better; empty if it does not say so.

    What a client puts in ``Host`` is shown to people, who paste it: it is a host and a port, or nothing.
    """
    public: str = request.app.state.settings.public_url
    if public:
        return public
    host = request.headers.get("host", "")
    return f"{request.scope['scheme']}://{host}" if _HOST.fullmatch(host) else ""


def _html(body: bytes, *, caching: str = "no-cache") -> ASGIResponse:
    headers = {"Cache-Control": caching, "Content-Security-Policy": pages.POLICY, "Vary": "Accept"}
    return answer(body, media=HTML, headers=headers)


@get(
    "/",
    opt=op(summary="Come in", tag="Operations", answers={200: replies.Service}, media=(JSON, HTML)),
)
async def front(request: Asked) -> ASGIResponse:
    """The lobby for a browser; for programs, where everything is."""
    if chosen_media(request, (JSON, HTML)) == JSON:
        body = msgspec.json.encode({"name": "kleos", "links": LINKS})
        return answer(body, headers={"Vary": "Accept", "Cache-Control": "no-cache"})
    backend = backend_of(request)
    found, _ = await backend.catalogue.list(limit=50)
    matches = await summaries(backend, msgspec.convert(found, list[Standing]))
    return _html(pages.lobby_page(_base_url(request), newest(), matches))


@get(
    "/docs",
    opt=op(summary="Read the documentation", tag="Operations", answers={200: None}, media=(HTML,)),
    sync_to_thread=False,
)
def docs() -> ASGIResponse:
    """The documentation to read and to try."""
    return _html(pages.docs_page())


@get(
    "/openapi.json",
    opt=op(summary="Read the API's document", tag="Operations", answers={200: dict[str, Any]}),
    sync_to_thread=False,
)
def openapi(request: Asked) -> ASGIResponse:
    """This document (OpenAPI 3.1), with the games of this server."""
    return answer(request.app.state.document, headers={"Cache-Control": "no-cache"})


@get(
    "/asyncapi.json",
    opt=op(summary="Read the streams' document", tag="Operations", answers={200: dict[str, Any]}),
    sync_to_thread=False,
)
def asyncapi() -> ASGIResponse:
    """The event streams (AsyncAPI 3.0); the events themselves are described in `/openapi.json`."""
    return answer(published(), headers={"Cache-Control": "no-cache"})


@get("/static/{name:str}", sync_to_thread=False)
def static(request: Asked, name: FromPath[str]) -> ASGIResponse:
    """An asset of our own pages."""
    if name not in pages.ASSETS:
        raise Problem("not_found", "there is no such file")
    headers = {"Cache-Control": DAY, "Vary": "Accept-Encoding"}
    media = pages.ASSETS[name][1]
    if takes_gzip(request.headers.get("accept-encoding")):
        return answer(pages.packed_asset(name), media=media, headers=headers | {"Content-Encoding": "gzip"})
    return answer(pages.asset(name), media=media, headers=headers)


@get(
    "/problems",
    opt=op(
        summary="List the problems", tag="Operations", answers={200: replies.Problems}, media=(JSON, HTML)
    ),
    sync_to_thread=False,
)
def problems(request: Asked) -> ASGIResponse:
    """Every way in which this API says no."""
    if chosen_media(request, (JSON, HTML)) == HTML:
        return _html(pages.problems_page(), caching=DAY)
    return _json({"items": [_described(code) for code in PROBLEMS]})


@get(
    "/problems/{code:str}",
    opt=op(
        summary="Read a problem",
        tag="Operations",
        answers={200: replies.ProblemPage},
        media=(JSON, HTML),
    ),
    sync_to_thread=False,
)
def problem(request: Asked, code: FromPath[str]) -> ASGIResponse:
    """What a problem means and what to do about it: the page at its `type`."""
    if code not in PROBLEMS:
        raise Problem("not_found", f"there is no problem {code!r}")
    if chosen_media(request, (JSON, HTML)) == HTML:
        return _html(pages.problem_page(code), caching=DAY)
    return _json(_described(code))


def _described(code: str) -> dict[str, Any]:
    described: dict[str, Any] = {"code": code, **msgspec.structs.asdict(PROBLEMS[code])}
    return described


def _json(value: Any) -> ASGIResponse:
    return answer(msgspec.json.encode(value), headers={"Vary": "Accept", "Cache-Control": DAY})
