"""How a match stands after each of its events, folded from the public log as docs/log-format.md tells it.

Written from that page alone, with nothing of Kleos. It has no rules: whom a match with a deadline waits for
it does not know, and tells None; whether a decision brought news neither, so it tells both possibilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Json = Any
Standing = dict[str, Json]

_CREATED = (
    *("creator", "deadline", "game", "options", "parent", "rated", "referee", "rematch_of", "rules"),
    *("signed", "start", "undo", "visibility"),
)
_FORGETS = ("resign", "join", "vacate", "abandon", "adjudicate")


def standings(events: Iterable[dict[str, Json]]) -> list[Standing]:
    """How the match stood after each event."""
    told: list[Standing] = []
    for event in events:
        before = told[-1] if told else None
        now = dict(before or {})
        for effect in event["effects"]:
            now |= _changed(now, event, effect, told)
        now |= _settled(before, now, event)
        told.append(now | {"updated_at": event["at"], "version": event["version"]})
    return told


def possible(standing: Standing) -> Iterator[Standing]:
    """The standing as it may be in full; nothing where only the rules can say whom it waits for."""
    if standing["clock"] is None:
        return
    if standing["step"] is None:
        yield standing
        return
    for news in (False, True):
        yield standing | {"step": standing["step"] | {"news": news}}


def _changed(
    now: Standing, event: dict[str, Json], effect: dict[str, Json], told: list[Standing]
) -> Standing:
    """What an effect of the match changes; those of a game change nothing here."""
    match effect["type"]:
        case "match_created":
            return _created(event, effect)
        case "seat_filled" | "seat_vacated" | "seat_resigned" | "owner_changed" | "referee_appointed":
            return _of_people(now, effect)
        case "invited":
            invited = {name: effect[name] for name in ("id", "player", "seat")}
            return {"invitations": [*now["invitations"], invited]}
        case "invitation_taken" | "invitation_revoked":
            return {"invitations": [each for each in now["invitations"] if each["id"] != effect["id"]]}
        case "match_started":
            return {"status": "playing"}
        case "match_ended":
            return {"status": "finished", "outcome": effect["outcome"], "adjourned": False}
        case "match_abandoned":
            return {"status": "abandoned", "adjourned": False}
        case "adjourned" | "resumed":
            return {"adjourned": effect["type"] == "adjourned"}
        case "head_moved":
            return _moved(now, told[effect["to"] - 1])
        case "proposed" | "consent_given" | "proposal_closed":
            return _talked(now, effect)
    return {}


def _created(event: dict[str, Json], effect: dict[str, Json]) -> Standing:
    return {
        **{field: effect[field] for field in _CREATED},
        **dict.fromkeys(("outcome", "step")),
        **{field: [] for field in ("undone", "proposals", "asked", "invitations")},
        "clock": {"anew": 0, "owed": [], "waiting": []} if effect["deadline"] is None else None,
        "adjourned": False,
        "created_at": event["at"],
        "head": 0,
        "id": event["match"],
        "seats": [_empty(seat) for seat in range(effect["seats"])],
        "status": "open",
    }


def _empty(seat: int) -> Json:
    return {"bot": None, "entropy": "", "key": None, "player": None, "resigned": False, "seat": seat}


def _of_people(now: Standing, effect: dict[str, Json]) -> Standing:
    match effect["type"]:
        case "owner_changed":
            return {"creator": effect["creator"]}
        case "referee_appointed":
            return {"referee": effect["referee"]}
    seats, seat = list(now["seats"]), effect["seat"]
    match effect["type"]:
        case "seat_filled":
            sits = {each: effect[each] for each in ("bot", "entropy", "key", "player")}
            seats[seat] = _empty(seat) | sits
        case "seat_vacated":
            seats[seat] = _empty(seat)
        case "seat_resigned":
            seats[seat] = seats[seat] | {"resigned": True}
    return {"seats": seats}


def _moved(now: Standing, earlier: Standing) -> Standing:
    head = earlier["head"]
    left = [*now["undone"], *([now["head"]] if head < now["head"] else [])]
    return {"head": head, "step": earlier["step"], "undone": [each for each in left if each > head]}


def _talked(now: Standing, effect: dict[str, Json]) -> Standing:
    match effect["type"]:
        case "proposed":
            made = {name: effect[name] for name in ("by", "head", "id", "kind", "needs", "seat", "to")}
            return {
                "proposals": [*now["proposals"], made | {"given": []}],
                "asked": [*now["asked"], effect["by"]],
            }
        case "consent_given":
            return {
                "proposals": [
                    each | {"given": [*each["given"], effect["seat"]]}
                    if each["id"] == effect["proposal"]
                    else each
                    for each in now["proposals"]
                ]
            }
    return {"proposals": [each for each in now["proposals"] if each["id"] != effect["proposal"]]}


def _settled(before: Standing | None, now: Standing, event: dict[str, Json]) -> Standing:
    """What hangs on the head, after all effects."""
    quiet: Standing = {"since": event["version"], "proposals": [], "asked": []}
    if before is None or before["status"] == "open":
        return quiet | {"head": event["version"]}
    if event["kind"] == "move":
        step = {"seat": event["seat"], "news": None, "before": before["head"]}
        return quiet | {"head": event["version"], "step": step, "undone": []}
    agreed = any({*each["needs"]} == {*each["given"]} for each in now["proposals"])
    if event["kind"] in _FORGETS or agreed or now["head"] != before["head"]:
        return quiet
    return {}
