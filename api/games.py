"""`kleos games`: what can be played here."""

from __future__ import annotations

import argparse

import msgspec

from kleos.core.kernel.registry import games


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def main(chosen: argparse.Namespace) -> int:
    for game in games().values():
        if chosen.json:
            line = {"game": game.name, "title": game.title, "rules": game.rules, "seats": list(game.seats)}
            print(msgspec.json.encode(line | {"bots": list(game.bots)}).decode())
        else:
            seats = f"{game.seats[0]}-{game.seats[-1]}" if len(game.seats) > 1 else str(game.seats[0])
            print(f"{game.rules:16} {game.title}, {seats} seats; bots: {', '.join(game.bots)}")
    return 0
