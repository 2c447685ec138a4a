"""The notary: signs the heads of all matches' logs, and makes the proofs that rest on them. Stores nothing.

Ed25519 leaves the signer no choice, so under one key the same head always gives the same bytes: a receipt
asked for again is the one that was given first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final

import msgspec
from msgspec import Struct

from kleos.events import bundle, canonical, merkle, rotation
from kleos.events.bundle import Bundle, Manifest
from kleos.events.cosignature import Cosigned
from kleos.events.envelope import Entry
from kleos.events.merkle import Edge
from kleos.events.note import Checkpoint, Signer, Verifier, b64, from_b64
from kleos.events.receipt import Growth, Receipt

Shown = Callable[[int, str], bool]
"""Whether the opening of a version for an audience is handed out."""


class Testimony(Struct, frozen=True):
    """What is said of a match's log beside it: the proof from the ledger, and the witnesses' cosignatures."""

    ledger: str | None = None
    cosignatures: tuple[Cosigned, ...] = ()


NONE: Final = Testimony()


class Proofs(ABC):
    """Proofs that rest on signed checkpoints, wherever those come from."""

    @abstractmethod
    def checkpoint(self, match_id: str, size: int, root: bytes) -> str:
        """The signed checkpoint of a match's log of ``size`` events."""

    def receipt(self, match_id: str, leaves: Sequence[bytes], version: int) -> str:
        """The receipt of event ``version`` in the log with these leaves."""
        checkpoint = self.checkpoint(match_id, len(leaves), merkle.root(leaves))
        return Receipt(version - 1, merkle.inclusion(leaves, version - 1), checkpoint).text

    def growth(self, match_id: str, leaves: Sequence[bytes], old: int) -> str:
        """The proof that the log with these leaves begins with its first ``old`` events."""
        checkpoint = self.checkpoint(match_id, len(leaves), merkle.root(leaves))
        return Growth(old, merkle.consistency(leaves, old), checkpoint).text


class Notary(Proofs):
    """Signs for one server; ``signer`` is named by the server's public host."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    @property
    def verifier(self) -> Verifier:
        """The key under which the checkpoints can be verified."""
        return self._signer.verifier

    def checkpoint(self, match_id: str, size: int, root: bytes) -> str:
        return self._signer.sign(Checkpoint(origin(self._signer.name, match_id), size, root).text)

    def bundle(self, match_id: str, entries: Sequence[Entry], shows: Shown, said: Testimony = NONE) -> bytes:
        """The bundle of a match, of whose openings only those are put in that ``shows`` allows."""
        edges = accumulate((merkle.leaf(each.public) for each in entries), Edge.append, initial=Edge())
        notes = [self.checkpoint(match_id, each.size, each.root) for each in edges if each.size]
        openings = [
            {name: raw for name, raw in each.openings.items() if shows(each.version, name)}
            for each in entries
        ]
        rules = msgspec.json.decode(entries[0].public)["rules"]
        return bundle.pack(
            Bundle(
                Manifest(len(entries), bundle.FORMAT, match_id, origin(self._signer.name, match_id), rules),
                events=tuple(each.public for each in entries),
                openings=tuple(SORTED.encode(each) for each in openings),
                signatures=tuple(note.rstrip("\n").rpartition("\n")[2] for note in notes),
                keys=tuple(each.vkey for each in rotation.keys_of(self._signer)),
                rotations=self._signer.rotations,
                ledger=() if said.ledger is None else (said.ledger,),
                cosignatures=tuple(each.text for each in sorted(said.cosignatures)),
            )
        )


def everything(_version: int, _audience: str) -> bool:
    """What is handed out once a match is over."""
    return True


SORTED = msgspec.json.Encoder(order="sorted")


def origin(host: str, match_id: str) -> str:
    """The name of a match's log in its checkpoints."""
    return f"{host}/m/{match_id}"


def head(edge: Edge, checkpoint: str) -> bytes:
    """What the store keeps beside a match's tail: the edge of its tree, and the checkpoint over it."""
    hashes = [b64(each) for each in edge.hashes]
    return canonical.encode(
        {"size": edge.size, "root": b64(edge.root), "edge": hashes, "checkpoint": checkpoint}
    )


def checkpoint_of(head: bytes) -> str:
    """The checkpoint in what the store keeps beside a match's tail."""
    checkpoint: str = canonical.decode(head)["checkpoint"]
    return checkpoint


def tip(head: bytes) -> tuple[int, bytes]:
    """Size and root of the tree in what the store keeps beside a match's tail."""
    kept = canonical.decode(head)
    return kept["size"], from_b64(kept["root"])
