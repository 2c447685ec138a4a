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
    if len(raw) != 32 or y >= P:
        return False
    x_squared = _x_squared(y)
    return _is_square(x_squared) and not _is_small(x_squared, y)


def _x_squared(y: int) -> int:
    """x² of the points with this y; the divisor is never 0, since -1 is a square and D is none."""
    return (y * y - 1) * pow(D * y * y + 1, -1, P) % P


def _is_square(number: int) -> bool:
    """Whether it is one, and not that of 0: x = 0 is that of the two points whose order divides 2."""
    return pow(number, P // 2, P) == 1


def _is_small(x_squared: int, y: int) -> bool:
    """Whether the order is 4, where y = 0, or 8, where x² + y² = 0: such a point, doubled, has y = 0."""
    return y * (x_squared + y * y) % P == 0
