"""Telling webhooks what the feed has to tell, in the form of Standard Webhooks.

A message has an id (`webhook-id`), the time of the attempt (`webhook-timestamp`, seconds) and a signature
(`webhook-signature: v1,<base64>`): HMAC-SHA-256, under the webhook's secret, over `id.timestamp.body`. It is
sent until an answer says 2xx, at least once and always with the same id; after the last attempt it failed.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
from collections import Counter
from functools import partial
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kleos.api import outbound
from kleos.core.match import News
from kleos.events import digest
from kleos.events.log import Log
from kleos.events.store import FeedEntry, StoreUnavailable
from kleos.events.webhooks import LEASE, Attempt, Delivery, Hook, Webhooks
from kleos.projections.news import where
from kleos.projections.timeline import rfc3339

ROUND: Final = 1.0
"""Seconds between two looks at what there is to tell, unless the first look found something to send."""
BACKOFF: Final = (5, 300, 1800, 7200, 18000, 36000, 36000)
"""Seconds between one attempt and the next; after the last there is no more."""
ABREAST: Final = 256
"""Attempts under way from which on a process begins no more."""
CLAIMED: Final = 4
"""Deliveries of a bucket that are begun in one round."""
EACH: Final = 4
"""Attempts of one webhook that may be under way."""
LINE: Final = EACH * (LEASE // int(outbound.TIMEOUT * 1000) - 1)
"""Deliveries of one webhook that a process has in hand, those under way and those that wait for them: the
last one is begun well before its lease is over, however slow the receiver is.
"""
GONE: Final = 410
"""The answer of somebody who wants to be told nothing more."""
_log = logging.getLogger("kleos.webhooks")


def secret_text(hook: Hook) -> str:
    """A webhook's secret in the form that libraries for receivers expect."""
    return "whsec_" + base64.b64encode(hook.secret).decode()


