"""The signing key's file."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from kleos.events.keys import KeyUnusable, keys_in, rotate
from kleos.events.rotation import keys_of

HOST = "play.example"


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


def test_a_new_key_follows_and_the_old_ones_stay_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    first = raw(path)
    for at in (1, 2):
        rotate(path, HOST, at, stolen=False)
    keys = keys_in(path)
    signer = keys.signer(HOST)
    assert [each.private_bytes_raw() for each in keys.private][2:] == [first]
    assert len(set(keys_of(signer))) == len(keys_of(signer)) == 3
    assert keys_of(signer)[0] == signer.verifier
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["signing.key"]


def test_of_a_stolen_key_only_the_public_half_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    old = keys_in(path).signer(HOST).verifier
    rotate(path, HOST, 1, stolen=True)
    keys = keys_in(path)
    assert len(keys.private) == 1
    assert keys_of(keys.signer(HOST))[1] == old


def test_a_rotation_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "signing.key"
    keys_in(path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        rotate(path, HOST, 1, stolen=False)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["signing.key"]


def test_keys_of_another_host_or_another_chain_are_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "signing.key", tmp_path / "other.key"
    for each in (path, other):
        keys_in(each)
        rotate(each, HOST, 1, stolen=True)
    with pytest.raises(KeyUnusable, match="KLEOS_ORIGIN"):
        keys_in(path).signer("elsewhere.example")
    key, rotation = (each.read_text().partition("-----BEGIN KLEOS") for each in (path, other))
    path.write_text(key[0] + "".join(rotation[1:]))
    with pytest.raises(KeyUnusable, match="not this key's"):
        keys_in(path).signer(HOST)
