"""The cursor over the feeds of all buckets: how far somebody has read in each, in one opaque word.

A place in a bucket's feed is the id of its last entry that was read (milliseconds and a number, as the store
gives them out), and how many of the next entry's items were read already. The word is base64url of variable
length integers, so that a small store has short cursors. Must not know what is in a feed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

LONGEST: Final = 2048
"""Characters of the longest cursor: 64 busy buckets need about 500."""
_FORM: Final = 1
_HIGHEST: Final = 1 << 53


class NotACursor(ValueError):
    """The word is not a cursor that was given out for this store."""


class Place(NamedTuple):
    """All up to the entry ``ms-number`` was read, and the first ``items`` of the one that follows."""

    ms: int = 0
    number: int = 0
    items: int = 0

    @classmethod
    def of(cls, position: str) -> Place:
        """The place after the entry at this position of a feed."""
        ms, _, number = position.partition("-")
        return cls(int(ms), int(number or 0))

    @property
    def position(self) -> str:
        """The entry up to which all was read, as the store names it."""
        return f"{self.ms}-{self.number}"


def word(places: Sequence[Place]) -> str:
    """The places of all buckets, in their order, as a cursor."""
    base = min((each.ms for each in places if each.ms), default=0)
    numbers = [_FORM, len(places), base]
    for each in places:
        if each == Place():
            numbers.append(0)
        else:
            numbers += (each.ms - base + 1 if each.ms else 0) + 1, each.number, each.items
    return base64.urlsafe_b64encode(b"".join(map(_varint, numbers))).rstrip(b"=").decode()


def read(text: str, buckets: int) -> list[Place]:
    """The places that a cursor says; raises ``NotACursor``."""
    try:
        if not text or len(text) > LONGEST:
            raise NotACursor(text)
        padded = text + "=" * (-len(text) % 4)
        numbers = _numbers(base64.b64decode(padded, altchars=b"-_", validate=True))
        if (next(numbers), next(numbers)) != (_FORM, buckets):
            raise NotACursor(text)
        base = next(numbers)
        places = [_place(numbers, base) for _ in range(buckets)]
    except (ValueError, binascii.Error, StopIteration):
        raise NotACursor(text) from None
    if word(places) != text or max(map(max, places)) > _HIGHEST:
        raise NotACursor(text)
    return places


def _place(numbers: Iterator[int], base: int) -> Place:
    since = next(numbers)
    if since == 0:
        return Place()
    return Place(base + since - 2 if since > 1 else 0, next(numbers), next(numbers))


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last with the highest bit set (LEB128)."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _numbers(octets: bytes) -> Iterator[int]:
    number = shift = 0
    for each in octets:
        number |= (each & 0x7F) << shift
        shift += 7
        if not each & 0x80:
            yield number
            number = shift = 0
