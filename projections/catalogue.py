"""The catalogue: every match at a glance, newest first.

A read model kept in the store, bucket by bucket, beside the feed from which it is folded and together with
the position up to which it was. It is brought up to date by whoever reads it, in the same round trip, so a
list that is asked for after a match was made shows that match.

Knows the notices that the log writes, of which it reads ``match``, ``game``, ``status``, ``undo``, ``rated``,
``visibility``, ``creator``, ``created_at``, ``updated_at`` and ``house_due`` (integer milliseconds),
``to_act``, ``seats``, ``referee`` and ``invited``. Must not know rules or states.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import heapq
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from kleos.core.kernel.errors import Malformed
from kleos.core.match import OVER
from kleos.events.library import Library
from kleos.events.store import Store

FUNCTIONS = Library.read("kleos.projections", "catch_up", "page", "due", "results")
_FOLD = 500
"""Entries folded in one call: what the store may be held up by, a few milliseconds."""
_PAGE = 100


class _Question(NamedTuple):
    """What to ask of an index: one of the functions, and its arguments."""

    name: str
    arguments: tuple[str | int, ...]
    function: str = "page"


class _Place(NamedTuple):
    """A match's place in the order, which no later match changes: what a cursor says."""

    created_at: Annotated[int, Meta(ge=0, le=1 << 53)]
    match: str


class Ended(NamedTuple):
    """A rated match that ended at a time."""

    at: int
    match: str


class Catalogue:
    """The list of the matches in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list(
        self,
        *,
        game: str | None = None,
        status: str | None = None,
        player: str | None = None,
        turn: str | None = None,
        viewer: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """A page of matches, each as its last notice, newest first, and the cursor of the next page if any.

        ``player``: only matches of which that player is a member (seated, invited, the referee or the
        creator); ``turn``: only those in which that player has something to decide. ``viewer``: the player
        who looks; private matches are shown to their members only. A cursor stays good while matches are
        added. Raises Malformed for a cursor that this did not give out.
        """
        after = _read_cursor(cursor)
        beyond = (after.created_at, after.match) if after else ("", "")
        filters = (game or "", status or "", viewer or "")
        questions: list[_Question] = []
        if turn is not None:
            questions.append(_Question(_index(turn=turn), (limit + 1, *beyond, 1, *filters)))
        elif player is None:
            questions.append(_Question(_index(game=game, status=status), (limit + 1, *beyond, 0, *filters)))
        if turn is None and (player is not None or viewer is not None):
            questions.append(
                _Question(
                    _index(player=viewer if player is None else player), (limit + 1, *beyond, 1, *filters)
                )
            )
        items, last = await self._page(questions, limit)
        return [*items], _cursor(last) if last else None

    async def catch_up(self) -> None:
        """Fold in everything that is in the feeds by now."""
        await asyncio.gather(*(_ask(self._store, bucket, []) for bucket in range(self._store.buckets)))

    async def kept(self, match: str) -> dict[str, Any] | None:
        """What the catalogue has of one match, as far as it was folded; None if nothing."""
        key = self._store.key(self._store.bucket(match), "catalogue:items")
        found = await self._store.connection.call(key, "HGET", key, match)
        return None if found is None else msgspec.json.decode(found)

    async def over(self, before: int) -> AsyncIterator[str]:
        """The matches that were over at a time, as far as was folded; perhaps some of them twice."""
        for bucket in range(self._store.buckets):
            key, cursor = self._store.key(bucket, "catalogue:items"), -1
            while cursor != 0:
                cursor, found = await self._store.connection.call(
                    key, "HSCAN", key, max(cursor, 0), "COUNT", _PAGE
                )
                for match, notice in found.items():
                    item = msgspec.json.decode(notice)
                    if item["status"] in OVER and item["updated_at"] <= before:
                        yield match.decode()

    async def unattended(self) -> AsyncIterator[dict[str, Any]]:
        """Every match in which a seat is to act that nobody moves for: a bot's, or one given up."""
        last: _Place | None = None
        while True:
            beyond = (last.created_at, last.match) if last else ("", "")
            items, last = await self._page(
                [_Question("unattended", (_PAGE + 1, *beyond, 0, "", "", ""))], _PAGE
            )
            for item in items:
                yield item
            if last is None:
                return

    async def overdue(self, now: int) -> set[str]:
        """Matches in which the house has to act on somebody's absence, by the time ``now``."""
        question = _Question("due", (now, _PAGE), "due")
        buckets = range(self._store.buckets)
        answers = await asyncio.gather(*(_ask(self._store, bucket, [question]) for bucket in buckets))
        return {place.match for answer in answers for place in answer}

    async def ended(self, game: str, since: int) -> tuple[int, set[Ended]]:
        """How many rated matches of a game have ended, and those that did since a time."""
        question = _Question(_index(results=game), (since,), "results")
        found: set[Ended] = set()
        total = 0
        for answer in await asyncio.gather(
            *(_answers(self._store, bucket, [question]) for bucket in range(self._store.buckets))
        ):
            count, *places = answer[0]
            total += count
            found |= {
                Ended(int(at), match.decode()) for match, at in zip(places[::2], places[1::2], strict=True)
            }
        return total, found

    async def items(self, matches: Sequence[str]) -> Sequence[dict[str, Any]]:
        """The last notices of some matches of this catalogue."""
        return await asyncio.gather(*(self._item(match) for match in matches))

    async def _page(
        self, questions: Sequence[_Question], limit: int
    ) -> tuple[Sequence[dict[str, Any]], _Place | None]:
        """The newest of the matches asked for, and the place of the last if there are more."""
        buckets = range(self._store.buckets)
        answers = await asyncio.gather(*(_ask(self._store, bucket, questions) for bucket in buckets))
        newest = heapq.nlargest(limit + 1, set().union(*answers))
        chosen = newest[:limit]
        items = await asyncio.gather(*(self._item(place.match) for place in chosen))
        return items, chosen[-1] if len(newest) > limit else None

    async def _item(self, match: str) -> dict[str, Any]:
        key = self._store.key(self._store.bucket(match), "catalogue:items")
        item: dict[str, Any] = msgspec.json.decode(await self._store.connection.call(key, "HGET", key, match))
        return item


