"""Conditional requests (RFC 9110 §13) and idempotent commands: headers to values, nothing else.

An ETag is ``"<version>-<tag>"``. Its tag is a keyed hash of the match and of who looks: it tells nothing to
whoever cannot see the view it names, and no tag of another match is ever taken for one of this.
``If-Match`` compares versions, since a command depends on the match, not on whose view of it was read:
the ETag of the match, of any seat's view, or ``*`` will do. A weak tag or one of another match never matches
(412); a header that is no list of ETags is malformed (400).
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from functools import lru_cache
from typing import Final

from kleos.api.problems import Problem
from kleos.events import digest
from kleos.events.command import Command

VARY: Final = "Authorization, Accept"
"""What every answer about matches and players depends on, beside its address."""
PRIVATE: Final = {"Vary": VARY, "Cache-Control": "private, no-cache"}
"""Headers of an answer that is for one caller, and asked for anew each time."""

NO_VERSION: Final = 0
"""What an ``If-Match`` that matches nothing expects: no match is at version 0."""
_TAG = re.compile(r'\s*(?:(W/)?"([\x21\x23-\x7e\x80-\xff]*)")\s*(?:,|$)')
_OURS = re.compile(r"([1-9][0-9]{0,15})-([A-Za-z0-9_-]{6})[A-Za-z0-9_-]{8}")
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class Tags:
    """Makes and reads ETags under a secret."""

    def __init__(self, secret: bytes) -> None:
        @lru_cache(maxsize=4096)
        def keyed(text: str, length: int) -> str:
            mac = hmac.digest(secret, b"kleos/etag/v1\0" + text.encode(), "sha256")
            return urlsafe_b64encode(mac)[:length].decode()

        self._keyed = keyed

    def etag(self, match: str, version: int, viewer: str) -> str:
        """The ETag of what ``viewer`` (``match``, ``seat:0``, ``spectator``, …) sees at a version."""
        return f'"{version}-{self._keyed(match, 6)}{self._keyed(f"{match} {viewer}", 8)}"'

    def expected(self, match: str, header: str | None) -> int | None:
        """The version that ``If-Match`` allows a command to follow; None if any.

        Of several the newest counts: versions only grow, so an older one cannot be the head when a newer was
        seen.
        """
        if header is None or header.strip() == "*":
            return None
        ours = (_OURS.fullmatch(tag) for weak, tag in _tags(header, "If-Match") if not weak)
        mine = self._keyed(match, 6)
        return max((int(found[1]) for found in ours if found and found[2] == mine), default=NO_VERSION)


def _tags(header: str, name: str) -> list[tuple[bool, str]]:
    found, at = [], 0
    while at < len(header):
        tag = _TAG.match(header, at)
        if tag is None:
            raise Problem("malformed", f"{name} is a list of ETags, or *")
        found.append((tag[1] is not None, tag[2]))
        at = tag.end()
    if not found:
        raise Problem("malformed", f"{name} is a list of ETags, or *")
    return found


def unchanged(header: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` names ``etag`` (weak comparison), so that 304 is the answer."""
    if header is None:
        return False
    return header.strip() == "*" or any(f'"{tag}"' == etag for _, tag in _tags(header, "If-None-Match"))


def command(player: str, key: str, method: str, path: str, body: bytes) -> Command:
    """The command that an ``Idempotency-Key`` names. Keys are each player's own."""
    if not _KEY.fullmatch(key):
        raise Problem("malformed", "Idempotency-Key is 1 to 255 visible ASCII characters")
    asks = digest.short(digest.digest("kleos/request/v1", method.encode(), path.encode(), body))
    return Command.named("kleos/command/v1", player.encode(), key.encode(), asks=asks)
