"""Draws: each use of chance in an event, and the working by which anybody comes to the same result.

A working is what ``docs/chance.md`` tells, with the numbers put in: the secret, the message under it, the key
that follows, and the words of the key's stream that each draw has used up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from kleos.core.kernel import Refused
from kleos.core.kernel.chance import DICE, SHUFFLES, below, words
from kleos.core.kernel.registry import pinned
from kleos.core.match import Event, Match, evolve
from kleos.core.match.chance import dice_key, link, shuffles_key
from kleos.core.match.facts import MatchStarted

T = TypeVar("T")
Source = Literal["dice", "shuffles"]


class Draw(Struct, frozen=True):
    """One use of chance: a ``die`` of so many faces, a ``pick`` out of so many, a ``shuffle`` of so many.

    ``value`` is what came out of a die or a pick; ``order`` of a shuffle, for each place from the first, the
    place that its item had before. ``words`` are those of the stream that were used up, in order, with those
    that were skipped. Of picks and shuffles all three are absent until the match is over.
    """

    kind: Literal["die", "pick", "shuffle"]
    of: int
    value: int | UnsetType = UNSET
    order: tuple[int, ...] | UnsetType = UNSET
    words: tuple[int, ...] | UnsetType = UNSET


class Stream(Struct, frozen=True, kw_only=True):
    """Where an event's dice, or its shuffles and picks, come from.

    ``key`` is HMAC-SHA-256 of ``message`` under ``secret``; block *i* of the stream is HMAC-SHA-256 of
    ``label`` and *i* (64 bits, big-endian) under ``key``. Secret and key are in hexadecimal.
    """

    source: Source
    secret: str
    message: str
    key: str
    label: str


ASTRAY: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What rules, and their words, may raise on what no rules have made."""
_LABELS: Final[dict[Source, bytes]] = {"dice": DICE, "shuffles": SHUFFLES}


class Witness:
    """The chance of the event that makes one version of a match, which writes down how it was used."""

    def __init__(self, match: Match, version: int) -> None:
        self._match = match
        self._version = version
        self._read: dict[Source, _Reading] = {}
        self.draws: list[Draw] = []

    def die(self, faces: int) -> int:
        reading = self._reading("dice")
        value = below(reading, faces) + 1
        self.draws.append(Draw("die", faces, value, words=reading.used()))
        return value

    def pick(self, n: int) -> int:
        reading = self._reading("shuffles")
        value = below(reading, n)
        self.draws.append(Draw("pick", n, value, words=reading.used()))
        return value

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        reading = self._reading("shuffles")
        order = list(range(len(items)))
        for last in range(len(order) - 1, 0, -1):
            other = below(reading, last + 1)
            order[last], order[other] = order[other], order[last]
        self.draws.append(Draw("shuffle", len(order), order=tuple(order), words=reading.used()))
        return tuple(items[place] for place in order)

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams that were drawn from."""
        return tuple(reading.stream for reading in self._read.values())

    def _reading(self, source: Source) -> _Reading:
        if source not in self._read:
            self._read[source] = _Reading(self._stream(source))
        return self._read[source]

    def _stream(self, source: Source) -> Stream:
        match, version = self._match, self._version
        entropy = tuple(each.entropy for each in match.seats)
        if source == "dice":
            secret = link(match.seed, match.id, version)
            key = dice_key(secret, match.id, version, entropy)
        else:
            secret = bytes.fromhex(match.seed)
            key = shuffles_key(match.seed, match.id, version, entropy)
        message = msgspec.json.encode((f"kleos/{source}/v1", match.id, version, entropy)).decode()
        label = _LABELS[source].decode()
        return Stream(source=source, secret=secret.hex(), message=message, key=key.hex(), label=label)


class _Reading:
    """The words of a stream, with a note of those that were used up since the last look."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._words = words(bytes.fromhex(stream.key), stream.label.encode())
        self._used: list[int] = []

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        word = next(self._words)
        self._used.append(word)
        return word

    def used(self) -> tuple[int, ...]:
        found, self._used = tuple(self._used), []
        return found


def decided_again(before: Match | None, event: Event) -> tuple[Witness | None, tuple[Any, ...] | None]:
    """How chance was used in an event, and the game's effects; None where the game had no part in it.

    What the rules refuse, though it is in the log, has no effects.
    """
    try:
        return _decided(before, event)
    except (Refused, *ASTRAY):
        return None, ()


def _decided(before: Match | None, event: Event) -> tuple[Witness | None, tuple[Any, ...] | None]:
    game = pinned(event.rules)
    if before is not None and event.kind == "move" and event.seat is not None:
        witness = Witness(before, event.version)
        return witness, game.decide(before.state, event.seat, event.action, witness).effects
    started = next((n for n, each in enumerate(event.effects) if isinstance(each, MatchStarted)), None)
    if started is None:
        return None, None
    table = evolve(before, replace(event, effects=event.effects[:started]))
    if table.state is not None:
        return None, None  # a fork goes on from what was laid out elsewhere
    witness = Witness(table, event.version)
    options = msgspec.convert(table.options, game.Options)
    return witness, game.open(options, len(table.seats), witness).effects


def shown(witness: Witness | None, *, opened: bool) -> tuple[tuple[Draw, ...], tuple[Stream, ...]]:
    """The draws and their streams as somebody may know them.

    Dice are everybody's at once: the event that threw them opened their secret. All else waits for the seed.
    """
    if witness is None:
        return (), ()
    draws, streams = tuple(witness.draws), witness.streams
    if opened:
        return draws, streams
    sealed = tuple(each if each.kind == "die" else Draw(each.kind, each.of) for each in draws)
    return sealed, tuple(each for each in streams if each.source == "dice")
