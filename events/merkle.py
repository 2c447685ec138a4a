"""Merkle trees of RFC 6962 (and RFC 9162, section 2.1): pure arithmetic on hashes, no storage.

A leaf hashes ``0x00 || entry``, a node ``0x01 || left || right``, both with SHA-256. A tree of *n* leaves
splits at the largest power of two below *n*. A log that only grows needs no more than its ``Edge``: the
roots of the perfect subtrees from left to right, one for each bit of its size. Three entries::

    root = node(node(a, b), c)      edge = (node(a, b), c)

Appending, the root, and the inclusion proof of the newest entry all follow from the edge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import reduce

from msgspec import Struct

EMPTY = hashlib.sha256().digest()
"""The root of the tree without entries."""


def leaf(entry: bytes) -> bytes:
    """The hash of one entry."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Edge(Struct, frozen=True):
    """The right edge of a tree of ``size`` leaves: its perfect subtrees, the largest (leftmost) first."""

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def append(self, leaf_hash: bytes) -> Edge:
        """The edge with one more leaf."""
        hashes = list(self.hashes)
        size = self.size
        while size & 1:  # as many merges as the size has trailing ones: a binary counter
            leaf_hash = node(hashes.pop(), leaf_hash)
            size >>= 1
        return Edge(self.size + 1, (*hashes, leaf_hash))

    @property
    def root(self) -> bytes:
        if not self.hashes:
            return EMPTY
        return reduce(lambda right, left: node(left, right), reversed(self.hashes))

    def proof_of_next(self) -> tuple[bytes, ...]:
        """The inclusion proof of the leaf appended next, in the tree that ends with it."""
        return self.hashes[::-1]


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes (RFC 6962, section 2.1)."""
    return reduce(Edge.append, leaves, Edge()).root


def _split(size: int) -> int:
    """The largest power of two smaller than ``size`` (at least 2)."""
    return 1 << (size - 1).bit_length() - 1


def inclusion(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """The audit path of leaf ``index``, from its sibling up to the root's child (RFC 6962, section 2.1.1)."""
    if not 0 <= index < len(leaves):
        raise ValueError(f"a tree of {len(leaves)} leaves has no leaf {index}")
    if len(leaves) == 1:
        return ()
    k = _split(len(leaves))
    if index < k:
        return (*inclusion(leaves[:k], index), root(leaves[k:]))
    return (*inclusion(leaves[k:], index - k), root(leaves[:k]))


def consistency(leaves: Sequence[bytes], old: int) -> tuple[bytes, ...]:
    """The proof that the tree of the first ``old`` leaves is a prefix of this one (section 2.1.2)."""
    if not 0 < old <= len(leaves):
        raise ValueError(f"a tree of {len(leaves)} leaves has no prefix of {old}")
    return _subproof(leaves, old, whole=True)


def _subproof(leaves: Sequence[bytes], old: int, *, whole: bool) -> tuple[bytes, ...]:
    if old == len(leaves):
        return () if whole else (root(leaves),)
    k = _split(len(leaves))
    if old <= k:
        return (*_subproof(leaves[:k], old, whole=whole), root(leaves[k:]))
    return (*_subproof(leaves[k:], old - k, whole=False), root(leaves[:k]))


def root_from_inclusion(leaf_hash: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2).

    The proof holds when this is the root one trusts. ``ValueError`` if its length does not fit.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    at, last, found = index, size - 1, leaf_hash
    for sibling in path:
        if last == 0:
            raise ValueError("the proof is too long")
        if at & 1 or at == last:
            found = node(sibling, found)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, sibling)
        at, last = at >> 1, last >> 1
    if last != 0:
        raise ValueError("the proof is too short")
    return found


def is_consistent(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the tree of ``new`` leaves extends that of ``old`` (RFC 9162, section 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    hashes = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not hashes:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, after = node(sibling, before), node(sibling, after)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            after = node(after, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old_root and after == new_root
