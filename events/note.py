"""Signed notes and checkpoints, exactly as C2SP ``signed-note`` and ``tlog-checkpoint`` write them.

A checkpoint is the head of one log: its origin, the number of its entries, and the root over them::

    play.example/m/4V0M...
    13
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

    — play.example Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5...

One server keeps many logs (one a match) and signs them all under one key name, its host, so that its
verifier key can be published once; the origin says which log is meant. All signatures are Ed25519.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cached_property

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

_ED25519 = b"\x01"
_NAME = re.compile(r"[^\s+]+")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_MOST_SIGNATURES = 64


class Unverified(Exception):
    """The note is malformed, or no trusted key has signed it, or a trusted key's signature is wrong."""


def b64(octets: bytes) -> str:
    """Standard Base 64 (RFC 4648, section 4), as all C2SP texts use it."""
    return base64.b64encode(octets).decode("ascii")


def from_b64(text: str) -> bytes:
    """The inverse of ``b64``; ``ValueError`` for any other spelling."""
    try:
        octets = base64.b64decode(text)  # which passes over much that the comparison does not
    except ValueError as error:
        raise ValueError(f"not Base 64: {error}") from None
    if b64(octets) != text:
        raise ValueError("not Base 64 in its one canonical spelling")
    return octets


def key_id(name: str, public: bytes, kind: bytes = _ED25519) -> bytes:
    """The four bytes that name a key in signature lines; ``kind`` is the type of its signatures."""
    return hashlib.sha256(name.encode() + b"\n" + kind + public).digest()[:4]


def vkey_of(name: str, public: bytes, kind: bytes = _ED25519) -> str:
    """The text ``<name>+<id>+<base64>`` of a key."""
    return f"{name}+{key_id(name, public, kind).hex()}+{b64(kind + public)}"


def parse_vkey(vkey: str, kind: bytes = _ED25519) -> tuple[str, bytes]:
    """The name and the 32 bytes of such a text; ``ValueError`` says what is wrong with it."""
    name, _, rest = vkey.partition("+")
    told, _, encoded = rest.partition("+")
    material = from_b64(encoded)
    if not _NAME.fullmatch(name) or len(material) != 33 or material[:1] != kind:
        raise ValueError("not an Ed25519 verifier key of the form <name>+<id>+<base64>")
    if told != key_id(name, material[1:], kind).hex():
        raise ValueError("the verifier key's id does not belong to its name and key")
    return name, material[1:]


class Verifier(Struct, frozen=True):
    """A key that is trusted: its name and its 32 bytes."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, vkey: str) -> Verifier:
        """The key of ``<name>+<id>+<base64>``; ``ValueError`` says what is wrong with it."""
        return cls(*parse_vkey(vkey))

    @property
    def vkey(self) -> str:
        """The key as text: what is published and given to verifiers."""
        return vkey_of(self.name, self.public)

    def signed(self, line: str) -> bool:
        """Whether a signature line says that it is this key's."""
        name, signature = read_line(line)
        return (name, signature[:4]) == (self.name, key_id(self.name, self.public))

    def holds(self, signature: bytes, text: str) -> bool:
        """Whether ``signature`` (64 bytes) is this key's over ``text``."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except InvalidSignature:
            return False
        return True


class Signer:
    """A key that signs notes under a name, for a server its host (``play.example``).

    ``rotations`` are the notes by which it follows from earlier keys, the oldest first; see ``rotation``.
    """

    def __init__(self, name: str, key: Ed25519PrivateKey, rotations: Sequence[str] = ()) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"a key name is not empty and has neither spaces nor '+', unlike {name!r}")
        self.name = name
        self.rotations = tuple(rotations)
        self._key = key

    @cached_property
    def verifier(self) -> Verifier:
        """The public half."""
        return Verifier(self.name, self._key.public_key().public_bytes_raw())

    @cached_property
    def _id(self) -> bytes:
        return key_id(self.name, self.verifier.public)

    def sign(self, text: str) -> str:
        """The note: ``text`` (which ends in a newline), an empty line, and the signature line."""
        if not text.endswith("\n") or _CONTROL.search(text):
            raise ValueError("a note's text ends in a newline and has no other control characters")
        return f"{text}\n{self.line(text)}\n"

    def line(self, text: str) -> str:
        """The signature line alone."""
        return f"— {self.name} {b64(self._id + self._key.sign(text.encode()))}"


def open_note(note: str, trusted: Sequence[Verifier]) -> str:
    """The text of a note, its final newline included, once a trusted key is found to have signed it.

    Signatures of unknown keys are ignored; a wrong one of a trusted key spoils the note: ``Unverified``.
    """
    text, gap, lines = note.rpartition("\n\n")
    text += "\n"
    if not gap or not lines.endswith("\n") or _CONTROL.search(note):
        raise Unverified("not a signed note")
    signed = False
    for line in lines[:-1].split("\n")[:_MOST_SIGNATURES]:
        _, signature = read_line(line)
        for verifier in trusted:
            if not verifier.signed(line):
                continue
            if not verifier.holds(signature[4:], text):
                raise Unverified(f"the signature of {verifier.name} is wrong")
            signed = True
    if not signed:
        raise Unverified("no trusted key has signed the note")
    return text


def read_line(line: str) -> tuple[str, bytes]:
    """The key name, and the key id followed by the signature, of a signature line."""
    name, _, encoded = line.removeprefix("— ").partition(" ")
    try:
        signature = from_b64(encoded)
    except ValueError:
        signature = b""
    if not line.startswith("— ") or not _NAME.fullmatch(name) or len(signature) < 5:
        raise Unverified("a malformed signature line")
    return name, signature


class Checkpoint(Struct, frozen=True):
    """The head of a log: ``size`` entries, and the ``root`` over them."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The note text."""
        return f"{self.origin}\n{self.size}\n{b64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """The checkpoint of a note text (extension lines are passed over); ``ValueError`` if it is none."""
        *lines, end = text.split("\n")
        if end or len(lines) < 3 or "" in lines or not _SIZE.fullmatch(lines[1]):
            raise ValueError("not a checkpoint: origin, size and root, a line each")
        origin, size, root = lines[0], lines[1], from_b64(lines[2])
        if len(root) != 32:
            raise ValueError(f"a checkpoint's root has 32 bytes, not {len(root)}")
        return cls(origin, int(size), root)


def open_checkpoint(note: str, origin: str, trusted: Sequence[Verifier]) -> Checkpoint:
    """The checkpoint in a note that a trusted key has signed for ``origin``; raises ``Unverified``."""
    try:
        checkpoint = Checkpoint.parse(open_note(note, trusted))
    except ValueError as error:
        raise Unverified(str(error)) from None
    if checkpoint.origin != origin:
        raise Unverified(f"the checkpoint is of {checkpoint.origin!r}, not of {origin!r}")
    return checkpoint
