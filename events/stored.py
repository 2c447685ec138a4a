"""An event as it is stored, in the store or in the bundle of a match in the archive."""

from __future__ import annotations

from msgspec import Struct

from kleos.events.bundle import Bundle


class Stored(Struct, frozen=True):
    """One event as it is stored. ``sealed`` is empty where nothing is sealed."""

    version: int
    public: bytes
    sealed: bytes


def part(bundle: Bundle, after: int, limit: int | None) -> list[Stored]:
    """The events of a bundle with versions above ``after``, at most ``limit``, as they were stored."""
    end = len(bundle.events) if limit is None else after + limit
    return [
        Stored(version=version, public=public, sealed=b"" if openings == b"{}" else openings)
        for version, (public, openings) in enumerate(
            zip(bundle.events[after:end], bundle.openings[after:end], strict=True), after + 1
        )
    ]
