"""Digests over several fields: every input is labelled, and each field is preceded by its length.

So no two different lists of fields, and no two uses, ever hash the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac


def framed(label: str, *fields: bytes) -> bytes:
    """The label and the fields, each behind its length in bytes as an unsigned 64-bit big-endian integer."""
    return b"".join(len(each).to_bytes(8, "big") + each for each in (label.encode("ascii"), *fields))


def digest(label: str, *fields: bytes) -> bytes:
    """SHA-256 of the framed label and fields: 32 bytes."""
    return hashlib.sha256(framed(label, *fields)).digest()


def keyed(key: bytes, label: str, *fields: bytes) -> bytes:
    """HMAC-SHA-256 of the framed label and fields under ``key``: 32 bytes."""
    return hmac.digest(key, framed(label, *fields), hashlib.sha256)


def short(octets: bytes) -> bytes:
    """The first 128 bits of a digest: enough for a name, or for a MAC (RFC 2104, section 5).

    What must bind whoever made it, a commitment or a leaf, keeps all 256.
    """
    return octets[:16]


def text(octets: bytes) -> str:
    """Octets as base64url without padding (RFC 4648, section 5)."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")
