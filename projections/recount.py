"""The read models of a store, counted again from the logs, beside what is kept of them.

1. The list of matches has each as its log ends, and in just the indexes, with the scores, that follow.
2. No index of it has anything else, and it has not read beyond the end of the feed.
3. The ratings of every game are those that the results in the logs give.

What differs is told, one line each. Nothing is changed but what every reader of a list brings up to date. A
match that was gone on with meanwhile is passed over: others have written what it is compared with.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace
from redis.exceptions import ResponseError

from kleos.events.audit import Finding
from kleos.events.standing import Standing
from kleos.events.store import Store
from kleos.projections.catalogue import Catalogue, Ended
from kleos.projections.ratings import Board, Rating, Ratings, counted, result

_APART: Final = ("items", "position")
"""Keys of the catalogue that are no indexes."""
_PAGE: Final = 1000
_UNREADABLE: Final = (msgspec.MsgspecError, ResponseError, LookupError, TypeError, ValueError)
"""What reading raises where something else stands than was written."""

Scores = dict[str, int]


def indexes(standing: Standing) -> Scores:
    """The indexes of the list of matches that a match is in, with its score; ``catch_up.lua`` says which."""
    names = {f"player:{each}" for each in standing.members}
    if standing.visibility == "public":
        of_game, of_status = f"game:{standing.game}", f"status:{standing.status}"
        names |= {"all", of_game, of_status, f"{of_game}:{of_status}"}
    for seat in (standing.seats[number] for number in standing.to_act):
        if seat.bot is not None or seat.resigned:
            names.add("unattended")
        elif seat.player is not None:
            names.add(f"turn:{seat.player}")
    scores = dict.fromkeys(names, standing.created_at)
    if standing.house_due is not None:
        scores["due"] = standing.house_due
    if standing.status == "finished" and standing.rated:
        scores[f"results:{standing.game}"] = standing.updated_at
    return scores


class Recount:
    """What the logs of a store lead to, match by match; compare it once all are told."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._catalogue = Catalogue(store)
        self._standings: dict[str, Standing] = {}
        self._unknown: set[str] = set()

    async def begin(self) -> AsyncIterator[Finding]:
        """Bring the list of matches up to date, as a reader does."""
        try:
            await self._catalogue.catch_up()
        except ResponseError as error:
            yield Finding("list of matches", None, f"it cannot be brought up to date: {error}")

    async def add(self, match: str, standing: Standing | None) -> AsyncIterator[Finding]:
        """A match as its log ends; None if that cannot be replayed, so that nothing is to be said of it."""
        if standing is None:
            self._unknown.add(match)
            return
        self._standings[match] = standing
        try:
            listed = msgspec.convert(await self._catalogue.kept(match), Standing)
            same = replace(listed, kind=None) == standing
        except _UNREADABLE:
            same = False
        if not same and not await self._moved(match):
            yield Finding(match, None, "it is not listed as it stands")

    async def compare(self) -> AsyncIterator[Finding]:
        """Everything that is kept otherwise than the matches added lead to."""
        keys, ends = await self._keys(), await self._store.positions()
        every: dict[int, dict[str, Scores]] = {bucket: {} for bucket in range(self._store.buckets)}
        for match, standing in self._standings.items():
            every[self._store.bucket(match)][match] = indexes(standing)
        for bucket, here in every.items():
            names = {name for scores in here.values() for name in scores} | keys.get(bucket, set())
            for name in sorted(names.difference(_APART)):
                async for finding in self._index(bucket, name, here):
                    yield finding
            async for finding in self._listed(bucket, here, ends[bucket]):
                yield finding
        async for finding in self._rated():
            yield finding

    # The list of matches

    async def _index(self, bucket: int, name: str, here: Mapping[str, Scores]) -> AsyncIterator[Finding]:
        key = self._store.key(bucket, f"catalogue:{name}")
        try:
            found = await self._store.connection.call(key, "ZRANGE", key, 0, -1, "WITHSCORES")
            kept = {match.decode(): int(score) for match, score in _pairs(found)}
        except _UNREADABLE as error:
            yield Finding("list of matches", None, f"its index {name} in bucket {bucket}: {error}")
            return
        right = {match: scores[name] for match, scores in here.items() if name in scores}
        for match in sorted(right.keys() | kept.keys()):
            told = _differs(name, kept.get(match), right.get(match))
            if told and match not in self._unknown and not await self._moved(match):
                yield Finding(match, None, told)

    async def _listed(self, bucket: int, here: Mapping[str, Scores], end: str) -> AsyncIterator[Finding]:
        """What is listed and is no match, and how far the feed was read."""
        items, position = (self._store.key(bucket, f"catalogue:{part}") for part in _APART)
        try:
            names = {each.decode() for each in await self._store.connection.call(items, "HKEYS", items)}
            read = await self._store.connection.call(position, "GET", position)
            beyond = read is not None and _place(read.decode()) > _place(end)
        except _UNREADABLE as error:
            yield Finding("list of matches", None, f"bucket {bucket} cannot be read: {error}")
            return
        for match in sorted(names - here.keys() - self._unknown):
            if not await self._moved(match):
                yield Finding(match, None, "it is listed, and is not here")
        if beyond:
            what = f"bucket {bucket} was read up to {read.decode()}, and its feed ends at {end}"
            yield Finding("list of matches", None, what)

    async def _keys(self) -> dict[int, set[str]]:
        """The keys that the list of matches has, bucket by bucket, without their common beginning."""
        found: dict[int, set[str]] = {}
        prefixes = {self._store.key(bucket, "catalogue:"): bucket for bucket in range(self._store.buckets)}
        for start in {self._store.connection.home(each): each for each in prefixes}.values():
            cursor = -1
            while cursor != 0:
                reply = await self._store.connection.call(
                    start, "SCAN", max(cursor, 0), "MATCH", "*:catalogue:*", "COUNT", _PAGE
                )
                cursor = int(reply[0])
                for key in reply[1]:
                    prefix, _, name = key.decode().partition(":catalogue:")
                    bucket = prefixes.get(f"{prefix}:catalogue:")
                    if bucket is not None:
                        found.setdefault(bucket, set()).add(name)
        return found

    async def _moved(self, match: str) -> bool:
        """Whether a match is at another version by now than it was told at."""
        head = await self._store.head(match)
        standing = self._standings.get(match)
        return head is not None and head[0] != (0 if standing is None else standing.version)

    # Ratings

    async def _rated(self) -> AsyncIterator[Finding]:
        ratings = Ratings(self._catalogue)
        for game in sorted({each.game for each in self._standings.values()}):
            right = self._board(game)
            try:
                kept = await ratings.board(game)
            except _UNREADABLE as error:
                yield Finding(f"ratings of {game}", None, f"they cannot be counted: {error}")
                continue
            others = {each.match for each in {*right.ends} ^ {*kept.ends}}
            if right == kept or self._unknown or any([await self._moved(each) for each in others]):
                continue
            for finding in _ratings(game, kept.ratings, right.ratings):
                yield finding

    def _board(self, game: str) -> Board:
        """The board that the results in the logs give."""
        name = f"results:{game}"
        ends = sorted(
            Ended(indexes(each)[name], each.match)
            for each in self._standings.values()
            if name in indexes(each)
        )
        ratings: dict[str, Rating] = {}
        for end in ends:
            found = result(self._standings[end.match])
            ratings = ratings if found is None else counted(ratings, found)
        return Board(tuple(ends), ratings)


def _ratings(game: str, kept: Mapping[str, Rating], right: Mapping[str, Rating]) -> Iterator[Finding]:
    for player in sorted(kept.keys() | right.keys()):
        told, true = (f"{each[player].rating:.3f}" if player in each else "none" for each in (kept, right))
        if kept.get(player) != right.get(player):
            what = f"player {player} has {told}, and by the results in the logs {true}"
            yield Finding(f"ratings of {game}", None, what)


def _differs(name: str, kept: int | None, right: int | None) -> str | None:
    """What is wrong with a match in an index; None if nothing is."""
    if kept == right:
        return None
    if kept is None:
        return f"it is missing from the index {name} of the list of matches"
    if right is None:
        return f"it is in the index {name} of the list of matches, and does not belong there"
    return f"the index {name} of the list of matches has it at {kept} instead of {right}"


def _pairs(found: list[bytes]) -> Iterator[tuple[bytes, float]]:
    return ((match, float(score)) for match, score in zip(found[::2], found[1::2], strict=True))


def _place(position: str) -> tuple[int, int]:
    """A position of a feed, to be compared with others."""
    ms, _, number = position.partition("-")
    return int(ms), int(number or 0)
