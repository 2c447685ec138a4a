"""Matches: create, list, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import structs

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, caller, invites, require_rights, required, visible
from kleos.api.backend import Backend
from kleos.api.bodies import decode
from kleos.api.commands import named, replayed
from kleos.api.conditions import VARY, unchanged
from kleos.api.operation import answer, next_page, op
from kleos.api.problems import Problem, unauthenticated
from kleos.api.waiting import fresher
from kleos.core.kernel.registry import current
from kleos.core.match import Match
from kleos.core.match.actions import Create
from kleos.core.match.state import Status
from kleos.events.accounts import Player
from kleos.events.standing import Standing
from kleos.projections.timeline import Summary, summary

Names = dict[str, str]
"""The names of players by id, of those who have one."""


def _hosts(match: Match, player: Player | None) -> bool:
    """Whether the player may hand out invitations."""
    return match.visibility == "private" and player is not None and invites(match, player)


def _tag(request: Asked, match: Match, player: Player | None, names: Names) -> str:
    """The names are part of what the tag stands for: they are forgotten without a new version."""
    viewer = "creator" if _hosts(match, player) else "match"
    told = msgspec.json.encode(names, order="sorted").decode()
    return backend_of(request).tags.etag(match.id, match.version, f"{viewer} {told}")


async def _names(request: Asked, standing: Standing) -> Names:
    return await backend_of(request).accounts.names(_seated(standing))


async def match_tag(request: Asked, match: Match, player: Player | None) -> str:
    """The ETag of the match as ``player`` may see it."""
    return _tag(request, match, player, await _names(request, Standing.of(match)))


async def match_answer(
    request: Asked,
    match: Match,
    player: Player | None,
    *,
    status: int,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> ASGIResponse:
    """The match as ``player`` may see it."""
    backend = backend_of(request)
    standing = Standing.of(match)
    if not match.opened and not await backend.log.goes_on(match):
        standing = standing.brought_in
    names = await _names(request, standing)
    shown: Summary = summary(standing, names)
    if _hosts(match, player):
        shown = replies.SeenMatch(**structs.asdict(shown), invite=backend.invite(match.id))
    headers = {"ETag": _tag(request, match, player, names), "Vary": VARY, **headers}
    if status == 200 and unchanged(request.headers.get("if-none-match"), headers["ETag"]):
        return answer(b"", status=304, headers=headers)
    if status == 201:
        headers["Location"] = f"/v1/matches/{match.id}"
    return answer(msgspec.json.encode(shown), status=status, headers=headers | {"Cache-Control": "no-cache"})


def _seated(*standings: Standing) -> set[str]:
    return {seat.player for each in standings for seat in each.seats if seat.player is not None}


async def summaries(backend: Backend, standings: Sequence[Standing]) -> list[Summary]:
    """Matches with the names of those who sit in them."""
    names = await backend.accounts.names(_seated(*standings))
    return [summary(each, names) for each in standings]


@post(
    "/v1/matches",
    opt=op(
        summary="Create a match",
        tag="Matches",
        body=forms.NewMatch,
        examples={
            "two seats, one of them yours": {"game": "iliad", "seats": 2},
            "among friends, started by you": {
                "game": "iliad",
                "seats": 2,
                "visibility": "private",
                "start": "manual",
                "undo": "casual",
                "options": {"preset": "rulebook"},
            },
            "a day for each decision, then the house decides": {
                "game": "iliad",
                "seats": 2,
                "deadline": {"seconds": 86400, "policy": "bot"},
            },
        },
        answers={201: replies.SeenMatch},
        auth="required",
        rights=("organise",),
        keyed=True,
    ),
)
async def create_match(request: Asked) -> ASGIResponse:
    """A new match of a game. You take seat 0 unless you name another, or none (`"seat": null`).

    It starts when the last seat is taken (`"start": "full"`), or when you say so (`"start": "manual"`). A
    private match shows its `invite` to you alone: whoever has it may join.
    """
    player = await required(request)
    wanted = decode(await request.body(), forms.NewMatch)
    if wanted.seat is not None:
        require_rights(player, ("join",))
    game = current(wanted.game)
    action = Create(
        game=game.name,
        rules=game.rules,
        seats=wanted.seats,
        options=wanted.options,
        undo=wanted.undo,
        visibility=wanted.visibility,
        start=wanted.start,
        seat=wanted.seat,
        entropy=wanted.entropy,
        deadline=wanted.deadline,
        rated=wanted.rated,
        referee=wanted.referee,
        signed=wanted.signed,
        key=None if wanted.seat is None else player.key,
    )
    backend = backend_of(request)
    if wanted.referee is not None and await backend.accounts.player(wanted.referee) is None:
        raise Problem("malformed", f"referee: there is no player {wanted.referee!r}")
    done = await backend.log.create(player.id, action, command=await named(request, player))
    backend.house.wake(done.match)
    return await match_answer(request, done.match, player, status=201, headers=replayed(done))


@get(
    "/v1/matches",
    opt=op(
        summary="List matches",
        tag="Matches",
        answers={200: replies.MatchPage},
        auth="optional",
    ),
)
async def list_matches(
    request: Asked,
    *,
    game: FromQuery[str | None] = None,
    status: FromQuery[Status | None] = None,
    player: FromQuery[str | None] = None,
    turn: FromQuery[Literal["me"] | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=200)] = 50,
) -> ASGIResponse:
    """Public matches and your own private ones, newest first; with `turn=me` those that wait for you. The
    next page is in `next` and in the `Link` header (RFC 8288).

    A match that was created before the request is in the list; the cursor is not disturbed by matches that
    come after.
    """
    who = await caller(request)
    if turn is not None and who is None:
        raise unauthenticated("`turn=me` needs a bearer token")
    if turn is not None and player is not None:
        raise Problem("malformed", "either `turn` or `player`: one turn is one player's")
    backend = backend_of(request)
    found, following = await backend.catalogue.list(
        game=game,
        status=status,
        player=player,
        turn=None if turn is None or who is None else who.id,
        viewer=None if who is None else who.id,
        cursor=cursor,
        limit=limit,
    )
    items = await summaries(backend, msgspec.convert(found, list[Standing]))
    body = replies.MatchPage(items=items, next=following)
    headers = {"Vary": VARY, "Cache-Control": "no-cache"} | next_page(request, cursor=following)
    return answer(msgspec.json.encode(body), headers=headers)


@get(
    "/v1/matches/{match_id:str}",
    opt=op(
        summary="Read a match",
        tag="Matches",
        answers={200: replies.SeenMatch},
        auth="optional",
        conditional=True,
        waits=True,
    ),
)
async def read_match(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Who sits where, how it stands, whose turn it is."""
    player = await caller(request)
    match = await visible(request, match_id, player)
    known, names = request.headers.get("if-none-match"), await _names(request, Standing.of(match))
    match, applied = await fresher(
        request, match, lambda latest: unchanged(known, _tag(request, latest, player, names))
    )
    return await match_answer(request, match, player, status=200, headers=applied)
