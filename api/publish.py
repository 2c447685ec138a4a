"""`kleos openapi`: the document of the API with the games of this package, as it is published."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from kleos.api import examples
from kleos.api.app import describe
from kleos.core.kernel import Game
from kleos.core.kernel.registry import GROUP, current


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("openapi/openapi.json"),
        help="where to (default: %(default)s; - prints it)",
    )
    parser.add_argument(
        "--examples", action="store_true", help="play, and record the games' examples anew first"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")


def main(chosen: argparse.Namespace) -> int:
    if chosen.examples:
        for game in own_games():
            (examples.FOLDER / f"{game.name}.json").write_bytes(examples.encoded(examples.record(game)))
    wanted = describe(own_games())
    if chosen.check:
        if chosen.file.is_file() and chosen.file.read_bytes() == wanted:
            return 0
        print(f"{chosen.file} is not what the code says; run `kleos openapi {chosen.file}`", file=sys.stderr)
        return 1
    if str(chosen.file) == "-":
        sys.stdout.buffer.write(wanted)
    else:
        chosen.file.parent.mkdir(parents=True, exist_ok=True)
        chosen.file.write_bytes(wanted)
    return 0


def own_games() -> list[Game[Any, Any, Any]]:
    """The games of this package, whatever else is installed."""
    points = [
        each for each in entry_points(group=GROUP) if each.dist is not None and each.dist.name == "kleos"
    ]
    return [current(name) for name in sorted({each.name for each in points})]