def signature(secret: bytes, message: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    signed = f"{message}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


def delivery(hook: Hook, kind: str, about: dict[str, Any], at: int, unique: str) -> Delivery:
    """A message to a webhook; the same ``unique`` gives the same id."""
    body = {"type": kind, "timestamp": rfc3339(at), "data": about}
    name = digest.text(digest.digest("kleos/webhook/v1", hook.id.encode(), unique.encode()))
    return Delivery(
        id=f"msg_{name}",
        hook=hook.id,
        player=hook.player,
        type=kind,
        body=msgspec.json.encode(body).decode(),
        created_at=at,
    )


class Courier:
    """Handles the feed and the queue; every server process has one.

    Attempts go on beside each other and beside the rounds, so a receiver that takes its time holds up nobody
    else; and a webhook that has many under way waits for those. What is to be told one webhook is begun in
    the order in which it became due, but who is heard first is up to the receiver.
    """

    def __init__(self, webhooks: Webhooks, log: Log, *, private: bool = False) -> None:
        self._webhooks = webhooks
        self._log = log
        self._private = private
        self._attempts: set[asyncio.Task[None]] = set()
        self._held: Counter[str] = Counter()
        self._free: dict[str, asyncio.Semaphore] = {}

    async def watch(self) -> None:
        """Tell what there is to tell, for ever."""
        joined = False
        try:
            while True:
                taken = 0
                try:
                    if not joined:
                        await self._webhooks.join()
                        joined = True
                    taken = await self.round()
                except StoreUnavailable:
                    _log.warning("the store is away; webhooks will be told later")
                except Exception:
                    _log.exception("webhooks could not be told; trying again")
                await asyncio.sleep(0 if taken else ROUND)
        finally:
            for attempt in self._attempts:
                attempt.cancel()  # made again when its lease is over
            await asyncio.gather(*self._attempts, return_exceptions=True)

    async def round(self) -> int:
        """Handle what is new in the feed, then take in hand what is due; how many deliveries it took."""
        entries = await self._webhooks.news()
        known: dict[str, list[Hook]] = {}
        for entry in entries:
            if entry.news:
                await self._enqueue(entry, known)
        await self._webhooks.handled(entries)
        if sum(min(held, EACH) for held in self._held.values()) >= ABREAST:
            return 0
        claimed = await self._webhooks.claim(self._log.now(), CLAIMED)
        return sum([await self._take(told) for told in claimed])

    @property
    def under_way(self) -> frozenset[asyncio.Task[None]]:
        """The attempts that are being made, and those that wait for one of the same webhook to end."""
        return frozenset(self._attempts)

    async def _take(self, told: Delivery) -> bool:
        """Make an attempt, unless the webhook has so many in hand that this one has to come again."""
        if self._held[told.hook] >= LINE:
            await self._webhooks.settle(told, self._log.now() + BACKOFF[0] * 1000)
            return False
        self._held[told.hook] += 1
        attempt = asyncio.create_task(self._in_turn(told), name=f"delivery {told.id}")
        self._attempts.add(attempt)
        attempt.add_done_callback(partial(self._ended, told.hook))
        return True

    async def _in_turn(self, told: Delivery) -> None:
        async with self._free.setdefault(told.hook, asyncio.Semaphore(EACH)):
            await self._attempt(told)

    def _ended(self, hook: str, attempt: asyncio.Task[None]) -> None:
        self._attempts.discard(attempt)
        self._held[hook] -= 1
        if not self._held[hook]:
            del self._held[hook]
            self._free.pop(hook, None)
        if not attempt.cancelled() and (error := attempt.exception()) is not None:
            _log.warning("a delivery could not be settled; it will be made again: %r", error)

    async def _enqueue(self, entry: FeedEntry, known: dict[str, list[Hook]]) -> None:
        """Put into the queue what an event has to tell; ``known`` are hooks by player."""
        try:
            news = News.read(entry.news)
        except msgspec.MsgspecError:
            _log.exception("nobody is told of event %d of match %s", entry.version, entry.match)
            return
        for tiding in news.tidings:
            if tiding.player not in known:
                known[tiding.player] = await self._webhooks.of(tiding.player)
            for hook in known[tiding.player]:
                if tiding.kind in hook.events:
                    about = {
                        "match": entry.match,
                        "game": news.game,
                        "version": entry.version,
                        "seat": tiding.seat,
                        "player": tiding.player,
                        "status": news.status,
                        "links": msgspec.to_builtins(where(entry.match)),
                    }
                    unique = f"{tiding.kind} {entry.match} {entry.version} {tiding.seat}"
                    await self._webhooks.enqueue(
                        delivery(hook, tiding.kind, about, entry.at, unique), self._log.now()
                    )

    async def _attempt(self, told: Delivery) -> None:
        hook = await self._webhooks.hook(told.player, told.hook)
        if hook is None:
            await self._webhooks.settle(replace(told, state="failed"), None)
            return
        attempt = await self._send(hook, told)
        told = replace(told, attempts=(*told.attempts, attempt))
        if attempt.status is not None and 200 <= attempt.status < 300:
            await self._webhooks.settle(replace(told, state="delivered"), None)
        elif attempt.status == GONE:
            await self._webhooks.remove(hook.player, hook.id)
        elif len(told.attempts) > len(BACKOFF):
            await self._webhooks.settle(replace(told, state="failed"), None)
        else:
            await self._webhooks.settle(told, self._log.now() + BACKOFF[len(told.attempts) - 1] * 1000)

    async def _send(self, hook: Hook, told: Delivery) -> Attempt:
        now = self._log.now()
        body = told.body.encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "kleos",
            "webhook-id": told.id,
            "webhook-timestamp": str(now // 1000),
            "webhook-signature": signature(hook.secret, told.id, now // 1000, body),
        }
        try:
            status = await outbound.post(hook.url, body, headers, private=self._private)
        except (outbound.Refused, outbound.Unanswered) as error:
            return Attempt(now, None, str(error))
        return Attempt(now, status)
