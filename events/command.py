"""Commands: requests that may be sent again without being done again, and what becomes of them."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from kleos.core.match import Match
from kleos.events import digest
from kleos.events.envelope import Entry

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Command(Struct, frozen=True):
    """What makes two requests the same.

    ``id`` tells it from all others (a digest of who asks and the key they chose; it is in the public event),
    ``fingerprint`` is a digest of all that was asked, empty if the id says it all. 16 bytes each.
    """

    id: bytes
    fingerprint: bytes = b""

    @classmethod
    def named(cls, label: str, *fields: bytes, asks: bytes = b"") -> Command:
        """The command that these fields name, under a label of their own."""
        return cls(digest.short(digest.digest(label, *fields)), asks)


def match_made_by(name: bytes) -> str:
    """The id of the match that a command of this name creates: sent again, it finds the match it made.

    128 bits of a digest in Crockford's base 32: 26 characters, none of them mistaken for another.
    """
    number = int.from_bytes(digest.short(digest.digest("kleos/match-id/v1", name)), "big")
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


class Stale(Exception):
    """The match is no longer at the version that the asker saw; ``current`` is its version."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the match is at version {current}")
        self.current = current


class Committed(Struct, frozen=True):
    """An event that is in the log: its entry, the match after it, its receipt, and how safely it is kept.

    ``replayed``: the command was in the log already (or the first reply was lost on its way from the store);
    everything here is the answer of then.
    """

    entry: Entry
    match: Match
    receipt: str
    durability: str
    replayed: bool
