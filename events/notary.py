"""The notary: signs the heads of all matches' logs, and makes the proofs that rest on them. Stores nothing.

Ed25519 leaves the signer no choice, so the same head always gives the same bytes: a receipt asked for again
is the one that was given first.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleos.events import canonical, merkle
from kleos.events.merkle import Edge
from kleos.events.note import Checkpoint, Signer, b64
from kleos.events.receipt import Growth, Receipt


class Notary:
    """Signs for one server; ``signer`` is named by the server's public host."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def checkpoint(self, match_id: str, size: int, root: bytes) -> str:
        """The signed checkpoint of a match's log of ``size`` events."""
        return self._signer.sign(Checkpoint(origin(self._signer.name, match_id), size, root).text)

    def receipt(self, match_id: str, leaves: Sequence[bytes], version: int) -> str:
        """The receipt of event ``version`` in the log with these leaves."""
        checkpoint = self.checkpoint(match_id, len(leaves), merkle.root(leaves))
        return Receipt(version - 1, merkle.inclusion(leaves, version - 1), checkpoint).text

    def growth(self, match_id: str, leaves: Sequence[bytes], old: int) -> str:
        """The proof that the log with these leaves begins with its first ``old`` events."""
        checkpoint = self.checkpoint(match_id, len(leaves), merkle.root(leaves))
        return Growth(old, merkle.consistency(leaves, old), checkpoint).text


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
