"""Where a write is known to be: asked of the server after it, never assumed from the settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from kleos.events.batch import Command

WAIT: Final = 0.5
"""Seconds for which disks and replicas are waited for."""
_ASK_AGAIN: Final = (3, 50)
"""Milliseconds after which replicas are asked again; an idle server is late by up to 100."""
_RESPITE: Final = 1.0
"""Seconds for which replicas that were late once are not waited for again."""


class Confirmation:
    """Closes a pipeline of writes with WAITAOF, for one server with so many ``replicas`` to wait for.

    The verdict is ``replicated:k`` when the write is on the disk of the server and of that many replicas,
    ``fsync`` when it is on the server's own, and ``memory`` when not even that was confirmed. Replicas that
    are late are not waited for during a second, so that a missing one holds up few writes and not all.
    """

    def __init__(self, replicas: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._replicas = replicas
        self._clock = clock
        self._late_until = clock()

    def commands(self) -> Sequence[Command]:
        if self._replicas == 0 or self._clock() < self._late_until:
            return [("WAITAOF", 1, 0, int(1000 * WAIT))]
        # A replica that reads a write and the question together answers before it has synced, and then only
        # in its report each second; so it is asked again.
        return [("WAITAOF", 1, self._replicas, wait) for wait in (*_ASK_AGAIN, int(1000 * WAIT))]

    def verdict(self, replies: Sequence[Any]) -> str:
        reply = replies[-1]
        if isinstance(reply, Exception):
            return "memory"
        own, replicas = reply
        if own < 1:
            return "memory"
        if self._replicas and replicas >= self._replicas:
            return f"replicated:{self._replicas}"
        if self._replicas and self._clock() >= self._late_until:
            self._late_until = self._clock() + _RESPITE
        return "fsync"
