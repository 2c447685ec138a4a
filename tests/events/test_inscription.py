"""Inscriptions: what an entry of the ledger says, and that it speaks of one match and no other."""

from __future__ import annotations

import base64
import hashlib

import pytest
from matches import SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.events import merkle
from kleos.events.inscription import Inscribed, inscription, name_of, origin, prove
from kleos.events.note import Checkpoint, Unverified
from kleos.events.receipt import Receipt

HOST, MATCH, ROOT = "play.example", "4V0MTESTMATCH0000000000000", bytes(range(32))
HEAD = inscription(HOST, MATCH, 13, ROOT)


def proof(entry: bytes, *, signed_for: str = origin(HOST)) -> str:
    """A proof that the third of four entries of the ledger is this one."""
    leaves = [merkle.leaf(each) for each in (b"one", b"two", entry, b"four")]
    head = Checkpoint(signed_for, len(leaves), merkle.root(leaves))
    return Receipt(2, merkle.inclusion(leaves, 2), SIGNER.sign(head.text), entry).text


def test_an_entry_is_the_head_of_a_match_under_a_name_that_does_not_tell_which() -> None:
    label = b"kleos/ledger-name/v1"
    framed = b"".join(len(each).to_bytes(8, "big") + each for each in (label, MATCH.encode()))
    name = base64.urlsafe_b64encode(hashlib.sha256(framed).digest()).decode().rstrip("=")
    assert name_of(MATCH) == name
    assert HEAD.text == f"play.example/v1/log/{name}\n13\n{base64.b64encode(ROOT).decode()}\n"


def test_a_proof_shows_the_head_of_the_match_and_that_of_the_ledger() -> None:
    found = prove(proof(HEAD.text.encode()), HOST, MATCH, TRUSTED)
    assert found == Inscribed(HEAD, 2, found.ledger)
    assert (found.ledger.origin, found.ledger.size) == ("play.example/v1/log", 4)


@pytest.mark.parametrize(
    "entry",
    [
        inscription(HOST, MATCH[::-1], 13, ROOT).text,
        inscription("other.example", MATCH, 13, ROOT).text,
        replace(HEAD, origin=f"play.example/m/{MATCH}").text,
        HEAD.text + "and more\n",
    ],
)
def test_the_right_head_under_another_name_or_in_other_words_is_no_entry_of_this_match(entry: str) -> None:
    with pytest.raises(Unverified, match="not one of this match"):
        prove(proof(entry.encode()), HOST, MATCH, TRUSTED)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing", "not a receipt"),
        (proof(b""), "not a checkpoint"),
        (proof(b"\xff"), "utf-8"),
        (proof(HEAD.text.encode(), signed_for=f"{HOST}/m/{MATCH}"), "the checkpoint is of"),
        (proof(HEAD.text.encode()).replace("index 2", "index 1"), "not the one that was logged"),
    ],
)
def test_what_is_no_proof_from_the_ledger_says_why(text: str, says: str) -> None:
    with pytest.raises(Unverified, match=says):
        prove(text, HOST, MATCH, TRUSTED)
