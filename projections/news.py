"""News: what one player is told over all their matches, read off the feeds with one cursor.

Each event says in the feed what it means to whom (``core.match.tidings``), in the same atomic step in which
it happens. So nothing is kept for anybody: a reader is a place in every bucket's feed, and one who is told
nothing costs nothing. What waits for a player now is read off the list of matches.

Must not know how anything travels.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from kleos.core.match import News, Tiding, TidingKind
from kleos.core.match.state import Status
from kleos.events.standing import Standing
from kleos.events.store import FeedEntry, Store
from kleos.projections import cursor
from kleos.projections.catalogue import Catalogue
from kleos.projections.cursor import NotACursor, Place
from kleos.projections.herald import Attendant, Herald
from kleos.projections.timeline import rfc3339

BEHIND: Final = 500
"""Entries of one bucket that are read at once, and that a cursor may be behind: who was away for longer is
told how things stand instead."""
_MATCHES: Final = 200


class Where(Struct, frozen=True):
    """Where to look at the match."""

    match: str
    view: str


def where(match: str) -> Where:
    place = f"/v1/matches/{match}"
    return Where(place, f"{place}/view")


class NewsItem(Struct, frozen=True, kw_only=True):
    """Something that you are told once: ``id`` comes never again.

    ``seat`` is yours that it is about, if one is.
    ``version`` is the event that brought it, ``status`` that of the match after it, ``at`` its time by the
    store's clock (RFC 3339), and ``cursor`` what to go on with afterwards.
    """

    id: str
    type: TidingKind
    at: str
    match: str
    game: str
    version: int
    seat: int | None
    status: Status
    links: Where
    cursor: str


class Waiting(Struct, frozen=True, kw_only=True):
    """Something that waits for you now, in a match that is at ``version``."""

    type: TidingKind
    match: str
    game: str
    version: int
    seat: int | None
    links: Where


class Present(Struct, frozen=True):
    """All that waits for you now; news go on from ``cursor``."""

    cursor: str
    waiting: tuple[Waiting, ...]


class Lost(Exception):
    """The cursor cannot be served; ``reason`` is ``not_a_cursor``, ``ahead`` or ``too_old``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Found(NamedTuple):
    """A tiding in the feeds; ``place`` is where its bucket has been read to, once it is told."""

    place: Place
    entry: FeedEntry
    news: News
    tiding: Tiding


class NewsDesk:
    """Where players ask for news."""

    def __init__(self, store: Store, catalogue: Catalogue, herald: Herald) -> None:
        self.store = store
        self.herald = herald
        self._catalogue = catalogue

    def read(self, player: str, attendant: Attendant) -> Reading:
        """Begin to read; ``attendant`` attends the herald for the same player until the reading ends."""
        return Reading(self, player, attendant)

    async def waiting(self, player: str) -> tuple[Waiting, ...]:
        """All that waits for a player now."""
        return tuple([each async for match in self._matches(player) for each in _waiting(match, player)])

    async def _matches(self, player: str) -> AsyncIterator[Standing]:
        for status in ("open", "playing"):
            after: str | None = None
            while True:
                page, after = await self._catalogue.list(
                    player=player, viewer=player, status=status, cursor=after, limit=_MATCHES
                )
                for each in msgspec.convert(page, list[Standing]):
                    yield each
                if after is None:
                    break


def _waiting(match: Standing, player: str) -> Iterator[Waiting]:
    mine = {each.seat for each in match.seats if each.player == player and not each.resigned}
    found: list[tuple[TidingKind, int | None]] = []
    kept = zip(match.invited, match.kept, strict=True)
    found += [("match.invited", seat) for invited, seat in kept if invited == player]
    found += [("match.proposal", seat) for seat in match.asked if seat in mine]
    found += [("match.your_turn", seat) for seat in match.to_act if seat in mine]
    for kind, seat in found:
        yield Waiting(
            type=kind,
            match=match.match,
            game=match.game,
            version=match.version,
            seat=seat,
            links=where(match.match),
        )