def _index(**wanted: str | None) -> str:
    """The name of the index that holds the matches wanted."""
    return ":".join(f"{name}:{value}" for name, value in wanted.items() if value is not None) or "all"


async def _ask(store: Store, bucket: int, questions: Sequence[_Question]) -> set[_Place]:
    """Where one bucket's answers to some questions lie, after folding in what is new."""
    return {
        _Place(int(created), match.decode())
        for answer in await _answers(store, bucket, questions)
        for match, created in zip(answer[::2], answer[1::2], strict=True)
    }


async def _answers(store: Store, bucket: int, questions: Sequence[_Question]) -> Sequence[Any]:
    """One bucket's answers to some questions, after folding in what is new."""
    items = store.key(bucket, "catalogue:items")
    prefix = store.key(bucket, "catalogue:")
    news = [store.key(bucket, "feed"), items, store.key(bucket, "catalogue:position")]
    fold = ("catch_up", news, (store.key(bucket, "m:"), prefix, _FOLD))
    pages = [
        (each.function, [*([items] if each.function == "page" else []), prefix + each.name], each.arguments)
        for each in questions
    ]
    while True:
        more, *answers = await store.connection.functions(FUNCTIONS, [fold, *pages])
        if not more:
            return answers


def _cursor(place: _Place) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).rstrip(b"=").decode()


def _read_cursor(cursor: str | None) -> _Place | None:
    if cursor is None:
        return None
    try:
        place = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(place, type=_Place)
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise Malformed("the cursor is not one that a list of matches gave out") from None
