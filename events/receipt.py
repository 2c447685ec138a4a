"""Receipts: the offline proof that an event is in a match's log, a C2SP ``tlog-proof`` text.

A receipt holds the place of the entry, the hashes from its leaf up to the root, and the signed checkpoint
with that root. Whoever has the event's canonical bytes and the server's verifier key needs nothing else.
A ``Growth`` is the proof that one checkpoint's log is the beginning of another's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from kleos.events import merkle
from kleos.events.note import Checkpoint, Unverified, Verifier, b64, from_b64, open_checkpoint

HEADER: Final = "c2sp.org/tlog-proof@v1"
_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})")
_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})")


class Receipt(Struct, frozen=True):
    """The entry at ``index`` (version - 1) is in the log of ``checkpoint`` (a signed note) by ``path``.

    ``extra`` is what a verifier needs besides, empty for the receipt of an event. Nothing vouches for it.
    """

    index: int
    path: tuple[bytes, ...]
    checkpoint: str
    extra: bytes = b""

    @property
    def text(self) -> str:
        """The receipt as it is handed out."""
        extra = f"extra {b64(self.extra)}\n" if self.extra else ""
        return f"{HEADER}\n{extra}index {self.index}\n{_lines(self.path)}\n{self.checkpoint}"

    @classmethod
    def parse(cls, text: str) -> Receipt:
        """The receipt of a text; ``ValueError`` if it is none."""
        head, gap, checkpoint = text.partition("\n\n")
        header, *lines = head.split("\n")
        extra = b""
        if lines and lines[0].startswith("extra "):
            extra = from_b64(lines.pop(0).removeprefix("extra "))
        index = _INDEX.fullmatch(lines[0]) if lines else None
        if header != HEADER or index is None or not gap:
            raise ValueError(f"not a receipt: {HEADER}, an index, hashes, and a checkpoint")
        return cls(int(index[1]), _hashes(lines[1:]), checkpoint, extra)

    def verify(self, entry: bytes, origin: str, trusted: Sequence[Verifier]) -> Checkpoint:
        """The checkpoint that covers ``entry`` (canonical bytes) at this index; raises ``Unverified``."""
        checkpoint = open_checkpoint(self.checkpoint, origin, trusted)
        try:
            found = merkle.root_from_inclusion(merkle.leaf(entry), self.index, checkpoint.size, self.path)
        except ValueError as error:
            raise Unverified(str(error)) from None
        if found != checkpoint.root:
            raise Unverified("the entry is not the one that was logged at this place")
        return checkpoint


class Growth(Struct, frozen=True):
    """The log of ``checkpoint`` (a signed note) begins with the ``old`` entries of an earlier one.

    Its text is the body of a C2SP ``tlog-witness`` add-checkpoint request, which says exactly this.
    """

    old: int
    path: tuple[bytes, ...]
    checkpoint: str

    @property
    def text(self) -> str:
        """The proof as it is handed out."""
        return f"old {self.old}\n{_lines(self.path)}\n{self.checkpoint}"

    @classmethod
    def parse(cls, text: str) -> Growth:
        """The proof of a text; ``ValueError`` if it is none."""
        head, gap, checkpoint = text.partition("\n\n")
        first, *lines = head.split("\n")
        old = _OLD.fullmatch(first)
        if old is None or not gap:
            raise ValueError("not a consistency proof: the old size, hashes, and a checkpoint")
        return cls(int(old[1]), _hashes(lines), checkpoint)

    def verify(self, old: Checkpoint, trusted: Sequence[Verifier]) -> Checkpoint:
        """The later checkpoint, once it is shown to extend ``old``; raises ``Unverified``."""
        new = open_checkpoint(self.checkpoint, old.origin, trusted)
        if self.old != old.size:
            raise Unverified(f"the proof starts from {self.old} entries, not from {old.size}")
        if not merkle.is_consistent(old.size, old.root, new.size, new.root, self.path):
            raise Unverified("the later log does not begin with the earlier one")
        return new


def _lines(hashes: Sequence[bytes]) -> str:
    return "".join(f"{b64(each)}\n" for each in hashes)


def _hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    hashes = tuple(from_b64(line) for line in lines)
    if any(len(each) != 32 for each in hashes):
        raise ValueError("a proof's hashes have 32 bytes each")
    return hashes
