"""Tiles: a Merkle tree cut into pieces of eight levels, as C2SP ``tlog-tiles`` serves it. Pure arithmetic.

A hash of level *l* is the root over 256^l consecutive leaves, so level 0 holds the leaves' hashes. A full
tile is 256 consecutive hashes of one level, and becomes one hash of the level above. Whoever can read hashes
by level and place can compute every root and every proof of the log::

    ranges of leaves  ->  perfect subtrees  ->  spans of hashes of one level

This knows numbers and hashes; where the hashes are kept is no matter here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import Final

from msgspec import Struct

from kleos.events import merkle
from kleos.events.merkle import Edge

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
"""Hashes in a full tile, and entries in a full bundle of them."""
LEVELS: Final = 6
"""Levels that are kept: enough for 256^6 entries."""
_PLACE: Final = re.compile(r"((?:x[0-9]{3}/)*)([0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")


class Range(Struct, frozen=True):
    """The leaves from ``start`` up to, and without, ``end``."""

    start: int
    end: int


class Span(Struct, frozen=True):
    """``count`` consecutive hashes of a level, whose root is that of one perfect subtree."""

    level: int
    start: int
    count: int

    @property
    def possible(self) -> bool:
        """Whether the largest log of which all levels are kept has it: no store need be asked for others."""
        return 0 <= self.level < LEVELS and self.start + self.count <= WIDTH ** (LEVELS - self.level)


class Tile(Struct, frozen=True):
    """Tile ``index`` of a level, of which ``width`` hashes are wanted: 256 of a full one."""

    index: int
    width: int

    @property
    def start(self) -> int:
        """The place of its first hash in the level."""
        return self.index * WIDTH

    @property
    def place(self) -> str:
        """As it stands in URLs: ``x001/x234/067``, a partial one with ``.p/12`` behind."""
        digits = str(self.index)
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        *above, last = (digits[at : at + 3] for at in range(0, len(digits), 3))
        partial = f".p/{self.width}" if self.width < WIDTH else ""
        return "".join(f"x{each}/" for each in above) + last + partial

    @classmethod
    def parse(cls, place: str) -> Tile:
        """The tile of a place; ``ValueError`` unless it is written in the one right way."""
        found = _PLACE.fullmatch(place)
        if found is None:
            raise ValueError("a tile is named like 067, x001/x234/067 or 067.p/12")
        index = int(found[1].replace("x", "").replace("/", "") + found[2])
        tile = cls(index, int(found[3]) if found[3] else WIDTH)
        if tile.place != place:
            raise ValueError("a tile's number has no needless zeros, and a partial tile 1 to 255 hashes")
        return tile


def grown(edge: Edge, leaf: bytes) -> tuple[Edge, list[tuple[int, bytes]]]:
    """The edge with one more leaf, and the hashes that this completes on levels above 0, lowest first."""
    hashes, size, height, completed = list(edge.hashes), edge.size, 0, []
    top = leaf
    while size & 1:
        top = merkle.node(hashes.pop(), top)
        size, height = size >> 1, height + 1
        if height % HEIGHT == 0:
            completed.append((height // HEIGHT, top))
    return Edge(edge.size + 1, (*hashes, top)), completed


def inclusion(index: int, size: int) -> list[Range]:
    """The ranges whose roots are the audit path of leaf ``index``, from its sibling up (RFC 6962, 2.1.1)."""
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    path: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(Range(middle, end))
            end = middle
        else:
            path.append(Range(start, middle))
            start = middle
    return path[::-1]


def consistency(old: int, size: int) -> list[Range]:
    """The ranges whose roots prove that a tree of ``old`` leaves is a prefix of this (RFC 6962, 2.1.2)."""
    if not 0 < old <= size:
        raise ValueError(f"a tree of {size} leaves has no prefix of {old}")
    path: list[Range] = []
    start, end, whole = 0, size, True
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(Range(middle, end))
            end = middle
        else:
            path.append(Range(start, middle))
            start, whole = middle, False
    return [*([] if whole else [Range(start, end)]), *path[::-1]]


def spans(leaves: Range) -> list[Span]:
    """The perfect subtrees of a range that occurs in proofs, left to right, each as a span of its level."""
    start, found = leaves.start, []
    while start < leaves.end:
        size = 1 << (leaves.end - start).bit_length() - 1
        level, rest = divmod(size.bit_length() - 1, HEIGHT)
        count = 1 << rest
        found.append(Span(level, start // size * count, count))
        start += size
    return found


def joined(hashes: Sequence[Sequence[bytes]]) -> bytes:
    """The root over a range, from the hashes of each of its spans."""
    subtrees = [merkle.root(each) for each in hashes]
    return reduce(lambda right, left: merkle.node(left, right), reversed(subtrees))


def _split(size: int) -> int:
    return 1 << (size - 1).bit_length() - 1
