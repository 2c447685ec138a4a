"""``kleos export``: a match in one file, taken over HTTP with what its player may see."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kleos.api.client import Client, Problem, Unreachable
from kleos.api.keyring import Keyring
from kleos.api.program import program
from kleos.api.wording import in_plain_words

SERVER = "http://127.0.0.1:8000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", metavar="MATCH", help="the id of a match")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: MATCH.kleos")
    parser.add_argument("--server", metavar="URL", help=f"default: where it was played, else {SERVER}")
    parser.add_argument("--token", help="whose eyes to look through (default: of whoever played it here)")


def main(chosen: argparse.Namespace) -> int:
    keyring = Keyring()
    seat = keyring.seat(chosen.match)
    server = chosen.server or (seat.server if seat else SERVER)
    token = chosen.token or (seat.token if seat else keyring.token(server))
    output = chosen.output or Path(f"{chosen.match}.kleos")
    try:
        data = Client(server, token).bundle(chosen.match)
        output.write_bytes(data)
    except (Problem, Unreachable, OSError) as error:
        print(f"kleos export: {in_plain_words(error)}", file=sys.stderr)
        return 1
    print(f"{output}: {len(data):,} bytes. Check it with: {program()} verify {output}")
    return 0
