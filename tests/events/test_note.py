"""Signed notes and checkpoints: the published examples, and everything that must not pass."""

import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.events.note import Checkpoint, Signer, Unverified, Verifier, open_checkpoint, open_note

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


@pytest.mark.parametrize(
    "note",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\n— play.example\n",
        "text\n\nplay.example AAAAAAAA\n",
        "te\tx\n\n— a AAAAAAA=\n",
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(Unverified):
        open_note(note, [SIGNER.verifier])


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
