"""The server's signing keys in a file: made on the first start, replaced whole, readable by its owner alone.

The file is PEM: the private keys that count, the newest first, then the notes by which each key followed from
the one before (see ``rotation``), the oldest first. Until the first rotation it is one key.
"""

from __future__ import annotations

import base64
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from msgspec import Struct

from kleos.events import rotation
from kleos.events.heads import Heads
from kleos.events.note import Signer, Unverified, vkey_of
from kleos.events.rotation import Rotation, keys_of

_ROTATION: Final = "KLEOS KEY ROTATION"
_NO_KEY: Final = "is not an unencrypted PEM private key: put back the whole file as it was made"
_BLOCK: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\n(.*?)-----END \1-----\n", re.DOTALL)


class KeyUnusable(Exception):
    """The key file is not what it should be; one sentence says what is wrong and how to mend it."""


class Keys(Struct, frozen=True):
    """What a key file holds. ``private`` has the newest first, ``rotations`` the oldest first.

    There are fewer private keys than keys where one was given up as stolen.
    """

    private: tuple[Ed25519PrivateKey, ...]
    rotations: tuple[str, ...] = ()

    def signer(self, host: str) -> Signer:
        """What signs for a server; raises ``KeyUnusable`` if the rotations are not those of its key."""
        signer = Signer(host, self.private[0], self.rotations)
        try:
            names = {Rotation.parse(note).new.name for note in self.rotations} - {host}
            if names:
                raise KeyUnusable(
                    f"its keys were rotated as those of {names.pop()}: set KLEOS_ORIGIN to that"
                )
            every = [each.public for each in keys_of(signer)]
        except Unverified as error:
            raise KeyUnusable(
                f"the rotations in the key file are not this key's: {error}; its private keys stand first, "
                "the newest on top, then all rotations, the oldest on top"
            ) from None
        mine = [each.public_key().public_bytes_raw() for each in self.private]
        if mine != every[: len(mine)]:
            raise KeyUnusable(
                f"the key file has {len(mine)} private keys and {len(self.rotations)} rotations, and these "
                "do not lead from one to the other: put back the whole file"
            )
        return signer


def require_same(signer: Signer, heads: Heads, path: Path) -> None:
    """``KeyUnusable`` if this server has signed with a key before that is none of those in ``path``."""
    other = heads.signs_with([each.public for each in keys_of(signer)])
    if other is not None:
        raise KeyUnusable(
            f"{path} holds {signer.verifier.vkey}, but this server signs with "
            f"{vkey_of(signer.name, other)}: put back the file with that key; if it is lost for good, take "
            f"{heads.path} away, and the server begins anew with the key that is there"
        )


def keys_in(path: Path) -> Keys:
    """The keys in ``path`` (PKCS #8, PEM, mode 0600); a new one is made there if there is no file.

    Of several processes that start at once, all get the key of the one that was first.
    """
    with suppress(FileExistsError):
        if not path.exists():
            _write(path, Keys((Ed25519PrivateKey.generate(),)), replace=False)
    return _read(path)


def rotate(path: Path, host: str, at: int, *, stolen: bool) -> Keys:
    """Let a new key follow the newest in a file, at a time in seconds since the epoch; the file is replaced
    at once and whole.

    If the old key is ``stolen``, its private half and those before it are not kept: whatever was derived
    from them counts no more. Raises ``KeyUnusable``.
    """
    keys = _read(path)
    new = Ed25519PrivateKey.generate()
    note = rotation.rotate(keys.signer(host), Signer(host, new), at)
    after = Keys((new, *(() if stolen else keys.private)), (*keys.rotations, note))
    _write(path, after, replace=True)
    return after


def _write(path: Path, keys: Keys, *, replace: bool) -> None:
    """Put a whole file there, or nothing; ``FileExistsError`` if somebody was faster and it must be new."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_text(keys).encode())
            file.flush()
            os.fsync(file.fileno())
        if replace:
            draft.replace(path)
        else:
            os.link(draft, path)
        _settle(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Have the names in a folder on disk, where a system can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(handle)
        os.close(handle)


def _text(keys: Keys) -> str:
    private = [
        each.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        for each in keys.private
    ]
    notes = [_block(_ROTATION, base64.encodebytes(each.encode()).decode()) for each in keys.rotations]
    return "".join((*private, *notes))


def _block(label: str, encoded: str) -> str:
    return f"-----BEGIN {label}-----\n{encoded}-----END {label}-----\n"


def _read(path: Path) -> Keys:
    if not path.is_file():
        raise KeyUnusable(f"{path} is no file: the signing key is a PEM file there")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise KeyUnusable(f"{path} can be read by others (mode {mode:o}): chmod 600 {path}")
    private: list[Ed25519PrivateKey] = []
    rotations: list[str] = []
    try:
        text = path.read_text("ascii")
        for block in _BLOCK.finditer(text):
            if block[1] == _ROTATION:
                rotations.append(base64.b64decode(block[2]).decode())
            else:
                private.append(_private(path, block[0]))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyUnusable(f"{path} {_NO_KEY}") from None
    if not private:
        raise KeyUnusable(f"{path} {_NO_KEY}")
    if _BLOCK.sub("", text).strip():
        raise KeyUnusable(f"{path} has something in it that is no whole PEM block: put back the whole file")
    return Keys(tuple(private), tuple(rotations))


def _private(path: Path, block: str) -> Ed25519PrivateKey:
    key = load_pem_private_key(block.encode(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"{path} holds a key of another kind than Ed25519")
    return key
