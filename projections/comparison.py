"""Two bundles side by side: the first event in which they differ, how, and who has signed either.

A log only grows, so of one match two honest bundles differ in their length and in what they open, never in an
event. Where they do, the signatures say who has told two stories.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from kleos.events import merkle, verifier
from kleos.events.bundle import Bundle, opening_of
from kleos.events.note import Checkpoint, Unverified, Verifier, b64, open_checkpoint
from kleos.projections.differences import Patch, patch
from kleos.projections.explain import Cited
from kleos.projections.history import Doer, history
from kleos.projections.report import installed, told

JSON = dict[str, Any]
Finding = Literal["equal", "events", "length", "openings"]


class Side(Struct, frozen=True, kw_only=True):
    """What one of the bundles says at the event in question, in words, and who signed the log there.

    ``root`` is that of the log up to this event, in base64. ``status`` is the verdict on the whole bundle,
    and ``trusted`` whether the asker named the keys for it. All but these, match and length is null or empty
    for a bundle that has no such event.
    """

    status: verifier.Status
    trusted: bool
    match: str
    events: int
    at: int | None = None
    kind: str | None = None
    doer: Doer | None = None
    words: str | None = None
    effects: tuple[Cited, ...] = ()
    root: str | None = None
    signed_by: tuple[str, ...] = ()


class Comparison(Struct, frozen=True, kw_only=True):
    """How two bundles differ, if they do.

    ``finding`` is what differs first: the ``events`` themselves, only the ``length`` (one goes on where the
    other ends), only the ``openings``. The first ``common`` events are the same; ``version`` is the first
    that is not, ``patch`` how the one event becomes the other. ``signed_both`` are the keys that signed two
    different logs of the same length.
    """

    finding: Finding
    common: int
    version: int | None
    patch: Patch
    sides: tuple[Side, Side]
    signed_both: tuple[str, ...]


Judged = tuple[Bundle, verifier.Report]
"""A bundle, and what the verifier finds."""


def compare(first: Judged, second: Judged, trusted: Sequence[Verifier] = ()) -> Comparison:
    """The first difference; ``trusted`` keys are looked for beside those that the bundles name.

    The events of both must have the form of events. Raises ValueError for bundles of two matches: of these
    everything differs, and nobody is to blame.
    """
    one, other = first[0], second[0]
    if one.manifest.match != other.manifest.match:
        raise ValueError(
            f"these are two matches, {one.manifest.match} and {other.manifest.match}: "
            "only two files of the same match can be compared"
        )
    finding, common, version = _difference(one, other)
    keys = _keys(one, other, trusted)
    sides = _side(first, version, keys), _side(second, version, keys)
    told_twice = finding == "events"
    both = set(sides[0].signed_by) & set(sides[1].signed_by) if told_twice else set()
    return Comparison(
        finding=finding,
        common=common,
        version=version,
        patch=list(patch(_event(one, version), _event(other, version))) if told_twice else [],
        sides=sides,
        signed_both=tuple(sorted(both)),
    )


def _difference(one: Bundle, other: Bundle) -> tuple[Finding, int, int | None]:
    """What differs first, how many events are the same, and the version in question."""
    common = _common(one.events, other.events)
    if common < min(len(one.events), len(other.events)):
        return "events", common, common + 1
    if len(one.events) != len(other.events):
        return "length", common, common + 1
    opened = _common(one.openings, other.openings)
    return ("openings", common, opened + 1) if opened < common else ("equal", common, None)


def _common(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _keys(one: Bundle, other: Bundle, trusted: Sequence[Verifier]) -> tuple[Verifier, ...]:
    found = list(trusted)
    for text in (*one.keys, *other.keys):
        try:
            key = Verifier.parse(text)
        except ValueError:
            continue  # the verifier says so
        if key not in found:
            found.append(key)
    return tuple(found)


def _event(bundle: Bundle, version: int | None) -> JSON:
    assert version is not None, "two events differ"
    event: JSON = msgspec.json.decode(bundle.events[version - 1])
    return event


def _side(judged: Judged, version: int | None, keys: Sequence[Verifier]) -> Side:
    bundle, status, trusted = judged[0], judged[1].status, judged[1].trusted
    match, length = bundle.manifest.match, len(bundle.events)
    if version is None or version > length:
        return Side(status=status, trusted=trusted, match=match, events=length)
    events = [msgspec.json.decode(each) for each in bundle.events[:version]]
    event = events[-1]
    payloads = [
        msgspec.json.decode(raw)["payload"] for raw in opening_of(bundle.openings[version - 1]).values()
    ]
    words, effects = told(event, payloads, installed(event["rules"]))
    root = merkle.root([merkle.leaf(each) for each in bundle.events[:version]])
    return Side(
        status=status,
        trusted=trusted,
        match=match,
        events=length,
        at=event["at"],
        kind=event["kind"],
        doer=history(events).doers[-1],
        words=words,
        effects=effects,
        root=b64(root),
        signed_by=_signers(bundle, version, root, keys),
    )


def _signers(bundle: Bundle, version: int, root: bytes, keys: Sequence[Verifier]) -> tuple[str, ...]:
    """The keys whose signature of the log of so many events is in the bundle."""
    origin = bundle.manifest.origin
    note = f"{Checkpoint(origin, version, root).text}\n{bundle.signatures[version - 1]}\n"
    signers = []
    for key in keys:
        try:
            open_checkpoint(note, origin, [key])
        except Unverified:
            continue
        signers.append(key.vkey)
    return tuple(signers)
