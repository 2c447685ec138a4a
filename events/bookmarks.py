"""Bookmarks: versions of matches that a player has given a name. They are not in the log.

They are fields of the player's hash (see ``accounts``), ``mark:<match>:<name>`` -> version, so that erasing
the player erases them too.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from kleos.core.kernel.errors import Forbidden, Malformed
from kleos.events.store import Store

MOST: Final = 200
"""Bookmarks that a player may have."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")


class Bookmark(Struct, frozen=True):
    """A named version."""

    name: str
    version: int


class Bookmarks:
    """The bookmarks of all players of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, player: str, match_id: str) -> list[Bookmark]:
        """The bookmarks of a player in one match, by version and name."""
        prefix = _field(match_id, "")
        found = [
            Bookmark(field.removeprefix(prefix), version)
            for field, version in (await self._all(player)).items()
            if field.startswith(prefix)
        ]
        return sorted(found, key=lambda mark: (mark.version, mark.name))

    async def put(self, player: str, match_id: str, mark: Bookmark) -> None:
        """Name a version; a name that was there is moved.

        Raises Malformed for a bad name, Forbidden for one too many.
        """
        if not _NAME.fullmatch(mark.name):
            raise Malformed("a bookmark has 1 to 64 letters, digits, spaces, dots, underscores or hyphens")
        field = _field(match_id, mark.name)
        marks = await self._all(player)
        if field not in marks and len(marks) >= MOST:
            raise Forbidden(f"a player has at most {MOST} bookmarks; delete one first")
        place = self._key(player)
        await self._store.connection.call(place, "HSET", place, field, str(mark.version))

    async def delete(self, player: str, match_id: str, name: str) -> bool:
        """Forget a bookmark; False if there was none."""
        place = self._key(player)
        return bool(await self._store.connection.call(place, "HDEL", place, _field(match_id, name)))

    async def _all(self, player: str) -> dict[str, int]:
        place = self._key(player)
        fields = await self._store.connection.call(place, "HGETALL", place)
        return {field.decode(): int(value) for field, value in fields.items() if field.startswith(b"mark:")}

    def _key(self, player: str) -> str:
        return self._store.key(self._store.bucket(player), f"p:{player}")


def _field(match_id: str, name: str) -> str:
    return f"mark:{match_id}:{name}"
