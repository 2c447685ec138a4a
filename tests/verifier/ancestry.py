"""Step 13 of docs/proof.md without rules: whether a match comes from its parent as its first event says.

Written from docs/match.md, docs/log-format.md and docs/proof.md alone, with nothing of Kleos. That a
position is the parent's shows without rules too: the parent's ``state`` at that version is the digest of how
it stood and of just this position. What was dealt anew for a fork of a running match cannot be judged so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.verifier.standing import Standing, possible, standings

Json = Any
Event = dict[str, Json]
Digest = Callable[[str, str, Standing, Json], str]
"""From seed, match, standing and the game's state to the state digest of an event."""
LIKE = ("game", "options", "rules")
REMATCH = (*LIKE, "undo", "visibility", "start", "deadline", "rated", "referee", "signed")


class Log(NamedTuple):
    """A match that is all open: its events, the first one with its hidden parts, and its seed."""

    events: list[Event]
    first: Event
    seed: str


def named(first: Event) -> Json:
    """The parent that a first event names, if any: its ``match``, and for a fork ``version`` and ``root``.

    ``ValueError`` if what it says cannot be read.
    """
    created = first["effects"][0]
    told, followed = created["parent"], created.get("rematch_of")
    if told is None:
        if not isinstance(followed, str | None):
            raise ValueError("not a match")
        return followed and {"match": followed}
    shape = {"match": str, "root": str, "version": int}
    if type(told) is not dict or {name: type(told.get(name)) for name in shape} != shape:
        raise ValueError("not a parent")
    return told


def follows(child: Log, parent: Log, root: str | None, digest: Digest) -> bool:
    """Whether the first event of ``child`` follows from ``parent``, as far as that shows without the rules.

    ``root`` is that of the parent's tree at the version of a fork.
    """
    first, told = child.first, standings(parent.events)
    if child.seed == parent.seed or first["kind"] != "create" or first["player"] is None:
        return False
    if first["action"]["type"] == "fork":
        return _forks(child, parent, told, root, digest)
    return first["action"] == {"of": told[-1]["id"], "type": "rematch"} and _again(first, told[-1])


def _forks(child: Log, parent: Log, told: list[Standing], root: str | None, digest: Digest) -> bool:
    first, action = child.first, child.first["action"]
    player, at = first["player"], action["at"]
    base = told[at - 1]
    created = {
        **{field: base[field] for field in LIKE},
        **{field: action[field] for field in ("start", "undo", "visibility")},
        **dict.fromkeys(("deadline", "referee", "rematch_of")),
        **dict.fromkeys(("rated", "signed"), False),
        "parent": {"match": base["id"], "root": root, "version": at},
    }
    casual, taken = action["undo"] == "casual", first["effects"][1]
    mine = range(len(base["seats"])) if casual else [seat for seat in [action["seat"]] if seat is not None]
    sits = [_sits(seat, player=player, entropy=action["entropy"]) for seat in mine]
    if first["seat"] != (None if casual else action["seat"]) or taken["type"] != "position_taken":
        return False
    if not _laid_out(first, created, len(base["seats"])) or _people(first) != sits:
        return False
    before = [each for each in told[at - 1 :] if each["updated_at"] <= first["at"]]
    over = before and before[-1]["status"] in ("finished", "abandoned")
    if over and _is_position(parent, base, taken["state"], digest):
        return True
    played = [each for each in before if each["status"] not in ("finished", "abandoned")]
    return bool(played) and {each["player"] for each in played[-1]["seats"]} - {None} == {player}


def _is_position(parent: Log, base: Standing, state: Json, digest: Digest) -> bool:
    """Whether the parent was in this state; where that takes the rules to tell, it is believed."""
    recorded = parent.events[base["version"] - 1]["state"]
    found = [digest(parent.seed, base["id"], each, state) for each in possible(base)]
    return not found or recorded in found


def _again(first: Event, parent: Standing) -> bool:
    player, seats = first["player"], parent["seats"]
    if parent["status"] not in ("finished", "abandoned") or first["seat"] is not None:
        return False
    if player != parent["creator"] and player not in [each["player"] for each in seats]:
        return False
    people: list[Json] = []
    for each in seats:
        if each["bot"] is not None:
            people.append(_sits(each["seat"], bot=each["bot"]))
        elif each["player"] == player:
            people.append(_sits(each["seat"], player=player, key=each["key"]))
        elif each["player"] is not None:
            kept = {"id": f"i1-{each['seat']}", "player": each["player"], "seat": each["seat"]}
            people.append(kept | {"type": "invited"})
    created = {field: parent[field] for field in REMATCH} | {"parent": None, "rematch_of": parent["id"]}
    return _laid_out(first, created, len(seats)) and _people(first) == people


def _sits(seat: int, **rest: Json) -> Json:
    nobody = {"bot": None, "entropy": "", "key": None, "player": None}
    return nobody | rest | {"seat": seat, "type": "seat_filled"}


def _laid_out(first: Event, created: Json, seats: int) -> bool:
    told = {
        name: value for name, value in first["effects"][0].items() if name not in ("dice", "rule", "seed")
    }
    return bool(told == created | {"creator": first["player"], "seats": seats, "type": "match_created"})


def _people(first: Event) -> list[Json]:
    """Who sits down, and for whom a seat is kept."""
    told = [each for each in first["effects"] if each["type"] in ("seat_filled", "invited")]
    return [{name: value for name, value in each.items() if name != "rule"} for each in told]
