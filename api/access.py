"""Who asks, and what they may see. Unknown and forbidden-to-know look the same: ``not_found``."""

from __future__ import annotations

from typing import Any

from litestar import Request

from kleos.api.backend import Backend
from kleos.api.operation import operation_of
from kleos.api.problems import Problem, unauthenticated
from kleos.core.kernel import Viewer
from kleos.core.match import Match
from kleos.events.accounts import Player

Asked = Request[Any, Any, Any]


def backend_of(request: Asked) -> Backend:
    backend: Backend = request.app.state.backend
    return backend


def bearer(request: Asked) -> str:
    """The token that the request carries."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthenticated("Authorization is `Bearer <token>`")
    return token.strip()


async def caller(request: Asked) -> Player | None:
    """The player whose bearer token the request carries; None without one.

    A token that is not valid is refused even where none is needed: the client believes to be somebody.
    """
    if "authorization" not in request.headers:
        return None
    player = await backend_of(request).identities.authenticate(bearer(request))
    await _count(request, player)
    if player is None:
        raise unauthenticated("the token is unknown, expired or revoked", invalid=True)
    return player


async def count_stranger(request: Asked) -> None:
    """Count a request that brings no token, or that is not asked for one. Raises 429."""
    operation = operation_of(request.route_handler)
    if operation is None or operation.tag == "Operations":
        return
    if operation.auth == "none" or "authorization" not in request.headers:
        await _count(request, None)


async def _count(request: Asked, player: Player | None) -> None:
    """Count a request, once, and leave word for the edge of what is left."""
    state = request.scope["state"]
    if "rate" not in state:
        rates = backend_of(request).rates
        address = request.client.host if request.client else ""
        state["rate"] = await (rates.address(address) if player is None else rates.player(player.id))


async def required(request: Asked) -> Player:
    """The player who asks; 401 for nobody."""
    player = await caller(request)
    if player is None:
        raise unauthenticated("this needs a bearer token")
    return player


def belongs(match: Match, player: Player | None) -> bool:
    """Whether the player made the match or sits in it."""
    return player is not None and (match.creator == player.id or bool(match.seats_of(player.id)))


def may_see(match: Match, player: Player | None) -> bool:
    """Whether the player may know of the match: a private one is its members' own."""
    return match.visibility != "private" or belongs(match, player)


def require_visible(match: Match, player: Player | None) -> None:
    """404 for a private match of others."""
    if not may_see(match, player):
        raise Problem("not_found", "there is no such match")


async def visible(request: Asked, match_id: str, player: Player | None) -> Match:
    """The match at its head, if the caller may know of it."""
    match = await backend_of(request).log.load(match_id)
    require_visible(match, player)
    return match


async def known(request: Asked, match_id: str, player: Player | None) -> Match:
    """As ``visible``, but possibly some versions old where that cannot matter: for commands, which are judged
    again at the head."""
    log = backend_of(request).log
    match = log.remembered(match_id)
    if match is None or not may_see(match, player):
        return await visible(request, match_id, player)
    return match


def viewpoint(match: Match, player: Player | None, seat: str | None) -> Viewer:
    """Through whose eyes the caller looks: ``seat`` is a number, ``spectator``, or not given.

    Another's seat is forbidden until the match is over.
    """
    mine = match.seats_of(None if player is None else player.id)
    if seat is None:
        return Viewer(seat=mine[0] if mine else None)
    if seat == "spectator":
        return Viewer()
    if int(seat) >= len(match.seats):
        raise Problem("malformed", f"seat is 0 to {len(match.seats) - 1}, or spectator")
    number = int(seat)
    if number not in mine and not match.opened:
        raise Problem("forbidden", f"seat {number} is not yours to look through", seat=number)
    return Viewer(seat=number)
