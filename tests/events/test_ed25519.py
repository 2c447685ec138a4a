"""Public keys: points of the curve that somebody can own, in their one canonical form."""

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.events.ed25519 import P, is_public_key

ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
"""y of a point of order 8, from the published lists of such points."""
SMALL = [
    *((y).to_bytes(32, "little") for y in (0, 1, P - 1)),
    bytes.fromhex(ORDER_8),
    (P - int.from_bytes(bytes.fromhex(ORDER_8), "little")).to_bytes(32, "little"),
]


@pytest.mark.parametrize("seed", range(20))
def test_every_generated_key_is_one(seed: int) -> None:
    secret = hashlib.sha256(seed.to_bytes(4, "big")).digest()
    assert is_public_key(Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw())


@pytest.mark.parametrize("sign", [0, 0x80])
@pytest.mark.parametrize("raw", SMALL)
def test_a_point_of_small_order_is_nobodys(raw: bytes, sign: int) -> None:
    assert not is_public_key(raw[:31] + bytes([raw[31] | sign]))


def test_a_coordinate_has_one_encoding() -> None:
    for y in range(19):
        assert not is_public_key((P + y).to_bytes(32, "little")), y


def test_about_half_of_all_numbers_are_no_point() -> None:
    points = sum(is_public_key(y.to_bytes(32, "little")) for y in range(2, 202))
    assert 60 < points < 140


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_has_32_bytes(length: int) -> None:
    assert not is_public_key(bytes([3] * length))
