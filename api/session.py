"""One person at one match, in a terminal: what happened is told, the table drawn, a move asked for.

It holds only what the server shows its seat. The words are those of the installed game; it knows no rule.
"""

from __future__ import annotations

from typing import Any, Final

from kleos.api.client import JSON, Problem
from kleos.api.program import program
from kleos.api.terminal import Terminal
from kleos.api.watch import Watch
from kleos.core.kernel import Game
from kleos.projections.words import offer_in_words, sentences

RECENT: Final = 6  # events told to somebody who comes to a match that is under way
OVER: Final = ("finished", "abandoned")
ENDINGS: Final = ("game_ended", "match_ended")  # effects not told as news: the last word says who won
HELP: Final = """a number plays that move (12), a move with a range takes its number after it (12 5)
t  the table again      resign  give up the seat      q  leave; the match waits"""


class Session:
    """One person at one match. ``mine`` are the seats held; none for somebody who watches."""

    def __init__(self, watch: Watch, mine: list[int], game: Game[Any, Any, Any], terminal: Terminal) -> None:
        self.client = watch.client
        self.match = watch.match
        self._watch = watch
        self._mine = mine
        self._game = game
        self._terminal = terminal
        self._told: int | None = None
        self._waiting = ""
        self._bots: set[int] = set()
        self._signed = False

    def run(self, auto: int | None = None) -> int:
        """Until the match is over; with ``auto`` until so many moves are made, or a person is waited for."""
        made = 0
        self._introduce()
        while True:
            view = self._look()
            self._watch.saw(view["version"])
            fresh = self._tell_news(view["version"])
            if view["status"] in OVER:
                return self._part(view)
            seat = view["seat"] if view["seat"] in self._acting(view) else None
            if auto is not None and (made >= auto if seat is not None else not self._bots_alone(view)):
                return self._leave(view)
            if seat is None:
                self._wait(view, fresh)
            elif auto is None:
                self._ask(view, seat)
            else:
                made += self._move_unasked(seat, view["moves"][0]["move"])

    def resign(self) -> int:
        if not self._mine:
            self._terminal.warning("you hold no seat in this match")
            return 1
        for seat in self._mine:
            match = self.client.give_up_seat(self.match, seat)
            self._terminal.plain(f"You gave up seat {seat}.")
            if match["status"] in OVER:
                break
        return 0

    def _introduce(self) -> None:
        match = self.client.match(self.match)
        self._terminal.heading(f"{self._game.title}, match {self.match}")
        self._bots = {each["seat"] for each in match["seats"] if each["bot"]}
        self._signed = bool(match["signed"])
        for each in match["seats"]:
            who = each["player"]["name"] if each["player"] else each["bot"] and f"{each['bot']} (bot)"
            you = "   <- you" if each["seat"] in self._mine else ""
            self._terminal.plain(f"  seat {each['seat']}  {who or 'free'}{you}")
        if match["status"] == "open":
            self._terminal.plain(
                f"Others join with: {program()} play {self.match} --server {self.client.server}"
            )

    def _acting(self, view: JSON) -> list[int]:
        return [seat for seat in self._mine if seat in view["to_act"]]

    def _look(self) -> JSON:
        """The view of the seat that is to act if it is one's own, else of one's first seat."""
        view = self.client.view(self.match, self._mine[0] if self._mine else None)
        acting = self._acting(view)
        return view if not acting or view["seat"] in acting else self.client.view(self.match, acting[0])

    def _tell_news(self, version: int) -> bool:
        """What has happened up to ``version`` since the last look, as this seat may know it."""
        if self._told is None:
            self._told = max(0, version - RECENT)
        if self._told >= version:
            return False
        for item in self.client.events(self.match, self._told):
            if item["event"]["version"] > version:
                break
            told = sentences(self._game, item["event"], item["opened"])
            for effect, sentence in zip(item["event"]["effects"], told, strict=True):
                if effect["type"] not in ENDINGS:
                    self._terminal.news(f"  {sentence}")
        self._told = version
        self._waiting = ""
        return True

    def _draw(self, view: JSON) -> None:
        if view["state"] is not None:
            self._terminal.plain()
            self._terminal.plain(self._game.table(view["state"]))
            self._terminal.plain()

    def _wait(self, view: JSON, fresh: bool) -> None:
        if fresh and not self._mine:
            self._draw(view)
        others = ", ".join(f"seat {seat}" for seat in view["to_act"]) or "the other players to sit down"
        if others != self._waiting and not self._bots_alone(view):
            self._waiting = others
            self._terminal.news(f"waiting for {others} …")
        self.client.wait(self.match, view["version"])

    def _ask(self, view: JSON, seat: int) -> None:
        """Show the table and the moves until one is made."""
        self._draw(view)
        for number, listed in enumerate(view["moves"], start=1):
            self._terminal.choice(number, offer_in_words(self._game, listed))
        while True:
            answer = self._terminal.ask(f"seat {seat}, your move (? for help):").lower()
            if answer in ("q", "quit", "exit"):
                raise EOFError
            if answer in ("?", "h", "help"):
                self._terminal.plain(HELP)
            elif answer == "t":
                self._draw(view)
            elif answer == "resign":
                if self._terminal.ask("Give up the seat for good? (yes/no)").lower() in ("y", "yes"):
                    self.client.give_up_seat(self.match, seat)
                    return
            elif answer:
                try:
                    self._move(seat, chosen(view["moves"], answer))
                    return
                except ValueError as error:
                    self._terminal.warning(str(error))
                except Problem as problem:
                    self._terminal.warning(str(problem))
                    return

    def _move(self, seat: int, move: JSON) -> None:
        signature = self._watch.signature(seat, move) if self._signed else None
        self.client.play(self.match, seat, move, signature)

    def _move_unasked(self, seat: int, move: JSON) -> bool:
        """Whether the move was made: one that was signed at a head that has passed is not."""
        try:
            self._move(seat, move)
        except Problem as problem:
            if problem.code != "stale":
                raise
            return False
        return True

    def _bots_alone(self, view: JSON) -> bool:
        """Whether it takes no person to go on."""
        return bool(view["to_act"]) and self._bots.issuperset(view["to_act"])

    def _leave(self, view: JSON) -> int:
        self._draw(view)
        self._terminal.plain(f"To go on: {program()} play {self.match}")
        return 0

    def _part(self, view: JSON) -> int:
        self._draw(view)
        self._watch.end()
        outcome = view["outcome"]
        if outcome is None:
            self._terminal.heading("The match was abandoned.")
            return 0
        winners = ", ".join(f"seat {seat}" for seat in outcome["winners"]) or "nobody"
        lost = "You lost: " if self._mine else ""
        mine = bool(set(outcome["winners"]) & set(self._mine))
        self._terminal.heading(
            f"{winners} won ({outcome['reason']}): you!"
            if mine
            else f"{lost}{winners} won ({outcome['reason']})."
        )
        for seat, score in outcome["scores"].items():
            self._terminal.plain(f"  seat {seat}  {score}")
        return 0


def chosen(moves: list[JSON], answer: str) -> JSON:
    """The move that an answer such as ``3`` or ``3 12`` means. ``ValueError`` says what would be right."""
    number, _, amount = answer.partition(" ")
    if not number.isdecimal() or not 1 <= int(number) <= len(moves):
        raise ValueError(f"a number from 1 to {len(moves)}, please; ? for help")
    listed = moves[int(number) - 1]
    move: JSON = listed["move"]
    if not listed.get("range"):
        if amount:
            raise ValueError(f"move {number} takes no further number")
        return move
    ((field, (low, high)),) = listed["range"].items()
    if low == high and not amount:
        return move
    if not amount.strip().isdecimal() or not low <= int(amount) <= high:
        raise ValueError(f"move {number} takes a number from {low} to {high}: {number} {high}")
    return {**move, field: int(amount)}
