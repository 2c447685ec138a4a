"""Which 32 bytes are the public key of somebody (RFC 8032 §5.1). Only judges keys: signing is elsewhere.

Libraries verify under any bytes. Under a point of small order one signature holds for many messages, and of
two encodings of one point only one is canonical: neither may stand for a player.
"""

from __future__ import annotations

from typing import Final

P: Final = 2**255 - 19
D: Final = -121665 * pow(121666, -1, P) % P
"""The curve is -x² + y² = 1 + D x² y² over the integers modulo P."""


def is_public_key(raw: bytes) -> bool:
    """Whether ``raw`` is the canonical encoding of a point of the curve whose order does not divide 8."""
    y = int.from_bytes(raw, "little") & (2**255 - 1)  # above that is the sign of x
    return len(raw) == 32 and y < P and _is_square(_x_squared(y)) and not _is_small(y)


def _x_squared(y: int) -> int:
    """x² of the points with this y; the divisor is never 0, since -1 is a square and D is none."""
    return (y * y - 1) * pow(D * y * y + 1, -1, P) % P


def _is_square(number: int) -> bool:
    return pow(number, (P - 1) // 2, P) in (0, 1)


def _is_small(y: int) -> bool:
    """Whether doubling three times leads to the neutral point, the one with y = 1."""
    for _ in range(3):
        x_squared = _x_squared(y)
        y = (y * y + x_squared) * pow(2 + x_squared - y * y, -1, P) % P
    return y == 1
