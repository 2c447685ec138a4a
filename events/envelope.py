"""The envelope: how an event becomes a stream entry, and an entry an event again.

``public`` is one canonical JSON object, the same for everybody: stored, hashed, signed and sent as it is.
What only some may see travels beside it as an *opening* for each audience, ``{"payload":{…},"salt":"…"}``,
with the payload a map from JSON Pointer to the value that belongs there; the public part holds only the
opening's digest. ``docs/log-format.md`` tells every field.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from kleos.core.kernel.visibility import Parts
from kleos.core.match import Event, Match, codec
from kleos.events import canonical, digest

FORMAT: Final = 1
"""The version of the envelope: the field ``v``."""
_SALT: Final = 16
"""Bytes of salt for each opening: nobody finds a hidden card by trying them all."""
_OPENINGS = msgspec.json.Decoder(dict[str, Raw])
_SORTED = msgspec.json.Encoder(order="sorted")

Entropy = Callable[[int], bytes]
"""Gives so many unpredictable bytes (``secrets.token_bytes``)."""


class Damaged(Exception):
    """An entry is not what was written: not canonical, or an opening does not fit its digest."""


class Entry(Struct, frozen=True):
    """Entry ``version`` of a match: its public bytes, and the opening of each audience as written."""

    version: int
    public: bytes
    openings: Mapping[str, Raw] = {}

    @classmethod
    def of(cls, version: int, public: bytes, sealed: bytes) -> Entry:
        """The entry of stored bytes; ``Damaged`` if the sealed ones are not a map of openings."""
        try:
            return cls(version, public, _OPENINGS.decode(sealed) if sealed else {})
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Damaged(f"version {version}: the sealed parts cannot be read: {error}") from None

    @property
    def sealed(self) -> bytes:
        """All openings as they are stored; empty if there are none."""
        return _SORTED.encode(self.openings) if self.openings else b""


def seal(event: Event, after: Match, *, command: bytes | None, entropy: Entropy) -> Entry:
    """The entry of an event that led to the match ``after``.

    ``command`` is the name of the request that it answers; None if that has none.
    """
    public, parts = codec(event.rules).split(event)
    openings = {audience: _opening(places, entropy) for audience, places in parts.items()}
    public["v"] = FORMAT
    if command is not None:
        public["command"] = digest.text(command)
    public["sealed"] = {audience: commitment(audience, raw) for audience, raw in openings.items()}
    public["state"] = state_digest(after)
    return Entry(event.version, canonical.encode(public), openings)


def unseal(entry: Entry) -> Event:
    """The event in full. Raises ``Damaged`` unless all its parts are there and each fits its digest."""
    try:
        public: dict[str, Any] = canonical.decode(entry.public)
        parts = _opened(entry, public["sealed"])
        event = codec(public["rules"]).join(public, list(parts.values()))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Damaged(f"version {entry.version}: {error}") from error
    if event.version != entry.version or public["v"] != FORMAT:
        raise Damaged(f"version {entry.version}: it says that it is {event.version} in format {public['v']}")
    return event


def commitment(audience: str, opening: Raw | bytes) -> str:
    """The digest of an opening: SHA-256 over label, audience, and canonical bytes with their salt."""
    return digest.text(digest.digest("kleos/sealed/v1", audience.encode(), bytes(opening)))


def state_digest(match: Match) -> str:
    """The digest of how ``match`` stands and of its game's whole state, under a key that its seed gives.

    A replay that strays differs from there on. The digest is keyed so that nobody finds the hidden part of
    a state by trying, and covers the version, so that nobody learns that two hidden states are equal.
    """
    key = digest.keyed(bytes.fromhex(match.seed), "kleos/state-key/v1", match.id.encode())
    state = codec(match.rules).state_bytes(match.state)
    return digest.text(digest.short(digest.keyed(key, "kleos/state/v1", match.standing, state)))


def _opening(places: Mapping[str, Any], entropy: Entropy) -> Raw:
    return Raw(canonical.encode({"payload": places, "salt": digest.text(entropy(_SALT))}))


def _opened(entry: Entry, commitments: Mapping[str, str]) -> Parts:
    if commitments.keys() != entry.openings.keys():
        raise ValueError(f"sealed for {sorted(commitments)}, but opened for {sorted(entry.openings)}")
    parts: Parts = {}
    for audience, raw in entry.openings.items():
        if not hmac.compare_digest(commitment(audience, raw), commitments[audience]):
            raise ValueError(f"the opening for {audience} does not fit its digest")
        parts[audience] = canonical.decode(bytes(raw))["payload"]
    return parts
