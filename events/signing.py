"""Signed moves: what a player signs, so that neither can the server invent a move nor the player deny one.

The message names the match, the head that the player saw, the seat and the whole action, hidden parts
included. It is canonical JSON; ``docs/proof.md`` tells it for clients. This knows keys and bytes, no rules.
"""

from __future__ import annotations

from typing import Any

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from kleos.core.match import Signature
from kleos.events import canonical
from kleos.events.note import b64, from_b64


def message(match_id: str, seat: int, action: Any, *, size: int, root: str) -> bytes:
    """The bytes to sign; ``action`` is in full, as a struct or as builtins, ``root`` in base64."""
    return canonical.encode(
        {
            "action": msgspec.to_builtins(action),
            "match": match_id,
            "root": root,
            "seat": seat,
            "size": size,
            "type": "kleos/move/v1",
        }
    )


def sign(
    key: Ed25519PrivateKey, match_id: str, seat: int, action: Any, *, size: int, root: bytes
) -> Signature:
    """A player's signature, at the head of ``size`` events with this root."""
    text = b64(root)
    return Signature(size, text, b64(key.sign(message(match_id, seat, action, size=size, root=text))))


def holds(key: str, match_id: str, seat: int, action: Any, signature: Signature) -> bool:
    """Whether ``signature`` is that of ``key`` (in base64) over the action."""
    text = message(match_id, seat, action, size=signature.size, root=signature.root)
    try:
        Ed25519PublicKey.from_public_bytes(from_b64(key)).verify(from_b64(signature.signature), text)
    except (ValueError, InvalidSignature):
        return False
    return True
