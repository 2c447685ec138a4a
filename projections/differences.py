"""Differences between two versions: as a JSON Patch (RFC 6902), and in words.

The patch is made from what a viewer sees of both versions, so it cannot tell more than two views. Only the
operations ``add``, ``remove`` and ``replace`` occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct, field

from kleos.core.kernel import Builtin, Viewer, redact
from kleos.core.kernel.registry import pinned
from kleos.core.match import Event, Match, codec
from kleos.core.match.words import tell

Patch = list[dict[str, Builtin]]


class Told(Struct, frozen=True):
    """An event in words: one sentence an effect, as the viewer may know it."""

    version: int
    words: tuple[str, ...]


class Difference(Struct, frozen=True):
    """How the state of one version, as a viewer sees it, becomes that of another.

    ``words`` tell the events that lie between, in the order of the log, whichever way one looks.
    """

    start: int = field(name="from")
    to: int
    patch: Patch
    words: tuple[Told, ...]


def difference(start: Match, to: Match, between: Iterable[Event], viewer: Viewer) -> Difference:
    """The difference between two versions of a match; ``between`` are the events after the lower one."""
    seen = codec(start.rules).view
    return Difference(
        start.version,
        to.version,
        list(patch(seen(start.state, viewer), seen(to.state, viewer))),
        tuple(in_words(event, viewer) for event in between),
    )


def in_words(event: Event, viewer: Viewer) -> Told:
    """What happened in an event, as ``viewer`` may know it."""
    game = pinned(event.rules)
    sentences = []
    for effect in event.effects:
        shown = redact(effect, viewer, owner=event.seat)
        sentences.append(tell(shown) if effect.rule.startswith("match.") else game.tell(shown))
    return Told(event.version, tuple(sentences))


def patch(before: Builtin, after: Builtin, at: str = "") -> Iterator[dict[str, Builtin]]:
    """The operations that make ``after`` out of ``before``, to be applied in order."""
    if _same(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in (each for each in before if each not in after):
            yield {"op": "remove", "path": f"{at}/{_escaped(key)}"}
        for key, value in after.items():
            place = f"{at}/{_escaped(key)}"
            if key in before:
                yield from patch(before[key], value, place)
            else:
                yield {"op": "add", "path": place, "value": value}
    elif isinstance(before, list) and isinstance(after, list):
        yield from _rows(before, after, at)
    else:
        yield {"op": "replace", "path": at, "value": after}


def _rows(before: list[Any], after: list[Any], at: str) -> Iterator[dict[str, Builtin]]:
    """What lists share at both ends stays; in between items are changed one by one, then added or removed."""
    head = _shared(zip(before, after, strict=False))
    most = min(len(before), len(after)) - head
    tail = min(most, _shared(zip(reversed(before), reversed(after), strict=False)))
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    common = min(len(old), len(new))
    for place in range(common):
        yield from patch(old[place], new[place], f"{at}/{head + place}")
    for _ in range(common, len(old)):
        yield {"op": "remove", "path": f"{at}/{head + common}"}
    for place in range(common, len(new)):
        yield {"op": "add", "path": f"{at}/{head + place}", "value": new[place]}


def _shared(pairs: Iterable[tuple[Any, Any]]) -> int:
    count = 0
    for one, other in pairs:
        if not _same(one, other):
            break
        count += 1
    return count


def _same(one: Builtin, other: Builtin) -> bool:
    """Equal as JSON: ``True`` is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
