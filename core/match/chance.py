"""Chance of a match: dice that can be checked as they fall, shuffles that can be checked at the end. Pure.

Each version has dice and shuffles of its own (match.11). The dice of version *v* hang on a *link* of a hash
chain that the match committed to before anybody could foresee anything::

    anchor ── SHA-256 ──  link 1 ── SHA-256 ──  link 2 ── … ──  link 2048        each is the hash of the next
    in the first event    version 1             version 2       made from the seed

The link of a version is published in the event that rolled, so that everybody hashes it back to the anchor
and throws the same dice; it tells nothing of later links. Shuffles hang on the seed itself and are opened
with it. ``docs/chance.md`` tells every byte.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from kleos.core.kernel.chance import KeyedChance
from kleos.core.match.state import Match

T = TypeVar("T")

LINKS: Final = 2048
"""Links of a chain. A longer match hangs on several, each anchored in the event before its first link."""
_STRIDE: Final = 32
"""Every so many links one is remembered: finding any takes fewer hashes than this."""
_LINK: Final = b"kleos/dice-link/v1"


def earlier(link: bytes, steps: int = 1) -> bytes:
    """The link (or anchor) so many steps before a link, 32 bytes: what everybody can compute."""
    for _ in range(steps):
        link = hashlib.sha256(_LINK + link).digest()
    return link


def link(seed: str, match_id: str, version: int) -> bytes:
    """The secret on which the dice of ``version`` hang: 32 bytes. ``seed`` is in hexadecimal."""
    chain, place = divmod(version - 1, LINKS)
    return _at(seed, match_id, chain, place + 1)


def anchor(seed: str, match_id: str, chain: int = 0) -> str:
    """What the match commits to before the versions ``chain * LINKS + 1`` and on, in hexadecimal."""
    return _at(seed, match_id, chain, 0).hex()


def _at(seed: str, match_id: str, chain: int, place: int) -> bytes:
    mark = -(-place // _STRIDE)
    found = _marks(seed, match_id, chain)[mark * 32 : mark * 32 + 32]
    return earlier(found, mark * _STRIDE - place)


@lru_cache(maxsize=2048)
def _marks(seed: str, match_id: str, chain: int) -> bytes:
    """The places 0, 32, 64 … of a chain, one after the other."""
    found = [_keyed(bytes.fromhex(seed), "kleos/dice-chain/v1", match_id, chain)]
    for _ in range(LINKS // _STRIDE):
        found.append(earlier(found[-1], _STRIDE))
    return b"".join(reversed(found))


def dice(link: bytes, match_id: str, version: int, entropy: Sequence[str]) -> KeyedChance:
    """The dice of a version whose link is known; ``entropy`` is what each seat brought, by seat."""
    return KeyedChance(dice_key(link, match_id, version, entropy))


def dice_key(link: bytes, match_id: str, version: int, entropy: Sequence[str]) -> bytes:
    """The key of the dice of a version."""
    return _keyed(link, "kleos/dice/v1", match_id, version, entropy)


def shuffles(seed: str, match_id: str, version: int, entropy: Sequence[str]) -> KeyedChance:
    """The shuffles and picks of a version."""
    return KeyedChance(shuffles_key(seed, match_id, version, entropy))


def shuffles_key(seed: str, match_id: str, version: int, entropy: Sequence[str]) -> bytes:
    """The key of the shuffles and picks of a version."""
    return _keyed(bytes.fromhex(seed), "kleos/shuffles/v1", match_id, version, entropy)


def _keyed(key: bytes, *fields: Any) -> bytes:
    """HMAC-SHA-256 over a JSON array of strings, integers and arrays of strings, without white space."""
    return hmac.digest(key, msgspec.json.encode(fields), hashlib.sha256)


class MatchChance:
    """The chance of the event that makes one version of a match; ``rolled`` tells whether a die was thrown.

    The keys are made when they are first needed: most events roll nothing.
    """

    __slots__ = ("_dice", "_entropy", "_match", "_shuffles", "_version")

    def __init__(self, match: Match, version: int) -> None:
        self._match = match
        self._version = version
        self._entropy = tuple(each.entropy for each in match.seats)
        self._dice: KeyedChance | None = None
        self._shuffles: KeyedChance | None = None

    @property
    def rolled(self) -> bool:
        return self._dice is not None

    @property
    def link(self) -> bytes:
        """The link that the dice hang on."""
        return link(self._match.seed, self._match.id, self._version)

    def die(self, faces: int) -> int:
        if self._dice is None:
            self._dice = dice(self.link, self._match.id, self._version, self._entropy)
        return self._dice.die(faces)

    def pick(self, n: int) -> int:
        return self._shuffled().pick(n)

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        return self._shuffled().shuffle(items)

    def _shuffled(self) -> KeyedChance:
        if self._shuffles is None:
            match = self._match
            self._shuffles = shuffles(match.seed, match.id, self._version, self._entropy)
        return self._shuffles


def chance_for(match: Match, version: int) -> MatchChance:
    """The chance of the event that makes ``version``, which follows from nothing but the log and the seed."""
    return MatchChance(match, version)
