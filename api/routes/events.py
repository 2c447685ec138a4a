"""The log of a match: pages of events, streams of them, the same in words; one event."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Final

import msgspec
from litestar import get
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import replies
from kleos.api.access import Asked, backend_of, caller, may_see, seats_of, still, visible
from kleos.api.bodies import LARGEST
from kleos.api.conditions import PRIVATE
from kleos.api.framing import FRAMINGS, LINES, SERVER_SENT, Framing
from kleos.api.operation import JSON, TEXT, answer, chosen_media, next_page, op
from kleos.api.problems import Problem
from kleos.api.stream import Stream, stream
from kleos.api.telling import MatchTeller, Reader
from kleos.api.waiting import fresher
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match
from kleos.events.accounts import Player
from kleos.events.envelope import Entry
from kleos.events.loading import UnknownVersion
from kleos.projections.timeline import Item, item
from kleos.projections.words import log_in_words

_VERSION = re.compile(r"[0-9]{1,15}")
MEDIA: Final = (JSON, LINES.media, SERVER_SENT.media, TEXT)


def _item(entry: Entry, match: Match, player: Player | None) -> Item:
    return item(entry, seats_of(match, player), opened=match.opened)


def _cursor(request: Asked, after: int) -> int | None:
    """The version to go on after; None for a header that is no version.

    ``Last-Event-ID`` goes before ``after``: an ``EventSource`` that comes back repeats its first address.
    """
    last = request.headers.get("last-event-id")
    if last is None:
        return after
    return int(last) if _VERSION.fullmatch(last) else None


@get(
    "/v1/matches/{match_id:str}/events",
    opt=op(
        summary="Read the log",
        tag="Playing",
        answers={200: replies.EventPage, 204: None},
        auth="optional",
        media=MEDIA,
        waits=True,
        resumes=rf"^{_VERSION.pattern}$",
    ),
)
async def list_events(
    request: Asked,
    match_id: FromPath[str],
    after: Annotated[int, QueryParameter(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 200,
    live: FromQuery[bool] = True,
) -> ASGIResponse:
    """The events after a version, in order, the same for everybody; beside each, what you may have of its
    sealed parts.

    One cursor, the version, in four forms. `application/json` is a page of at most `limit` items.
    `application/x-ndjson` and `text/event-stream` send all items, then each as it happens, until the match is
    over (or, with `live=false`, until the present). `text/plain` tells a page in words.

    A client that comes back sends the last version it has as `after` or `Last-Event-ID`; to the latter, 204
    says that the match is over and nothing is missing.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    cursor = _cursor(request, after)
    media = chosen_media(request, MEDIA)
    if media in FRAMINGS:
        if match.opened and cursor == match.version and "last-event-id" in request.headers:
            return answer(b"", status=204, headers=PRIVATE)
        return _stream(request, match, player, FRAMINGS[media], after=cursor, live=live)
    if cursor is None:
        raise Problem("malformed", "Last-Event-ID is a version: the number of the last event you have")
    return await _page(request, match, player, cursor, limit, text=media == TEXT)


def _stream(
    request: Asked, match: Match, player: Player | None, framing: Framing, *, after: int | None, live: bool
) -> Stream:
    reader = Reader(
        seats=lambda match: seats_of(match, player),
        allowed=lambda match: may_see(match, player),
        known=partial(still, request, player),
    )
    backend = backend_of(request)
    teller = MatchTeller(backend.herald, match, reader, framing, frames=backend.frames, after=after)
    return stream(request, player, teller, live=live)


async def _page(
    request: Asked, match: Match, player: Player | None, after: int, limit: int, *, text: bool
) -> ASGIResponse:
    match, applied = await fresher(request, match, lambda latest: latest.version <= after)
    entries = await backend_of(request).log.entries(match.id, after=after, limit=limit)
    items = [_item(each, match, player) for each in entries]
    headers = PRIVATE | applied
    if text:
        told = msgspec.json.decode(msgspec.json.encode(items))
        words = log_in_words(pinned(match.rules), told)
        return answer(words.encode(), media=TEXT, headers=headers)
    more = bool(entries) and entries[-1].version < match.version
    following = str(entries[-1].version) if more else None
    body = {"items": items, "next": following}
    return answer(msgspec.json.encode(body), headers=headers | next_page(request, after=following))


@get(
    "/v1/matches/{match_id:str}/events/{version:int}",
    opt=op(
        summary="Read an event",
        tag="Playing",
        answers={200: replies.Item},
        auth="optional",
    ),
)
async def read_event(request: Asked, match_id: FromPath[str], version: FromPath[int]) -> ASGIResponse:
    """One event, with the sealed parts that you may have."""
    player = await caller(request)
    match = await visible(request, match_id, player)
    if not 1 <= version <= match.version:
        raise UnknownVersion(match.version)
    entry = await backend_of(request).log.entry(match_id, version)
    return answer(msgspec.json.encode(_item(entry, match, player)), headers=PRIVATE)
