"""Receipts and growth proofs: whole logs of up to twenty entries, and each kind of forgery."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from kleos.events.merkle import Edge, leaf, root
from kleos.events.notary import Notary, checkpoint_of, head, origin
from kleos.events.note import Checkpoint, Signer, Unverified, b64, open_checkpoint
from kleos.events.receipt import Growth, Receipt

SIGNER = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
TRUSTED = [SIGNER.verifier]
NOTARY = Notary(SIGNER)
ORIGIN = origin("play.example", "M")
ENTRIES = [f"entry {n}".encode() for n in range(20)]
LEAVES = [leaf(entry) for entry in ENTRIES]


def checkpoint(size: int) -> Checkpoint:
    return Checkpoint(ORIGIN, size, root(LEAVES[:size]))


def test_every_entry_of_every_log_has_a_receipt_that_anybody_can_check() -> None:
    """Fault 122."""
    for size in range(1, len(LEAVES) + 1):
        for version in range(1, size + 1):
            text = NOTARY.receipt("M", LEAVES[:size], version)
            receipt = Receipt.parse(text)
            assert receipt.text == text
            assert receipt.verify(ENTRIES[version - 1], ORIGIN, TRUSTED) == checkpoint(size)


def test_the_text_is_that_of_the_specification() -> None:
    text = NOTARY.receipt("M", LEAVES[:3], 3)
    sibling = b64(root(LEAVES[:2]))
    note = NOTARY.checkpoint("M", 3, root(LEAVES[:3]))
    assert text == f"c2sp.org/tlog-proof@v1\nindex 2\n{sibling}\n\n{note}"
    with_extra = text.replace("\nindex", "\nextra AAAA\nindex")
    assert Receipt.parse(with_extra) == replace(Receipt.parse(text), extra=bytes(3))
    assert Receipt.parse(with_extra).text == with_extra


def test_a_receipt_vouches_for_no_other_entry_log_key_or_place() -> None:
    text = NOTARY.receipt("M", LEAVES[:7], 4)
    receipt = Receipt.parse(text)
    with pytest.raises(Unverified, match="not the one that was logged"):
        receipt.verify(b"another entry", ORIGIN, TRUSTED)
    with pytest.raises(Unverified, match="not of"):
        receipt.verify(ENTRIES[3], origin("play.example", "N"), TRUSTED)
    with pytest.raises(Unverified, match="no trusted key"):
        receipt.verify(ENTRIES[3], ORIGIN, [])
    with pytest.raises(Unverified, match="not the one that was logged"):
        Receipt.parse(text.replace("index 3", "index 2")).verify(ENTRIES[3], ORIGIN, TRUSTED)
    with pytest.raises(Unverified, match="no leaf 7"):
        Receipt.parse(text.replace("index 3", "index 7")).verify(ENTRIES[3], ORIGIN, TRUSTED)
    with pytest.raises(Unverified, match="is wrong"):
        Receipt.parse(text.replace("\n7\n", "\n8\n")).verify(ENTRIES[3], ORIGIN, TRUSTED)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("c2sp.org/tlog-proof@v1", "c2sp.org/tlog-proof@v2"),
        ("index 3", "index 03"),
        ("index 3\n", ""),
        ("index 3", "extra !\nindex 3"),
        ("\n\n", "\n"),
        ("index 3\n", "index 3\nAAAA\n"),
    ],
)
def test_what_is_no_receipt_is_refused(right: str, wrong: str) -> None:
    text = NOTARY.receipt("M", LEAVES[:7], 4)
    with pytest.raises(ValueError, match=r"receipt|Base 64|32 bytes"):
        Receipt.parse(text.replace(right, wrong, 1))


@pytest.mark.parametrize(
    ("parse", "right"),
    [(Receipt.parse, "c2sp.org/tlog-proof@v1\nindex 0\n\n"), (Growth.parse, "old 1\n\n")],
)
def test_a_proof_has_its_first_line_and_a_gap_whole(parse: Callable[[str], Any], right: str) -> None:
    assert parse(right).checkpoint == ""
    for wrong in (right[:-1], right[:-2], right[:-2] + " \n\n"):
        with pytest.raises(ValueError, match=r"not a receipt|not a consistency proof|Base 64|32 bytes"):
            parse(wrong)


def test_every_log_is_proved_to_continue_each_earlier_one() -> None:
    for new in range(1, len(LEAVES) + 1):
        for old in range(1, new + 1):
            text = NOTARY.growth("M", LEAVES[:new], old)
            growth = Growth.parse(text)
            assert growth.text == text
            assert growth.verify(checkpoint(old), TRUSTED) == checkpoint(new)


def test_a_rewritten_log_is_not_taken_for_a_continuation() -> None:
    forged = [leaf(b"forged"), *LEAVES[1:9]]
    growth = Growth.parse(NOTARY.growth("M", forged, 5))
    with pytest.raises(Unverified, match="does not begin with"):
        growth.verify(checkpoint(5), TRUSTED)
    with pytest.raises(Unverified, match="starts from 5 entries, not from 4"):
        growth.verify(checkpoint(4), TRUSTED)
    with pytest.raises(ValueError, match="consistency proof"):
        Growth.parse(growth.text.replace("old 5", "old five"))


def test_the_head_keeps_the_newest_checkpoint() -> None:
    edge = Edge().append(LEAVES[0]).append(LEAVES[1])
    kept = head(edge, NOTARY.checkpoint("M", edge.size, edge.root))
    assert open_checkpoint(checkpoint_of(kept), ORIGIN, TRUSTED) == checkpoint(2)


# From the tests of github.com/transparency-dev/formats: proof/tlog_proof_test.go.
HASH_1, HASH_2 = (hashlib.sha256(each).digest() for each in (b"hash1", b"hash2"))


@pytest.mark.parametrize(
    ("receipt", "text"),
    [
        (
            Receipt(5, (HASH_1, HASH_2), "test checkpoint\n"),
            f"c2sp.org/tlog-proof@v1\nindex 5\n{b64(HASH_1)}\n{b64(HASH_2)}\n\ntest checkpoint\n",
        ),
        (Receipt(0, (), "checkpoint\n"), "c2sp.org/tlog-proof@v1\nindex 0\n\ncheckpoint\n"),
    ],
)
def test_the_published_proofs_are_written_alike(receipt: Receipt, text: str) -> None:
    assert receipt.text == text
    assert Receipt.parse(text) == receipt


def test_the_published_proof_with_extra_bytes_is_read() -> None:
    extra = b64(b"extra information")
    text = f"c2sp.org/tlog-proof@v1\nextra {extra}\nindex 10\n{b64(HASH_1)}\n\ncheckpoint data\n"
    assert Receipt.parse(text) == Receipt(10, (HASH_1,), "checkpoint data\n", b"extra information")
    assert Receipt.parse(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "wrong-header\nindex 0\n\ncheckpoint\n",
        "c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n\ncheckpoint\n",
        "c2sp.org/tlog-proof@v1\n\n\ncheckpoint\n",
        "c2sp.org/tlog-proof@v1\nindex notanumber\n\ncheckpoint\n",
        "c2sp.org/tlog-proof@v1\nindex -5\n\ncheckpoint\n",
        "c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n\ncheckpoint\n",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{b64(bytes(64))}\n\ncheckpoint\n",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{'a' * 65 * 1024}\n",
    ],
)
def test_the_published_proofs_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"receipt|Base 64|32 bytes"):
        Receipt.parse(text)
