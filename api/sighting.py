"""Seeing: which version of a match somebody sees, through whose eyes, and how long that stays what it is.

It knows the log and the conditions of HTTP, not the form in which a table is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, NamedTuple, TypeVar

from litestar.params import QueryParameter

from kleos.api.access import Asked, backend_of, caller, viewpoint, visible
from kleos.api.conditions import VARY, unchanged
from kleos.api.problems import Problem
from kleos.api.waiting import fresher
from kleos.core.kernel import Viewer
from kleos.core.match import Match
from kleos.events.accounts import Player
from kleos.events.loading import UnknownVersion

T = TypeVar("T")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FOREVER = "private, max-age=31536000, immutable"
UNTIL_OPENED = "private, max-age=60, immutable"
"""A past view never shows less; once the match is over, it shows what was hidden."""
Eyes = Annotated[str | None, QueryParameter(pattern=r"^([0-9]{1,2}|spectator)\Z")]
AtVersion = Annotated[int | None, QueryParameter(ge=1)]


def viewer_name(viewer: Viewer) -> str:
    """What an ETag is keyed by."""
    return "spectator" if viewer.seat is None else f"seat:{viewer.seat}"


def _eyes(match: Match, viewer: Viewer) -> str:
    """What the ETag of a table is keyed by: once the match is over, there is more to see."""
    return viewer_name(viewer) + (" opened" if match.opened else "")


async def latest_for(
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


class Seen(NamedTuple):
    """The version that is asked for, of the match as it is now, and through whose eyes.

    ``headers`` are those of the answer; ``fresh``: the client has it already.
    """

    shown: Match
    latest: Match
    viewer: Viewer
    headers: dict[str, str]
    fresh: bool


async def seen_by(
    request: Asked, match_id: str, seat: str | None, at: int | None, *, form: str, time: str | None = None
) -> Seen:
    """What the caller asks to see; ``form`` is how it is shown, and is part of the ETag."""
    tags, known = backend_of(request).tags, request.headers.get("if-none-match")

    def look(match: Match, player: Player | None) -> Viewer:
        return viewpoint(match, player, seat)

    def tag(match: Match, viewer: Viewer) -> str:
        return tags.etag(match_id, match.version, _eyes(match, viewer) + form)

    latest, viewer, applied = await latest_for(request, match_id, look, tag)
    version = at if time is None else await _version_at(request, latest, at, time)
    shown = latest if version is None else await _past(request, latest, version)
    past = f"{_eyes(latest, viewer)} past{form}"
    etag = tag(latest, viewer) if version is None else tags.etag(match_id, shown.version, past)
    kept = "private, no-cache" if at is None else FOREVER if latest.opened else UNTIL_OPENED
    headers = {"ETag": etag, "Vary": VARY, "Cache-Control": kept} | applied
    return Seen(shown, latest, viewer, headers, unchanged(known, etag))
