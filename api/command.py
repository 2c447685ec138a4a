"""The command line: each command is a module with ``add_arguments(parser)`` and ``main(chosen) -> int``.

Exit codes are those of every command: 0 done, 1 the answer is no, 2 wrong usage. Only the module of the
command that was asked for is imported.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final, Protocol, cast

COMMANDS: Final = {
    "serve": ("kleos.api.serve", "run the server"),
    "play": ("kleos.api.play", "play a match in the terminal"),
    "replay": ("kleos.api.replay", "see a match again, version by version"),
    "simulate": ("kleos.api.simulate", "let bots play matches and count"),
    "export": ("kleos.api.export", "take a match with you, in one file"),
    "verify": ("kleos.api.verify", "check a match in a file, offline"),
    "import": ("kleos.api.importing", "put a match from a file into a store"),
    "archive": ("kleos.api.archive", "move matches that are over out of the store"),
    "explain": ("kleos.api.explain", "tell what happened in a match, and why"),
    "bench": ("kleos.api.bench", "measure speed and size against their goals"),
    "rules": ("kleos.api.rules", "check the rules against every stored match"),
    "keys": ("kleos.api.keys", "list the keys that the server signs with, or rotate them"),
    "fsck": ("kleos.api.fsck", "check a whole store"),
    "games": ("kleos.api.games", "list the games that are installed"),
    "openapi": ("kleos.api.publish", "write the API's OpenAPI document"),
}


class Command(Protocol):
    """What the module of a command offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments; its docstring is the help."""
        ...

    def main(self, chosen: argparse.Namespace) -> int:
        """Run it; returns the exit code."""
        ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. Wrong usage exits with 2 and one line that says why."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="kleos", description="An event-sourced backend for board games.")
    parser.add_argument("--version", action="version", version=f"kleos {version('kleos')}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked: Command | None = None
    for name, (module, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if asked is None and name in arguments[:1]:
            asked = cast(Command, importlib.import_module(module))
            asked.add_arguments(subparser)
    chosen = parser.parse_args(arguments)
    assert asked is not None, "argparse has refused everything else"
    try:
        return asked.main(chosen)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
