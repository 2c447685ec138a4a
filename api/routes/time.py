"""Time: undo, redo, proposals, forks, differences, explanations, bookmarks."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import forms
from kleos.api.access import Asked, backend_of, caller, required, viewpoint, visible
from kleos.api.bodies import decode
from kleos.api.commands import carry_out, explained, named, replayed
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.api.routes.matches import match_answer
from kleos.api.routes.table import Eyes, viewer_name
from kleos.core.kernel import Refused, Viewer
from kleos.core.match import Event, Match, Past, Proposal
from kleos.core.match.actions import Consent, Fork, ProposalClosed, Redo, Refuse, Undo, Withdraw
from kleos.events.bookmarks import Bookmark
from kleos.events.envelope import unseal
from kleos.events.log import Committed, Log
from kleos.projections.differences import Difference, difference
from kleos.projections.explain import Explanation, Verdict, explain, verdict
from kleos.projections.takeback import Takeback, takeback
from kleos.projections.timeline import view

VARY: Final = "Authorization, Accept"
PRIVATE: Final = {"Vary": VARY, "Cache-Control": "private, no-cache"}
TURNING: Final = (
    "malformed",
    "forbidden",
    "not_found",
    "wrong_phase",
    "match_finished",
    "undo_not_allowed",
    "stale",
    "frozen",
    "command_mismatch",
)
AnsweredVersion = Annotated[int, QueryParameter(ge=1)]


@get(
    "/v1/matches/{match_id:str}/undo",
    opt=op(
        summary="See what can be taken back",
        tag="Time",
        answers={200: Takeback},
        auth="optional",
        problems=("malformed", "forbidden", "not_found"),
    ),
)
async def read_undo(request: Asked, match_id: FromPath[str], seat: Eyes = None) -> ASGIResponse:
    """Every version that your seat could take the match back to, or forward again, each with what it takes:
    `free`, `never`, or the seats that must consent. `line` are the versions in force; others were undone.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    viewer = viewpoint(match, player, seat)
    past = await backend_of(request).log.past(match_id)
    return _json(takeback(match, viewer.seat, past))


