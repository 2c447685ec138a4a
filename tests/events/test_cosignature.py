"""Cosignatures, against the page of C2SP and a verifier of its own on this one."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from kleos.events.cosignature import Cosigned, Witness, cosign, player_name
from kleos.events.note import Checkpoint, Unverified, b64, from_b64

KEY = Ed25519PrivateKey.from_private_bytes(bytes([5] * 32))
PUBLIC = KEY.public_key().public_bytes_raw()
NAME = "play.example/p/anna"
LATEST = (1 << 63) - 1
WITNESS = Witness(NAME, PUBLIC)
HEAD = Checkpoint("play.example/m/M", 13, bytes(32))
LINE = cosign(KEY, NAME, HEAD, 1_679_315_147)


def test_the_line_is_that_of_the_specification() -> None:
    dash, name, encoded = LINE.split(" ")
    octets = base64.b64decode(encoded)
    assert (dash, name, len(octets)) == ("—", NAME, 4 + 8 + 64)
    assert octets[:4] == hashlib.sha256(NAME.encode() + b"\n\x04" + PUBLIC).digest()[:4]
    assert int.from_bytes(octets[4:12], "big") == 1_679_315_147
    root = base64.b64encode(bytes(32)).decode()
    message = f"cosignature/v1\ntime 1679315147\nplay.example/m/M\n13\n{root}\n"
    KEY.public_key().verify(octets[12:], message.encode())
    assert WITNESS.time_of(LINE, HEAD) == 1_679_315_147


def test_a_witness_is_told_by_a_key_of_its_own_kind() -> None:
    name, number, material = WITNESS.vkey.split("+", 2)
    assert base64.b64decode(material) == b"\x04" + PUBLIC
    assert (name, bytes.fromhex(number)) == (NAME, base64.b64decode(LINE.split(" ")[2])[:4])
    assert Witness.parse(WITNESS.vkey) == WITNESS
    assert player_name("play.example", "anna") == NAME


@pytest.mark.parametrize("at", [1, LATEST])
def test_every_time_from_the_first_second_to_the_last_of_63_bits_is_told(at: int) -> None:
    assert WITNESS.time_of(cosign(KEY, NAME, HEAD, at), HEAD) == at


@pytest.mark.parametrize(
    ("head", "witness", "line"),
    [
        (replace(HEAD, size=14), WITNESS, LINE),
        (replace(HEAD, root=bytes(31) + b"1"), WITNESS, LINE),
        (replace(HEAD, origin="play.example/m/N"), WITNESS, LINE),
        (HEAD, replace(WITNESS, name="play.example/p/ben"), LINE),
        (HEAD, replace(WITNESS, public=bytes(32)), LINE),
        (HEAD, WITNESS, LINE.replace("anna", "ben")),
        (HEAD, WITNESS, LINE[:-4]),
        (HEAD, WITNESS, f"— {NAME} {b64(from_b64(LINE.split(' ')[2])[:9])}"),
        (HEAD, WITNESS, f"— {NAME} {b64(from_b64(LINE.split(' ')[2]) + bytes(3))}"),
        (HEAD, WITNESS, "no line"),
        (HEAD, WITNESS, cosign(KEY, NAME, HEAD, LATEST + 1)),
        (HEAD, WITNESS, cosign(KEY, NAME, HEAD, 0)),
    ],
)
def test_it_holds_for_one_head_one_witness_and_no_other(
    head: Checkpoint, witness: Witness, line: str
) -> None:
    with pytest.raises(Unverified, match="cosign"):
        witness.time_of(line, head)


def test_in_a_bundle_it_brings_all_that_it_takes_to_check_it() -> None:
    told = Cosigned(13, WITNESS.vkey, LINE)
    assert Cosigned.parse(told.text) == told
    for wrong in (
        *("", "013" + told.text[2:], "1_3" + told.text[2:], "1" * 17 + told.text[2:], told.text[3:]),
        f"13 {WITNESS.vkey[:-1]} {LINE}",
    ):
        with pytest.raises(ValueError, match=r"cosignature|verifier|Base 64"):
            Cosigned.parse(wrong)
