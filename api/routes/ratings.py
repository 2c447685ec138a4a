"""How strong players are: the leaderboard of a game, and a player with ratings and matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec
from litestar import get
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import records
from kleos.api.access import Asked, backend_of, caller
from kleos.api.bodies import LARGEST
from kleos.api.conditions import VARY
from kleos.api.operation import answer, next_page, op
from kleos.api.problems import Problem
from kleos.api.routes.games import newest
from kleos.api.routes.matches import summaries
from kleos.events.standing import Standing
from kleos.projections.ratings import Rating
from kleos.projections.timeline import Person, rfc3339

PUBLIC = {"Vary": VARY, "Cache-Control": "no-cache"}
RECENT = 20
"""Matches on the page of a player."""


def _rated(rank: int, rating: Rating, names: Mapping[str, str]) -> records.Rated:
    return records.Rated(
        rank=rank,
        player=Person(rating.player, names.get(rating.player)),
        rating=round(rating.rating, 3),
        mu=round(rating.mu, 3),
        sigma=round(rating.sigma, 3),
        matches=rating.matches,
        wins=rating.wins,
    )


@get(
    "/v1/games/{game:str}/ratings",
    opt=op(
        summary="Read the leaderboard",
        tag="Ratings",
        answers={200: records.Leaderboard},
        problems=("store_unavailable",),
    ),
)
async def leaderboard(
    request: Asked,
    game: FromPath[str],
    offset: Annotated[int, QueryParameter(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=200)] = 50,
) -> ASGIResponse:
    """Everybody who finished a rated match of the game among people, the strongest first (`openskill`'s
    Plackett-Luce, teams included).
    """
    if game not in newest():
        raise Problem("not_found", "there is no such game")
    backend = backend_of(request)
    ranked = (await backend.ratings.board(game)).ranked()
    shown = ranked[offset : offset + limit]
    names = await backend.accounts.names(each.player for each in shown)
    following = str(offset + limit) if len(ranked) > offset + limit else None
    items = [_rated(offset + place, each, names) for place, each in enumerate(shown, start=1)]
    board = records.Leaderboard(game, items, following)
    return answer(msgspec.json.encode(board), headers=PUBLIC | next_page(request, offset=following))


@get(
    "/v1/players/{player_id:str}",
    opt=op(
        summary="Read a player",
        tag="Ratings",
        answers={200: records.PlayerPage},
        auth="optional",
    ),
)
async def read_player(request: Asked, player_id: FromPath[str]) -> ASGIResponse:
    """Name, ratings with the matches that made them, and the newest matches that you may see."""
    who = await caller(request)
    backend = backend_of(request)
    player = await backend.accounts.player(player_id)
    if player is None:
        raise Problem("not_found", "there is no such player")
    ratings = {}
    for game in sorted(newest()):
        ranked = (await backend.ratings.board(game)).ranked()
        mine = next((place for place, each in enumerate(ranked, 1) if each.player == player_id), None)
        if mine is not None:
            ratings[game] = _record(mine, ranked[mine - 1], {player.id: player.name})
    found, _ = await backend.catalogue.list(
        player=player_id, viewer=None if who is None else who.id, limit=RECENT
    )
    page = records.PlayerPage(
        player=records.Player(player.id, player.name),
        ratings=ratings,
        matches=await summaries(backend, msgspec.convert(found, list[Standing])),
    )
    return answer(msgspec.json.encode(page), headers=PUBLIC)


def _record(rank: int, rating: Rating, names: Mapping[str, str]) -> records.GameRecord:
    history = [
        records.RatedMatch(each.match, rfc3339(each.at), each.place, round(each.rating, 3))
        for each in reversed(rating.history)
    ]
    return records.GameRecord(_rated(rank, rating, names), history)
