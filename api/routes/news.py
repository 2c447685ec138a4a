"""News: what a player is told over all their matches; a page, a page that waits, or a stream."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Annotated, Final

import msgspec
from litestar import get
from litestar.params import FromQuery, QueryParameter
from litestar.response.base import ASGIResponse

from kleos.api import replies
from kleos.api.access import Asked, backend_of, passage_for, required, still
from kleos.api.conditions import PRIVATE
from kleos.api.framing import FRAMINGS, LINES, SERVER_SENT
from kleos.api.news import NewsReset, NewsTeller
from kleos.api.operation import JSON, answer, chosen_media, op
from kleos.api.problems import Problem
from kleos.api.stream import stream
from kleos.api.waiting import wished
from kleos.events.accounts import Player
from kleos.projections.cursor import LONGEST
from kleos.projections.herald import Attendant
from kleos.projections.news import Lost, NewsItem, Reading

CURSOR: Final = rf"^[A-Za-z0-9_-]{{1,{LONGEST}}}$"
MEDIA: Final = (JSON, LINES.media, SERVER_SENT.media)


@get(
    "/v1/players/me/news",
    opt=op(
        summary="Be told of your turns",
        tag="Playing",
        answers={200: replies.NewsPage},
        auth="required",
        rights=("read",),
        media=MEDIA,
        waits=True,
        resumes=CURSOR,
    ),
)
async def read_news(
    request: Asked,
    since: Annotated[str | None, QueryParameter(pattern=CURSOR)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 200,
    live: FromQuery[bool] = True,
) -> ASGIResponse:
    """What you are told in all your matches: your turns, invitations, proposals that wait for you, beginnings
    and ends. Each thing comes once.

    The first answer, without a cursor, says what waits for you now (`present`) and gives a cursor. From there
    on there is news only: ask again with it as `since` or `Last-Event-ID`. `application/json` is a page of at
    most `limit` items, `application/x-ndjson` and `text/event-stream` go on as things happen (or, with
    `live=false`, until now). A cursor that cannot be served is answered with `reset` and what waits now.
    """
    player = await required(request)
    cursor = _cursor(request, since)
    media = chosen_media(request, MEDIA)
    if media in FRAMINGS:
        known = partial(still, request, player)
        teller = NewsTeller(backend_of(request).news, player.id, known, FRAMINGS[media], cursor)
        return stream(request, player, teller, live=live)
    return await _page(request, player, cursor, limit)


def _cursor(request: Asked, since: str | None) -> str | None:
    """What to go on after: the header before ``since``, as in a stream of events."""
    last = request.headers.get("last-event-id")
    if last is None:
        return since
    if not re.fullmatch(CURSOR, last):
        raise Problem("malformed", "Last-Event-ID is a cursor that came with the news")
    return last


async def _page(request: Asked, player: Player, cursor: str | None, limit: int) -> ASGIResponse:
    desk = backend_of(request).news
    seconds = wished(request.headers.get("prefer"))
    present, reset, items = None, None, list[NewsItem]()
    with desk.herald.attend(player.id) as attendant:
        reading = desk.read(player.id, attendant)
        try:
            if cursor is not None:
                await reading.resume(cursor)
                items = await reading.more(limit)
                if seconds and not items:
                    with passage_for(request, player):
                        items = await _awaited(request, reading, attendant, limit, seconds)
        except Lost as lost:
            reset = NewsReset(lost.reason)
        if cursor is None or reset is not None:
            present = await reading.present()
    if seconds:
        await required(request)  # the token may have been revoked meanwhile
    applied = {} if seconds is None else {"Preference-Applied": f"wait={seconds}"}
    page = replies.NewsPage(items, reading.cursor, reset, None if present is None else present.waiting)
    return answer(msgspec.json.encode(page), headers=PRIVATE | applied)


async def _awaited(
    request: Asked, reading: Reading, attendant: Attendant, limit: int, seconds: float
) -> list[NewsItem]:
    """The next items as soon as there are any, within so many seconds."""
    herald = backend_of(request).herald
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not herald.silent and await attendant.wait(deadline - loop.time()):
        if items := await reading.more(limit):
            return items
    return []