@post(
    "/v1/matches/{match_id:str}/undo",
    opt=op(
        summary="Take back",
        tag="Time",
        body=forms.NewUndo,
        answers={201: forms.Played, 202: forms.ProposalAnswer},
        auth="required",
        rights=("play",),
        command=True,
        problems=TURNING,
    ),
)
async def undo(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Put an earlier version back in force. Nothing is removed: an undo is one more event.

    Free undos are done at once (201). Where other seats must consent, you have made a proposal (202).
    """
    wanted = decode(await request.body(), forms.NewUndo)
    return await turned(request, match_id, wanted.seat, Undo(to=wanted.to))


@post(
    "/v1/matches/{match_id:str}/redo",
    opt=op(
        summary="Go forward again",
        tag="Time",
        body=forms.NewRedo,
        answers={201: forms.Played, 202: forms.ProposalAnswer},
        auth="required",
        rights=("play",),
        command=True,
        problems=TURNING,
    ),
)
async def redo(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Return to where the last undo left, until somebody has made a new move. It costs what the undo cost."""
    wanted = decode(await request.body(), forms.NewRedo)
    return await turned(request, match_id, wanted.seat, Redo(to=wanted.to))


def _proposal_route(path: str, summary: str) -> dict[str, Any]:
    return {
        "path": f"/v1/matches/{{match_id:str}}/proposals/{{proposal:str}}/{path}",
        "opt": op(
            summary=summary,
            tag="Time",
            body=forms.AtSeat,
            answers={201: forms.Played, 200: forms.ProposalAnswer},
            auth="required",
            rights=("play",),
            command=True,
            problems=(*TURNING, "proposal_void"),
        ),
    }


@post(**_proposal_route("consent", "Agree to a proposal"))
async def consent(request: Asked, match_id: FromPath[str], proposal: FromPath[str]) -> ASGIResponse:
    """The last one to agree makes it happen (201); before, the proposal goes on waiting (200)."""
    wanted = decode(await request.body(), forms.AtSeat)
    return await turned(request, match_id, wanted.seat, _about(Consent, proposal))


@post(**_proposal_route("refuse", "Refuse a proposal"))
async def refuse(request: Asked, match_id: FromPath[str], proposal: FromPath[str]) -> ASGIResponse:
    """One refusal of a seat that was asked closes the proposal."""
    wanted = decode(await request.body(), forms.AtSeat)
    return await turned(request, match_id, wanted.seat, _about(Refuse, proposal))


@post(**_proposal_route("withdraw", "Withdraw a proposal"))
async def withdraw(request: Asked, match_id: FromPath[str], proposal: FromPath[str]) -> ASGIResponse:
    """Only the seat that made it can."""
    wanted = decode(await request.body(), forms.AtSeat)
    return await turned(request, match_id, wanted.seat, _about(Withdraw, proposal))


def _about(kind: type[Consent | Refuse | Withdraw], proposal: str) -> Consent | Refuse | Withdraw:
    """The action; 404 for what cannot be a proposal's id."""
    try:
        return msgspec.convert({"type": kind.__struct_config__.tag, "proposal": proposal}, kind)
    except msgspec.ValidationError as error:
        raise Problem("not_found", "there is no such proposal") from error


async def turned(request: Asked, match_id: str, seat: int | None, action: Any) -> ASGIResponse:
    """Carry out what may move the head or ask for agreement; answered by what came of it."""
    player = await required(request)
    match = await visible(request, match_id, player)
    done = await carry_out(request, match, player, seat, action)
    headers = {
        "Location": f"/v1/matches/{match_id}/events/{done.entry.version}",
        "ETag": backend_of(request).tags.etag(match_id, done.match.version, viewer_name(Viewer(seat))),
        "Vary": VARY,
        **replayed(done),
    }
    event = unseal(done.entry)
    if event.kind == "propose":
        return _json(forms.ProposalAnswer(done.match.proposals[-1]), status=202, headers=headers)
    about = await _waiting(backend_of(request).log, event, done)
    if about is not None:
        return _json(about, headers=headers)
    body = {
        "event": msgspec.Raw(done.entry.public),
        "receipt": done.receipt,
        "durability": done.durability,
        "view": view(done.match, seat, done.match),
    }
    return _json(body, status=201, headers=headers)


async def _waiting(log: Log, event: Event, done: Committed) -> forms.ProposalAnswer | None:
    """The proposal after a word on it that did not move the head."""
    if done.match.since == done.match.version or event.kind not in ("consent", "refuse", "withdraw"):
        return None
    [effect] = event.effects
    if isinstance(effect, ProposalClosed):
        before = await log.at(done.match.id, done.match.version - 1)
        return forms.ProposalAnswer(_named(before, effect.proposal), closed=effect.reason)
    return forms.ProposalAnswer(_named(done.match, effect.proposal))


def _named(match: Match, name: str) -> Proposal:
    return next(each for each in match.proposals if each.id == name)


@post(
    "/v1/matches/{match_id:str}/forks",
    opt=op(
        summary="Fork a match",
        tag="Time",
        body=forms.NewFork,
        answers={201: forms.SeenMatch},
        auth="required",
        keyed=True,
        problems=("malformed", "forbidden", "not_found", "undo_not_allowed", "command_mismatch"),
    ),
)
async def fork(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """A new match that starts from a version of this one; its `parent` can be verified.

    Anybody may fork a match that is over. While it is being played only its one player may, and everything
    hidden from that player is dealt anew. Dice and shuffles are never those of the parent.
    """
    player = await required(request)
    wanted = decode(await request.body(), forms.NewFork)
    match = await visible(request, match_id, player)
    action = Fork(**msgspec.structs.asdict(wanted))
    backend = backend_of(request)
    command = await named(request, player)
    try:
        done = await backend.log.fork(player.id, match_id, action, command=command)
    except Refused as refusal:
        raise explained(request, match.id, player, refusal) from refusal
    backend.house.wake(done.match)
    return await match_answer(request, done.match, player, status=201, headers=replayed(done))


@get(
    "/v1/matches/{match_id:str}/diff",
    opt=op(
        summary="Compare two versions",
        tag="Time",
        answers={200: Difference},
        auth="optional",
        problems=("malformed", "forbidden", "not_found"),
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
    return _json(difference(past(start), past(to), events, viewer))


@get(
    "/v1/matches/{match_id:str}/events/{version:int}/explanation",
    opt=op(
        summary="Explain an event",
        tag="Time",
        answers={200: Explanation},
        auth="optional",
        problems=("malformed", "forbidden", "not_found"),
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
    return _json(explain(past(version - 1) if version > 1 else None, event, past(version), viewer))


@post(
    "/v1/matches/{match_id:str}/explain",
    status_code=200,
    opt=op(
        summary="Ask why a move is not legal",
        tag="Time",
        body=forms.question_form,
        answers={200: Verdict},
        auth="optional",
        problems=("malformed", "forbidden", "not_found"),
    ),
)
async def ask(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Whether a move could be made at a version, and which rule forbids it. What would follow is not told."""
    player = await caller(request)
    match = await visible(request, match_id, player)
    wanted = decode(await request.body(), forms.question_form(match.rules))
    seat = viewpoint(match, player, str(wanted.seat)).seat
    assert seat is not None
    at = match.version if wanted.at is None else wanted.at
    past = await backend_of(request).log.past(match_id, at)
    return _json(verdict(past(at), seat, wanted.move))


@get(
    "/v1/matches/{match_id:str}/bookmarks",
    opt=op(
        summary="List your bookmarks",
        tag="Time",
        answers={200: forms.BookmarkList},
        auth="required",
        problems=("not_found",),
    ),
)
async def list_bookmarks(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """The versions of a match that you named. Nobody else sees them."""
    player = await required(request)
    await visible(request, match_id, player)
    return _json(forms.BookmarkList(await backend_of(request).bookmarks.of(player.id, match_id)))


@put(
    "/v1/matches/{match_id:str}/bookmarks/{name:str}",
    opt=op(
        summary="Bookmark a version",
        tag="Time",
        body=forms.NewBookmark,
        answers={200: Bookmark},
        auth="required",
        problems=("malformed", "forbidden", "not_found"),
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
    return _json(mark)


@delete(
    "/v1/matches/{match_id:str}/bookmarks/{name:str}",
    status_code=204,
    opt=op(
        summary="Delete a bookmark",
        tag="Time",
        answers={204: None},
        auth="required",
        problems=("not_found",),
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


def _json(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> ASGIResponse:
    return answer(msgspec.json.encode(value), status=status, headers=PRIVATE | (headers or {}))
