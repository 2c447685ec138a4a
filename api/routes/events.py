"""The log of a match: pages of events, or all of them as lines; one event."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

import msgspec
from litestar import get
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse

from kleos.api import forms
from kleos.api.access import Asked, backend_of, caller, seats_of, visible
from kleos.api.bodies import LARGEST
from kleos.api.operation import JSON, answer, chosen_media, next_page, op
from kleos.core.match import Match
from kleos.events.accounts import Player
from kleos.events.envelope import Entry
from kleos.events.log import Log, UnknownVersion
from kleos.projections.timeline import Item, item

NDJSON: Final = "application/x-ndjson"
PAGE: Final = 500
"""Entries that are read at once when all are sent."""
PRIVATE: Final = {"Vary": "Authorization, Accept", "Cache-Control": "private, no-cache"}


def _item(entry: Entry, match: Match, player: Player | None) -> Item:
    return item(entry, seats_of(match, player), opened=match.opened)


async def _lines(log: Log, match: Match, player: Player | None, after: int) -> AsyncIterator[bytes]:
    while entries := await log.entries(match.id, after=after, limit=PAGE):
        yield b"".join(msgspec.json.encode(_item(each, match, player)) + b"\n" for each in entries)
        after = entries[-1].version


@get(
    "/v1/matches/{match_id:str}/events",
    opt=op(
        summary="Read the log",
        tag="Playing",
        answers={200: forms.EventPage},
        auth="optional",
        media=(JSON, NDJSON),
        problems=("malformed", "not_found"),
    ),
)
async def list_events(
    request: Asked,
    match_id: FromPath[str],
    after: Annotated[int, QueryParameter(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 200,
) -> ASGIResponse:
    """The events after a version, in order, the same for everybody; beside each, what you may have of its
    sealed parts.

    As `application/x-ndjson` all of them are sent, one item a line, and `limit` is not heeded.
    """
    player = await caller(request)
    match = await visible(request, match_id, player)
    log = backend_of(request).log
    if chosen_media(request, (JSON, NDJSON)) == NDJSON:
        lines = _lines(log, match, player, after)
        return ASGIStreamingResponse(iterator=lines, media_type=NDJSON, headers=PRIVATE)
    entries = await log.entries(match_id, after=after, limit=limit)
    more = bool(entries) and entries[-1].version < match.version
    body: dict[str, Any] = {
        "items": [_item(each, match, player) for each in entries],
        "next": str(entries[-1].version) if more else None,
    }
    return answer(msgspec.json.encode(body), headers=PRIVATE | next_page(request, after=body["next"]))


@get(
    "/v1/matches/{match_id:str}/events/{version:int}",
    opt=op(
        summary="Read an event",
        tag="Playing",
        answers={200: forms.Item},
        auth="optional",
        problems=("malformed", "not_found"),
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
