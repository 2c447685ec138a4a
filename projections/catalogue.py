"""The catalogue: every match at a glance, newest first.

A read model kept in the store, bucket by bucket, beside the feed from which it is folded and together with
the position up to which it was. It is brought up to date by whoever reads it, in the same round trip, so a
list that is asked for after a match was made shows that match.

Knows the notices that the log writes, of which it reads ``match``, ``game``, ``status``, ``visibility``,
``creator``, ``created_at`` (integer milliseconds), ``to_act`` and ``seats``. Must not know rules or states.
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
from kleos.events.library import Library
from kleos.events.store import Store

FUNCTIONS = Library.read("kleos.projections", "catch_up", "page")
_FOLD = 500
"""Entries folded in one call: what the store may be held up by, a few milliseconds."""
_PAGE = 100


_Question = tuple[str, tuple[str | int, ...]]
"""The name of an index, and what to ask of it (see ``page.lua``)."""


class _Place(NamedTuple):
    """A match's place in the order, which no later match changes: what a cursor says."""

    created_at: Annotated[int, Meta(ge=0, le=1 << 53)]
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
        viewer: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """A page of matches, each as its last notice, newest first, and the cursor of the next page if any.

        ``player``: only matches of which that player is a member (seated, or the creator). ``viewer``: the
        player who looks; private matches are shown to their members only. A cursor stays good while matches
        are added. Raises Malformed for a cursor that this did not give out.
        """
        after = _read_cursor(cursor)
        beyond = (after.created_at, after.match) if after else ("", "")
        filters = (game or "", status or "", viewer or "")
        questions: list[_Question] = []
        if player is None:
            questions.append((_index(game=game, status=status), (limit + 1, *beyond, 0, *filters)))
        if player is not None or viewer is not None:
            questions.append(
                (_index(player=viewer if player is None else player), (limit + 1, *beyond, 1, *filters))
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

    async def unattended(self) -> AsyncIterator[dict[str, Any]]:
        """Every match in which a seat is to act that nobody moves for: a bot's, or one given up."""
        last: _Place | None = None
        while True:
            beyond = (last.created_at, last.match) if last else ("", "")
            items, last = await self._page([("unattended", (_PAGE + 1, *beyond, 0, "", "", ""))], _PAGE)
            for item in items:
                yield item
            if last is None:
                return

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
    items = store.key(bucket, "catalogue:items")
    prefix = store.key(bucket, "catalogue:")
    news = [store.key(bucket, "feed"), items, store.key(bucket, "catalogue:position")]
    fold = ("catch_up", news, (store.key(bucket, "m:"), prefix, _FOLD))
    pages = [("page", [items, prefix + index], arguments) for index, arguments in questions]
    while True:
        more, *answers = await store.connection.functions(FUNCTIONS, [fold, *pages])
        if not more:
            return {
                _Place(int(created), match.decode())
                for answer in answers
                for match, created in zip(answer[::2], answer[1::2], strict=True)
            }


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
