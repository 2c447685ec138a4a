"""Signed notes and checkpoints: the published examples, and everything that must not pass."""

import hashlib
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.events.note import (
    Checkpoint,
    Signer,
    Unverified,
    Verifier,
    b64,
    from_b64,
    open_checkpoint,
    open_note,
    parse_vkey,
    read_line,
    vkey_of,
)

# The example of the C2SP signed-note specification.
EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
EXAMPLE_NOTE = """This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""

SIGNER = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(32)))
HEAD = Checkpoint("play.example/m/0", 3, bytes(range(32)))


def test_the_example_of_the_specification_is_verified() -> None:
    verifier = Verifier.parse(EXAMPLE_KEY)
    assert verifier.vkey == EXAMPLE_KEY
    assert open_note(EXAMPLE_NOTE, [verifier]) == "This is an example message.\n"


@pytest.mark.parametrize("place", [0, 26, 27, 28, 29, 46, 60, 120])
def test_the_example_with_one_character_changed_is_not_verified(place: int) -> None:
    spoilt = EXAMPLE_NOTE[:place] + "X" + EXAMPLE_NOTE[place + 1 :]
    with pytest.raises(Unverified):
        open_note(spoilt, [Verifier.parse(EXAMPLE_KEY)])


def test_what_is_signed_can_be_opened_and_is_signed_alike_every_time() -> None:
    note = SIGNER.sign("one\n\ntwo\n")
    assert open_note(note, [SIGNER.verifier]) == "one\n\ntwo\n"
    assert SIGNER.sign("one\n\ntwo\n") == note
    assert Verifier.parse(SIGNER.verifier.vkey) == SIGNER.verifier


def test_signatures_of_strangers_are_passed_over_but_do_not_count() -> None:
    note = SIGNER.sign("text\n")
    stranger = OTHER.sign("text\n").rpartition("\n\n")[2]
    assert open_note(note + stranger, [SIGNER.verifier]) == "text\n"
    with pytest.raises(Unverified, match="no trusted key"):
        open_note(note, [OTHER.verifier])
    with pytest.raises(Unverified, match="no trusted key"):
        open_note(note, [])


def test_a_wrong_signature_of_a_trusted_key_spoils_the_note() -> None:
    mine = SIGNER.sign("text\n")
    theirs = OTHER.sign("another text\n").rpartition("\n\n")[2]
    with pytest.raises(Unverified, match="is wrong"):
        open_note(mine + theirs, [SIGNER.verifier, OTHER.verifier])


def test_no_more_than_64_signatures_are_read() -> None:
    text, mine, theirs = "text\n", SIGNER.line("text\n"), OTHER.line("text\n")
    assert open_note("\n".join([text, *[theirs] * 63, mine, ""]), [SIGNER.verifier]) == text
    with pytest.raises(Unverified, match="no trusted key"):
        open_note("\n".join([text, *[theirs] * 64, mine, ""]), [SIGNER.verifier])


@pytest.mark.parametrize(
    "note",
    [
        "",
        "text\n",
        "text\n\n",
        f"{SIGNER.line(chr(10))}\n",
        SIGNER.sign("text\n")[:-1],
        SIGNER.sign("text\n")[:-1] + "=",
        f"te\tx\n\n{SIGNER.line('te' + chr(9) + 'x' + chr(10))}\n",
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(Unverified, match="not a signed note"):
        open_note(note, [SIGNER.verifier])


@pytest.mark.parametrize(
    "line",
    [
        "play.example AAAAAAA=",
        "— play.example",
        "—  AAAAAAA=",
        "— with+plus AAAAAAA=",
        "— play.example  AAAAAAA=",
        "— play.example AAAAAAB=",
        f"— play.example {b64(bytes(4))}",
    ],
)
def test_a_malformed_signature_line_spoils_the_note(line: str) -> None:
    with pytest.raises(Unverified, match="a malformed signature line"):
        open_note(SIGNER.sign("text\n") + line + "\n", [SIGNER.verifier])


def test_a_signature_line_has_a_name_a_key_id_and_at_least_one_more_byte() -> None:
    assert read_line(f"— play.example {b64(bytes(5))}") == ("play.example", bytes(5))


@pytest.mark.parametrize("text", ["AAE", "AAF=", "AAE=\n", " AAE=", "AA-_", "AAE=AAE=", "ÀAE="])
def test_base_64_has_one_spelling(text: str) -> None:
    assert from_b64("AAE=") == b"\x00\x01"
    with pytest.raises(ValueError, match="not Base 64"):
        from_b64(text)


def test_base_64_that_is_spelt_otherwise_is_told_from_what_is_none() -> None:
    with pytest.raises(ValueError, match="one canonical spelling"):
        from_b64("AAF=")
    with pytest.raises(ValueError, match=r"not Base 64: .*padding"):
        from_b64("AAE")


@pytest.mark.parametrize("text", ["no newline", "", "tab\t\n", "carriage\r\n"])
def test_only_texts_that_a_note_can_hold_are_signed(text: str) -> None:
    with pytest.raises(ValueError, match="newline"):
        SIGNER.sign(text)


@pytest.mark.parametrize("name", ["", "with space", "with+plus", "line\nbreak"])
def test_a_key_name_has_neither_spaces_nor_plus(name: str) -> None:
    with pytest.raises(ValueError, match="key name"):
        Signer(name, Ed25519PrivateKey.from_private_bytes(bytes(32)))


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "example.com/foo",
        EXAMPLE_KEY[:-1],
        EXAMPLE_KEY + "A",
        EXAMPLE_KEY.replace("foo", "bar"),
        EXAMPLE_KEY.replace("530d903a", "530d903b"),
        EXAMPLE_KEY.replace("+Aeky", "+Beky"),
        EXAMPLE_KEY.upper(),
    ],
)
def test_a_spoilt_verifier_key_is_refused(vkey: str) -> None:
    with pytest.raises(ValueError, match=r"key|Base 64"):
        Verifier.parse(vkey)


@pytest.mark.parametrize(
    ("name", "public"), [("", bytes(32)), ("with space", bytes(32)), ("a", bytes(31)), ("a", bytes(33))]
)
def test_a_verifier_key_has_a_name_of_one_word_and_32_bytes(name: str, public: bytes) -> None:
    with pytest.raises(ValueError, match="not an Ed25519 verifier key"):
        Verifier.parse(vkey_of(name, public))


def test_the_kind_of_a_key_is_part_of_its_text_and_of_its_id() -> None:
    public = SIGNER.verifier.public
    told = hashlib.sha256(b"a\n\x04" + public).digest()[:4].hex()
    assert vkey_of("a", public, b"\x04") == f"a+{told}+{b64(bytes([4]) + public)}"
    assert parse_vkey(vkey_of("a", public, b"\x04"), b"\x04") == ("a", public)
    with pytest.raises(ValueError, match="not an Ed25519 verifier key"):
        parse_vkey(vkey_of("a", public, b"\x04"))


def test_a_signer_keeps_the_notes_by_which_its_key_follows_from_earlier_ones() -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    assert Signer("play.example", key, ["first", "second"]).rotations == ("first", "second")


def test_a_checkpoint_is_three_lines() -> None:
    assert re.fullmatch(r"play\.example/m/0\n3\n[A-Za-z0-9+/]{43}=\n", HEAD.text)
    assert Checkpoint.parse(HEAD.text) == HEAD
    assert Checkpoint.parse(HEAD.text + "an extension line\n") == HEAD
    assert open_checkpoint(SIGNER.sign(HEAD.text), HEAD.origin, [SIGNER.verifier]) == HEAD


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEAD.text[:-1],
        HEAD.text + "an extension without an end",
        "play.example/m/0\n3\n",
        HEAD.text + "\n",
        HEAD.text.replace("\n3\n", "\n03\n"),
        HEAD.text.replace("\n3\n", "\n-3\n"),
        HEAD.text.replace("\n3\n", "\n"),
        HEAD.text.replace("=\n", "\n"),
        "play.example/m/0\n3\nAAAA\n",
        "\n" + HEAD.text.partition("\n")[2],
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"checkpoint|Base 64"):
        Checkpoint.parse(text)


def test_a_checkpoint_of_another_log_is_refused() -> None:
    with pytest.raises(Unverified, match="not of"):
        open_checkpoint(SIGNER.sign(HEAD.text), "play.example/m/1", [SIGNER.verifier])
    with pytest.raises(Unverified, match="not a checkpoint"):
        open_checkpoint(SIGNER.sign("text\n"), "play.example/m/1", [SIGNER.verifier])
