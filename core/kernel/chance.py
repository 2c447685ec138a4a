"""Chance: the only source of dice and shuffles, always passed in as a parameter.

The values come from HMAC-SHA-256 in counter mode. Block *i* of the stream named *label* is
``HMAC-SHA-256(key, label || uint64_be(i))``; each block yields eight big-endian 32-bit words. A word is
mapped to ``0 … n-1`` by rejection sampling (words at or above the largest multiple of *n* are skipped),
a shuffle is Fisher-Yates from the last place down. Dice and shuffles use streams of their own, so that
either can be opened without the other. There are no floats and no other state.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")

DICE = b"kleos/chance/dice/v1"
SHUFFLES = b"kleos/chance/shuffles/v1"
_WORDS = struct.Struct(">8I")


class Chance(Protocol):
    """What a rule may ask of fortune."""

    def die(self, faces: int) -> int:
        """A uniform integer from 1 to ``faces``."""
        ...

    def pick(self, n: int) -> int:
        """A uniform integer from 0 to ``n - 1``, for choices that are not dice (a first player)."""
        ...

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a uniformly random order."""
        ...


def words(key: bytes, label: bytes) -> Iterator[int]:
    """The 32-bit words of the stream ``label`` under a key, without end."""
    block = 0
    while True:
        yield from _WORDS.unpack(hmac.digest(key, label + block.to_bytes(8, "big"), hashlib.sha256))
        block += 1


def below(words: Iterator[int], n: int) -> int:
    """A uniform integer from 0 to ``n - 1``, from as many words as it takes."""
    if not 0 < n <= 1 << 32:
        raise ValueError(f"a uniform choice needs 1 to 2^32 possibilities, not {n}")
    limit = (1 << 32) - (1 << 32) % n
    word = next(words)
    while word >= limit:
        word = next(words)
    return word % n


class KeyedChance:
    """Chance derived from a secret key: the same key gives the same fortune, for ever."""

    __slots__ = ("_dice", "_shuffles")

    def __init__(self, key: bytes) -> None:
        self._dice = words(key, DICE)
        self._shuffles = words(key, SHUFFLES)

    def die(self, faces: int) -> int:
        return below(self._dice, faces) + 1

    def pick(self, n: int) -> int:
        return below(self._shuffles, n)

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = below(self._shuffles, last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)
