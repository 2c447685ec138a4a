"""Players: register, ask who one is, give a token back."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import forms, records
from kleos.api.access import Asked, backend_of, bearer, required, visible
from kleos.api.backend import Backend
from kleos.api.bodies import decode
from kleos.api.conditions import VARY
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.core.kernel import Refused
from kleos.core.match.actions import Leave
from kleos.events.accounts import Issued, Player, Scope
from kleos.events.standing import Standing
from kleos.events.store import Archived
from kleos.projections.timeline import rfc3339

VARIES = {"Vary": VARY}


@post(
    "/v1/players",
    opt=op(
        summary="Register a player",
        tag="Players",
        body=forms.NewPlayer,
        examples={"a name is enough": {"name": "Ariadne"}},
        answers={201: records.Registered},
    ),
)
async def register(request: Asked) -> ASGIResponse:
    """A new player and the bearer token that speaks for them. The token is shown this once; keep it."""
    wanted = decode(await request.body(), forms.NewPlayer)
    player, token = await backend_of(request).accounts.register(wanted.name, wanted.key)
    body = {"player": _person(player), "token": token}
    return answer(msgspec.json.encode(body), status=201, headers={"Location": "/v1/players/me"})


@get(
    "/v1/players/me",
    opt=op(summary="Who am I?", tag="Players", answers={200: records.Me}, auth="required", rights=("read",)),
)
async def read_me(request: Asked) -> ASGIResponse:
    """The player that the token speaks for, and what it is good for."""
    player = await required(request)
    me = records.Me(_person(player), records.TokenScope.of(player.scope))
    return answer(msgspec.json.encode(me), headers=VARIES)


def _person(player: Player) -> records.Player:
    return records.Player(player.id, player.name)


@delete(
    "/v1/players/me",
    status_code=204,
    opt=op(summary="Be forgotten", tag="Players", answers={204: None}, auth="required"),
)
async def erase(request: Asked) -> None:
    """You leave or resign every match that is not over; then your name, key, tokens, webhooks, bookmarks and
    cosignatures are gone for good, from the store at once and soon from its files. The matches stay, and
    every proof of them stays valid: the log knows players by ids that say nothing.
    """
    player = await required(request)
    backend = backend_of(request)
    for status in ("open", "playing"):
        await _leave_all(backend, player, status)
    await backend.webhooks.forget(player.id)
    await backend.witnesses.forget(player.id)
    await backend.erasure.erase(player.id)
    backend.identities.forget(player.id)


async def _leave_all(backend: Backend, player: Player, status: str) -> None:
    """Give up every seat in the matches of one status."""
    cursor: str | None = None
    while True:
        page, cursor = await backend.catalogue.list(
            status=status, player=player.id, viewer=player.id, cursor=cursor, limit=200
        )
        for standing in msgspec.convert(page, list[Standing]):
            for seat in standing.seats:
                if seat.player == player.id and not seat.resigned:
                    # It ended, or the seat was given up, a moment ago; or it was brought in, and rests.
                    with suppress(Refused, Archived):
                        done = await backend.log.submit(
                            standing.match, player.id, None, Leave(seat=seat.seat)
                        )
                        backend.house.wake(done.match)
        if cursor is None:
            return


@delete(
    "/v1/players/me/token",
    status_code=204,
    opt=op(summary="Revoke the token", tag="Players", answers={204: None}, auth="required", rights=("read",)),
)
async def revoke(request: Asked) -> None:
    """The token of this request stops working: here at once, elsewhere within a second."""
    await required(request)
    await backend_of(request).identities.revoke(bearer(request))


# Tokens for a part of what one may do


@post(
    "/v1/players/me/tokens",
    opt=op(
        summary="Issue a token",
        tag="Players",
        body=forms.NewToken,
        examples={
            "for a bot, for a week": {"scope": "bot", "label": "my bot", "expires_in": 604800},
            "for one seat of one match": {"scope": "seat", "match": "0123456789ABCDEFGHJKMNPQRS", "seat": 0},
        },
        answers={201: records.NewlyIssued},
        auth="required",
        problems=("not_found",),
    ),
)
async def issue_token(request: Asked) -> ASGIResponse:
    """One more token, good for no more than you say: a `seat` of a match, a `bot`, looking on (`spectate`),
    to `organise`, or as `referee`; in one `match` only if you name it. It is shown this once.
    """
    player = await required(request)
    wanted = decode(await request.body(), forms.NewToken)
    backend = backend_of(request)
    if (wanted.scope == "seat") != (wanted.seat is not None) or (
        wanted.seat is not None and not wanted.match
    ):
        raise Problem("malformed", "a token of the scope `seat` names a match and a seat, no other a seat")
    if wanted.match is not None:
        match = await visible(request, wanted.match, player)
        if wanted.seat is not None and wanted.seat not in match.seats_of(player.id):
            raise Problem("forbidden", f"seat {wanted.seat} is not yours", seat=wanted.seat)
    expires_at = None if wanted.expires_in is None else backend.log.now() + wanted.expires_in * 1000
    scope = Scope(wanted.scope, wanted.match, wanted.seat)
    token, issued = await backend.accounts.issue(
        player.id, scope=scope, label=wanted.label, expires_at=expires_at
    )
    told = records.NewlyIssued(**msgspec.structs.asdict(_issued(issued)), token=token)
    headers = VARIES | {"Location": f"/v1/players/me/tokens/{issued.id}"}
    return answer(msgspec.json.encode(told), status=201, headers=headers)


@get(
    "/v1/players/me/tokens",
    opt=op(summary="List your tokens", tag="Players", answers={200: records.TokenList}, auth="required"),
)
async def list_tokens(request: Asked) -> ASGIResponse:
    """Those that are still good, by their ids; the tokens themselves are not kept here."""
    player = await required(request)
    found = await backend_of(request).accounts.tokens(player.id)
    return answer(msgspec.json.encode(records.TokenList([_issued(each) for each in found])), headers=VARIES)


@delete(
    "/v1/players/me/tokens/{token_id:str}",
    status_code=204,
    opt=op(
        summary="Revoke a token by its id",
        tag="Players",
        answers={204: None},
        auth="required",
    ),
)
async def revoke_token(request: Asked, token_id: FromPath[str]) -> None:
    """It stops working: here at once, elsewhere within a second."""
    player = await required(request)
    if not await backend_of(request).identities.revoke_by_id(player.id, token_id):
        raise Problem("not_found", "you have no such token")


def _issued(issued: Issued) -> records.IssuedToken:
    token = issued.token
    return records.IssuedToken(
        id=issued.id,
        label=token.label,
        scope=records.TokenScope.of(token.scope),
        created_at=rfc3339(token.created_at),
        expires_at=None if token.expires_at is None else rfc3339(token.expires_at),
    )
