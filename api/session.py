"""One person at one match, in a terminal: what happened is told, the table drawn, a move asked for.

It holds only what the server shows its seat. The words are those of the installed game; it knows no rule.
While somebody sits at the terminal, what others do is told as it happens, also in the middle of a question.
"""

from __future__ import annotations

from typing import Any, Final

from kleos.api.client import JSON, Problem
from kleos.api.listening import Listener
from kleos.api.phrases import HELP, RESIGNING, SHORT, WATCHING, awaited, chosen
from kleos.api.program import program
from kleos.api.terminal import Terminal
from kleos.api.undoing import FREE, Undoing, said
from kleos.api.watch import Watch
from kleos.core.kernel import Game
from kleos.core.match import OVER
from kleos.projections.words import READ_ONLY, offer_in_words, sentences

RECENT: Final = 6  # events told to somebody who has made no move yet
LOOKED_BACK: Final = 200  # events among which one's own last move is looked for
ENDINGS: Final = ("game_ended", "match_ended")  # effects not told as news: the last word says who won


class Session:
    """One person at one match. ``mine`` are the seats held; none for somebody who watches."""

    def __init__(self, watch: Watch, mine: list[int], game: Game[Any, Any, Any], terminal: Terminal) -> None:
        self.client = watch.client
        self.match = watch.match
        self._watch = watch
        self._mine = mine
        self._game = game
        self._terminal = terminal
        self._listener = Listener(self.client, self.match)
        self._undoing = Undoing(self.client, self.match, game, terminal)
        self._seen: str | None = None
        self._told: int | None = None
        self._drawn: tuple[Any, ...] | None = ()
        self._open: list[JSON] = []
        self._waiting = ""
        self._bots: set[int] = set()
        self._signed = False
        self._casual = False

    def run(self, auto: int | None = None) -> int:
        """Until the match is over; with ``auto`` until so many moves are made, or a person is waited for."""
        made = 0
        self._introduce()
        while True:
            view = self._look()
            self._watch.saw(view["version"])
            self._tell_news(view["version"])
            if view["status"] in OVER:
                return self._part(view)
            if view["read_only"]:
                return self._look_only(view)
            seat = view["seat"] if view["seat"] in self._acting(view) else None
            if auto is None:
                self._turn(view, seat)
            elif made >= auto if seat is not None else not self._bots_alone(view):
                return self._leave(view)
            elif seat is None:
                self.client.wait(self.match, view["version"])
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

    # Looking

    def _introduce(self) -> None:
        match = self.client.match(self.match)
        self._terminal.heading(f"{self._game.title}, match {self.match}")
        self._bots = {each["seat"] for each in match["seats"] if each["bot"]}
        self._signed = bool(match["signed"])
        self._casual = match["undo"] == "casual"
        for each in match["seats"]:
            who = each["player"]["name"] if each["player"] else each["bot"] and f"{each['bot']} (bot)"
            you = "   <- you" if each["seat"] in self._mine else ""
            self._terminal.plain(f"  seat {each['seat']}  {who or 'free'}{you}")
        if not self._mine:
            self._terminal.plain("You are watching.")
        if match["status"] == "open":
            self._terminal.plain(
                f"Others join with: {program()} play {self.match} --server {self.client.server}"
            )

    def _acting(self, view: JSON) -> list[int]:
        return [seat for seat in self._mine if seat in view["to_act"]]

    def _look(self) -> JSON:
        """The view of the seat that is to act if it is one's own, else of one's first seat."""
        view, self._seen = self.client.look(self.match, self._mine[0] if self._mine else None)
        acting = self._acting(view)
        if acting and view["seat"] not in acting:
            view, self._seen = self.client.look(self.match, acting[0])
        return view

    def _tell_news(self, version: int) -> None:
        """What has happened up to ``version`` since the last look, as this seat may know it."""
        if self._told is None:
            self._tell(self._since_own_move(version))
        elif self._told < version:
            self._tell(self.client.events(self.match, self._told), version)
            self._waiting = ""
        self._told = version

    def _since_own_move(self, version: int) -> list[JSON]:
        """The events after one's own last move, or the latest ones."""
        items = self.client.events(self.match, max(0, version - LOOKED_BACK))
        for place, item in reversed(list(enumerate(items))):
            if item["event"]["kind"] == "move" and item["event"]["seat"] in self._mine:
                return items[place + 1 :]
        return items[-RECENT:]

    def _tell(self, items: list[JSON], until: int | None = None) -> None:
        for item in items:
            if until is not None and item["event"]["version"] > until:
                break
            told = sentences(self._game, item["event"], item["opened"])
            for effect, sentence in zip(item["event"]["effects"], told, strict=True):
                if effect["type"] == "head_moved":
                    self._drawn = None  # the same table as before, perhaps, but after another story
                if effect["type"] not in ENDINGS:
                    self._terminal.news(f"  {sentence}")

    def _draw(self, view: JSON) -> None:
        if view["state"] is not None:
            self._terminal.plain()
            over = view["status"] in OVER
            self._terminal.plain(self._game.table(view["state"], view["seat"], over=over))
            self._terminal.plain()

    def _draw_moves(self, moves: list[JSON]) -> None:
        """Every move by its number, and what taking it back would cost: beside each where that differs."""
        costs = [said(listed["undo"]) for listed in moves]
        differing = len(set(costs)) > 1
        for number, (listed, cost) in enumerate(zip(moves, costs, strict=True), start=1):
            words = offer_in_words(self._game, listed)
            self._terminal.choice(number, words, f"(undo: {cost})" if differing else "")
        if moves and not differing:
            self._terminal.news(f"    (undo of any of these: {costs[0]})")
        if "free" in costs and not self._casual:
            self._terminal.news(f"    {FREE}")

    # A turn: one's own, or that of others

    def _turn(self, view: JSON, seat: int | None) -> None:
        """Show what is new and hear what is typed, until it is time to look again."""
        if self._bots_alone(view) or (seat is None and not self._terminal.interactive):
            self._await(view)
            return
        self._show(view, seat)
        whose = f"waiting for {awaited(view)}" if seat is None else f"seat {seat}, your move"
        if self._terminal.interactive:
            self._listener.listen(view["version"])
        while (answer := self._hear(f"{whose} (? for help):")) is not None:
            try:
                if self._carried_out(answer, view, seat):
                    return
            except ValueError as error:
                self._terminal.warning(str(error))
            except Problem as problem:
                self._terminal.warning(str(problem))
                return

    def _await(self, view: JSON) -> None:
        """Wait without a word to be said meanwhile."""
        if not self._mine:
            self._show(view, None)
        whom = awaited(view)
        if whom != self._waiting and not self._bots_alone(view):
            self._waiting = whom
            self._terminal.news(f"waiting for {whom} …")
        self.client.wait(self.match, view["version"])

    def _show(self, view: JSON, seat: int | None) -> None:
        """The table and the moves, and the open proposals, unless they are what was shown last."""
        drawn = (view["state"], view["moves"], seat)
        if drawn != self._drawn and (seat is not None or not self._mine or self._drawn == ()):
            self._drawn = drawn
            self._draw(view)
            self._draw_moves(view["moves"])
            self._terminal.forget_typed()  # it was meant for another table
        if view["proposals"] != self._open:
            self._open = view["proposals"]
            self._undoing.tell_open(self._open, self._mine)

    def _hear(self, prompt: str) -> str | None:
        """A line; None if the match has moved on meanwhile."""
        if not self._terminal.interactive:
            return self._terminal.ask(prompt)
        answer = self._terminal.ask_or_hear(prompt, self._listener)
        if answer is None:
            self._listener.heed()
        return answer

    def _carried_out(self, answer: str, view: JSON, seat: int | None) -> bool:
        """Do what was typed; whether it is time to look again."""
        word, _, rest = answer.lower().partition(" ")
        word = SHORT.get(word, word)
        match word:
            case "quit":
                raise EOFError
            case "help":
                self._terminal.plain(HELP if self._mine else WATCHING)
            case "table":
                self._draw(view)
                self._draw_moves(view["moves"])
            case "news":
                self._tell(self._since_own_move(view["version"]))
            case "undo" | "redo" | "yes" | "no" | "withdraw" | "resign":
                return self._spoken(word, rest.strip(), view, self._own(seat))
            case "":
                pass
            case _ if seat is None:
                raise ValueError(f"it is not your turn: waiting for {awaited(view)}. ? for help")
            case _:
                self._move(seat, chosen(view["moves"], answer))
                return True
        return False

    def _own(self, seat: int | None) -> int:
        """The seat that speaks: the one that is to act, or the first of one's own."""
        if not self._mine:
            raise ValueError("you watch; who sits at the table decides. ? for help")
        return self._mine[0] if seat is None else seat

    def _spoken(self, word: str, rest: str, view: JSON, seat: int) -> bool:
        """Do what concerns the match and not its game."""
        match word:
            case "undo" | "redo":
                return self._undoing.offer(word, seat, rest, self._seen)
            case "resign":
                question = f"Give up seat {seat} for good? (yes/no)"
                if self._terminal.ask(question, RESIGNING).lower() not in ("y", "yes"):
                    return False
                self.client.give_up_seat(self.match, seat)
            case _:
                self._undoing.answer(word, view["proposals"], self._mine, rest)
        return True

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

    # The end

    def _leave(self, view: JSON) -> int:
        self._draw(view)
        self._terminal.plain(f"To go on: {program()} play {self.match}")
        return 0

    def _look_only(self, view: JSON) -> int:
        self._draw(view)
        self._terminal.heading(READ_ONLY)
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
