"""The games that can be played, and all a frontend needs to know of one."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import replies
from kleos.api.operation import answer, op
from kleos.api.problems import Problem
from kleos.api.schemas import game_schemas
from kleos.core.kernel import Game
from kleos.core.kernel.registry import games

CACHED = {"Cache-Control": "public, max-age=300"}
AnyGame = Game[Any, Any, Any]


def newest() -> dict[str, AnyGame]:
    """Every game by name, in its newest rules."""
    by_age = sorted(games().values(), key=lambda game: int(game.rules.rpartition("/")[2]))
    return {game.name: game for game in sorted(by_age, key=lambda game: game.name)}


def _summary(game: AnyGame) -> dict[str, Any]:
    return {
        "game": game.name,
        "title": game.title,
        "rules": game.rules,
        "seats": list(game.seats),
        "bots": list(game.bots),
        "links": {"self": f"/v1/games/{game.name}"},
    }


@cache
def _manifest(rules: str) -> bytes:
    game = games()[rules]
    defaults = game.settle(game.Options(), game.seats[0])
    return msgspec.json.encode(
        _summary(game)
        | {
            "options": msgspec.to_builtins(defaults),
            "manifest": game.manifest(),
            "schemas": game_schemas(game),
        }
    )


@get(
    "/v1/games",
    opt=op(summary="List the games", tag="Games", answers={200: replies.Games}),
    sync_to_thread=False,
)
def list_games() -> ASGIResponse:
    """Every game that is installed, in its newest rules."""
    return answer(
        msgspec.json.encode({"items": [_summary(each) for each in newest().values()]}), headers=CACHED
    )


@get(
    "/v1/games/{game:str}",
    opt=op(
        summary="Read a game",
        tag="Games",
        answers={200: replies.GameManifest},
    ),
    sync_to_thread=False,
)
def read_game(game: FromPath[str]) -> ASGIResponse:
    """Seats, default options, components, map and texts, and JSON Schemas of its options, moves, effects and
    states as a client sees them.
    """
    found = newest().get(game)
    if found is None:
        raise Problem("not_found", f"there is no game {game!r}; installed: {', '.join(newest())}")
    return answer(_manifest(found.rules), headers=CACHED)
