"""Inscriptions: what the ledger, the server's own log, says of the heads of its matches.

The ledger is one append-only log for the whole server, so that no match can be hidden or replaced: an entry
is the text of a checkpoint, under a name that tells whoever knows the match's id which match is meant, and
nobody else::

    play.example/v1/log/hW3x…       the ledger's origin, and the name of the match in it
    13
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

``docs/proof.md`` tells it for others. This knows texts and proofs; the ledger itself is in ``ledger``.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kleos.events import digest
from kleos.events.note import Checkpoint, Unverified, Verifier
from kleos.events.receipt import Receipt


def origin(host: str) -> str:
    """The name of the ledger in its checkpoints: where it is served, without the scheme."""
    return f"{host}/v1/log"


def name_of(match_id: str) -> str:
    """The name of a match in the ledger: 43 characters that give the id away to nobody."""
    return digest.text(digest.digest("kleos/ledger-name/v1", match_id.encode()))


def inscription(host: str, match_id: str, size: int, root: bytes) -> Checkpoint:
    """The head of a match as it is inscribed."""
    return Checkpoint(f"{origin(host)}/{name_of(match_id)}", size, root)


class Inscribed(Struct, frozen=True):
    """A proof that holds: at ``index`` of the ledger whose head is ``ledger`` stands the head of a match."""

    head: Checkpoint
    index: int
    ledger: Checkpoint


def prove(text: str, host: str, match_id: str, trusted: Sequence[Verifier]) -> Inscribed:
    """What a proof (a C2SP tlog-proof with the entry as its ``extra``) shows of a match.

    Raises ``Unverified`` unless it holds, for this match and a ledger that a trusted key has signed.
    """
    try:
        receipt = Receipt.parse(text)
        head = Checkpoint.parse(receipt.extra.decode())
    except ValueError as error:
        raise Unverified(str(error)) from None
    if head.text.encode() != receipt.extra or head != inscription(host, match_id, head.size, head.root):
        raise Unverified("the entry of the server's log is not one of this match")
    return Inscribed(head, receipt.index, receipt.verify(receipt.extra, origin(host), trusted))
