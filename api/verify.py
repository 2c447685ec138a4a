"""``kleos verify``: whether a match in a file happened just so. Needs no server, no store and no network.

Exit codes: 0 valid, 1 invalid, 2 incomplete (sealed parts are missing), 3 rules that are not installed here.
Where there is no bundle to look at, or an argument is wrong, it is 2 too: nobody is accused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from kleos.api.wording import in_plain_words
from kleos.events.note import Verifier
from kleos.events.steps import Step
from kleos.events.verifier import EXIT, Report, verify

WORDS: Final[dict[Step, str]] = {
    "bundle": "the file is whole",
    "form": "every event is in canonical form and in its place",
    "signatures": "every event is in the log that was signed",
    "receipts": "the log is the one that the receipts were given for",
    "ledger": "the server's own log has the head of this one",
    "witnesses": "every cosignature is one of a head of this log",
    "commitments": "what is opened is what was sealed",
    "players": "every move that a player signed is the one that was signed",
    "dice": "every roll hangs on the chain that was committed to",
    "chance": "dice and shuffles are those of the seed",
    "rules": "the rules come to the same effects",
    "states": "every state is the one that was recorded",
    "parent": "it comes from its parent as it says",
}

PROVISO: Final = "if the key that came with it is that of the server: none was named"
"""What every verdict hangs on for which nobody named a key: anybody can sign with one of their own."""
_ZIP: Final = b"PK\x03\x04"
"""How every zip archive begins that has something in it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a bundle, as `kleos export` writes it")
    parser.add_argument(
        "--key",
        metavar="VKEY",
        action="append",
        default=[],
        help="the server's key as you know it, <name>+<id>+<base64>; may be given more than once",
    )
    parser.add_argument(
        "--receipt",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="a receipt or a checkpoint that was kept from the match; may be given more than once",
    )
    parser.add_argument(
        "--parent",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="the bundle of the match that this one forked from or follows; and that one's parent, and so on",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.epilog = "Exit codes: 0 valid, 1 invalid, 2 incomplete, or wrong usage, 3 unknown rules."


def main(chosen: argparse.Namespace) -> int:
    try:
        trusted = [Verifier.parse(each) for each in chosen.key]
        receipts = [_receipt(each) for each in chosen.receipt]
        parents = [bundle_at(each) for each in chosen.parent]
        data = bundle_at(chosen.file)
    except (ValueError, OSError) as error:
        print(f"kleos verify: {in_plain_words(error)}", file=sys.stderr)
        return 2
    report = verify(data, trusted, receipts, parents)
    if chosen.json:
        print(msgspec.json.encode(report).decode())
    else:
        print("\n".join(told(report)))
    return EXIT[report.status]


def bundle_at(file: Path) -> bytes:
    """A bundle as it lies there, spoilt or not.

    Raises OSError, and ValueError for what is no bundle at all: it does not even begin as one.
    """
    data = file.read_bytes()
    if not data.startswith(_ZIP):
        raise ValueError(f"{file} is no bundle: it is not a zip archive, as `kleos export` writes it")
    return data


def _receipt(file: Path) -> str:
    """A receipt as it was kept: what ``jq`` or an editor did to the end of its last line is no matter."""
    return file.read_text("utf-8").rstrip() + "\n"


def noted(report: Report) -> Iterator[str]:
    """What could not be checked, and why."""
    yield from report.notes
    if report.inscribed is None and "signatures" in report.passed:
        yield "nothing here shows that the server's own log has the match"


def witnessed(report: Report) -> Iterator[str]:
    """Who else signed which head."""
    for each in report.cosigned:
        who = f"seat {each.seat}" if each.seat is not None else "a witness without a seat"
        yield f"{who} cosigned the first {each.size} events: {each.key}"


def told(report: Report) -> Iterator[str]:
    """The report as lines for people."""
    if report.match is not None:
        yield f"match {report.match}, {report.events} events under {report.rules}"
        yield f"log   {report.origin}"
    for step in report.passed:
        yield f"  ok    {step:12} {WORDS[step]}"
    if report.failure is not None:
        yield f"  BAD   {report.failure.step:12} {report.failure.told}"
    yield from (f"  note  {note}" for note in noted(report))
    yield from (f"  {witness}" for witness in witnessed(report))
    if report.signed_by and not report.trusted:
        yield "signed by, as the file itself says (compare this with the key you know, or give it as --key):"
    elif report.signed_by:
        yield "signed by:"
    yield from (f"  {key}" for key in report.signed_by)
    hangs = f", {PROVISO}" if report.status != "invalid" and not report.trusted else ""
    yield f"{report.status.replace('_', ' ')}{hangs}"
