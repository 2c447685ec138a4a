"""What moves the head of a match or leads off from it: undo, redo, proposals, forks."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import get, post
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, caller, required, viewpoint, visible
from kleos.api.bodies import decode
from kleos.api.commands import carry_out, explained, named, replayed
from kleos.api.conditions import PRIVATE, VARY
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.api.routes.matches import match_answer
from kleos.api.sighting import Eyes, viewer_name
from kleos.core.kernel import Refused, Viewer
from kleos.core.match import Event, Match, Proposal
from kleos.core.match.actions import Consent, Fork, Redo, Refuse, Undo, Withdraw
from kleos.core.match.facts import ProposalClosed
from kleos.events.command import Committed
from kleos.events.envelope import unseal
from kleos.events.log import Log
from kleos.projections.takeback import Takeback, takeback
from kleos.projections.timeline import view


@get(
    "/v1/matches/{match_id:str}/undo",
    opt=op(
        summary="See what can be taken back",
        tag="Time",
        answers={200: Takeback},
        auth="optional",
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
        answers={201: replies.Played, 202: replies.ProposalAnswer},
        auth="required",
        rights=("play",),
        command=True,
        problems=("undo_not_allowed",),
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
        answers={201: replies.Played, 202: replies.ProposalAnswer},
        auth="required",
        rights=("play",),
        command=True,
        problems=("undo_not_allowed",),
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
            answers={201: replies.Played, 200: replies.ProposalAnswer},
            auth="required",
            rights=("play",),
            command=True,
            problems=("undo_not_allowed", "proposal_void"),
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
        return _json(replies.ProposalAnswer(done.match.proposals[-1]), status=202, headers=headers)
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


async def _waiting(log: Log, event: Event, done: Committed) -> replies.ProposalAnswer | None:
    """The proposal after a word on it that did not move the head."""
    if done.match.since == done.match.version or event.kind not in ("consent", "refuse", "withdraw"):
        return None
    [effect] = event.effects
    if isinstance(effect, ProposalClosed):
        before = await log.at(done.match.id, done.match.version - 1)
        return replies.ProposalAnswer(_named(before, effect.proposal), closed=effect.reason)
    return replies.ProposalAnswer(_named(done.match, effect.proposal))


def _named(match: Match, name: str) -> Proposal:
    return next(each for each in match.proposals if each.id == name)


@post(
    "/v1/matches/{match_id:str}/forks",
    opt=op(
        summary="Fork a match",
        tag="Time",
        body=forms.NewFork,
        answers={201: replies.SeenMatch},
        auth="required",
        keyed=True,
        problems=("wrong_phase", "undo_not_allowed"),
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


def _json(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> ASGIResponse:
    return answer(msgspec.json.encode(value), status=status, headers=PRIVATE | (headers or {}))
