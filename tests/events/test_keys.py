"""The signing key's file."""

import re
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from kleos.events.heads import Heads
from kleos.events.keys import KeyUnusable, keys_in, require_same, rotate
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


# What can be done to a key file


def rotated(folder: Path) -> Path:
    """A key file after two rotations."""
    path = folder / "signing.key"
    keys_in(path)
    for at in (1, 2):
        rotate(path, HOST, at, stolen=False)
    return path


def blocks(path: Path) -> list[str]:
    """The parts of a key file: three private keys, and two rotations."""
    begin = "-----BEGIN"
    return [f"{begin}{each}" for each in path.read_text().split(begin)[1:]]


SPOILT: list[tuple[str, Callable[[list[str]], list[str]], str]] = [
    ("empty", lambda _: [], "not an unencrypted PEM private key"),
    (
        "a character of the newest key",
        lambda parts: [_edited(parts[0]), *parts[1:]],
        "its private keys stand first",
    ),
    (
        "a character of an old key",
        lambda parts: [parts[0], _edited(parts[1]), *parts[2:]],
        "put back the whole file",
    ),
    (
        "a character of a rotation",
        lambda parts: [*parts[:4], _edited(parts[4])],
        "the rotations in the key file are not this key's",
    ),
    ("two keys swapped", lambda parts: [parts[1], parts[0], *parts[2:]], "the newest on top"),
    (
        "two old keys swapped",
        lambda parts: [parts[0], parts[2], parts[1], *parts[3:]],
        "put back the whole file",
    ),
    ("two rotations swapped", lambda parts: [*parts[:3], parts[4], parts[3]], "the oldest on top"),
    ("the newest key gone", lambda parts: parts[1:], "the newest on top"),
    ("an old key gone", lambda parts: [parts[0], *parts[2:]], "has 2 private keys and 2 rotations"),
    ("a rotation gone", lambda parts: [*parts[:3], parts[4]], "has 3 private keys and 1 rotations"),
    ("all rotations gone", lambda parts: parts[:3], "has 3 private keys and 0 rotations"),
    ("a key twice", lambda parts: [parts[0], *parts], "has 4 private keys and 2 rotations"),
    (
        "a rotation twice",
        lambda parts: [*parts, parts[4]],
        "the rotations in the key file are not this key's",
    ),
    ("cut in the last rotation", lambda parts: [*parts[:4], parts[4][:-9]], "no whole PEM block"),
    ("cut in the first key", lambda parts: [parts[0][:-9]], "not an unencrypted PEM private key"),
    ("something more", lambda parts: [*parts, "more"], "no whole PEM block: put back the whole file"),
    (
        "not ASCII",
        lambda parts: [*parts, "\N{GREEK SMALL LETTER KAPPA}"],
        "not an unencrypted PEM private key",
    ),
]


def _edited(block: str) -> str:
    """Another character near the end of what is encoded, where of a private key the seed is."""
    at = block.index("-----END") - 6
    return block[:at] + ("A" if block[at] != "A" else "B") + block[at + 1 :]


@pytest.mark.parametrize(("spoil", "says"), [each[1:] for each in SPOILT], ids=[each[0] for each in SPOILT])
def test_a_key_file_that_was_changed_is_refused_with_what_would_be_right(
    tmp_path: Path, spoil: Callable[[list[str]], list[str]], says: str
) -> None:
    path = rotated(tmp_path)
    assert keys_in(path).signer(HOST)
    path.write_text("".join(spoil(blocks(path))), "utf-8")
    with pytest.raises(KeyUnusable, match=says):
        keys_in(path).signer(HOST)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o666, 0o777])
def test_a_key_file_that_is_open_to_others_in_any_way_is_refused(tmp_path: Path, mode: int) -> None:
    path = rotated(tmp_path)
    path.chmod(mode)
    with pytest.raises(KeyUnusable, match=rf"\(mode {mode:o}\): chmod 600 {path}"):
        keys_in(path)


def test_a_folder_in_the_place_of_the_key_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyUnusable, match="is no file: the signing key is a PEM file there"):
        keys_in(tmp_path)


def another_server(path: Path) -> None:
    """The key file of another server lies there."""
    path.unlink()
    keys_in(path)


def one_character(path: Path) -> None:
    """Any 32 bytes are a key, so that a file with one key alone cannot tell."""
    path.write_text(_edited(path.read_text()))


def another_name(path: Path) -> None:
    """The file was renamed, so that the server makes a new key."""
    path.rename(path.with_name("signing_key.pem"))
    keys_in(path)


@pytest.mark.parametrize("spoil", [another_server, one_character, another_name])
def test_a_server_that_finds_another_key_than_it_has_signed_with_says_which_would_be_right(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    path = tmp_path / "signing.key"
    signer = keys_in(path).signer(HOST)
    with closing(Heads(tmp_path / "heads.db")) as heads:
        for _ in range(2):
            require_same(signer, heads, path)
        spoil(path)
        other = keys_in(path).signer(HOST)
        with pytest.raises(KeyUnusable):
            require_same(other, heads, path)
        with pytest.raises(KeyUnusable) as refused:  # it is not got used to
            require_same(other, heads, path)
    assert f"signs with {signer.verifier.vkey}: put back the file" in str(refused.value)
    assert other.verifier.vkey in str(refused.value)


@pytest.mark.parametrize("stolen", [False, True])
def test_a_rotated_key_is_the_same_servers_and_the_old_one_is_not_gone_back_to(
    tmp_path: Path, stolen: bool
) -> None:
    path = tmp_path / "signing.key"
    old = keys_in(path).signer(HOST)
    with closing(Heads(tmp_path / "heads.db")) as heads:
        require_same(old, heads, path)
        new = rotate(path, HOST, 1, stolen=stolen).signer(HOST)
        require_same(new, heads, path)
        with pytest.raises(KeyUnusable, match=re.escape(new.verifier.vkey)):
            require_same(old, heads, path)
