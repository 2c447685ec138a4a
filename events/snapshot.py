"""Snapshots: a cache of positions, so that a long match need not be replayed from its first move.

A snapshot is filed under a digest of the code that made it. After any change of the rules the old ones are
no longer found, so a snapshot can be absent, but never wrong.
"""

from __future__ import annotations

import inspect
import sys
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from kleos.core.kernel.registry import pinned
from kleos.core.match import Match, codec
from kleos.events import digest
from kleos.events.merkle import Edge


class Position(Struct, frozen=True):
    """A match at one version, and the edge of its tree there: all that is needed to go on."""

    match: Match
    edge: Edge


class _Snapshot(Struct, frozen=True):
    match: Match
    state: Raw
    edge: Edge


def pack(position: Position) -> bytes:
    """The position as deflated JSON (RFC 1950), secrets included: it stays in the store."""
    match = position.match
    state = Raw(codec(match.rules).state_bytes(match.state))
    return zlib.compress(msgspec.json.encode(_Snapshot(replace(match, state=None), state, position.edge)))


def unpack(packed: bytes) -> Position:
    """The position that was packed; ``msgspec.DecodeError`` or ``zlib.error`` if these bytes are none."""
    snapshot = msgspec.json.decode(zlib.decompress(packed), type=_Snapshot)
    state = codec(snapshot.match.rules).state(bytes(snapshot.state))
    return Position(replace(snapshot.match, state=state), snapshot.edge)


@cache
def code_digest(rules: str) -> str:
    """A digest of every file that can have a say in the states of these rules.

    That is the whole of ``kleos.core``, and the top-level package or module of a game installed beside it.
    """
    own = Path(__file__).parents[1] / "core"
    module = sys.modules[type(pinned(rules)).__module__.partition(".")[0]]
    if module.__name__ == "kleos":
        return source_digest([own])
    places = list(getattr(module, "__path__", ())) or [inspect.getfile(module)]
    return source_digest([own, *sorted(Path(place) for place in places)])


def source_digest(roots: Sequence[Path]) -> str:
    """A digest of the names and bytes of all files in these folders (a root may also be a file itself)."""
    fields: list[bytes] = []
    for root in roots:
        for file in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if file.is_file() and "__pycache__" not in file.parts:
                fields += [file.relative_to(root.parent).as_posix().encode(), file.read_bytes()]
    return digest.text(digest.digest("kleos/code/v1", *fields))
