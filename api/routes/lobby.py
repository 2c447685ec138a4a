"""The lobby beyond joining and leaving: seats filled anew, abandoning, invitations, rematches."""

from __future__ import annotations

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, existing, required, visible
from kleos.api.backend import Backend
from kleos.api.bodies import decode
from kleos.api.commands import carry_out, explained, replayed
from kleos.api.conditions import PRIVATE
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.api.routes.matches import match_answer, match_tag
from kleos.api.routes.time import turned
from kleos.core.kernel import Refused
from kleos.core.match import Invitation, Match
from kleos.core.match.actions import Abandon, Invite, Revoke, Vacate


@post(
    "/v1/matches/{match_id:str}/seats/{seat:int}/vacate",
    opt=op(
        summary="Have a seat filled anew",
        tag="Matches",
        body=forms.Speaking,
        examples={"as the player of seat 0": {"by": 0}},
        answers={201: replies.Played, 202: replies.ProposalAnswer},
        auth="required",
        rights=("organise",),
        command=True,
        problems=("undo_not_allowed",),
    ),
)
async def vacate(request: Asked, match_id: FromPath[str], seat: FromPath[int]) -> ASGIResponse:
    """Free a seat while the match is played, so that somebody else can take it (201). The creator may do so
    for bots, seats that resigned, and players who are away for too long; all else is a proposal (202).
    """
    wanted = decode(await request.body(), forms.Speaking)
    match = await visible(request, match_id, await required(request))
    return await turned(request, match_id, wanted.by, Vacate(seat=existing(match, seat)))


@post(
    "/v1/matches/{match_id:str}/abandon",
    opt=op(
        summary="Abandon by agreement",
        tag="Matches",
        body=forms.AtSeat,
        answers={201: replies.Played, 202: replies.ProposalAnswer},
        auth="required",
        rights=("play",),
        command=True,
        problems=("undo_not_allowed",),
    ),
)
async def abandon(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """End the match without an outcome: at once if nobody has to be asked (201), else by a proposal (202)."""
    wanted = decode(await request.body(), forms.AtSeat)
    return await turned(request, match_id, wanted.seat, Abandon())


@post(
    "/v1/matches/{match_id:str}/rematch",
    opt=op(
        summary="Ask for a rematch",
        tag="Matches",
        body=forms.Nothing,
        body_optional=True,
        answers={201: replies.SeenMatch},
        auth="required",
        rights=("join",),
        problems=("wrong_phase",),
    ),
)
async def rematch(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """The same game once more, with everybody's seat kept for them: join to take yours. A match has one
    rematch; whoever asks again gets the same.
    """
    player = await required(request)
    if body := await request.body():
        decode(body, forms.Nothing)
    match = await visible(request, match_id, player)
    backend = backend_of(request)
    try:
        done = await backend.log.rematch(player.id, match_id)
    except Refused as refusal:
        raise explained(request, match.id, player, refusal) from refusal
    backend.house.wake(done.match)
    now = await backend.log.load(done.match.id)
    return await match_answer(request, now, player, status=201)


# Invitations


def _told(backend: Backend, match: Match, invitation: Invitation) -> replies.Invitation:
    link = backend.invite(match.id, invitation.id) if invitation.player is None else None
    return replies.Invitation(id=invitation.id, seat=invitation.seat, player=invitation.player, invite=link)


@post(
    "/v1/matches/{match_id:str}/invitations",
    opt=op(
        summary="Invite to a seat",
        tag="Matches",
        body=forms.NewInvitation,
        examples={
            "a link to any free seat": {},
            "seat 1 for a player": {"seat": 1, "player": "a2b3c4d5e6f7g2h3"},
        },
        answers={201: replies.Invitation},
        auth="required",
        rights=("organise",),
        command=True,
        problems=("seat_taken", "match_full"),
    ),
)
async def invite(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Keep a free seat of your match for a player, or for whoever shows the `invite` that you are given."""
    player = await required(request)
    wanted = decode(await request.body(), forms.NewInvitation)
    match = await visible(request, match_id, player)
    backend = backend_of(request)
    if wanted.player is not None and await backend.accounts.player(wanted.player) is None:
        raise Problem("malformed", f"player: there is no player {wanted.player!r}")
    done = await carry_out(request, match, player, None, Invite(seat=wanted.seat, player=wanted.player))
    made = f"i{done.entry.version}"
    told = _told(backend, match, Invitation(made, wanted.seat, wanted.player))
    headers = PRIVATE | {
        "Location": f"/v1/matches/{match_id}/invitations",
        "ETag": await match_tag(request, done.match, player),
        **replayed(done),
    }
    return answer(msgspec.json.encode(told), status=201, headers=headers)


@get(
    "/v1/matches/{match_id:str}/invitations",
    opt=op(
        summary="List the open invitations",
        tag="Matches",
        answers={200: replies.InvitationList},
        auth="required",
        rights=("organise",),
    ),
)
async def list_invitations(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """For the creator of the match, links included."""
    player = await required(request)
    match = await visible(request, match_id, player)
    if match.creator != player.id:
        raise Problem("forbidden", "invitations are for the creator of the match to see")
    told = replies.InvitationList([_told(backend_of(request), match, each) for each in match.invitations])
    return answer(msgspec.json.encode(told), headers=PRIVATE)


@delete(
    "/v1/matches/{match_id:str}/invitations/{invitation:str}",
    status_code=200,
    opt=op(
        summary="Revoke an invitation",
        tag="Matches",
        answers={200: replies.SeenMatch},
        auth="required",
        rights=("organise",),
        command=True,
    ),
)
async def revoke_invitation(
    request: Asked, match_id: FromPath[str], invitation: FromPath[str]
) -> ASGIResponse:
    """The seat is no longer kept, and the link is worth nothing."""
    player = await required(request)
    match = await visible(request, match_id, player)
    try:
        action = msgspec.convert({"type": "revoke", "invitation": invitation}, Revoke)
    except msgspec.ValidationError as error:
        raise Problem("not_found", "there is no such invitation") from error
    done = await carry_out(request, match, player, None, action)
    return await match_answer(request, done.match, player, status=200, headers=replayed(done))
