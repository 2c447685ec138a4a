"""Looking back: differences between versions, explanations, bookmarks."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, caller, required, viewpoint, visible
from kleos.api.bodies import decode
from kleos.api.commands import move_asked
from kleos.api.conditions import PRIVATE
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.api.sighting import Eyes
from kleos.core.kernel import Viewer
from kleos.core.match import Match, Past
from kleos.events.bookmarks import Bookmark
from kleos.events.envelope import unseal
from kleos.projections.differences import Difference, difference
from kleos.projections.explain import Explanation, Verdict, explain, verdict

AnsweredVersion = Annotated[int, QueryParameter(ge=1)]


@get(
    "/v1/matches/{match_id:str}/diff",
    opt=op(
        summary="Compare two versions",
        tag="Time",
        answers={200: Difference},
        auth="optional",
    ),
)
async def diff(
    request: Asked,
    match_id: FromPath[str],
    start: Annotated[int, QueryParameter(name="from", ge=1)],
    to: AnsweredVersion,
    seat: Eyes = None,
) -> ASGIResponse:
    """How the state of one version becomes that of another, as a seat or a spectator sees both: a JSON Patch
    (RFC 6902) on `state`, and the events between them in words.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    viewer = _eyes(match, viewpoint(match, player, seat))
    log = backend_of(request).log
    past = await log.past(match_id, max(start, to))
    low, high = sorted((start, to))
    events = [unseal(each) async for each in log.between(match_id, low, high)]
    return _told(difference(past(start), past(to), events, viewer))


@get(
    "/v1/matches/{match_id:str}/events/{version:int}/explanation",
    opt=op(
        summary="Explain an event",
        tag="Time",
        answers={200: Explanation},
        auth="optional",
    ),
)
async def read_explanation(
    request: Asked, match_id: FromPath[str], version: FromPath[int], seat: Eyes = None
) -> ASGIResponse:
    """The rule of each effect, how chance was used, and, for its player, what else could have been done."""
    player = await caller(request)
    match = await visible(request, match_id, player)
    viewer = _eyes(match, viewpoint(match, player, seat))
    log = backend_of(request).log
    past: Past = await log.past(match_id, version)
    event = unseal(await log.entry(match_id, version))
    return _told(explain(past(version - 1) if version > 1 else None, event, past(version), viewer))


@post(
    "/v1/matches/{match_id:str}/explain",
    status_code=200,
    opt=op(
        summary="Ask why a move is not legal",
        tag="Time",
        body=forms.question_form,
        answers={200: Verdict},
        auth="optional",
    ),
)
async def ask(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Whether a move could be made at a version, and which rule forbids it. What would follow is not told."""
    player = await caller(request)
    match = await visible(request, match_id, player)
    wanted = await move_asked(request, match, forms.question_form)
    seat = viewpoint(match, player, str(wanted.seat)).seat
    assert seat is not None
    at = match.version if wanted.at is None else wanted.at
    past = await backend_of(request).log.past(match_id, at)
    return _told(verdict(past(at), seat, wanted.move))


@get(
    "/v1/matches/{match_id:str}/bookmarks",
    opt=op(
        summary="List your bookmarks",
        tag="Time",
        answers={200: replies.BookmarkList},
        auth="required",
    ),
)
async def list_bookmarks(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """The versions of a match that you named. Nobody else sees them."""
    player = await required(request)
    await visible(request, match_id, player)
    return _told(replies.BookmarkList(await backend_of(request).bookmarks.of(player.id, match_id)))


@put(
    "/v1/matches/{match_id:str}/bookmarks/{name:str}",
    opt=op(
        summary="Bookmark a version",
        tag="Time",
        body=forms.NewBookmark,
        answers={200: Bookmark},
        auth="required",
    ),
)
async def put_bookmark(request: Asked, match_id: FromPath[str], name: FromPath[str]) -> ASGIResponse:
    """Give a version a name: 1 to 64 letters, digits, spaces, dots, underscores or hyphens."""
    player = await required(request)
    wanted = decode(await request.body(), forms.NewBookmark)
    match = await visible(request, match_id, player)
    if wanted.version > match.version:
        raise Problem("not_found", f"there is no version {wanted.version}", version=match.version)
    mark = Bookmark(name, wanted.version)
    await backend_of(request).bookmarks.put(player.id, match_id, mark)
    return _told(mark)


@delete(
    "/v1/matches/{match_id:str}/bookmarks/{name:str}",
    status_code=204,
    opt=op(
        summary="Delete a bookmark",
        tag="Time",
        answers={204: None},
        auth="required",
    ),
)
async def delete_bookmark(request: Asked, match_id: FromPath[str], name: FromPath[str]) -> None:
    """Forget a name you gave; the version stays."""
    player = await required(request)
    await visible(request, match_id, player)
    if not await backend_of(request).bookmarks.delete(player.id, match_id, name):
        raise Problem("not_found", f"you have no bookmark {name!r} here")


def _eyes(match: Match, viewer: Viewer) -> Viewer:
    """Everything is seen by everybody once the match is over."""
    return Viewer(viewer.seat, open=match.opened)


def _told(value: Any) -> ASGIResponse:
    return answer(msgspec.json.encode(value), headers=PRIVATE)
