"""``kleos replay``: a match seen again, version by version, with a time bar. Reads keys one by one.

Away from a terminal it prints what happened, and the table at the version asked for.
"""

from __future__ import annotations

import argparse
import os
import re
import select
import shutil
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kleos.api.client import Client, Problem, Unreachable
from kleos.api.film import FileFilm, Film, Frame, NoFilm, ServedFilm
from kleos.api.keyring import Keyring
from kleos.api.play import DEFAULT_SERVER
from kleos.api.terminal import printable

LOOK: Final = 1.0  # seconds between two looks at a match that goes on
KEYS: Final = (
    "left/right: step   home/end   a number and enter: go there   space: play   f: follow   q: leave"
)
_ESCAPES: Final = {
    "\x1b[D": "left",
    "\x1b[C": "right",
    "\x1b[A": "end",
    "\x1b[B": "home",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
}
_KEY: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.DOTALL)
_LETTERS: Final = {
    "h": "left",
    "l": "right",
    "g": "home",
    "G": "end",
    " ": "play",
    "f": "follow",
    "q": "quit",
}


class Reel(Struct, frozen=True):
    """Where one is in a film. ``typed`` are the digits of a version that is being entered.

    ``playing`` steps by itself until the end; ``following`` stays at the end while the film grows.
    """

    at: int
    length: int
    typed: str = ""
    playing: bool = False
    following: bool = False

    def press(self, key: str) -> Reel:
        """What a key does; keys that mean nothing do nothing."""
        if key.isdecimal():
            return replace(self, typed=(self.typed + key)[-9:])
        if key == "enter" and self.typed:
            return self._to(int(self.typed))
        match key:
            case "left":
                return self._to(self.at - 1)
            case "right":
                return self._to(self.at + 1)
            case "home":
                return self._to(1)
            case "end":
                return self._to(self.length)
            case "play":
                return replace(self, typed="", playing=not self.playing, following=False)
            case "follow":
                return replace(self._to(self.length), following=not self.following)
            case _:
                return replace(self, typed="")

    def _to(self, version: int) -> Reel:
        at = max(1, min(version, self.length))
        return replace(self, at=at, typed="", playing=False, following=False)

    def tick(self) -> Reel:
        """One step of playing."""
        if not self.playing:
            return self
        at = min(self.at + 1, self.length)
        return replace(self, at=at, playing=at < self.length)

    def grown(self, length: int) -> Reel:
        """The film has become longer."""
        return replace(self, length=length, at=length if self.following else self.at)


def time_bar(at: int, length: int, width: int) -> str:
    """``9 ├────●───────┤ 24``: how far into the match a version is, in ``width`` columns at most."""
    left, right = f"{at} ├", f"┤ {length}"
    room = max(1, width - len(left) - len(right))
    place = 0 if length == 1 else (at - 1) * (room - 1) // (length - 1)
    return f"{left}{'─' * place}●{'─' * (room - 1 - place)}{right}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="FILE|MATCH", help="a file with the log of a match, or the id of one"
    )
    parser.add_argument("--at", type=int, metavar="N", help="begin at this version (default: the newest)")
    parser.add_argument("--seat", metavar="S", help="through whose eyes: a seat number, or spectator")
    parser.add_argument(
        "--speed", type=float, default=2.0, metavar="N", help="events a second while it plays"
    )
    parser.add_argument("--server", metavar="URL", help=f"default: {DEFAULT_SERVER}")
    parser.add_argument("--token", help="look with the account of this token")


def main(args: argparse.Namespace) -> int:
    if args.seat not in (None, "spectator") and not args.seat.isdecimal():
        return _usage("--seat is a number, or spectator")
    if not args.speed > 0:
        return _usage("--speed is a number above 0")
    try:
        film = _film(args)
        length = film.length()
        at = length if args.at is None else args.at
        if not 1 <= at <= length:
            return _usage(f"the versions are 1 to {length}")
        if sys.stdin.isatty() and sys.stdout.isatty():
            _show(film, Reel(at, length), args.speed)
        else:
            _print(film, at)
    except (NoFilm, Unreachable, Problem, LookupError) as error:
        print(f"kleos replay: {error}", file=sys.stderr)
        return 1
    return 0


def _usage(text: str) -> int:
    print(f"kleos replay: {text}", file=sys.stderr)
    return 2


def _film(args: argparse.Namespace) -> Film:
    path = Path(args.source)
    if path.exists():
        return FileFilm(path, args.seat)
    known = Keyring().seat(args.source)
    server = args.server or (known.server if known else DEFAULT_SERVER)
    token = args.token or (known.token if known else None)
    return ServedFilm(Client(server, token), args.source, args.seat)


def _print(film: Film, at: int) -> None:
    """Everything that happened up to a version, and the table there."""
    print(printable(film.title))
    frame: Frame | None = None
    for version in range(1, at + 1):
        frame = film.frame(version)
        print(f"{version:>5}  {printable(' '.join(frame.words))}")
    assert frame is not None
    if frame.table is not None:
        print(f"\n{printable(frame.table)}")


# On a terminal


def _show(film: Film, reel: Reel, speed: float) -> None:
    shown: tuple[int, int, str] | None = None
    looked = time.monotonic()
    with _keyboard():
        while True:
            if (reel.at, reel.length, reel.typed) != shown:
                _draw(film.title, film.frame(reel.at), reel)
                shown = (reel.at, reel.length, reel.typed)
            keys = _keys(1 / speed if reel.playing else LOOK)
            if "quit" in keys:
                return
            reel = reduce(Reel.press, keys, reel) if keys else reel.tick()
            if not film.over() and time.monotonic() - looked >= LOOK:
                looked = time.monotonic()
                reel = reel.grown(film.length())


def _draw(title: str, frame: Frame, reel: Reel) -> None:
    columns, rows = shutil.get_terminal_size()
    undone = "" if frame.head == frame.version else f"   (the table of version {frame.head})"
    lines = [
        printable(title),
        time_bar(reel.at, reel.length, columns),
        f"{frame.kind}{undone}",
        *(f"  {printable(each)}" for each in frame.words),
        "",
        *printable(frame.table or "").splitlines(),
    ]
    foot = f"go to {reel.typed}" if reel.typed else KEYS
    body = "\r\n".join(line[:columns] for line in lines[: rows - 1])
    sys.stdout.write(f"\x1b[2J\x1b[H{body}\x1b[{rows};1H{foot[:columns]}")
    sys.stdout.flush()


@contextmanager
def _keyboard() -> Iterator[None]:
    """Keys as they are pressed, on a screen of their own; afterwards everything is as it was."""
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    sys.stdout.write("\x1b[?1049h\x1b[?25l")
    try:
        yield
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _keys(patience: float) -> list[str]:
    """The names of the keys that come within ``patience`` seconds; of one that means nothing, ``?``."""
    if not select.select([sys.stdin], [], [], patience)[0]:
        return []
    pressed = os.read(sys.stdin.fileno(), 64).decode(errors="replace")
    return [_name(each) for each in _KEY.findall(pressed)] or ["quit"]


def _name(pressed: str) -> str:
    if pressed in "\r\n":
        return "enter"
    return _ESCAPES.get(pressed) or _LETTERS.get(pressed) or (pressed if pressed.isdecimal() else "?")
