"""``kleos play``: a match in the terminal, over HTTP. It holds only what the server shows its seat.

The table is drawn and moves are said in the words of the installed game; everything else is the server's.
"""

from __future__ import annotations

import argparse
import getpass
import sys
import time
from typing import Any, Final

import msgspec

from kleos.api.client import JSON, Client, Problem, Unreachable
from kleos.api.keyring import Keyring
from kleos.api.terminal import Terminal
from kleos.core.kernel import Game, Refused
from kleos.core.kernel.registry import current, pinned
from kleos.core.kernel.visibility import merge

DEFAULT_SERVER: Final = "http://127.0.0.1:8000"
RECENT: Final = 6  # events told to somebody who comes to a match that is under way
BLINK, NAP = 0.2, 1.5  # seconds between two looks: at first, and after a while without news
HELP: Final = """a number plays that move (12), a move with a range takes its number after it (12 5)
t  the table again      resign  give up the seat      q  leave; the match waits"""


class Usage(Exception):
    """The command was called in a way that cannot be carried out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", help="the id of a match, or: new")
    parser.add_argument("game", nargs="?", help="after new: the game, such as iliad")
    parser.add_argument("--server", metavar="URL", help=f"default: {DEFAULT_SERVER}")
    parser.add_argument("--name", help="play under this name (a new account if it is not yours yet)")
    parser.add_argument("--token", help="play with the account of this token")
    parser.add_argument("--invite", help="the invitation to a private match")
    parser.add_argument(
        "--auto", type=int, metavar="N", help="make the first N moves without asking, then leave"
    )
    parser.add_argument("--resign", action="store_true", help="give up the seat in a match")
    new = parser.add_argument_group("for a new match")
    new.add_argument("--seats", type=int, metavar="N", help="default: the fewest the game allows")
    new.add_argument("--bot", metavar="NAME", help="who takes the other seats (default: greedy, else random)")
    new.add_argument("--open", action="store_true", help="leave the other seats to people")
    new.add_argument("--options", default="{}", metavar="JSON", help="options of the game")


def main(args: argparse.Namespace) -> int:
    terminal = Terminal()
    try:
        session = _begin(args, Keyring(), terminal)
    except (Usage, Refused) as error:
        print(f"kleos play: {error}", file=sys.stderr)
        return 2
    except (Unreachable, Problem) as error:
        print(f"kleos play: {_explained(error)}", file=sys.stderr)
        return 1
    try:
        return session.resign() if args.resign else session.run(args.auto)
    except (KeyboardInterrupt, EOFError):
        terminal.plain(f"\nYou left the table. To go on: kleos play {session.match}")
        return 0
    except (Unreachable, Problem) as error:
        print(f"kleos play: {_explained(error)}\nTo go on: kleos play {session.match}", file=sys.stderr)
        return 1


def _explained(error: Exception) -> str:
    if isinstance(error, Unreachable):
        return f"{error}\nIs the server running? Start one with: kleos serve"
    return str(error)


# Getting to the table


def _begin(args: argparse.Namespace, keyring: Keyring, terminal: Terminal) -> Session:
    known = keyring.seat(args.match)
    server = args.server or (known.server if known else DEFAULT_SERVER)
    client = Client(server, args.token or (known.token if known else None))
    if args.match == "new":
        match = _create(args, client, keyring)
    elif args.game is not None:
        raise Usage("a game is named only after `new`")
    else:
        match = _come(args, client, keyring)
    try:
        keyring.remember(match["id"], client.server, client.token)
    except OSError as error:
        terminal.warning(f"The way back will not be remembered: {error}. Your token: {client.token}")
    me = client.me()["id"] if client.token else None
    mine = [each["seat"] for each in match["seats"] if each["player"] and each["player"]["id"] == me]
    try:
        game = pinned(match["rules"])
    except LookupError as error:
        raise Usage(str(error)) from None
    return Session(client, match["id"], mine, game, terminal)


def _account(args: argparse.Namespace, client: Client, keyring: Keyring) -> None:
    """Let the client act for somebody: the token given, the account used here before, or a new one."""
    if client.token is None:
        client.token = keyring.token(client.server)
    if client.token is not None:
        try:
            if args.name in (None, client.me()["name"]) or args.token:
                return
        except Problem as problem:
            if problem.status != 401 or args.token:
                raise
        client.token = None
    client.register(args.name or getpass.getuser())


def _create(args: argparse.Namespace, client: Client, keyring: Keyring) -> JSON:
    if args.game is None:
        raise Usage("which game? For example: kleos play new iliad")
    if args.resign:
        raise Usage("--resign needs the id of a match")
    game = current(args.game)
    seats = game.seats[0] if args.seats is None else args.seats
    bot = args.bot or ("greedy" if "greedy" in game.bots else "random")
    try:
        options = msgspec.json.decode(args.options)
    except msgspec.DecodeError as error:
        raise Usage(f"--options: {error}") from None
    _account(args, client, keyring)
    match = client.create(args.game, seats, options=options, seat=0)
    for seat in range(1, 1 if args.open else seats):
        match = client.take_seat(match["id"], seat=seat, bot=bot)
    return match


def _come(args: argparse.Namespace, client: Client, keyring: Keyring) -> JSON:
    """To a match that exists: back to one's seat, to a free one, or to watch."""
    if client.token is None:
        client.token = args.token or keyring.token(client.server)
    try:
        match = client.match(args.match)
    except Problem as problem:
        if problem.status != 404 or args.invite is None:
            raise
        match = None  # private: the invitation opens it
    if match is not None and (match["status"] != "open" or _seated(client, match)):
        return match
    _account(args, client, keyring)
    return client.take_seat(args.match, **({"invite": args.invite} if args.invite else {}))


