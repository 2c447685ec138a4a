"""Players: register, ask who one is, give a token back."""

from __future__ import annotations

import msgspec
from litestar import delete, get, post
from litestar.response.base import ASGIResponse

from kleos.api import forms
from kleos.api.access import Asked, backend_of, bearer, required
from kleos.api.bodies import decode
from kleos.api.operation import answer, op

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
    "/v1/players/me/token",
    status_code=204,
    opt=op(summary="Revoke the token", tag="Players", answers={204: None}, auth="required"),
)
async def revoke(request: Asked) -> None:
    """The token of this request stops working: here at once, elsewhere within a second."""
    await required(request)
    await backend_of(request).identities.revoke(bearer(request))
