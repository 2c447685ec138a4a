"""The referee: appointing one, and what one may do."""

from __future__ import annotations

from typing import Any

from litestar import post, put
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import Asked, backend_of, required, visible
from kleos.api.bodies import decode
from kleos.api.commands import carry_out
from kleos.api.operation import op
from kleos.api.problems import Problem
from kleos.api.routes.matches import match_answer
from kleos.api.routes.time import turned
from kleos.core.match.actions import Adjourn, Adjudicate, Annotate, Appoint, Resume


@put(
    "/v1/matches/{match_id:str}/referee",
    opt=op(
        summary="Appoint a referee",
        tag="Referee",
        body=forms.NewReferee,
        answers={200: replies.SeenMatch},
        auth="required",
        rights=("organise",),
        command=True,
    ),
)
async def appoint(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Of your own match, before the start; `null` for nobody. Who plays cannot be referee."""
    player = await required(request)
    wanted = decode(await request.body(), forms.NewReferee)
    match = await visible(request, match_id, player)
    if wanted.player is not None and await backend_of(request).accounts.player(wanted.player) is None:
        raise Problem("malformed", f"player: there is no player {wanted.player!r}")
    done = await carry_out(request, match, player, None, Appoint(player=wanted.player))
    return await match_answer(request, done.match, player, status=200)


def _ruling(path: str, summary: str, body: Any) -> dict[str, Any]:
    return {
        "path": f"/v1/matches/{{match_id:str}}/{path}",
        "opt": op(
            summary=summary,
            tag="Referee",
            body=body,
            answers={201: replies.Played},
            auth="required",
            rights=("rule",),
            command=True,
        ),
    }


@post(**_ruling("annotations", "Annotate", forms.NewAnnotation))
async def annotate(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Say something to all, about a version or in general. It stands in the log, under your id."""
    wanted = decode(await request.body(), forms.NewAnnotation)
    return await turned(request, match_id, None, Annotate(text=wanted.text, version=wanted.version))


@post(**_ruling("adjourn", "Adjourn", forms.Ruling))
async def adjourn(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Nobody moves and no time runs until you let play resume."""
    wanted = decode(await request.body(), forms.Ruling)
    return await turned(request, match_id, None, Adjourn(text=wanted.text))


@post(**_ruling("resume", "Resume", forms.Ruling))
async def resume(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Play goes on; everybody has all of their time."""
    wanted = decode(await request.body(), forms.Ruling)
    return await turned(request, match_id, None, Resume(text=wanted.text))


@post(**_ruling("adjudicate", "Adjudicate", forms.NewAdjudication))
async def adjudicate(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """End the match: `ranking` has the seats of the first place, then of the second, and so on; without it
    the match is abandoned.
    """
    wanted = decode(await request.body(), forms.NewAdjudication)
    return await turned(request, match_id, None, Adjudicate(text=wanted.text, ranking=wanted.ranking))
