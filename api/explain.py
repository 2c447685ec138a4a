"""``kleos explain``: what happened in a match and why, for whoever has to settle a dispute.

A file is explained offline; a match on a server over HTTP, or from its store by who keeps it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from kleos.api.cases import Case, FileCase, Kept, Spoilt, Untellable, served
from kleos.api.client import Client, Problem, Unreachable
from kleos.api.explanation_page import explanation_page, plain_page
from kleos.api.export import SERVER
from kleos.api.keyring import Keyring
from kleos.api.report_page import report_page
from kleos.api.report_text import comparison_lines, explanation_lines, judged, report_lines
from kleos.api.report_words import Names
from kleos.api.settings import KEY_FILE, Settings, read_settings
from kleos.api.stored import opened_store
from kleos.api.verify import bundle_at
from kleos.api.wording import in_plain_words, no_source
from kleos.events.accounts import Accounts
from kleos.events.archive import ArchiveFault
from kleos.events.bundle import NotABundle, is_match_id, unpack
from kleos.events.embedded import NoServer
from kleos.events.keys import KeyUnusable, keys_in
from kleos.events.loading import UnknownMatch
from kleos.events.log import Log
from kleos.events.notary import everything
from kleos.events.note import Verifier
from kleos.events.store import StoreUnavailable, UnsafeStore
from kleos.projections.comparison import compare
from kleos.projections.evidence import players


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="FILE|MATCH", help="a bundle, or the id of a match")
    parser.add_argument(
        "other", nargs="?", type=Path, metavar="FILE", help="a second bundle: where do they part?"
    )
    parser.add_argument("--version", type=int, metavar="N", help="explain this event alone")
    parser.add_argument("--from", dest="start", type=int, metavar="A", help="tell the events from this one")
    parser.add_argument("--to", dest="end", type=int, metavar="B", help="tell the events up to this one")
    parser.add_argument("--seat", metavar="S", help="through whose eyes: a seat number, or spectator")
    parser.add_argument(
        "--move", metavar="JSON", help="whether --seat could make this move at --version, or why not"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write here; HTML if the name ends so"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--key", metavar="VKEY", action="append", default=[], help="as for `kleos verify`")
    parser.add_argument("--receipt", type=Path, metavar="FILE", action="append", default=[], help="the same")
    parser.add_argument("--server", metavar="URL", help=f"default: where it was played, else {SERVER}")
    parser.add_argument("--token", help="whose eyes to look through (default: of whoever played it here)")
    parser.add_argument("--data", metavar="DIR", help="take the match from the store of this data folder")
    parser.add_argument("--redis", metavar="URL", dest="redis_url", help="take it from this outside store")
    parser.epilog = (
        "Exit codes: 0 told, and nothing is wrong; 1 the match is not valid, the move not legal, or the two "
        "files contradict each other; 2 wrong usage, or there is nothing to look at."
    )


def main(chosen: argparse.Namespace) -> int:
    if chosen.seat not in (None, "spectator") and not chosen.seat.isdecimal():
        return _say("--seat is a number, or spectator", 2)
    try:
        kept = Kept(
            [Verifier.parse(each) for each in chosen.key],
            [each.read_text("utf-8").rstrip() + "\n" for each in chosen.receipt],
        )
        if chosen.other is not None:
            return _compared(chosen, kept)
        case = _case(chosen, kept)
        if chosen.move is not None:
            return _judged(chosen, case)
        return _whole(chosen, case) if chosen.version is None else _event(chosen, case)
    except msgspec.DecodeError as error:
        return _say(f"--move is no JSON: {error}", 2)
    except (Spoilt, NotABundle) as error:
        return _say(str(error), 1)
    except (Untellable, Problem, Unreachable, OSError, ValueError, LookupError) as error:
        return _say(in_plain_words(error), 2)
    except (NoServer, KeyUnusable, StoreUnavailable, UnsafeStore) as error:
        return _say(str(error), 2)


def _say(text: str, code: int) -> int:
    print(f"kleos explain: {text}", file=sys.stderr)
    return code


def _case(chosen: argparse.Namespace, kept: Kept) -> Case:
    path = Path(chosen.source)
    if path.exists():
        return FileCase(bundle_at(path), kept, chosen.seat)
    if not is_match_id(chosen.source):
        raise Untellable(no_source(chosen.source))
    if chosen.data is not None or chosen.redis_url is not None:
        settings = read_settings(os.environ, data=chosen.data, redis_url=chosen.redis_url)
        data, people = asyncio.run(_stored(settings, chosen.source))
        return FileCase(data, kept, chosen.seat, people)
    keyring = Keyring()
    held = keyring.seat(chosen.source)
    server = chosen.server or (held.server if held else SERVER)
    token = chosen.token or (held.token if held else keyring.token(server))
    return served(Client(server, token), chosen.source, kept, chosen.seat)


async def _stored(settings: Settings, match: str) -> tuple[bytes, dict[str, str]]:
    """The whole match, hidden parts included, and the names of its players."""
    if not (settings.data / KEY_FILE).exists():
        raise Untellable(f"there is no signing key in {settings.data}")
    signer = keys_in(settings.data / KEY_FILE).signer(settings.origin)
    async with opened_store(settings) as store:
        try:
            data = await Log(store, signer).bundle(match, everything)
        except UnknownMatch:
            raise Untellable(f"the store has no match {match}") from None
        except ArchiveFault as fault:
            raise Untellable(str(fault)) from fault
        events = [msgspec.json.decode(each) for each in unpack(data).events]
        return data, await Accounts(store).names(players(events))


def _whole(chosen: argparse.Namespace, case: Case) -> int:
    report = case.report()
    start = 1 if chosen.start is None else chosen.start
    end = report.version if chosen.end is None else chosen.end
    if not (1 <= start <= report.version and 1 <= end <= report.version):
        return _say(f"the versions are 1 to {report.version}", 2)
    if start > end:
        return _say(f"--from {start} is after --to {end}", 2)
    report = replace(report, timeline=report.timeline[start - 1 : end])
    _write(chosen, report, lambda: report_lines(report), lambda: report_page(report))
    return 1 if report.verdict.status == "invalid" else 0


def _event(chosen: argparse.Namespace, case: Case) -> int:
    found, number = case.event(chosen.version)
    names = Names(case.people)
    _write(
        chosen,
        {**msgspec.structs.asdict(found), "verdict": case.verdict},
        lambda: explanation_lines(found, names, case.verdict, number),
        lambda: explanation_page(found, Names(case.people, isolated=True), case.verdict, number),
    )
    return 1 if case.verdict.status == "invalid" or not found.again else 0


def _judged(chosen: argparse.Namespace, case: Case) -> int:
    seat = int(chosen.seat) if chosen.seat not in (None, "spectator") else None
    verdict, seat = case.judge(chosen.version, seat, msgspec.json.decode(chosen.move))
    lines = list(judged(verdict, seat))
    _write(chosen, verdict, lambda: lines, lambda: plain_page("A move", lines))
    return 0 if verdict.legal else 1


def _compared(chosen: argparse.Namespace, kept: Kept) -> int:
    one, other = bundle_at(Path(chosen.source)), bundle_at(chosen.other)
    first, second = FileCase(one, kept).verdict, FileCase(other, kept).verdict
    found = compare((unpack(one), first), (unpack(other), second), kept.keys)
    lines = list(comparison_lines(found))
    _write(chosen, found, lambda: lines, lambda: plain_page("Two bundles", lines))
    return 1 if found.finding == "events" else 0


def _write(
    chosen: argparse.Namespace, found: Any, lines: Callable[[], Iterable[str]], page: Callable[[], bytes]
) -> None:
    """As JSON, as a page, or as text; into a file, or to whoever reads."""
    if chosen.json:
        told = msgspec.json.encode(found) + b"\n"
    elif chosen.output is not None and chosen.output.suffix in (".html", ".htm"):
        told = page()
    else:
        told = "".join(f"{line}\n" for line in lines()).encode()
    if chosen.output is None:
        sys.stdout.write(told.decode())
        return
    chosen.output.write_bytes(told)
    print(f"{chosen.output}: {len(told):,} bytes")
