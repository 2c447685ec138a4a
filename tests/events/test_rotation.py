"""Rotations: who knows an old key is led to the new one, and nobody is led astray."""

from __future__ import annotations

from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.events.note import Signer, Unverified
from kleos.events.rotation import Rotation, chain, followed, keys_of, rotate

HOST = "play.example"


def signer(number: int, host: str = HOST) -> Signer:
    return Signer(host, Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)))


SIGNERS = [signer(number) for number in range(1, 5)]
KEYS = [each.verifier for each in SIGNERS]
NOTES = [rotate(old, new, 10 * place) for place, (old, new) in enumerate(pairwise(SIGNERS))]


def test_a_statement_says_who_follows_whom_and_when_in_both_their_hands() -> None:
    found = Rotation.parse(NOTES[1])
    assert (found.old, found.new, found.at) == (KEYS[1], KEYS[2], 10)
    assert NOTES[1].startswith(
        f"kleos/key-rotation/v1\n{KEYS[1].vkey}\n{KEYS[2].vkey}\n10\n\n— play.example "
    )


def test_from_every_key_that_is_known_the_later_ones_follow_and_no_earlier_one() -> None:
    keys = chain(KEYS[-1], NOTES)
    assert keys == tuple(reversed(KEYS))
    for place in range(len(KEYS)):
        assert set(followed([KEYS[place]], keys)) == set(KEYS[place:])
    stranger = signer(9).verifier
    assert followed([stranger], keys) == (stranger,)
    assert followed([KEYS[2], KEYS[0]], keys) == (KEYS[2], KEYS[0], KEYS[3], KEYS[1])
    assert keys_of(SIGNERS[0]) == (KEYS[0],)


@pytest.mark.parametrize(
    "notes",
    [NOTES[:2], NOTES[1:2], NOTES[::-1], [*NOTES, NOTES[0]], [*NOTES, rotate(SIGNERS[3], SIGNERS[3], 1)]],
)
def test_notes_that_do_not_lead_from_key_to_key_are_refused(notes: list[str]) -> None:
    with pytest.raises(Unverified, match="lead"):
        chain(KEYS[-1], notes)


def test_notes_that_go_in_a_circle_are_refused() -> None:
    circle = [rotate(SIGNERS[0], SIGNERS[1], 1), rotate(SIGNERS[1], SIGNERS[0], 2)]
    with pytest.raises(Unverified, match="come back"):
        chain(KEYS[0], circle)


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("/v1\n", "/v2\n", "not a rotation"),
        ("\n10\n", "\n010\n", "not a rotation"),
        ("\n10\n", "\n10\nmore\n", "not a rotation"),
        ("\n10\n", "\n10\n\nmore\n", "not a rotation"),
        ("\n10\n", " 10\n", "not a rotation"),
        ("\n10\n", "\n11\n", "signature"),
        (KEYS[2].vkey, KEYS[3].vkey, "signature|signed"),
        (KEYS[2].vkey, signer(3, "other.example").verifier.vkey, "same name"),
        (KEYS[2].vkey, "nonsense", "not a rotation"),
        (NOTES[1].rstrip("\n").rpartition("\n")[2] + "\n", "", "no trusted key"),
    ],
)
def test_what_is_not_signed_by_both_just_so_is_refused(right: str, wrong: str, says: str) -> None:
    assert right in NOTES[1]
    with pytest.raises(Unverified, match=says):
        Rotation.parse(NOTES[1].replace(right, wrong))
