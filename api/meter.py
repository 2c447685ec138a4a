"""What a process has done since it started, counted where it happens and told to Prometheus when asked.

Counting is an addition in memory. The text is the Prometheus exposition format 0.0.4: a few lines of code,
where a client library would bring a registry of global state and a second notion of processes.
"""

from __future__ import annotations

import bisect
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from kleos.events.store import Appended, Conflict, Store

MEDIA: Final = "text/plain; version=0.0.4"
BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds, in seconds, of the classes that appends are sorted into by the time they took."""
METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"})
Labels = tuple[str, ...]


class _Noted(Struct, frozen=True):
    """What the meter reads of a notice."""

    game: str
    kind: str | None


class Meter:
    """The counts of one process."""

    def __init__(self) -> None:
        self.requests: Counter[Labels] = Counter()
        """By method and status."""
        self.refusals: Counter[Labels] = Counter()
        """By code."""
        self.events: Counter[Labels] = Counter()
        """Accepted events by game and kind."""
        self.conflicts: Counter[Labels] = Counter()
        """Appends that lost a race, by game."""
        self.appends: dict[str, list[int]] = {}
        """Accepted appends by game, in classes of the time they took."""
        self.append_seconds: dict[str, float] = {}
        self.streams: Counter[Labels] = Counter()
        """Open now, by game; those over all matches of a player have none."""
        self.streams_ended: Counter[Labels] = Counter()
        """By reason."""

    def count(self, method: str, status: int) -> None:
        """An exchange is over."""
        self.requests[method if method in METHODS else "other", str(status)] += 1

    def appended(self, notice: bytes, seconds: float) -> None:
        """An append of this notice was accepted."""
        noted = msgspec.json.decode(notice, type=_Noted)
        self.events[noted.game, noted.kind or ""] += 1
        classes = self.appends.setdefault(noted.game, [0] * (len(BOUNDS) + 1))
        classes[bisect.bisect_left(BOUNDS, seconds)] += 1
        self.append_seconds[noted.game] = self.append_seconds.get(noted.game, 0.0) + seconds

    def beaten(self, notice: bytes) -> None:
        """An append of this notice lost a race."""
        self.conflicts[msgspec.json.decode(notice, type=_Noted).game,] += 1

    def text(self) -> str:
        """All of it, for Prometheus."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _counter("requests", "HTTP requests.", self.requests, ("method", "status"))
        yield from _counter("refusals", "Requests that were refused.", self.refusals, ("code",))
        yield from _counter("events", "Events accepted.", self.events, ("game", "kind"))
        yield from _counter("conflicts", "Appends that lost a race.", self.conflicts, ("game",))
        yield from self._histogram()
        yield from _family(
            "streams", "gauge", "Live streams that are open.", sorted(self.streams.items()), ("game",)
        )
        yield from _counter("streams_ended", "Live streams that ended.", self.streams_ended, ("reason",))

    def _histogram(self) -> Iterator[str]:
        name = "kleos_append_seconds"
        yield f"# HELP {name} Seconds that accepted appends took."
        yield f"# TYPE {name} histogram"
        for game, classes in sorted(self.appends.items()):
            below = 0
            for bound, number in zip((*map(str, BOUNDS), "+Inf"), classes, strict=True):
                below += number
                yield _sample(f"{name}_bucket", {"game": game, "le": bound}, below)
            yield _sample(f"{name}_sum", {"game": game}, self.append_seconds[game])
            yield _sample(f"{name}_count", {"game": game}, below)


def _counter(name: str, told: str, counts: Mapping[Labels, int], labels: Labels) -> Iterator[str]:
    return _family(f"{name}_total", "counter", told, sorted(counts.items()), labels)


def _family(
    name: str, kind: str, told: str, samples: Iterable[tuple[Labels, int]], labels: Labels
) -> Iterator[str]:
    yield f"# HELP kleos_{name} {told}"
    yield f"# TYPE kleos_{name} {kind}"
    for values, number in samples:
        yield _sample(f"kleos_{name}", dict(zip(labels, values, strict=True)), number)


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    """One line; what can stand in a label here needs no escapes."""
    told = ",".join(f'{label}="{each}"' for label, each in {**labels, "process": str(os.getpid())}.items())
    return f"{name}{{{told}}} {value}"


class MeteredStore(Store):
    """A store whose appends are counted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.meter = Meter()

    async def append(self, match: str, *, notice: bytes, **rest: Any) -> Appended:
        began = time.perf_counter()
        try:
            appended = await super().append(match, notice=notice, **rest)
        except Conflict:
            self.meter.beaten(notice)
            raise
        if not appended.replayed:
            self.meter.appended(notice, time.perf_counter() - began)
        return appended
