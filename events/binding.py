"""What a move is bound to by its signature: one key, one head, one action (match.12)."""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.kernel import Forbidden
from kleos.core.match import Event, Signature
from kleos.events import signing
from kleos.events.command import Stale
from kleos.events.note import b64
from kleos.events.snapshot import Position


def signed(event: Event, position: Position, signature: Signature | None) -> Event:
    """The event with the signature that it needs, or may have (match.12); raises ``Refused`` or ``Stale``."""
    match = position.match
    if signature is None:
        if match.signed and event.kind == "move" and event.player is not None:
            raise Forbidden("moves of this match are signed", rule="match.12", seat=event.seat)
        return event
    key = None if event.seat is None else match.seats[event.seat].key
    if event.kind != "move" or event.seat is None or key is None:
        raise Forbidden("only a move can be signed, of a seat with a key", rule="match.12", seat=event.seat)
    if signature.size != position.edge.size:
        raise Stale(match.version)
    if signature.root != b64(position.edge.root):
        raise Forbidden(
            "the root that was signed is not that of this match", rule="match.12", seat=event.seat
        )
    if not signing.holds(key, match.id, event.seat, event.action, signature):
        raise Forbidden("the signature is not that of the seat's key", rule="match.12", seat=event.seat)
    return replace(event, signature=signature)
