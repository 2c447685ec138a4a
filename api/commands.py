"""Carrying out what a player asks of a match, with what every command has in common.

1. who asks, and whether they may know of the match;
2. the body, decoded;
3. ``Idempotency-Key`` and ``If-Match``;
4. the log decides and stores, or refuses;
5. the house is woken, and a refusal is told with what would have been right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kleos.api.access import Asked, backend_of, require_rights, require_seat, rights_of, seats_of
from kleos.api.bodies import decode
from kleos.api.conditions import command as command_of
from kleos.api.problems import Problem, problem_of
from kleos.core.kernel import Illegal, Refused
from kleos.core.match import Match, Signature
from kleos.events.accounts import Player
from kleos.events.command import Command, Committed, Stale


async def conditions(request: Asked, match: Match, player: Player) -> tuple[Command | None, int | None]:
    """What the request is named by, and the version it was made for; malformed headers are refused."""
    expected = backend_of(request).tags.expected(match.id, request.headers.get("if-match"))
    return await named(request, player), expected


async def named(request: Asked, player: Player) -> Command | None:
    """The command that the request's ``Idempotency-Key`` names."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    return command_of(player.id, key, request.method, request.scope["path"], await request.body())


async def move_asked(request: Asked, match: Match, form: Callable[[str], Any]) -> Any:
    """The body that ``form`` makes for the rules of the match. Of a wrong move it is told whose moves are
    right, and where they are listed.
    """
    try:
        return decode(await request.body(), form(match.rules))
    except Problem as problem:
        problem.detail += f" (this is a match of {match.game})"
        problem.more["links"] = {"moves": f"/v1/matches/{match.id}/moves"}
        raise


async def carry_out(
    request: Asked,
    match: Match,
    player: Player,
    seat: int | None,
    action: Any,
    *,
    signature: Signature | None = None,
) -> Committed:
    """Have the log accept ``action``; raises the ``Problem`` that explains why not."""
    backend = backend_of(request)
    require_rights(player, rights_of(match, seat, action))
    require_seat(player, seat)
    command, expected = await conditions(request, match, player)
    try:
        done = await backend.log.submit(
            match.id, player.id, seat, action, command=command, expected=expected, signature=signature
        )
    except (Stale, Refused) as refusal:
        raise explained(request, match.id, player, refusal, expected) from refusal
    backend.house.wake(done.match)
    return done


def replayed(done: Committed) -> dict[str, str]:
    """The header that says that a command had been carried out before."""
    return {"Idempotency-Replayed": "true"} if done.replayed else {}


def explained(
    request: Asked, match_id: str, player: Player, refusal: Stale | Refused, seen: int | None = None
) -> Problem:
    """A refusal as a problem with the present version, its ETag, and where to look."""
    backend = backend_of(request)
    problem = problem_of(refusal)
    match = backend.log.remembered(match_id)
    if match is None:
        return problem
    at = f"/v1/matches/{match_id}"
    problem.more.setdefault("version", match.version)
    problem.more["links"] = {"view": f"{at}/view", "moves": f"{at}/moves"}
    if isinstance(refusal, Illegal):
        of_seat = "" if refusal.seat is None else f"?seat={refusal.seat}"
        problem.more["links"]["legal_alternatives"] = f"{at}/moves{of_seat}"
    if isinstance(refusal, Stale):
        problem.more["links"]["missed"] = f"{at}/events?after={seen or 0}"
        mine = seats_of(match, player)
        viewer = f"seat:{mine[0]}" if mine else "spectator"
        problem.headers["ETag"] = backend.tags.etag(match_id, refusal.current, viewer)
    return problem
