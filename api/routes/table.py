"""At the table: the view, the legal moves, playing one, trying one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, TypeVar

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import forms, replies
from kleos.api.access import (
    Asked,
    asked_seat,
    backend_of,
    caller,
    known,
    required,
    seats_of,
    viewpoint,
    visible,
)
from kleos.api.bodies import decode
from kleos.api.commands import carry_out, explained, replayed
from kleos.api.conditions import unchanged
from kleos.api.operation import JSON, TEXT, answer, chosen_media, op
from kleos.api.problems import Problem
from kleos.api.waiting import fresher
from kleos.core.kernel import Refused, Viewer
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match
from kleos.events.accounts import Player
from kleos.events.loading import UnknownVersion
from kleos.projections.timeline import View, view
from kleos.projections.words import view_in_words

T = TypeVar("T")
VARY = "Authorization, Accept"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FOREVER = "private, max-age=31536000, immutable"
UNTIL_OPENED = "private, max-age=60, immutable"
"""A past view never shows less; once the match is over, it shows what was hidden."""
Eyes = Annotated[str | None, QueryParameter(pattern=r"^([0-9]{1,2}|spectator)\Z")]
AtVersion = Annotated[int | None, QueryParameter(ge=1)]


def viewer_name(viewer: Viewer) -> str:
    """What an ETag is keyed by."""
    return "spectator" if viewer.seat is None else f"seat:{viewer.seat}"


def _form(match: Match, viewer: Viewer) -> str:
    """What the ETag of a view is keyed by: once the match is over, there is more to see."""
    return viewer_name(viewer) + (" opened" if match.opened else "")


async def _latest(
    request: Asked, match_id: str, look: Callable[[Match, Player | None], T], tag: Callable[[Match, T], str]
) -> tuple[Match, T, dict[str, str]]:
    """The match, and through whose eyes; after a wait, if the client has it already and wished for one."""
    player = await caller(request)
    match = await visible(request, match_id, player)
    look(match, player)
    known = request.headers.get("if-none-match")
    match, applied = await fresher(
        request, match, lambda latest: unchanged(known, tag(latest, look(latest, player)))
    )
    return match, look(match, player), applied


async def _past(request: Asked, match: Match, version: int) -> Match:
    try:
        return await backend_of(request).log.at(match.id, version)
    except UnknownVersion as error:
        raise Problem("not_found", f"there is no version {version}", version=error.current) from error


async def _version_at(request: Asked, match: Match, at: int | None, time: str) -> int:
    """The version that the match was at, at a time of day."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or at is not None:
        raise Problem("malformed", "time is as in 2026-01-31T12:00:00Z (RFC 3339), and goes without at")
    try:
        found = await backend_of(request).log.at_time(match.id, (moment - EPOCH) // timedelta(milliseconds=1))
    except UnknownVersion as error:
        raise Problem("not_found", "the match is younger than that", version=error.current) from error
    return found.version


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
    tags, media = backend_of(request).tags, chosen_media(request, (JSON, TEXT))
    words = (" in words" if media == TEXT else "") + ("" if include == "moves" else " without moves")

    def look(match: Match, player: Player | None) -> Viewer:
        return viewpoint(match, player, seat)

    def tag(match: Match, viewer: Viewer) -> str:
        return tags.etag(match_id, match.version, _form(match, viewer) + words)

    match, viewer, applied = await _latest(request, match_id, look, tag)
    version = at if time is None else await _version_at(request, match, at, time)
    shown = match if version is None else await _past(request, match, version)
    past = f"{_form(match, viewer)} past{words}"
    etag = tag(match, viewer) if version is None else tags.etag(match_id, shown.version, past)
    headers = {"ETag": etag, "Vary": VARY} | applied
    headers["Cache-Control"] = (
        "private, no-cache" if at is None else FOREVER if match.opened else UNTIL_OPENED
    )
    if unchanged(request.headers.get("if-none-match"), headers["ETag"]):
        return answer(b"", status=304, headers=headers)
    listed = version is None and include == "moves" and await backend_of(request).log.goes_on(match)
    seen = view(shown, viewer.seat, match, listed=listed)
    if media == TEXT:
        told = view_in_words(pinned(match.rules), msgspec.to_builtins(seen))
        return answer(told.encode(), media=TEXT, headers=headers)
    return answer(msgspec.json.encode(seen), headers=headers)


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

    match, (number, mine), applied = await _latest(request, match_id, look, tag)
    headers = {"ETag": tag(match, (number, mine)), "Vary": VARY, "Cache-Control": "private, no-cache"}
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
    wanted = decode(await request.body(), forms.play_form(match.rules))
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
    wanted = decode(await request.body(), forms.play_form(match.rules))
    try:
        event = await backend_of(request).log.check(match_id, player.id, wanted.seat, wanted.move)
    except Refused as refusal:
        raise explained(request, match_id, player, refusal) from refusal
    return answer(msgspec.json.encode({"legal": True, "version": event.version - 1}))
