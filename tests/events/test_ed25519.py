"""Public keys: points of the curve that somebody can own, in their one canonical form."""

import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.events.ed25519 import P, is_public_key
from kleos.events.note import Signer, Verifier
from tests.events.published import vectors

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


@pytest.mark.parametrize("vector", vectors("ed25519"), ids=lambda vector: vector["key"])
def test_the_published_edge_cases_are_told_apart(vector: dict[str, Any]) -> None:
    """A component of small order alone spoils no key: it cannot be told from without, and owns no message."""
    odd = {"low_order", "non_canonical"}.intersection(vector["flags"])
    assert is_public_key(bytes.fromhex(vector["key"])) == (not odd)


# RFC 8032, section 7.1: secret key, public key, message, signature.
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
]


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC_8032)
def test_keys_and_signatures_are_those_of_the_rfc(
    secret: str, public: str, message: str, signature: str
) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    verifier = Signer("rfc", key).verifier
    assert verifier == Verifier("rfc", bytes.fromhex(public))
    assert is_public_key(verifier.public)
    assert verifier.holds(bytes.fromhex(signature), bytes.fromhex(message).decode())
    assert verifier.holds(bytes.fromhex(signature), "another message") is False
    assert key.sign(bytes.fromhex(message)).hex() == signature
