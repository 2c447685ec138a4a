"""How this command line is called here, so that a line to paste works where it is pasted.

It knows what a line looks like, not what the command in it does.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Collection
from typing import Final

CALLED: Final = "_KLEOS_CALLED"
"""The environment variable in which ``dev.py`` says how it was called; no setting, hence its underscore."""
EASIEST: Final = "iliad"
"""The game to begin with, where it is installed."""


def program() -> str:
    """The words before the name of a command: ``kleos``, ``.venv/bin/kleos`` or ``python3 dev.py``."""
    if CALLED in os.environ:
        return os.environ[CALLED]
    called, installed = sys.argv[0], shutil.which("kleos")
    if os.path.basename(called) != "kleos" or not os.path.exists(called):
        return "kleos"  # this process is a program of somebody else
    if installed is not None and os.path.samefile(installed, called):
        return "kleos"
    return shlex.quote(os.path.relpath(called))


def first_move(games: Collection[str], server: str) -> str:
    """A line to paste that plays the first move of a match; ``games`` are the names of those installed.

    ``server`` may be empty: then the line leads to the usual address.
    """
    game = EASIEST if EASIEST in games else next(iter(games), "GAME")
    where = f" --server {server}" if server else ""
    return f"{program()} play new {game} --auto 1{where}"
