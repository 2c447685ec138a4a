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
from collections.abc import Collection, Iterator
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
from kleos.api.terminal import folded, printable
from kleos.api.wording import no_source
from kleos.events.bundle import is_match_id

LOOK: Final = 1.0  # seconds between two looks at a match that goes on
KEYS: Final = "←/→ step   12 enter: go to   space play   f follow   ? all keys   q leave"
HELP: Final = """left, right     one version back or forward        (also h, l)
home, end       the first version, the newest      (also g, G)
12 enter        go to version 12
space           play, and stop again
f               follow a match that goes on
up, down        scroll a table that is higher than the screen (also k, j)
q               leave

In the bar, ● is where you are; ┄ are versions that were taken back later.
Any key closes this."""
TAKEN_BACK: Final = "taken back later"
_ESCAPES: Final = {
    "\x1b[D": "left",
    "\x1b[C": "right",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
}
_SCROLLED: Final = {"up": -1, "down": 1, "page up": -10, "page down": 10}
"""Lines."""
_KEY: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.DOTALL)
_LETTERS: Final = {
    "h": "left",
    "l": "right",
    "k": "up",
    "j": "down",
    "?": "help",
    "g": "home",
    "G": "end",
    " ": "play",
    "f": "follow",
    "q": "quit",
}


class Reel(Struct, frozen=True):
    """Where one is in a film. ``typed`` are the digits of a version that is being entered.

    ``playing`` steps by itself until the end; ``following`` stays at the end while the film grows. ``top`` is
    the first line shown of a picture that is higher than the screen; ``helping`` shows the keys instead.
    """

    at: int
    length: int
    typed: str = ""
    playing: bool = False
    following: bool = False
    top: int = 0
    helping: bool = False

    def press(self, key: str) -> Reel:
        """What a key does; keys that mean nothing do nothing."""
        if self.helping or key == "help":
            return replace(self, helping=not self.helping, typed="")
        if key in _SCROLLED:
            return replace(self, top=max(0, self.top + _SCROLLED[key]))
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


def time_bar(at: int, length: int, width: int, undone: Collection[int] = ()) -> str:
    """``9 ├─┄┄─●───────┤ 24``: how far into the match a version is, in ``width`` columns at most, and where
    versions lie that were taken back."""
    left, right = f"{at} ├", f"┤ {length}"
    room = max(1, width - len(left) - len(right))
    place = 0 if length == 1 else (at - 1) * (room - 1) // (length - 1)
    versions = (1 + column * (length - 1) // max(1, room - 1) for column in range(room))
    bar = ["┄" if version in undone else "─" for version in versions]
    bar[place] = "●"
    return f"{left}{''.join(bar)}{right}"


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
    if not is_match_id(args.source):
        raise NoFilm(no_source(args.source))
    known = Keyring().seat(args.source)
    server = args.server or (known.server if known else DEFAULT_SERVER)
    token = args.token or (known.token if known else None)
    return ServedFilm(Client(server, token), args.source, args.seat)


def _print(film: Film, at: int) -> None:
    """Everything that happened up to a version, and the table there."""
    print(printable(film.title))
    frame: Frame | None = None
    undone = film.undone()
    for version in range(1, at + 1):
        frame = film.frame(version)
        note = f"({TAKEN_BACK}) " if version in undone else ""
        print(f"{version:>5}  {note}{printable(' '.join(frame.words))}")
    assert frame is not None
    if frame.table is not None:
        print(f"\n{printable(frame.table)}")


# On a terminal


def _show(film: Film, reel: Reel, speed: float) -> None:
    shown: tuple[Reel, os.terminal_size] | None = None
    looked = time.monotonic()
    with _keyboard():
        while True:
            size = shutil.get_terminal_size()
            if (reel, size) != shown:
                picture = _help(size) if reel.helping else _picture(film, reel, size.columns)
                reel = replace(reel, top=min(reel.top, max(0, len(picture) - size.lines + 1)))
                _draw(picture[reel.top :], f"go to {reel.typed}" if reel.typed else KEYS, size)
                shown = (reel, size)
            keys = _keys(1 / speed if reel.playing else LOOK)
            if "quit" in keys:
                return
            reel = reduce(Reel.press, keys, reel) if keys else reel.tick()
            if not film.over() and time.monotonic() - looked >= LOOK:
                looked = time.monotonic()
                reel = reel.grown(film.length())


def _picture(film: Film, reel: Reel, columns: int) -> list[str]:
    """A version as lines of a screen so wide."""
    frame, undone = film.frame(reel.at), film.undone()
    kind = (
        frame.kind if frame.head == frame.version else f"{frame.kind}   (the table of version {frame.head})"
    )
    text = [
        film.title,
        f"{kind}   ({TAKEN_BACK})" if reel.at in undone else kind,
        *(f"  {each}" for each in frame.words),
        "",
        *(frame.table or "").splitlines(),
    ]
    lines = [line for each in text for line in folded(printable(each), columns)]
    lines.insert(1, time_bar(reel.at, reel.length, columns, undone))
    return lines


def _help(size: os.terminal_size) -> list[str]:
    return [line for each in HELP.splitlines() for line in folded(each, size.columns)]


def _draw(lines: list[str], foot: str, size: os.terminal_size) -> None:
    """As many lines as there is room for, and the foot below them."""
    body = "\r\n".join(line[: size.columns] for line in lines[: size.lines - 1])
    sys.stdout.write(f"\x1b[2J\x1b[H{body}\x1b[{size.lines};1H{foot[: size.columns]}")
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
    """The names of the keys that come within ``patience`` seconds; of one that means nothing, ``other``."""
    if not select.select([sys.stdin], [], [], patience)[0]:
        return []
    pressed = os.read(sys.stdin.fileno(), 64).decode(errors="replace")
    return [_name(each) for each in _KEY.findall(pressed)] or ["quit"]


def _name(pressed: str) -> str:
    if pressed in "\r\n":
        return "enter"
    return _ESCAPES.get(pressed) or _LETTERS.get(pressed) or (pressed if pressed.isdecimal() else "other")
