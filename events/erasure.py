"""Erasing a player: first from the store, then from its files.

A deleted name is still in the store's append-only file until that is written anew, which the store does when
it likes. So whoever erases asks for it, and a counter in the store remembers that it was asked for, should
the process not live to see it done. The log needs no mending: it knows players by ids that say nothing.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Final

from redis.exceptions import ResponseError

from kleos.events.accounts import Accounts
from kleos.events.store import Store, StoreUnavailable

_PAUSE: Final = 0.2
"""Seconds between two looks at whether a file has been written."""
_RETRY: Final = 60.0
"""Seconds before a rewrite that failed is asked for again."""
_log = logging.getLogger("kleos.erasure")


class NotRewritten(Exception):
    """A server of the store could not, or may not, write its file anew; the text is its answer."""


class Erasure:
    """Forgets players, in one store."""

    def __init__(self, store: Store, accounts: Accounts) -> None:
        self._store = store
        self._accounts = accounts
        self._owed = store.key(0, "erasures")
        self._asked = asyncio.Event()

    async def erase(self, player: str) -> bool:
        """Forget a player: name, key, tokens, bookmarks. False if there is no such player.

        The store owes a ``rewrite`` from then on.
        """
        await self._store.connection.call(self._owed, "INCR", self._owed)
        erased = await self._accounts.erase(player)
        self._asked.set()
        return erased

    async def rewrite(self) -> None:
        """Have every server write its file anew, if that is owed; returns when no file holds what was erased.

        Raises ``NotRewritten`` or ``StoreUnavailable``; the rewrite is then still owed.
        """
        while (owed := int(await self._store.connection.call(self._owed, "GET", self._owed) or 0)) > 0:
            await self._written()  # one that is under way may have begun before the name was deleted
            for endpoint, reply in (await self._store.connection.everywhere("BGREWRITEAOF")).items():
                if isinstance(reply, ResponseError) and "in progress" not in str(reply):
                    raise NotRewritten(f"{endpoint}: {reply}")
            await self._written()
            await self._store.connection.call(self._owed, "DECRBY", self._owed, owed)

    async def attend(self) -> None:
        """See to it, for ever, that no rewrite is owed for long."""
        while True:
            patience: float | None = None
            self._asked.clear()
            try:
                await self.rewrite()
            except (NotRewritten, StoreUnavailable) as error:
                _log.warning("the store's files still hold what was erased: %s", error)
                patience = _RETRY
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), patience)

    async def _written(self) -> None:
        """Wait until no file is being written or waits for it."""
        while True:
            reports = await self._store.connection.everywhere("INFO", "persistence")
            for endpoint, report in reports.items():
                if isinstance(report, ResponseError):
                    raise NotRewritten(f"{endpoint}: {report}")
                if report["aof_last_bgrewrite_status"] == "err":
                    raise NotRewritten(f"{endpoint} could not write its file anew; see its log")
            if not any(
                each["aof_rewrite_in_progress"] or each["aof_rewrite_scheduled"] for each in reports.values()
            ):
                return
            await asyncio.sleep(_PAUSE)
