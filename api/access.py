"""Who asks, and what they may see. Unknown and forbidden-to-know look the same: ``not_found``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from litestar import Request
from litestar.types import HTTPScope

from kleos.api.backend import Backend
from kleos.api.operation import Right, operation_of
from kleos.api.problems import Problem, unauthenticated
from kleos.api.turnstile import Passage
from kleos.core.kernel import Viewer
from kleos.core.match import Match
from kleos.core.match.actions import Join, Leave, Vacate
from kleos.events.accounts import Player, Scope, ScopeKind
from kleos.events.archive import ArchiveFault
from kleos.events.loading import UnknownMatch
from kleos.events.standing import Standing
from kleos.events.store import StoreUnavailable

Asked = Request[Any, Any, Any]

RIGHTS: Final[dict[ScopeKind, frozenset[Right]]] = {
    "full": frozenset({"read", "play", "join", "organise", "rule", "account"}),
    "seat": frozenset({"read", "play"}),
    "bot": frozenset({"read", "play", "join"}),
    "spectate": frozenset({"read"}),
    "organise": frozenset({"read", "organise"}),
    "referee": frozenset({"read", "rule"}),
}
"""What tokens of each scope are good for."""
SEEING: Final[frozenset[ScopeKind]] = frozenset({"full", "seat", "bot"})
"""The scopes that look through a seat; all others look on as spectators."""


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
    _require_scope(request, player.scope)
    return player


async def still(request: Asked, player: Player | None) -> bool:
    """Whether the token of a long answer is still good; what the store says is remembered for a moment."""
    try:
        return await caller(request) == player
    except StoreUnavailable:
        return True  # nobody can say: asked again before the next chunk
    except Problem:
        return False


def address_of(scope: HTTPScope) -> str:
    """The address that a request came from; empty where the server does not know it."""
    client = scope["client"]
    return client[0] if client else ""


def passage_for(request: Asked, player: Player | None) -> Passage:
    """To be entered for as long as an answer is held open: a stream, or one that is waited for."""
    return backend_of(request).turnstile.admit(
        None if player is None else player.id, address_of(request.scope)
    )


async def count_stranger(request: Asked) -> None:
    """Count a request that brings no token, or that is not asked for one. Raises 429."""
    operation = operation_of(request.route_handler)
    if operation is None or operation.tag == "Operations":
        return
    if operation.auth == "none" or "authorization" not in request.headers:
        await _count(request, None)


async def count_stray(backend: Backend, scope: HTTPScope) -> None:
    """Count a request that led nowhere, if nothing has counted it. Raises 429."""
    await _count_once(backend, scope, None)


async def _count(request: Asked, player: Player | None) -> None:
    await _count_once(backend_of(request), request.scope, player)


async def _count_once(backend: Backend, scope: HTTPScope, player: Player | None) -> None:
    """Count a request, once, and leave word for the edge of what is left."""
    state, rates = scope["state"], backend.rates
    if "rate" in state:
        return
    state["rate"] = await (rates.address(address_of(scope)) if player is None else rates.player(player.id))


def _require_scope(request: Asked, scope: Scope) -> None:
    """Whether a token is good for the operation, in this match; ``rights_of`` tells what an action needs."""
    operation = operation_of(request.route_handler)
    assert operation is not None, "who asks is only asked where that is documented"
    needed = operation.rights if operation.auth == "required" else ("read",)
    if RIGHTS[scope.kind].isdisjoint(needed):
        raise _beyond(scope)
    elsewhere = request.path_params.get("match_id") != scope.match
    if scope.match is not None and elsewhere and request.scope["path"] not in OWN:
        raise Problem("forbidden", "this token is for another match")


OWN: Final = frozenset({"/v1/players/me", "/v1/players/me/token"})
"""What every token is good for: asking whose it is, and giving it back."""


def seats_of(match: Match, player: Player | None) -> tuple[int, ...]:
    """The seats of the player through which the token looks and for which it speaks."""
    if player is None or player.scope.kind not in SEEING:
        return ()
    held = match.seats_of(player.id)
    return held if player.scope.kind != "seat" else tuple(each for each in held if each == player.scope.seat)


def invites(match: Match, player: Player) -> bool:
    """Whether the token may show the match's invitation: that would let others in."""
    return match.creator == player.id and "organise" in RIGHTS[player.scope.kind]


