"""Players: register, ask who one is, give a token back."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from litestar import delete, get, post
from litestar.response.base import ASGIResponse

from kleos.api import forms
from kleos.api.access import Asked, backend_of, bearer, required
from kleos.api.backend import Backend
from kleos.api.bodies import decode
from kleos.api.operation import answer, op
from kleos.core.kernel import Refused
from kleos.core.match.actions import Leave
from kleos.events.accounts import Player
from kleos.events.standing import Standing

PRIVATE = {"Vary": "Authorization, Accept"}


@post(
    "/v1/players",
    opt=op(
        summary="Register a player",
        tag="Players",
        body=forms.NewPlayer,
        examples={"a name is enough": {"name": "Ariadne"}},
        answers={201: forms.Registered},
        problems=("malformed",),
    ),
)
async def register(request: Asked) -> ASGIResponse:
    """A new player and the bearer token that speaks for them. The token is shown this once; keep it."""
    wanted = decode(await request.body(), forms.NewPlayer)
    player, token = await backend_of(request).accounts.register(wanted.name, wanted.key)
    body = {"player": {"id": player.id, "name": player.name}, "token": token}
    return answer(msgspec.json.encode(body), status=201, headers={"Location": "/v1/players/me"})


@get(
    "/v1/players/me",
    opt=op(summary="Who am I?", tag="Players", answers={200: forms.Me}, auth="required"),
)
async def read_me(request: Asked) -> ASGIResponse:
    """The player that the token speaks for."""
    player = await required(request)
    return answer(msgspec.json.encode({"player": {"id": player.id, "name": player.name}}), headers=PRIVATE)


@delete(
    "/v1/players/me",
    status_code=204,
    opt=op(summary="Be forgotten", tag="Players", answers={204: None}, auth="required"),
)
async def erase(request: Asked) -> None:
    """You leave or resign every match that is not over; then your name, key, tokens and bookmarks are gone
    for good, from the store at once and soon from its files. The matches stay, and every proof of them stays
    valid: the log knows players by ids that say nothing.
    """
    player = await required(request)
    backend = backend_of(request)
    for status in ("open", "playing"):
        await _leave_all(backend, player, status)
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
                    with suppress(Refused):  # it ended, or the seat was given up, a moment ago
                        done = await backend.log.submit(
                            standing.match, player.id, None, Leave(seat=seat.seat)
                        )
                        backend.house.wake(done.match)
        if cursor is None:
            return


@delete(
    "/v1/players/me/token",
    status_code=204,
    opt=op(summary="Revoke the token", tag="Players", answers={204: None}, auth="required"),
)
async def revoke(request: Asked) -> None:
    """The token of this request stops working: here at once, elsewhere within a second."""
    await required(request)
    await backend_of(request).identities.revoke(bearer(request))
