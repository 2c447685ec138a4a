"""Taking back at the terminal: what could be had and what it costs, and the proposals of the table.

The server says what may be done and does it; here that is put into words and asked for.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Final, NamedTuple

from kleos.api.client import JSON, Client
from kleos.api.terminal import Terminal
from kleos.core.kernel import Game
from kleos.projections.words import decision_in_words

SHOWN: Final = 9
"""Decisions that are listed; a number goes farther."""
FREE: Final = "free: until another seat has decided, as a bot does at once"
"""What is promised of a move to those who are about to make it."""
HOW_MANY: Final = """a number goes over so many decisions, that line and all above it; enter or q: over none
free: done at once; never: it cannot be had
must agree: those seats are asked, and you play on meanwhile"""
YES_OR_NO: Final = "yes asks the seats named; anything else leaves everything as it is"
_ANSWERS: Final = {"yes": "consent", "no": "refuse", "withdraw": "withdraw"}
_NOTHING: Final = {"undo": "there is nothing to take back", "redo": "there is nothing to go forward to"}
_HEADINGS: Final = {"undo": "To take back, the latest first", "redo": "To make again, the nearest first"}


class _Passage(NamedTuple):
    """The way over a decision and all nearer ones: the event it was made in, the head then, the cost."""

    over: int
    to: int
    cost: Any


class Undoing:
    """Undo, redo and proposals for one person at one match."""

    def __init__(self, client: Client, match: str, game: Game[Any, Any, Any], terminal: Terminal) -> None:
        self._client = client
        self._match = match
        self._game = game
        self._terminal = terminal

    def offer(self, way: str, seat: int, steps: str, seen: str | None) -> bool:
        """``undo`` or ``redo`` over so many decisions (empty: show them and ask); whether it was asked for.

        ``seen`` is the ETag of the view that this is about. Raises ``Problem`` if the server says no, and
        ``ValueError`` for a number that means nothing.
        """
        ways = _passages(self._client.takeback(self._match, seat), way)
        if not ways:
            raise ValueError(_NOTHING[way])
        if not steps:
            self._list(way, ways)
            most = len(_attainable(ways))
            if not most:
                self._terminal.plain(f"None of these can be had; {way} 1 tells why.")
                return False
            steps = self._asked_for(way, most)
            if not steps:
                return False
            aim = _picked(ways, steps)
        else:
            aim = _picked(ways, steps)
            if not self._agreed(aim.cost):
                return False
        self._client.move_head(self._match, way, seat, aim.to, seen=seen)
        return True

    def _asked_for(self, way: str, most: int) -> str:
        """How many decisions to go over, as it is typed after ``undo`` or alone; empty for none."""
        numbers = "1" if most == 1 else f"1 to {most}"
        typed = self._terminal.ask(f"Over how many, {numbers}? (enter: none, ? for help)", HOW_MANY).lower()
        steps = typed.removeprefix(way).removeprefix(way[0]).strip()
        return "" if steps in ("q", "quit", "n", "no") else steps

    def _agreed(self, cost: Any) -> bool:
        """Whether others are to be asked, where that is what it costs."""
        if isinstance(cost, str):
            return True
        question = f"{said(cost).capitalize()}. Ask? (yes/no)"
        return self._terminal.ask(question, YES_OR_NO).lower() in ("y", "yes")

    def _list(self, way: str, ways: list[_Passage]) -> None:
        """The decisions, nearest first, up to the first that can never be passed; each with what it takes to
        go over it and all before it."""
        most = min(len(_attainable(ways)) + 1, len(ways))
        self._terminal.heading(_HEADINGS[way])
        listed = ways[: min(most, SHOWN)]
        said_of = self._decisions([each.over for each in listed])
        for number, (each, words) in enumerate(zip(listed, said_of, strict=True), start=1):
            self._terminal.choice(number, words, f"({said(each.cost)})")
        if most > SHOWN:
            self._terminal.news(f"    and so on, up to {most} ({said(ways[most - 1].cost)})")

    def _decisions(self, versions: list[int]) -> list[str]:
        """What was decided in events, in words."""
        items = self._client.events(self._match, min(versions) - 1)
        found = {each["event"]["version"]: each for each in items}
        return [decision_in_words(self._game, found[version]) for version in versions]

    # Proposals

    def tell_open(self, proposals: list[JSON], mine: list[int]) -> None:
        """What those at this terminal may say to the open proposals."""
        for each in proposals:
            if each["by"] in mine:
                waited_for = [seat for seat in each["needs"] if seat not in each["given"]]
                self._terminal.heading(
                    f"You proposed to {wish(each)}; {_seats(waited_for)} may answer. "
                    "withdraw: take the proposal back"
                )
            elif asked := _asked(each, mine):
                self._terminal.heading(f"Seat {each['by']} asks to {wish(each)}. yes: agree   no: refuse")
                self._tell_range(each, asked[0])

    def _tell_range(self, proposal: JSON, seat: int) -> None:
        """What an undo or redo would go over, so that nobody agrees to a number alone."""
        if proposal["kind"] not in _HEADINGS:
            return
        ways = _passages(self._client.takeback(self._match, seat), proposal["kind"])
        nearer = list(takewhile(lambda each: each.to != proposal["to"], ways))
        over = ways[: len(nearer) + 1]
        for words in self._decisions([each.over for each in over[:SHOWN]]):
            self._terminal.plain(f"    {words}")
        if len(over) > SHOWN:
            self._terminal.plain(f"    and {len(over) - SHOWN} more")

    def answer(self, word: str, proposals: list[JSON], mine: list[int], which: str) -> None:
        """``yes``, ``no`` or ``withdraw``, to the proposal named (empty: the only one there is).

        Raises ``ValueError`` if there is none or several.
        """
        own = word == "withdraw"
        about = [each for each in proposals if (each["by"] in mine if own else _asked(each, mine))]
        about = [each for each in about if which in ("", each["id"])]
        if not about:
            raise ValueError("you have no proposal to withdraw" if own else "nobody asks you for anything")
        if len(about) > 1:
            names = "; ".join(f"{each['id']} (to {wish(each)})" for each in about)
            raise ValueError(f"say which: {names}. For example: {word} {about[0]['id']}")
        [proposal] = about
        for seat in [proposal["by"]] if own else _asked(proposal, mine)[: None if word == "yes" else 1]:
            self._client.answer(self._match, proposal["id"], _ANSWERS[word], seat)


def said(cost: Any) -> str:
    """A cost in words."""
    return cost if isinstance(cost, str) else f"{_seats(cost['consent'])} must agree"


def wish(proposal: JSON) -> str:
    """What a proposal would do, after ``to``."""
    match proposal["kind"]:
        case "abandon":
            return "abandon the match"
        case "replace":
            return f"free seat {proposal['seat']} for somebody else"
        case kind:
            return f"go {'back' if kind == 'undo' else 'forward'} to version {proposal['to']}"


def _asked(proposal: JSON, mine: list[int]) -> list[int]:
    """The seats of these that have not answered yet."""
    return [seat for seat in mine if seat in proposal["needs"] and seat not in proposal["given"]]


def _passages(takeback: JSON, way: str) -> list[_Passage]:
    """The ways over one decision more each time."""
    reachable = takeback["targets" if way == "undo" else "redo"]
    versions = [each["version"] for each in reachable]
    passed = [takeback["head"], *versions] if way == "undo" else versions
    return [
        _Passage(over, each["version"], each["undo"]) for over, each in zip(passed, reachable, strict=False)
    ]


def _picked(ways: list[_Passage], steps: str) -> _Passage:
    if not steps.isdecimal() or int(steps) < 1:
        raise ValueError("say over how many decisions, for example: 1")
    if int(steps) > len(ways):
        raise ValueError(f"there is no more to go over than {_counted(len(ways))}")
    return ways[int(steps) - 1]


def _attainable(ways: list[_Passage]) -> list[_Passage]:
    """Those before the first that cannot be had, beyond which none can."""
    return [*takewhile(lambda each: each.cost != "never", ways)]


def _counted(decisions: int) -> str:
    return "1 decision" if decisions == 1 else f"{decisions} decisions"


def _seats(seats: list[int]) -> str:
    *others, last = map(str, seats)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"
