"""`kleos openapi`: the document of the API with the games of this package, and that of its event streams."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec

from kleos.api import examples
from kleos.api.app import describe
from kleos.api.examples import recorded
from kleos.api.feed_document import published
from kleos.core.kernel import Game
from kleos.core.kernel.registry import GROUP, current


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        help="where to (default: openapi/openapi.json, or openapi/asyncapi.json; - prints it)",
    )
    parser.add_argument("--examples", action="store_true", help="play, and record the examples anew first")
    parser.add_argument("--events", action="store_true", help="the AsyncAPI document of the event streams")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")


def main(chosen: argparse.Namespace) -> int:
    if chosen.examples:
        for game in own_games():
            (examples.FOLDER / f"{game.name}.json").write_bytes(examples.encoded(examples.record(game)))
        recorded.FILE.write_bytes(recorded.record(msgspec.json.decode(describe(own_games()))))
        recorded.on_file.cache_clear()
    wanted = published() if chosen.events else describe(own_games())
    file: Path = chosen.file or Path("openapi", "asyncapi.json" if chosen.events else "openapi.json")
    if chosen.check:
        if file.is_file() and file.read_bytes() == wanted:
            return 0
        again = "kleos openapi --events" if chosen.events else "kleos openapi"
        print(f"{file} is not what the code says; run `{again} {file}`", file=sys.stderr)
        return 1
    if str(file) == "-":
        sys.stdout.buffer.write(wanted)
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(wanted)
    return 0


def own_games() -> list[Game[Any, Any, Any]]:
    """The games of this package, whatever else is installed."""
    points = [
        each for each in entry_points(group=GROUP) if each.dist is not None and each.dist.name == "kleos"
    ]
    return [current(name) for name in sorted({each.name for each in points})]
