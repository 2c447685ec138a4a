"""At the table: the view, its picture, the legal moves, playing one, trying one."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import (
    Asked,
    asked_seat,
    backend_of,
    known,
    required,
    seats_of,
    visible,
)
from kleos.api.commands import carry_out, explained, move_asked, replayed
from kleos.api.conditions import PRIVATE, VARY, unchanged
from kleos.api.operation import JSON, TEXT, answer, chosen_media, op
from kleos.api.problems import Problem
from kleos.api.sighting import AtVersion, Eyes, latest_for, seen_by, viewer_name
from kleos.core.kernel import Refused, Viewer
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match
from kleos.events.accounts import Player
from kleos.projections.drawing import painter, painter_of, picture
from kleos.projections.timeline import View, view
from kleos.projections.words import view_in_words

SVG: Final = "image/svg+xml"
PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


@get(
    "/v1/matches/{match_id:str}/view",
    opt=op(
        summary="See the table",
        tag="Playing",
        answers={200: View},
        auth="optional",
        media=(JSON, TEXT),
        conditional=True,
        waits=True,
    ),
)
async def read_view(
    request: Asked,
    match_id: FromPath[str],
    *,
    seat: Eyes = None,
    at: AtVersion = None,
    time: FromQuery[str | None] = None,
    include: FromQuery[Literal["moves", "none"]] = "moves",
) -> ASGIResponse:
    """The state as one seat, or a spectator, may see it, now, at a version, or at a time of day.

    Without `seat` you see through your own seat, or as a spectator if you have none. Your own view of now
    lists your legal moves; with `at` or `time`, or with `include=none`, none are listed. What is hidden from
    the viewer is null until the match is over. `text/plain` tells the same in words, the legal moves by
    number.
    """
    media, now = chosen_media(request, (JSON, TEXT)), at is None and time is None
    form = (" in words" if media == TEXT else "") + ("" if include == "moves" else " without moves")
    found = await seen_by(request, match_id, seat, at, form=form, time=time)
    if found.fresh:
        return answer(b"", status=304, headers=found.headers)
    goes_on, listed = await backend_of(request).log.goes_on(found.latest), now and include == "moves"
    seen = view(found.shown, found.viewer.seat, found.latest, listed=listed, goes_on=goes_on)
    if media == TEXT:
        told = view_in_words(pinned(found.shown.rules), msgspec.to_builtins(seen))
        return answer(told.encode(), media=TEXT, headers=found.headers)
    return answer(msgspec.json.encode(seen), headers=found.headers)


@get(
    "/v1/matches/{match_id:str}/board.svg",
    opt=op(
        summary="See the table as a picture",
        tag="Playing",
        answers={200: None},
        auth="optional",
        media=(SVG,),
        conditional=True,
        waits=True,
    ),
)
async def read_board(
    request: Asked, match_id: FromPath[str], seat: Eyes = None, at: AtVersion = None
) -> ASGIResponse:
    """The table as one seat, or a spectator, may see it, now or at a version, as SVG: what `view` shows.

    It describes itself in words, suits light and dark, runs nothing and fetches nothing. There is none before
    the start of the match, nor of a game that draws none.
    """
    found = await seen_by(request, match_id, seat, at, form=" as a picture")
    game = painter_of(found.shown)
    if game is None:
        raise Problem("not_found", _why_none(found.shown))
    headers = found.headers | {"Content-Security-Policy": PICTURE_POLICY}
    if found.fresh:
        return answer(b"", status=304, headers=headers)
    drawn = picture(game, found.shown, Viewer(found.viewer.seat, open=found.latest.opened))
    return answer(drawn.encode(), media=SVG, headers=headers)


def _why_none(match: Match) -> str:
    if painter(match.rules) is None:
        return f"{match.game} draws no picture of its table; its view is there as JSON and as text"
    return f"there is nothing on the table at version {match.version}: play has not begun"


@get(
    "/v1/matches/{match_id:str}/moves",
    opt=op(
        summary="List the legal moves",
        tag="Playing",
        answers={200: replies.Moves},
        auth="optional",
        conditional=True,
        waits=True,
    ),
)
async def list_moves(request: Asked, match_id: FromPath[str], seat: Eyes = None) -> ASGIResponse:
    """Every legal move of a seat of yours at the head, exactly those; none if it is not to act, or if the
    match was brought in under way, where nobody acts any more.

    A move with a `range` stands for all its values. Other seats have an empty list, for you.
    """
    tags = backend_of(request).tags

    def look(match: Match, player: Player | None) -> tuple[int | None, bool]:
        number = asked_seat(match, player, seat)
        return number, number in seats_of(match, player)

    def tag(match: Match, asked: tuple[int | None, bool]) -> str:
        number, mine = asked
        whose = viewer_name(Viewer(number)) if mine else f"not for seat {number}"
        return tags.etag(match_id, match.version, f"{whose} moves")

    match, (number, mine), applied = await latest_for(request, match_id, look, tag)
    headers = {"ETag": tag(match, (number, mine)), **PRIVATE}
    if unchanged(request.headers.get("if-none-match"), headers["ETag"]):
        return answer(b"", status=304, headers=headers | applied)
    listed = view(match, number, match).moves if mine and await backend_of(request).log.goes_on(match) else ()
    body = replies.Moves(match=match.id, seat=number, version=match.version, moves=listed)
    return answer(msgspec.json.encode(body), headers=headers | applied)


@post(
    "/v1/matches/{match_id:str}/moves",
    opt=op(
        summary="Play a move",
        tag="Playing",
        body=forms.play_form,
        answers={201: replies.Played},
        auth="required",
        rights=("play",),
        command=True,
        problems=("not_your_turn", "illegal"),
    ),
)
async def play(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """One move of one of your seats. It is in the log, on disk and proven when you get the answer.

    With `If-Match` it is played at the version you saw or not at all; without, it is judged at the head.
    Repeat a request that got no answer with the same `Idempotency-Key`: it is carried out once at most.
    """
    player = await required(request)
    match = await known(request, match_id, player)
    wanted = await move_asked(request, match, forms.play_form)
    done = await carry_out(request, match, player, wanted.seat, wanted.move, signature=wanted.signature)
    viewer = Viewer(seat=wanted.seat)
    with backend_of(request).step("view"):
        seen = view(done.match, wanted.seat, done.match)
    body = {
        "event": msgspec.Raw(done.entry.public),
        "receipt": done.receipt,
        "durability": done.durability,
        "view": seen,
    }
    headers = {
        "Location": f"/v1/matches/{match_id}/events/{done.entry.version}",
        "ETag": backend_of(request).tags.etag(match_id, done.match.version, viewer_name(viewer)),
        "Vary": VARY,
        **replayed(done),
    }
    return answer(msgspec.json.encode(body), status=201, headers=headers)


@post(
    "/v1/matches/{match_id:str}/moves/check",
    status_code=200,
    opt=op(
        summary="Try a move",
        tag="Playing",
        body=forms.play_form,
        answers={200: replies.Checked},
        auth="required",
        rights=("play",),
        problems=("not_your_turn", "wrong_phase", "match_finished", "illegal"),
    ),
)
async def check(request: Asked, match_id: FromPath[str]) -> ASGIResponse:
    """Whether the move would be accepted at the head; the refusal it would get otherwise. Nothing happens.

    What dice and draws would follow is not told: nobody looks into the future.
    """
    player = await required(request)
    match = await visible(request, match_id, player)
    wanted = await move_asked(request, match, forms.play_form)
    try:
        event = await backend_of(request).log.check(match_id, player.id, wanted.seat, wanted.move)
    except Refused as refusal:
        raise explained(request, match_id, player, refusal) from refusal
    return answer(msgspec.json.encode({"legal": True, "version": event.version - 1}))