def _seated(client: Client, match: JSON) -> bool:
    me = client.me()["id"] if client.token else None
    return any(each["player"] is not None and each["player"]["id"] == me for each in match["seats"])


# At the table


class Session:
    """One person at one match. ``mine`` are the seats held; none for somebody who watches."""

    def __init__(
        self, client: Client, match: str, mine: list[int], game: Game[Any, Any, Any], terminal: Terminal
    ) -> None:
        self.client = client
        self.match = match
        self._mine = mine
        self._game = game
        self._terminal = terminal
        self._told: int | None = None
        self._waiting = ""
        self._bots: set[int] = set()

    def run(self, auto: int | None = None) -> int:
        """Until the match is over; with ``auto`` until so many moves are made, or a person is waited for."""
        made, pause = 0, BLINK
        self._introduce()
        while True:
            view = self._look()
            fresh = self._tell_news(view["version"])
            if view["status"] in ("finished", "abandoned"):
                return self._part(view)
            seat = view["seat"] if view["seat"] in self._acting(view) else None
            if auto is not None and (made >= auto if seat is not None else not self._bots_alone(view)):
                return self._leave(view)
            if seat is None:
                pause = BLINK if fresh else min(pause * 1.2, NAP)
                self._wait(view, fresh, pause)
            elif auto is None:
                self._ask(view, seat)
            else:
                self._move(seat, view["moves"][0]["move"])
                made += 1

    def resign(self) -> int:
        if not self._mine:
            self._terminal.warning("you hold no seat in this match")
            return 1
        for seat in self._mine:
            self.client.give_up_seat(self.match, seat)
            self._terminal.plain(f"You gave up seat {seat}.")
        return 0

    def _introduce(self) -> None:
        match = self.client.match(self.match)
        self._terminal.heading(f"{self._game.title}, match {self.match}")
        self._bots = {each["seat"] for each in match["seats"] if each["bot"]}
        for each in match["seats"]:
            who = each["player"]["name"] if each["player"] else each["bot"] and f"{each['bot']} (bot)"
            you = "   <- you" if each["seat"] in self._mine else ""
            self._terminal.plain(f"  seat {each['seat']}  {who or 'free'}{you}")
        if match["status"] == "open":
            self._terminal.plain(f"Others join with: kleos play {self.match} --server {self.client.server}")

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
            event = merge(item["event"], [each["payload"] for each in item["opened"].values()])
            for effect in event["effects"]:
                self._terminal.news(f"  {self._words(effect)}")
        self._told = version
        self._waiting = ""
        return True

    def _words(self, effect: JSON) -> str:
        if not effect["rule"].startswith("match."):
            return self._game.tell(effect)
        told = effect["type"].replace("_", " ").capitalize()
        where = f": seat {effect['seat']}" if "seat" in effect else ""
        who = effect.get("bot") or ""
        return f"{told}{where}{who and f', {who} (bot)'}."

    def _draw(self, view: JSON) -> None:
        if view["state"] is not None:
            self._terminal.plain()
            self._terminal.plain(self._game.table(view["state"]))
            self._terminal.plain()

    def _wait(self, view: JSON, fresh: bool, pause: float) -> None:
        if fresh and not self._mine:
            self._draw(view)
        others = ", ".join(f"seat {seat}" for seat in view["to_act"]) or "the other players to sit down"
        if not fresh and others != self._waiting:
            self._waiting = others
            self._terminal.news(f"waiting for {others} …")
        time.sleep(pause)

    def _ask(self, view: JSON, seat: int) -> None:
        """Show the table and the moves until one is made."""
        self._draw(view)
        for number, listed in enumerate(view["moves"], start=1):
            self._terminal.choice(number, self._offer(listed))
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

    def _offer(self, listed: JSON) -> str:
        said = self._game.say(listed["move"])
        for field, (low, high) in (listed.get("range") or {}).items():
            said += f"   ({field}: any number from {low} to {high})"
        return said

    def _move(self, seat: int, move: JSON) -> None:
        self.client.play(self.match, seat, move)

    def _bots_alone(self, view: JSON) -> bool:
        """Whether it takes no person to go on."""
        return bool(view["to_act"]) and self._bots.issuperset(view["to_act"])

    def _leave(self, view: JSON) -> int:
        self._draw(view)
        self._terminal.plain(f"To go on: kleos play {self.match}")
        return 0

    def _part(self, view: JSON) -> int:
        self._draw(view)
        outcome = view["outcome"]
        if outcome is None:
            self._terminal.heading("The match was abandoned.")
            return 0
        winners = ", ".join(f"seat {seat}" for seat in outcome["winners"]) or "nobody"
        mine = bool(set(outcome["winners"]) & set(self._mine))
        self._terminal.heading(f"{winners} won ({outcome['reason']}){': you!' if mine else '.'}")
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
