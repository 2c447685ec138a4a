"""``kleos play``: getting to a match over HTTP, as somebody, so that a session at the table can begin."""

from __future__ import annotations

import argparse
import getpass
import sys
from contextlib import suppress
from typing import Final

import msgspec

from kleos.api.client import JSON, Client, Problem, Unreachable
from kleos.api.keyring import Keyring
from kleos.api.outage import Outage
from kleos.api.program import EASIEST, program
from kleos.api.session import Session
from kleos.api.terminal import Terminal
from kleos.api.watch import Watch
from kleos.api.witness import Witness
from kleos.api.wording import in_json_words, in_plain_words
from kleos.core.kernel import Refused
from kleos.core.kernel.registry import current, pinned
from kleos.events.note import b64

DEFAULT_SERVER: Final = "http://127.0.0.1:8000"
OUTAGE: Final = 60
"""Seconds for which a server that has gone silent is tried again, once one sits at the table."""
NAME: Final = (
    "play under this name; if that is not the account last used at the server, a new account is registered, "
    "which is the one used there from now on (matches that you sit in keep theirs)"
)


class Usage(Exception):
    """The command was called in a way that cannot be carried out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", help="the id of a match, or: new")
    parser.add_argument("game", nargs="?", help="after new: the game, such as iliad")
    parser.add_argument("--server", metavar="URL", help=f"default: {DEFAULT_SERVER}")
    parser.add_argument("--name", help=NAME)
    parser.add_argument(
        "--seat", type=int, metavar="N", help="the seat to take, or of several of yours the one to play"
    )
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
        terminal.plain(f"\nYou left the table. To go on: {program()} play {session.match}")
        return 0
    except (Unreachable, Problem) as error:
        way_back = f"To go on: {program()} play {session.match}"
        print(f"kleos play: {_explained(error)}\n{way_back}", file=sys.stderr)
        return 1


def _explained(error: Exception) -> str:
    if isinstance(error, Unreachable):
        return f"{error}\nIs the server running? Start one with: {program()} serve"
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
        terminal.warning(
            f"The way back will not be remembered: {in_plain_words(error)}. Your token: {client.token}"
        )
    me = client.me()["id"] if client.token else None
    mine = _chosen_seats(match, me, args.seat)
    try:
        game = pinned(match["rules"])
    except LookupError as error:
        raise Usage(str(error)) from None
    client.outage = Outage(OUTAGE, lambda said: terminal.warning(f"\n{said}"))
    return Session(Watch(Witness(client, match["id"], me, keyring), keyring, terminal), mine, game, terminal)


def _chosen_seats(match: JSON, me: str | None, wanted: int | None) -> list[int]:
    """One's own seats, or the one of them that is wanted."""
    mine = [each["seat"] for each in match["seats"] if each["player"] and each["player"]["id"] == me]
    if wanted is None:
        return mine
    if wanted not in mine:
        yours = f"yours: {', '.join(map(str, mine))}" if mine else "you hold none in this match"
        raise Usage(f"seat {wanted} is not yours; {yours}")
    return [wanted]


def account_for(args: argparse.Namespace, client: Client, keyring: Keyring) -> None:
    """Let the client act for somebody: the token given, the account used here before, or a new one."""
    with keyring.registering():
        client.token = client.token or keyring.token(client.server)
        if client.token is not None and _serves(args, client):
            return
        client.token = None
        key = keyring.new_key()
        made = client.register(args.name or _login(), b64(key.public_key().public_bytes_raw()))
        with suppress(OSError):  # told when the match cannot be remembered either
            keyring.keep_account(client.server, made["token"], made["player"]["id"], key)


def _serves(args: argparse.Namespace, client: Client) -> bool:
    """Whether the account of the client is the one to play with: a token given always is."""
    try:
        return bool(args.token or args.name in (None, client.me()["name"]))
    except Problem as problem:
        if problem.status != 401:
            raise
        return False


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name, as in some containers
        return "player"


def _create(args: argparse.Namespace, client: Client, keyring: Keyring) -> JSON:
    if args.game is None:
        raise Usage(f"which game? For example: {program()} play new {EASIEST}")
    if args.resign:
        raise Usage("--resign needs the id of a match")
    game = current(args.game)
    seats = game.seats[0] if args.seats is None else args.seats
    bot = args.bot or ("greedy" if "greedy" in game.bots else "random")
    if bot not in game.bots:
        raise Usage(f"{game.title} has no bot {bot!r}; there are: {', '.join(game.bots)}")
    try:
        options = msgspec.json.decode(args.options)
    except msgspec.DecodeError as error:
        raise Usage(f"--options: {in_json_words(str(error))}") from None
    account_for(args, client, keyring)
    own = args.seat or 0
    match = client.create(args.game, seats, options=options, seat=own)
    for seat in () if args.open else range(seats):
        if seat != own:
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
    if match is not None and _seated(client, match):
        if args.name not in (None, name := client.me()["name"]):
            raise Usage(
                f"you sit in this match as {name}, not as {args.name}; leave out --name, "
                f"or give the --token of {args.name}"
            )
        return match
    if match is not None and match["status"] != "open":
        return match
    account_for(args, client, keyring)
    wanted = {"invite": args.invite, "seat": args.seat}
    return client.take_seat(args.match, **{name: each for name, each in wanted.items() if each is not None})


def _seated(client: Client, match: JSON) -> bool:
    me = client.me()["id"] if client.token else None
    return any(each["player"] is not None and each["player"]["id"] == me for each in match["seats"])
