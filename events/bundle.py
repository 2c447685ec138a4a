"""Bundles: a match in one file (``.kleos``), for whoever wants to check it, or keep it, without the server.

A bundle is a zip archive whose eight members stand in this order, as they are, without compression::

    kleos.json      {"events":13,"format":"kleos/1","match":"4V0M…","origin":"play.example/m/4V0M…",…}
    events          the public bytes of each event, a line each
    openings        for each event the openings that whoever asked may have, a line each: {"seat:0":{…}}
    signatures      for each event the line that signs the checkpoint after it: — play.example Az3g…
    keys            the server's verifier keys, a line each, the newest first
    rotations       the notes by which they follow from each other, a JSON string each, the oldest first
    ledger          the proof that the match is in the server's own log, a JSON string; or nothing
    cosignatures    what witnesses signed: <size> <the witness's verifier key> <signature line>

Equal bundles are equal files: there is one way to write one, and reading refuses all others. This knows the
file and not what it means; ``docs/proof.md`` tells both.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Raw, Struct

from kleos.events import canonical

FORMAT: Final = "kleos/1"
LARGEST: Final = 1 << 28
"""Bytes of a bundle that are read at most; a match has a few hundred for each event."""
_MATCH: Final = re.compile("[0-9A-HJKMNP-TV-Z]{26}")
"""Ids of matches: an id becomes part of names and paths, so no other will do."""
_MEMBERS: Final = (
    *("kleos.json", "events", "openings", "signatures", "keys"),
    *("rotations", "ledger", "cosignatures"),
)


class NotABundle(ValueError):
    """These bytes are no bundle; one sentence says why."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which match it is, under which rules, and the ``origin`` of its checkpoints."""

    events: int
    format: str
    match: str
    origin: str
    rules: str


class Bundle(Struct, frozen=True):
    """The members, line by line: the first three lists have as many as the manifest has events."""

    manifest: Manifest
    events: tuple[bytes, ...]
    openings: tuple[bytes, ...]
    signatures: tuple[str, ...]
    keys: tuple[str, ...]
    rotations: tuple[str, ...] = ()
    ledger: tuple[str, ...] = ()
    cosignatures: tuple[str, ...] = ()


def pack(bundle: Bundle) -> bytes:
    """The file."""
    members = (
        canonical.encode(msgspec.to_builtins(bundle.manifest)) + b"\n",
        _lines(bundle.events),
        _lines(bundle.openings),
        _lines(each.encode() for each in bundle.signatures),
        _lines(each.encode() for each in bundle.keys),
        _lines(canonical.encode(each) for each in bundle.rotations),
        _lines(canonical.encode(each) for each in bundle.ledger),
        _lines(each.encode() for each in bundle.cosignatures),
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, member in zip(_MEMBERS, members, strict=True):
            told = zipfile.ZipInfo(name)  # of 1 January 1980, the beginning of time for a zip archive
            told.create_system = 3
            told.external_attr = 0o100644 << 16
            archive.writestr(told, member)
    return file.getvalue()


def unpack(data: bytes) -> Bundle:
    """The bundle in a file; ``NotABundle`` unless ``pack`` gives exactly these bytes back."""
    if len(data) > LARGEST:
        raise NotABundle(f"it has {len(data)} bytes, more than the {LARGEST} that are read")
    members = _members(data)
    try:
        bundle = _read(*members)
        again = pack(bundle)
    except (ValueError, msgspec.DecodeError) as error:
        raise NotABundle(f"a member cannot be read: {error}") from None
    if again != data:
        raise NotABundle("it is not written as bundles are")
    return _counted(bundle)


def _members(data: bytes) -> list[bytes]:
    """What stands in the archive, in order."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = tuple(archive.namelist())
            if names != _MEMBERS:
                raise NotABundle(f"its members are {', '.join(names)}, not {', '.join(_MEMBERS)}")
            if any(each.compress_type != zipfile.ZIP_STORED for each in archive.infolist()):
                raise NotABundle("its members are compressed")
            return [archive.read(name) for name in names]
    except NotABundle:
        raise
    except (zipfile.BadZipFile, EOFError, RuntimeError, ValueError) as error:
        raise NotABundle(f"not a whole zip archive: {error}") from None


def _read(manifest: bytes, events: bytes, openings: bytes, *rest: bytes) -> Bundle:
    signatures, keys, rotations, ledger, cosignatures = (_split(each) for each in rest)
    return Bundle(
        msgspec.json.decode(manifest, type=Manifest),
        _split(events),
        _split(openings),
        tuple(each.decode() for each in signatures),
        tuple(each.decode() for each in keys),
        tuple(msgspec.json.decode(each, type=str) for each in rotations),
        tuple(msgspec.json.decode(each, type=str) for each in ledger),
        tuple(each.decode() for each in cosignatures),
    )


def _counted(bundle: Bundle) -> Bundle:
    if bundle.manifest.format != FORMAT:
        raise NotABundle(f"its format is {bundle.manifest.format!r}; this reads {FORMAT!r}")
    if not is_match_id(bundle.manifest.match):
        raise NotABundle("a match has 26 characters of Crockford's base 32 for an id")
    number = bundle.manifest.events
    for name in ("events", "openings", "signatures"):
        found = len(getattr(bundle, name))
        if found != number:
            raise NotABundle(f"it tells of {number} events and has {found} lines of {name}")
    if number < 1 or not bundle.keys:
        raise NotABundle("a match has an event, and a bundle a key")
    if len(bundle.ledger) > 1:
        raise NotABundle("one proof from the server's own log is enough")
    return bundle


def _lines(items: Iterable[bytes]) -> bytes:
    return b"".join(each + b"\n" for each in items)


def _split(member: bytes) -> tuple[bytes, ...]:
    if member and not member.endswith(b"\n"):
        raise NotABundle("the last line of a member has no end")
    return tuple(member.split(b"\n")[:-1])


def opening_of(line: bytes) -> dict[str, Raw]:
    """The openings in one line, by audience; ``ValueError`` if it is not canonical."""
    canonical.decode(line)
    return msgspec.json.decode(line, type=dict[str, Raw])


def is_match_id(text: str) -> bool:
    """Whether the id of a match may look so."""
    return _MATCH.fullmatch(text) is not None
