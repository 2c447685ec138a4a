"""How many answers one player, or one address, may have open here at a time: streams, and what is waited for.

Counted in the process that holds them, where an open answer costs something: nothing is left over of a
process that dies. Whoever asks for one too many is told to come back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from kleos.api.problems import Problem
from kleos.api.rates import network
from kleos.api.settings import Settings

RETRY_AFTER: Final = 10
"""Seconds after which to try again: when a place will be free, nobody knows."""
Passage = AbstractContextManager[None]
"""Entered by one answer for as long as it is open. Raises the problem of one too many."""


class Turnstile:
    """The open answers of one process, by whose they are."""

    def __init__(self, settings: Settings) -> None:
        self._player = settings.streams_player
        self._address = settings.streams_address
        self._open: Counter[str] = Counter()

    def admit(self, player: str | None, address: str) -> Passage:
        """For an answer to a player, or to nobody that is known, by the address it goes to."""
        if player is None:
            return self._passage("streams_address", network(address), self._address)
        return self._passage("streams_player", player, self._player)

    @contextmanager
    def _passage(self, policy: str, who: str, most: int) -> Iterator[None]:
        key = f"{policy}:{who}"
        if self._open[key] >= most:
            raise Problem(
                "rate_limited",
                f"each {policy.removeprefix('streams_')} may have {most} streams "
                "and long polls open; end one first",
                headers={"Retry-After": str(RETRY_AFTER)},
                policy=policy,
            )
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]
