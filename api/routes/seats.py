"""Seats: join, leave or resign, start."""

from __future__ import annotations

from litestar import delete, post
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, existing, require_visible, required, visible
from kleos.api.bodies import decode
from kleos.api.commands import carry_out, conditions, replayed
from kleos.api.operation import op
from kleos.api.routes.matches import match_answer
from kleos.core.match.actions import Claim, Join, Leave, Start


async def _nothing(request: Asked) -> None:
    """The body may be left out; if there is one, it is an empty object."""
    body = await request.body()
    if body:
        decode(body, forms.Nothing)


@post(
    "/v1/matches/{match_id:str}/seats",
    opt=op(
        summary="Take a seat",
        tag="Matches",
        body=forms.NewSeat,
        examples={"the next free seat": {}, "a bot, in your own match": {"seat": 1, "bot": "random"}},
        answers={201: replies.SeenMatch},
        auth="required",
        rights=("join", "organise"),
        command=True,
        problems=("seat_taken", "match_full"),
    ),
)
async def join(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Sit down at a seat, or at the lowest free one; or, if the match is yours, put a bot there.

    Joining a seat that is yours already changes nothing and gives the match.
    """
    player = await required(request)
    wanted = decode(await request.body(), forms.NewSeat)
    backend = backend_of(request)
    match = await backend.log.load(match_id)
    known, invitation = (False, None) if wanted.invite is None else backend.invited(match_id, wanted.invite)
    if not known:
        require_visible(match, player)
    command, _ = await conditions(request, match, player)
    mine = match.seats_of(player.id)
    if wanted.bot is None and mine and wanted.seat in (None, *mine):
        before = await backend.log.accepted(match_id, command) if command else None
        headers = replayed(before) if before else {}
        return await match_answer(request, match, player, status=201, headers=headers)
    key = player.key if wanted.bot is None else None
    action = Join(seat=wanted.seat, bot=wanted.bot, entropy=wanted.entropy, key=key, invitation=invitation)
    done = await carry_out(request, match, player, wanted.seat, action)
    return await match_answer(request, done.match, player, status=201, headers=replayed(done))


@delete(
    "/v1/matches/{match_id:str}/seats/{seat:int}",
    status_code=200,
    opt=op(
        summary="Leave, or resign",
        tag="Matches",
        answers={200: replies.SeenMatch},
        auth="required",
        rights=("join", "organise"),
        command=True,
        problems=("not_your_turn",),
    ),
)
async def leave(request: Asked, match_id: FromPath[str], seat: FromPath[int]) -> ASGIResponse:
    """Before the start the seat is free again; afterwards this is a resignation, and the house plays on for
    the seat where others still play. The creator of a match also removes bots so.
    """
    player = await required(request)
    match = await visible(request, match_id, player)
    done = await carry_out(request, match, player, existing(match, seat), Leave(seat=seat))
    return await match_answer(request, done.match, player, status=200, headers=replayed(done))


@post(
    "/v1/matches/{match_id:str}/seats/{seat:int}/claim",
    status_code=200,
    opt=op(
        summary="Claim against an absent seat",
        tag="Matches",
        body=forms.Nothing,
        body_optional=True,
        answers={200: replies.SeenMatch},
        auth="required",
        rights=("play",),
        command=True,
        problems=("not_your_turn",),
    ),
)
async def claim(request: Asked, match_id: FromPath[str], seat: FromPath[int]) -> ASGIResponse:
    """Have a seat resign that let its deadline pass, in a match where that is left to the players
    (`"policy": "wait"`). Whoever keeps others waiting cannot claim.
    """
    player = await required(request)
    await _nothing(request)
    match = await visible(request, match_id, player)
    done = await carry_out(request, match, player, existing(match, seat), Claim(seat=seat))
    return await match_answer(request, done.match, player, status=200, headers=replayed(done))


@post(
    "/v1/matches/{match_id:str}/start",
    status_code=200,
    opt=op(
        summary="Start a match",
        tag="Matches",
        body=forms.Nothing,
        body_optional=True,
        answers={200: replies.SeenMatch},
        auth="required",
        rights=("organise",),
        command=True,
    ),
)
async def start(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Begin to play a match that waits for its creator (`"start": "manual"`). Every seat must be taken."""
    player = await required(request)
    await _nothing(request)
    match = await visible(request, match_id, player)
    done = await carry_out(request, match, player, None, Start())
    return await match_answer(request, done.match, player, status=200, headers=replayed(done))
