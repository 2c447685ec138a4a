"""How often somebody may ask: a bucket of tokens in the store, the same for all processes.

Knows names and numbers; who is limited, and what happens to whoever is, is decided above.
"""

from __future__ import annotations

from typing import Self

from msgspec import Struct

from kleos.events.library import Library
from kleos.events.store import Store

FUNCTIONS = Library.read("kleos.events", "take")


class Rate(Struct, frozen=True):
    """``most`` at once, and as many again in every ``seconds``."""

    most: int
    seconds: int

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """``200/10``: 200 in ten seconds. None if there is no limit."""
        most, _, seconds = text.partition("/")
        return cls(int(most), int(seconds)) if text else None


class Taken(Struct, frozen=True):
    """Whether there was a token; how many are ``left``; the milliseconds until there is one to take."""

    granted: bool
    left: int
    wait: int


async def take(store: Store, name: str, rate: Rate) -> Taken:
    """Take a token out of the bucket of that name, if there is one. Raises ``StoreUnavailable``."""
    key = store.key(store.bucket(name), f"rate:{name}")
    granted, left, wait = await store.connection.function(FUNCTIONS, "take", [key], rate.most, rate.seconds)
    return Taken(bool(granted), left, wait)
