"""The step ``parent`` of the verifier: a fork or a rematch beside the bundles of the matches it comes from.

This knows what the verifier found out about those bundles, and asks ``descent`` whether the rules agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from kleos.core.kernel import Refused
from kleos.core.match import Match, codec
from kleos.core.match.actions import Parent
from kleos.events import descent
from kleos.events.note import b64
from kleos.events.steps import Bad

Builtins = dict[str, Any]


class Named(Struct, frozen=True):
    """The match that another comes from; ``version`` and ``root`` (in base64) if it forked from there."""

    match: str
    version: int | None = None
    root: str | None = None


class Judged(Struct, frozen=True):
    """What the verifier found in a bundle: the root after each event, and the match, where it could be told.

    ``failure`` says what is wrong with it; ``notes`` what could not be checked.
    """

    match: str | None
    roots: Sequence[bytes]
    told: Sequence[Match]
    failure: str | None
    notes: Sequence[str]


def parent_of(event: Builtins) -> Named | None:
    """What the first event of a match says of its parent; None if it has none."""
    created = event["effects"][0]
    told, followed = created["parent"], created.get("rematch_of")
    if told is None and followed is None:
        return None
    try:
        if told is None:
            return Named(msgspec.convert(followed, str))
        parent = msgspec.convert(told, Parent)
        return Named(parent.match, parent.version, parent.root)
    except msgspec.ValidationError as error:
        raise Bad("parent", 1, f"what it says of its parent cannot be read: {error}") from None


def judged_parent(named: Named, given: Iterable[Judged]) -> Judged:
    """The one of the bundles that is the parent's, if it is one to compare with; raises ``Bad``."""
    parent = next((each for each in given if each.match == named.match), None)
    if parent is None:
        raise Bad("parent", None, f"it comes from match {named.match}, of which no bundle was given")
    if parent.failure is not None:
        raise Bad("parent", None, f"the bundle of match {named.match}: {parent.failure}")
    if named.version is not None and _root(parent, named.version) != named.root:
        raise Bad("parent", 1, f"it names other first {named.version} events of its parent than there are")
    return parent


def compare(first: Builtins, payloads: Builtins, named: Named, told: Sequence[Match]) -> None:
    """Raise ``Bad`` unless a first event follows from the parent, ``told`` at each of its versions."""
    try:
        event = codec(first["rules"]).join(first, list(payloads.values()))
        follows = descent.by_its_parent(event, told, named.root)
    except Refused as error:
        raise Bad("parent", 1, f"it cannot come from its parent: {error}") from None
    if not follows:
        raise Bad("parent", 1, "it does not begin as its parent was")


def _root(log: Judged, version: int) -> str | None:
    return b64(log.roots[version - 1]) if 1 <= version <= len(log.roots) else None
