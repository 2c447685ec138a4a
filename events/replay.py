"""Replay: matches from entries alone, checked against the state digests that the entries carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kleos.core.match import Match, Past, evolve, forgotten
from kleos.events.envelope import Damaged, Entry, state_digest, unseal


class Diverged(Exception):
    """The rules make something else of the log than they did when it was written."""


def step(match: Match | None, entry: Entry, past: Past = forgotten) -> Match:
    """The match after one more entry; ``Damaged`` if it is not the next one, or not what was written.

    Raises ``Forgotten`` if the entry moves the head to a version that ``past`` does not have.
    """
    event = unseal(entry)
    expected = 1 if match is None else match.version + 1
    if event.version != expected or (match is not None and event.match != match.id):
        raise Damaged(f"version {event.version} of match {event.match} where {expected} comes next")
    return evolve(match, event, past)


def replay(entries: Iterable[Entry]) -> Iterator[Match]:
    """The match at each version, from its first entry on; ``Diverged`` names the first entry that strays."""
    told: list[Match] = []
    for entry in entries:
        told.append(step(told[-1] if told else None, entry, lambda version: told[version - 1]))
        check(told[-1], entry)
        yield told[-1]


def rebuild(entries: Sequence[Entry]) -> Match:
    """The match that all its entries lead to, each of them checked."""
    *_, last = replay(entries)
    return last


def check(match: Match, entry: Entry) -> None:
    """Raise ``Diverged`` unless ``match`` has the state digest that its latest entry carries.

    A state depends on all that came before, so one check vouches for the whole replay up to here.
    """
    if msgspec.json.decode(entry.public)["state"] != state_digest(match):
        raise Diverged(f"match {match.id} strays at version {match.version} under {match.rules}")
