"""A match in words, for terminals and screen readers: what happened, and how it stands, line by line.

Works on what a viewer was given (redacted views, events with the openings the viewer may have) and on the
words of the game; it can tell no more than they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kleos.core.kernel import Game
from kleos.core.kernel.visibility import merge
from kleos.core.match import OVER
from kleos.core.match.words import tell

AnyGame = Game[Any, Any, Any]
JSON = dict[str, Any]
READ_ONLY: Final = (
    "A read-only copy: brought in from a file while it was being played, it does not go on here."
)


def sentences(game: AnyGame, event: JSON, opened: JSON, eyes: str | None = None) -> tuple[str, ...]:
    """An event in words, with those of the opened parts that the audience ``eyes`` may have (None: all)."""
    parts = [each["payload"] for name, each in opened.items() if eyes is None or name == eyes]
    effects = merge(event, parts)["effects"]
    return tuple(tell(each) if each["rule"].startswith("match.") else game.tell(each) for each in effects)


def decision_in_words(game: AnyGame, item: JSON) -> str:
    """A move that was made: whose, and which, as far as the openings tell."""
    event = merge(item["event"], [each["payload"] for each in item["opened"].values()])
    return f"seat {event['seat']}: {game.say(event['action'])}"


def offer_in_words(game: AnyGame, listed: JSON) -> str:
    """A listed move, with the numbers that it may take."""
    said = game.say(listed["move"])
    for field, (low, high) in (listed.get("range") or {}).items():
        said += f"   ({field}: any number from {low} to {high})"
    return said


def log_in_words(game: AnyGame, items: Iterable[JSON]) -> str:
    """Events, each with its version, who did what, and what followed; empty if there are none."""
    return "".join(f"{line}\n" for each in items for line in _event(game, each["event"], each["opened"]))


def _event(game: AnyGame, event: JSON, opened: JSON) -> Iterator[str]:
    who = "the table" if event["seat"] is None else f"seat {event['seat']}"
    yield f"{event['version']}. {who}: {event['kind']}"
    for sentence in sentences(game, event, opened):
        yield f"   {sentence}"


def view_in_words(game: AnyGame, view: JSON) -> str:
    """A view: where it was taken, the table, whose turn it is, and the viewer's legal moves by number."""
    return "\n".join(_view(game, view)) + "\n"


def _view(game: AnyGame, view: JSON) -> Iterator[str]:
    eyes = "a spectator" if view["seat"] is None else f"seat {view['seat']}"
    yield f"{game.title}, match {view['match']}, version {view['version']}, seen by {eyes}: {view['status']}"
    if view["read_only"]:
        yield READ_ONLY
    if view["state"] is not None:
        yield ""
        yield game.table(view["state"], view["seat"], over=view["status"] in OVER)
    if view["to_act"]:
        yield ""
        acting = ", ".join(f"seat {seat}" for seat in view["to_act"])
        yield f"{'Was to act' if view['read_only'] else 'To act'}: {acting}"
    for number, listed in enumerate(view["moves"], start=1):
        yield f"{number:3}  {offer_in_words(game, listed)}"
    if view["outcome"] is not None:
        winners = ", ".join(f"seat {seat}" for seat in view["outcome"]["winners"]) or "nobody"
        yield ""
        yield f"Won by {winners} ({view['outcome']['reason']})."