class Reading:
    """One reader's way through the feeds. ``present`` or ``resume`` comes first."""

    def __init__(self, desk: NewsDesk, player: str, attendant: Attendant) -> None:
        self._desk = desk
        self._player = player
        self._attendant = attendant
        self._places: list[Place] = []
        self._unread: dict[int, Place] = {}
        self._found: deque[_Found] = deque()
        self._ends: dict[int, Place] = {}

    @property
    def cursor(self) -> str:
        """What to go on with after all that was read so far."""
        return cursor.word(self._places)

    async def present(self) -> Present:
        """What waits for the player now, and read on from here.

        The place is taken first: what happens meanwhile is told again as news rather than not at all.
        """
        positions = self._desk.herald.positions
        self._places = [Place.of(positions[bucket]) for bucket in range(self._desk.store.buckets)]
        return Present(self.cursor, await self._desk.waiting(self._player))

    async def resume(self, word: str) -> None:
        """Read on from a cursor. Raises ``Lost``."""
        store = self._desk.store
        try:
            self._places = cursor.read(word, store.buckets)
        except NotACursor:
            raise Lost("not_a_cursor") from None
        if self._beyond(self._desk.herald.positions) and self._beyond(await store.positions()):
            raise Lost("ahead")
        self._unread = dict(enumerate(self._places))
        await self._look()
        if self._unread:
            raise Lost("too_old")

    def _beyond(self, positions: Mapping[int, str]) -> bool:
        """Whether a place lies behind where a feed ends."""
        return any(
            (place.ms, place.number) > Place.of(positions[bucket])[:2]
            for bucket, place in enumerate(self._places)
        )

    async def more(self, limit: int) -> list[NewsItem]:
        """The next items, at most ``limit``; none if there is no news."""
        while not self._found:
            self._catch_up()
            if not self._unread:
                return []
            await self._look()
        return [self._told(self._found.popleft()) for _ in range(min(limit, len(self._found)))]

    def _catch_up(self) -> None:
        """All that was found is told. What the herald rang for is unread; nothing else of ours was in what it
        has read.
        """
        for bucket, end in self._ends.items():
            self._places[bucket] = max(self._places[bucket], end)
        self._ends = {}
        rung, self._attendant.unread = self._attendant.unread, {}
        for bucket, position in rung.items():
            self._unread.setdefault(bucket, max(Place.of(position), self._places[bucket]))
        for bucket, position in self._desk.herald.positions.items():
            if bucket not in self._unread:
                self._places[bucket] = max(self._places[bucket], Place.of(position))

    async def _look(self) -> None:
        """Read a page of each bucket in which something is unread; what is beyond it stays unread."""
        store = self._desk.store
        unread, self._unread = self._unread, {}
        pages = await asyncio.gather(
            *(store.news(bucket, place.position, BEHIND) for bucket, place in unread.items())
        )
        found: list[_Found] = []
        for (bucket, place), page in zip(unread.items(), pages, strict=True):
            found += self._mine(place, page)
            self._ends[bucket] = Place.of(page[-1].position) if page else place
            if len(page) == BEHIND:
                self._unread[bucket] = self._ends[bucket]
        self._found.extend(sorted(found, key=lambda each: (Place.of(each.entry.position), each.entry.bucket)))

    def _mine(self, place: Place, page: Sequence[FeedEntry]) -> Iterator[_Found]:
        """What the player is told in the entries of a bucket after ``place``."""
        name = self._player.encode()
        for entry in page:
            if name not in entry.news:
                continue
            news = News.read(entry.news)
            mine = [each for each in news.tidings if each.player == self._player]
            for number, tiding in enumerate(mine, 1):
                if number > place.items:
                    after = Place.of(entry.position) if number == len(mine) else place._replace(items=number)
                    yield _Found(after, entry, news, tiding)
            if mine:
                place = Place.of(entry.position)

    def _told(self, found: _Found) -> NewsItem:
        entry, tiding = found.entry, found.tiding
        self._places[entry.bucket] = found.place
        return NewsItem(
            id=f"{entry.match}/{entry.version}/{tiding.kind}/{'' if tiding.seat is None else tiding.seat}",
            type=tiding.kind,
            at=rfc3339(entry.at),
            match=entry.match,
            game=found.news.game,
            version=entry.version,
            seat=tiding.seat,
            status=found.news.status,
            links=where(entry.match),
            cursor=self.cursor,
        )
