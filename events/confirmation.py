"""Where a write is known to be: asked of the server after it, never assumed from the settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from kleos.events.batch import Command

WAIT: Final = 0.5
"""Seconds for which disks and replicas are waited for."""
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

    def command(self) -> Command:
        late = self._replicas > 0 and self._clock() < self._late_until
        return ("WAITAOF", 1, 0 if late else self._replicas, int(1000 * WAIT))

    def verdict(self, reply: Any) -> str:
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
