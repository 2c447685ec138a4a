"""Steps of the verifier that look at one thing each: the form of an event, its openings, the links of dice.

They take what a bundle holds, return what it says, and raise ``Bad``. They know no keys and no rules.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw

from kleos.core.match.chance import LINKS, earlier
from kleos.events import canonical, digest
from kleos.events.bundle import Bundle, opening_of

Step = Literal[
    "bundle",
    "form",
    "signatures",
    "receipts",
    "ledger",
    "witnesses",
    "commitments",
    "players",
    "dice",
    "chance",
    "rules",
    "states",
    "parent",
]
_FIELDS: Final = {
    "v": int,
    "match": str,
    "version": int,
    "at": int,
    "kind": str,
    "seat": int | None,
    "player": str | None,
    "command": str,
    "action": dict,
    "effects": list,
    "sealed": dict,
    "state": str,
    "rules": str,
    "signature": dict | None,
}
_OPTIONAL: Final = {"command", "signature"}
_SECRET: Final = re.compile(r"[0-9a-f]{64}")


class Bad(Exception):
    """The first thing that is wrong: at which step, in which event if it is one, and what."""

    def __init__(self, step: Step, version: int | None, reason: str) -> None:
        super().__init__(reason)
        self.step = step
        self.version = version
        self.reason = reason


def at_hand(payloads: dict[str, Any]) -> list[dict[str, Any]]:
    """Those places of the payloads that are about the action and its signature."""
    about = ("/action/", "/signature")
    return [{at: value for at, value in each.items() if at.startswith(about)} for each in payloads.values()]


def formed(bundle: Bundle, version: int) -> dict[str, Any]:
    """Step 2, for one event."""
    try:
        event = canonical.decode(bundle.events[version - 1])
    except ValueError as error:
        raise Bad("form", version, str(error)) from None
    if not isinstance(event, dict) or event.keys() | _OPTIONAL != _FIELDS.keys():
        raise Bad("form", version, f"an event has the fields {', '.join(sorted(_FIELDS))}, and no others")
    for field in event:
        if not isinstance(event[field], _FIELDS[field]) or isinstance(event[field], bool):
            raise Bad("form", version, f"its field {field} is of the wrong type")
    manifest = bundle.manifest
    expected = {"v": 1, "match": manifest.match, "version": version, "rules": manifest.rules}
    for field, value in expected.items():
        if event[field] != value:
            raise Bad("form", version, f"its {field} is {event[field]!r}, where {value!r} is expected")
    if not all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in event["effects"]):
        raise Bad("form", version, "an effect is an object with a type")
    if not all(isinstance(each, str) for each in event["sealed"].values()):
        raise Bad("form", version, "its field sealed is a map from audiences to digests")
    return event


def in_time(events: Sequence[dict[str, Any]]) -> None:
    """Step 2, for all events together."""
    for before, event in pairwise(events):
        if event["at"] < before["at"]:
            raise Bad("form", event["version"], "it is older than the event before it")
    effects = events[0]["effects"]
    if not effects or effects[0]["type"] != "match_created" or "parent" not in effects[0]:
        raise Bad("form", 1, "the first event of a match creates it")


def opened(bundle: Bundle, event: dict[str, Any]) -> dict[str, Any]:
    """Step 4, for one event: its openings' payloads, by audience."""
    version: int = event["version"]
    try:
        openings = opening_of(bundle.openings[version - 1])
    except (ValueError, msgspec.DecodeError) as error:
        raise Bad("commitments", version, f"its openings cannot be read: {error}") from None
    return {audience: _payload(event, audience, raw) for audience, raw in openings.items()}


def _payload(event: dict[str, Any], audience: str, raw: Raw) -> Any:
    version: int = event["version"]
    if audience not in event["sealed"]:
        raise Bad("commitments", version, f"nothing is sealed in it for {audience}")
    found = digest.text(digest.digest("kleos/sealed/v1", audience.encode(), bytes(raw)))
    if not hmac.compare_digest(found, event["sealed"][audience]):
        raise Bad("commitments", version, f"the opening for {audience} does not fit its digest")
    opening = msgspec.json.decode(raw)
    if not isinstance(opening, dict) or not isinstance(opening.get("payload"), dict):
        raise Bad("commitments", version, f"the opening for {audience} has no payload")
    return opening["payload"]


def dice(events: Sequence[dict[str, Any]]) -> None:
    """Step 5: hash each link back to the last one known in its chain."""
    known, at, last = _secret(events[0], events[0]["effects"][0], "dice"), 0, LINKS
    for version, effect, event in _of_chance(events):
        if effect["type"] == "dice_anchored":
            if version % LINKS:
                raise Bad("dice", version, f"a chain is anchored in every {LINKS}th event, and in no other")
            known, at, last = _secret(event, effect, "anchor"), version, version + LINKS
            continue
        if not at < version <= last:
            raise Bad("dice", version, "the chain that its dice hang on is not anchored")
        link = _secret(event, effect, "link")
        if earlier(link, version - at) != known:
            raise Bad("dice", version, "its dice do not hang on the chain that was committed to")
        known, at = link, version


def _of_chance(events: Sequence[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    for event in events:
        for effect in event["effects"]:
            if effect["type"] in ("dice_opened", "dice_anchored"):
                yield event["version"], effect, event


def _secret(event: dict[str, Any], effect: dict[str, Any], field: str) -> bytes:
    text = effect.get(field)
    if not isinstance(text, str) or not _SECRET.fullmatch(text):
        raise Bad("dice", event["version"], f"{effect['type']} has no {field} of 32 bytes in hexadecimal")
    return bytes.fromhex(text)
