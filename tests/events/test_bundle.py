"""The file of a bundle: written in one way, and whatever is written otherwise is refused with the reason."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Final

import msgspec
import pytest
from bundles import MATCH
from msgspec.structs import replace

from kleos.events import canonical
from kleos.events.bundle import LARGEST, Bundle, Manifest, NotABundle, opening_of, pack, unpack

MANIFEST: Final = Manifest(2, "kleos/1", MATCH, f"play.example/m/{MATCH}", "tiny/1")
WHOLE: Final = Bundle(
    MANIFEST,
    events=(b'{"a":1}', b'{"b":2}'),
    openings=(b"{}", b'{"seat:0":{}}'),
    signatures=("— play.example AAAA", "— play.example BBBB"),
    keys=("the newest", "the oldest"),
    rotations=("from the oldest\nto the newest\n",),
    ledger=("κλέος\n",),
    cosignatures=("2 a+b+c — a CCCC",),
)
ONE_EVENT: Final = Bundle(replace(MANIFEST, events=1), (b"{}",), (b"{}",), ("— a AAAA",), ("a key",))
MEMBERS: Final = {
    "kleos.json": canonical.encode(msgspec.to_builtins(MANIFEST)) + b"\n",
    "events": b'{"a":1}\n{"b":2}\n',
    "openings": b'{}\n{"seat:0":{}}\n',
    "signatures": "— play.example AAAA\n— play.example BBBB\n".encode(),
    "keys": b"the newest\nthe oldest\n",
    "rotations": b'"from the oldest\\nto the newest\\n"\n',
    "ledger": '"κλέος\\n"\n'.encode(),
    "cosignatures": "2 a+b+c — a CCCC\n".encode(),
}


def zipped(changed: dict[str, bytes] | None = None, *, compressed: str = "") -> bytes:
    """The file as another program writes it, with other members or with one that is compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, member in (MEMBERS | (changed or {})).items():
            told = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            told.compress_type = zipfile.ZIP_DEFLATED if name == compressed else zipfile.ZIP_STORED
            told.create_system = 3
            told.external_attr = 0o100644 << 16
            archive.writestr(told, member)
    return file.getvalue()


def directory(member: str, offset: int, value: bytes) -> bytes:
    """The file with some bytes changed in what its directory says of a member."""
    data = bytearray(pack(WHOLE))
    at = data.rindex(member.encode()) - 46 + offset
    assert data[at - offset :].startswith(b"PK\x01\x02")
    data[at : at + len(value)] = value
    return bytes(data)


@pytest.mark.parametrize("bundle", [WHOLE, ONE_EVENT])
def test_a_bundle_is_read_as_it_was_written(bundle: Bundle) -> None:
    assert unpack(pack(bundle)) == bundle


def test_the_file_is_the_one_that_the_format_describes() -> None:
    assert pack(WHOLE) == zipped()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not a whole zip archive: File is not a zip file"),
        (pack(WHOLE)[:-30], "not a whole zip archive"),
        (pack(WHOLE)[30:], "not a whole zip archive"),
        (directory("cosignatures", 20, b"\xff\xff\xff\x7f" * 2), "not a whole zip archive"),
        (directory("events", 8, b"\x01"), "not a whole zip archive: .*encrypted"),
        (directory("events", 6, b"\xff"), "not a whole zip archive: zip file version 25.5"),
        (directory("keys", 16, b"\x00"), "not a whole zip archive: Bad CRC-32"),
        (
            zipped({"more": b""}),
            "its members are kleos.json, .*, cosignatures, more, not kleos.json, .*cosignatures$",
        ),
        (zipped(compressed="kleos.json"), "its members are compressed"),
        (zipped(compressed="cosignatures"), "its members are compressed"),
        (pack(WHOLE) + b"\x00", "not a whole zip archive|not written as bundles are"),
        (b"\x00" + pack(WHOLE), "it is not written as bundles are"),
        (zipped({"kleos.json": b" " + MEMBERS["kleos.json"]}), "it is not written as bundles are"),
        (zipped({"ledger": b' "proof"\n'}), "it is not written as bundles are"),
        (zipped({"kleos.json": b"{}\n"}), "a member cannot be read: .*missing required field"),
        (zipped({"kleos.json": MEMBERS["kleos.json"].replace(b"{", b'{"a":1,')}), "unknown field `a`"),
        (zipped({"kleos.json": MEMBERS["kleos.json"].replace(b"2,", b"9007199254740992,")}), "beyond"),
        (zipped({"keys": b"\xff\n"}), "a member cannot be read: .*utf-8"),
        (zipped({"rotations": b"1\n"}), "a member cannot be read: Expected `str`, got `int`"),
        (zipped({"ledger": b"1\n"}), "a member cannot be read: Expected `str`, got `int`"),
        (zipped({"ledger": b'"\n'}), "a member cannot be read: .*truncated"),
        (zipped({"events": MEMBERS["events"][:-1]}), "the last line of a member has no end"),
    ],
)
def test_a_file_that_is_written_otherwise_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(NotABundle, match=why):
        unpack(data)


def test_no_file_is_read_that_is_larger_than_the_largest() -> None:
    assert LARGEST == 256 * 1024 * 1024
    with pytest.raises(NotABundle, match="not a whole zip archive"):
        unpack(bytes(LARGEST))
    with pytest.raises(
        NotABundle, match=f"it has {LARGEST + 1} bytes, more than the {LARGEST} that are read"
    ):
        unpack(bytes(LARGEST + 1))


def told(**changed: Any) -> Bundle:
    return replace(WHOLE, manifest=replace(MANIFEST, **changed))


@pytest.mark.parametrize(
    ("bundle", "why"),
    [
        (told(format="kleos/2"), "its format is 'kleos/2'; this reads 'kleos/1'"),
        (told(match=MATCH[1:]), "26 characters"),
        (told(match=MATCH + "0"), "26 characters"),
        (told(match=MATCH.lower()), "26 characters"),
        *((told(match=letter + MATCH[1:]), "26 characters") for letter in "ILOU/"),
        (told(events=3), "it tells of 3 events and has 2 lines of events"),
        (replace(WHOLE, openings=(b"{}",)), "it tells of 2 events and has 1 lines of openings"),
        (replace(WHOLE, signatures=()), "it tells of 2 events and has 0 lines of signatures"),
        (
            Bundle(replace(MANIFEST, events=0), (), (), (), ("a key",)),
            "a match has an event, and a bundle a key",
        ),
        (replace(WHOLE, keys=()), "a match has an event, and a bundle a key"),
        (replace(WHOLE, ledger=("one", "two")), "one proof from the server's own log is enough"),
    ],
)
def test_a_bundle_that_does_not_agree_with_itself_is_refused_with_the_reason(
    bundle: Bundle, why: str
) -> None:
    with pytest.raises(NotABundle, match=why):
        unpack(pack(bundle))


@pytest.mark.parametrize("letter", "0123456789ABCDEFGHJKMNPQRSTVWXYZ")
def test_an_id_may_have_every_character_of_crockfords_base_32(letter: str) -> None:
    assert unpack(pack(told(match=letter * 26))).manifest.match == letter * 26


def test_the_openings_of_an_event_are_told_by_audience_and_canonical() -> None:
    line = b'{"seat:0":{"payload":1},"server":2}'
    assert {audience: bytes(each) for audience, each in opening_of(line).items()} == {
        "seat:0": b'{"payload":1}',
        "server": b"2",
    }
    with pytest.raises(canonical.NotCanonical):
        opening_of(b" " + line)
