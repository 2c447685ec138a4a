"""The scribe: writes the heads of all matches into the ledger, in rounds, behind the backs of the players.

It follows the feed of every bucket; how far is kept in the ledger itself and moves in the same atomic step as
its entries. So a scribe that dies between any two steps has left nothing undone and nothing done twice, and
of several processes whoever comes first writes, and the others find nothing left to do. No move waits for it.

A match that moved gets one entry a round, its newest head, and so does every rotation of the server's key.
It knows heads and positions, no rules.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from kleos.events import notary
from kleos.events.heads import Frozen
from kleos.events.inscription import inscription
from kleos.events.ledger import Ledger, Place, State
from kleos.events.note import Checkpoint, Signer
from kleos.events.store import Notice, Store, StoreUnavailable

ROUND: Final = 2.0
"""Seconds from one round to the next; who asks for a proof need not wait for it."""
PAGE: Final = 16
"""Entries of each bucket's feed that are followed in one step: a few milliseconds of the store's time."""
_log = logging.getLogger("kleos.scribe")


class Scribe:
    """Keeps a ledger up to date; every server process has one."""

    def __init__(self, store: Store, ledger: Ledger, signer: Signer) -> None:
        self._store = store
        self._ledger = ledger
        self._signer = signer

    async def watch(self) -> None:
        """A round now and then, for ever. A ledger that was set back is left alone, and said so once."""
        frozen = False
        while True:
            try:
                await self.round()
                frozen = False
            except StoreUnavailable:
                _log.warning("the store is away; the ledger will be written later")
            except Frozen as error:
                if not frozen:
                    _log.error("the ledger is not written any more: %s", error)
                frozen = True
            except Exception:
                _log.exception("the ledger could not be written; trying again")
            await asyncio.sleep(ROUND)

    async def round(self) -> None:
        """Write down everything that is in the feeds by now. Raises ``Frozen`` or ``StoreUnavailable``."""
        while await self._step():
            pass

    async def proof(self, match: str, size: int) -> str | None:
        """The proof that the ledger has a match, in its state of ``size`` events or newer.

        None if the match is not in the ledger, as one that is frozen. Raises as ``round``.
        """
        (place,) = await self._ledger.places([match])
        if place is None or place.size < size:
            await self.round()
        return await self._ledger.proof(match)

    async def _step(self) -> bool:
        """One page of every feed; whether there may be more to do."""
        seen = await self._ledger.state()
        pages = await asyncio.gather(
            *(
                self._store.feed(bucket, seen.positions.get(bucket, "0"), PAGE)
                for bucket in range(self._store.buckets)
            )
        )
        news = [notice for page in pages for notice in page]
        rotations = self._signer.rotations[seen.rotations :]
        if not news and not rotations:
            return False
        heads = await self._heads(list(dict.fromkeys(notice.match for notice in news)))
        await self._write(seen, heads, news, rotations)
        return True

    async def _write(
        self, seen: State, heads: dict[str, Checkpoint], news: Sequence[Notice], rotations: Sequence[str]
    ) -> None:
        entries = [note.encode() for note in rotations]
        places = {}
        for match, head in heads.items():
            places[match] = Place(head.size, seen.edge.size + len(entries))
            entries.append(head.text.encode())
        await self._ledger.append(
            seen,
            entries,
            places=places,
            positions={notice.bucket: notice.position for notice in news},
            rotations=seen.rotations + len(rotations),
        )

    async def _heads(self, matches: Sequence[str]) -> dict[str, Checkpoint]:
        """The heads, as they are inscribed, of those matches that are longer than the ledger knows them."""
        found = {}
        kept = await asyncio.gather(*(self._store.head(match) for match in matches))
        for match, head, place in zip(matches, kept, await self._ledger.places(matches), strict=True):
            try:
                size, root = notary.tip(head[1]) if head is not None else (0, b"")
            except Exception:  # whatever stands there must not hide the other matches
                _log.exception("the head of match %s cannot be read", match)
                continue
            if size > (place.size if place is not None else 0):
                found[match] = inscription(self._signer.name, match, size, root)
        return found
