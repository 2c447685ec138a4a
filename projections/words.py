"""A match in words, for terminals and screen readers: what happened, and how it stands, line by line.

Works on what a viewer was given (redacted views, events with the openings the viewer may have) and on the
words of the game; it can tell no more than they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kleos.core.kernel import Game
from kleos.core.kernel.visibility import merge

AnyGame = Game[Any, Any, Any]
JSON = dict[str, Any]


def whole(item: JSON) -> JSON:
    """The event of an item, with its openings in their places."""
    event: JSON = merge(item["event"], [each["payload"] for each in item["opened"].values()])
    return event


def effect_in_words(game: AnyGame, effect: JSON) -> str:
    """One sentence; effects of the match itself are told the same for every game."""
    if not effect["rule"].startswith("match."):
        return game.tell(effect)
    told = effect["type"].replace("_", " ").capitalize()
    where = f": seat {effect['seat']}" if "seat" in effect else ""
    who = effect.get("bot") or ""
    return f"{told}{where}{who and f', {who} (bot)'}."


def offer_in_words(game: AnyGame, listed: JSON) -> str:
    """A listed move, with the numbers that it may take."""
    said = game.say(listed["move"])
    for field, (low, high) in (listed.get("range") or {}).items():
        said += f"   ({field}: any number from {low} to {high})"
    return said


def log_in_words(game: AnyGame, items: Iterable[JSON]) -> str:
    """Events, each with its version, who did what, and what followed; empty if there are none."""
    return "".join(f"{line}\n" for each in items for line in _event(game, whole(each)))


def _event(game: AnyGame, event: JSON) -> Iterator[str]:
    who = "the table" if event["seat"] is None else f"seat {event['seat']}"
    did = game.say(event["action"]) if event["kind"] == "move" else event["kind"]
    yield f"{event['version']}. {who}: {did}"
    for effect in event["effects"]:
        yield f"   {effect_in_words(game, effect)}"


def view_in_words(game: AnyGame, view: JSON) -> str:
    """A view: where it was taken, the table, whose turn it is, and the viewer's legal moves by number."""
    return "\n".join(_view(game, view)) + "\n"


def _view(game: AnyGame, view: JSON) -> Iterator[str]:
    eyes = "a spectator" if view["seat"] is None else f"seat {view['seat']}"
    yield f"{game.title}, match {view['match']}, version {view['version']}, seen by {eyes}: {view['status']}"
    if view["state"] is not None:
        yield ""
        yield game.table(view["state"])
    if view["to_act"]:
        yield ""
        yield "To act: " + ", ".join(f"seat {seat}" for seat in view["to_act"])
    for number, listed in enumerate(view["moves"], start=1):
        yield f"{number:3}  {offer_in_words(game, listed)}"
    if view["outcome"] is not None:
        winners = ", ".join(f"seat {seat}" for seat in view["outcome"]["winners"]) or "nobody"
        yield ""
        yield f"Won by {winners} ({view['outcome']['reason']})."