def require_seat(player: Player, seat: int | None) -> None:
    """403 for a seat that the token does not speak for. Whether the player does, is for the rules to say."""
    if player.scope.kind == "seat" and seat != player.scope.seat:
        raise Problem("forbidden", f"this token is for seat {player.scope.seat}", seat=seat)


def rights_of(match: Match, seat: int | None, action: Any) -> tuple[Right, ...]:
    """The rights that an action needs, all of them, where those of its operation do not tell.

    ``seat`` is the one that is spoken for. What only the creator may do is organising, whatever seat it is
    said from.
    """
    match action:
        case Join():
            return ("join",) if action.bot is None else ("organise",)
        case Leave():
            return ("join",) if match.seats[action.seat].bot is None else ("organise",)
        case Vacate():
            return ("organise",) if seat is None else ("organise", "play")
        case _:
            return ()


def require_rights(player: Player, rights: Iterable[Right]) -> None:
    """403 for a token that is not good for all of them."""
    if not RIGHTS[player.scope.kind].issuperset(rights):
        raise _beyond(player.scope)


def _beyond(scope: Scope) -> Problem:
    return Problem("forbidden", f"this token is good for `{scope.kind}`, which does not include this")


async def required(request: Asked) -> Player:
    """The player who asks; 401 for nobody."""
    player = await caller(request)
    if player is None:
        raise unauthenticated("this needs a bearer token")
    return player


def belongs(match: Match, player: Player | None) -> bool:
    """Whether the player made the match, sits in it, rules on it, or is invited to it."""
    return player is not None and (
        match.creator == player.id or bool(match.seats_of(player.id)) or match.awaits(player.id)
    )


def may_see(match: Match, player: Player | None) -> bool:
    """Whether the player may know of the match: a private one is its members' own."""
    return match.visibility != "private" or belongs(match, player)


def require_visible(match: Match, player: Player | None) -> None:
    """404 for a private match of others."""
    if not may_see(match, player):
        raise Problem("not_found", "there is no such match")


async def visible(request: Asked, match_id: str, player: Player | None) -> Match:
    """The match at its head, if the caller may know of it."""
    backend = backend_of(request)
    try:
        match = await backend.log.load(match_id)
    except ArchiveFault as fault:  # not even that it is there is told to those who may not know of it
        standing = Standing.read(await backend.store.notice(match_id) or b"")
        if standing.visibility == "private" and (player is None or player.id not in standing.members):
            raise UnknownMatch(match_id) from fault
        raise
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
    number = asked_seat(match, player, seat)
    if number is not None and number not in seats_of(match, player) and not match.opened:
        raise Problem("forbidden", f"seat {number} is not yours to look through", seat=number)
    return Viewer(seat=number)


def asked_seat(match: Match, player: Player | None, seat: str | None) -> int | None:
    """The seat that is asked about, whoever holds it, the caller's own if not given; None for spectators."""
    if seat is None:
        return next(iter(seats_of(match, player)), None)
    if seat == "spectator":
        return None
    if int(seat) >= len(match.seats):
        raise Problem("malformed", f"seat is 0 to {len(match.seats) - 1}, or spectator")
    return int(seat)


def existing(match: Match, seat: int) -> int:
    """A seat in a path: one that the match has, or not found."""
    if not 0 <= seat < len(match.seats):
        raise Problem("not_found", f"there is no seat {seat}; seats are 0 to {len(match.seats) - 1}")
    return seat
