"""The server's signing key in a file: made on the first start, readable by its owner alone."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)


class KeyUnusable(Exception):
    """The key file is not what it should be; one sentence says what is wrong and how to mend it."""


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The Ed25519 key in ``path`` (PKCS #8, PEM, mode 0600), made there if there is none.

    Of several processes that start at once, all get the key of the one that was first.
    """
    with suppress(FileExistsError):
        if not path.exists():
            _write_new(path, Ed25519PrivateKey.generate())
    return _read(path)


def _write_new(path: Path, key: Ed25519PrivateKey) -> None:
    """Put a whole file there, or nothing; ``FileExistsError`` if somebody was faster."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    finally:
        draft.unlink()


def _read(path: Path) -> Ed25519PrivateKey:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise KeyUnusable(f"{path} can be read by others (mode {mode:o}): chmod 600 {path}")
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError):
        raise KeyUnusable(f"{path} is not an unencrypted PEM private key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"{path} holds a key of another kind than Ed25519")
    return key
