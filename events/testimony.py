"""Steps of the verifier about what is said of a log beside it: keys, kept receipts, the ledger, witnesses.

All of them compare heads: the roots that a bundle's events lead to with those that somebody has signed. They
raise ``Bad``; they know neither openings nor rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from kleos.events import rotation
from kleos.events.bundle import Bundle
from kleos.events.cosignature import Cosigned, Witness, player_name
from kleos.events.inscription import Inscribed, prove
from kleos.events.note import Checkpoint, Unverified, Verifier, b64, open_checkpoint
from kleos.events.receipt import HEADER, Receipt
from kleos.events.steps import Bad, Step


class Heads(Struct, frozen=True):
    """The log of a bundle as its events lead to it: ``roots[n - 1]`` is that over the first n of them.

    ``keys`` are those that are believed.
    """

    bundle: Bundle
    roots: Sequence[bytes]
    keys: Sequence[Verifier]

    @property
    def host(self) -> str:
        return self.bundle.manifest.origin.removesuffix(f"/m/{self.bundle.manifest.match}")

    def agree(self, head: Checkpoint, step: Step, version: int | None = None) -> None:
        """Whether another signed head of this match is one of this log."""
        if head.size > len(self.roots):
            raise Bad(step, version, f"the log had {head.size} events when that was signed; these are fewer")
        if head.size < 1 or self.roots[head.size - 1] != head.root:
            raise Bad(
                step,
                version,
                f"the first {head.size} events are not those that were signed then: two logs of one match "
                "are signed, and together they convict the server",
            )


class CosignedBy(Struct, frozen=True):
    """A witness who cosigned the head of ``size`` events ``at`` a time in seconds since the epoch.

    ``seat`` is where the witness sat down with this key, by the log; null for others.
    """

    key: str
    size: int
    at: int
    seat: int | None


def server_keys(bundle: Bundle) -> tuple[Verifier, ...]:
    """Step 3, first part: the server's keys by the bundle, the newest first, each following from the next."""
    try:
        keys = tuple(Verifier.parse(each) for each in bundle.keys)
        if keys != rotation.chain(keys[0], bundle.rotations):
            raise Bad("signatures", None, "the bundle's keys are not those that its rotations lead through")
    except (ValueError, Unverified) as error:
        raise Bad("signatures", None, f"the bundle's keys: {error}") from None
    return keys


def kept(log: Heads, text: str) -> None:
    """Step 4: a receipt, a checkpoint, or a proof from the ledger, that somebody kept, is of this log."""
    origin = log.bundle.manifest.origin
    try:
        if not text.startswith(HEADER):
            log.agree(open_checkpoint(text, origin, log.keys), "receipts")
            return
        receipt = Receipt.parse(text)
        if receipt.extra:
            log.agree(prove(text, log.host, log.bundle.manifest.match, log.keys).head, "receipts")
            return
        signed = open_checkpoint(receipt.checkpoint, origin, log.keys)
    except (ValueError, Unverified) as error:
        raise Bad("receipts", None, str(error)) from None
    version = receipt.index + 1
    log.agree(signed, "receipts", version)
    if version > signed.size:
        raise Bad("receipts", version, f"the log had {signed.size} events when that was signed")
    try:
        receipt.verify(log.bundle.events[receipt.index], origin, log.keys)
    except Unverified as error:
        raise Bad("receipts", version, str(error)) from None


def inscribed(log: Heads) -> Inscribed | None:
    """Step 5: the head of this log that is in the server's own; None if the bundle does not say."""
    for text in log.bundle.ledger:
        try:
            found = prove(text, log.host, log.bundle.manifest.match, log.keys)
        except Unverified as error:
            raise Bad("ledger", None, str(error)) from None
        log.agree(found.head, "ledger")
        return found
    return None


def witnessed(log: Heads, events: Sequence[dict[str, Any]]) -> tuple[CosignedBy, ...]:
    """Step 6: who cosigned which head of this log."""
    seated = {
        player_name(log.host, effect["player"]): (effect.get("seat"), effect.get("key"))
        for event in events
        for effect in event["effects"]
        if effect["type"] == "seat_filled" and isinstance(effect.get("player"), str)
    }
    try:
        lines = [Cosigned.parse(each) for each in log.bundle.cosignatures]
        if any(after <= before for before, after in pairwise(lines)):
            raise Bad("witnesses", None, "the cosignatures are not in order")
        return tuple(
            _cosigned(log, each, *seated.get(Witness.parse(each.key).name, (None, None))) for each in lines
        )
    except (ValueError, Unverified) as error:
        raise Bad("witnesses", None, str(error)) from None


def _cosigned(log: Heads, each: Cosigned, seat: int | None, key: str | None) -> CosignedBy:
    witness = Witness.parse(each.key)
    if each.size > len(log.roots):
        raise Bad("witnesses", None, f"{witness.name} cosigned {each.size} events; these are fewer")
    if key is not None and key != b64(witness.public):
        raise Bad("witnesses", None, f"{witness.name} sat down with another key than it cosigned with")
    head = Checkpoint(log.bundle.manifest.origin, each.size, log.roots[each.size - 1])
    return CosignedBy(each.key, each.size, witness.time_of(each.line, head), seat if key else None)
