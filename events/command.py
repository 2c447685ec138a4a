"""Commands: requests that may be sent again without being done again."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from kleos.events import digest

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Command(Struct, frozen=True):
    """What makes two requests the same.

    ``id`` tells it from all others (a digest of who asks and the key they chose; it is in the public event),
    ``fingerprint`` is a digest of all that was asked.
    """

    id: str
    fingerprint: str


def match_made_by(command: Command) -> str:
    """The id of the match that a command creates: sent again, it finds the match it made.

    128 bits of a digest in Crockford's base 32: 26 characters, none of them mistaken for another.
    """
    number = int.from_bytes(digest.digest("kleos/match-id/v1", command.id.encode())[:16], "big")
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))
