"""Cosignatures: a witness's word that a log only grew, as C2SP ``tlog-cosignature`` has it for Ed25519.

A witness signs, with the time, the text of the checkpoint that it found consistent with all it had seen of
that log before. The line goes below the server's own in the same note. Here players are the witnesses, each
under the name ``<host>/p/<player>`` with the account's key. This knows keys and texts, and keeps nothing.
"""

from __future__ import annotations

import re
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from kleos.events.note import Checkpoint, Unverified, b64, key_id, parse_vkey, read_line, vkey_of

_COSIGNATURE: Final = b"\x04"
_LATEST: Final = (1 << 63) - 1
_SIZE: Final = re.compile(r"[1-9][0-9]{0,15}")


class Witness(Struct, frozen=True):
    """Somebody who cosigns: the name and the 32 bytes of the key."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, vkey: str) -> Witness:
        """The witness of ``<name>+<id>+<base64>`` with signatures of type 4; ``ValueError`` if it is none."""
        return cls(*parse_vkey(vkey, _COSIGNATURE))

    @property
    def vkey(self) -> str:
        """The witness as text."""
        return vkey_of(self.name, self.public, _COSIGNATURE)

    def time_of(self, line: str, checkpoint: Checkpoint) -> int:
        """When this witness cosigned ``checkpoint``, in seconds since the epoch; raises ``Unverified``."""
        try:
            name, octets = read_line(line)
        except Unverified:
            raise Unverified("a cosignature is a line like `— name base64`") from None
        named, stamp, signature = octets[:4], octets[4:12], octets[12:]
        if (name, named) != (self.name, key_id(self.name, self.public, _COSIGNATURE)):
            raise Unverified(f"the cosignature is not one by {self.vkey}")
        at = int.from_bytes(stamp, "big")
        if not 0 < at <= _LATEST:
            raise Unverified("a cosignature has a time of 8 bytes, from 1 to 2^63 - 1")
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, _message(checkpoint, at))
        except InvalidSignature:
            head = f"size {checkpoint.size}, root {b64(checkpoint.root)}"
            raise Unverified(f"the cosignature of {self.name} is not one of this head: {head}") from None
        return at


class Cosigned(Struct, frozen=True, order=True):
    """A cosignature with all that it takes to check it: of the head of ``size`` entries, by a key."""

    size: int
    key: str
    line: str

    @property
    def text(self) -> str:
        """As it stands in a bundle."""
        return f"{self.size} {self.key} {self.line}"

    @classmethod
    def parse(cls, text: str) -> Cosigned:
        """The cosignature of such a text; ``ValueError`` if it is none."""
        size, _, rest = text.partition(" ")
        key, _, line = rest.partition(" ")
        if not _SIZE.fullmatch(size):
            raise ValueError("a cosignature is a size, a key, and a signature line")
        return cls(int(size), Witness.parse(key).vkey, line)


def player_name(host: str, player: str) -> str:
    """The name under which a player is a witness."""
    return f"{host}/p/{player}"


def cosign(key: Ed25519PrivateKey, name: str, checkpoint: Checkpoint, at: int) -> str:
    """The signature line of a witness for a checkpoint, at a time in seconds since the epoch."""
    named = key_id(name, key.public_key().public_bytes_raw(), _COSIGNATURE)
    return f"— {name} {b64(named + at.to_bytes(8, 'big') + key.sign(_message(checkpoint, at)))}"


def _message(checkpoint: Checkpoint, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{checkpoint.text}".encode()
