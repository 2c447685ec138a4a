"""The signing key's file."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from kleos.events.keys import KeyUnusable, keys_in


def raw(path: Path) -> bytes:
    """The newest key in a file."""
    return keys_in(path).private[0].private_bytes_raw()


def test_the_first_start_makes_a_key_that_later_starts_find(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    made = raw(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert raw(path) == made
    assert [each.name for each in tmp_path.iterdir()] == ["signing.key"]


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = list(pool.map(lambda _: raw(tmp_path / "signing.key"), range(16)))
    assert len(set(keys)) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    keys_in(path)
    path.chmod(0o640)
    with pytest.raises(KeyUnusable, match="chmod 600"):
        keys_in(path)


def test_a_file_that_holds_no_ed25519_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    path.touch(mode=0o600)
    with pytest.raises(KeyUnusable, match="not an unencrypted PEM"):
        keys_in(path)
    other = generate_private_key(SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(KeyUnusable, match="another kind"):
        keys_in(path)
