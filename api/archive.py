"""``kleos archive``: matches that are over leave the store for the archive, where they are read from then on.

It may be ended at any point and run again. Exit codes: 0 all that are over are in the archive, 1 some are
not, with why, 2 wrong usage. The server need not be stopped if the store is an outside one, or if ``--redis``
names the socket of the embedded one.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from typing import Final

import msgspec
from msgspec import Struct

from kleos.api.settings import HEADS_FILE, KEY_FILE, Settings
from kleos.api.stored import add_where, opened_store, over_the_store
from kleos.events.archive import ArchiveFault
from kleos.events.envelope import Damaged
from kleos.events.heads import Frozen, Heads
from kleos.events.keys import keys_in, require_same
from kleos.events.ledger import Ledger
from kleos.events.notary import Notary, Testimony
from kleos.events.note import Signer
from kleos.events.shelving import NotShelved, Shelved, shelve
from kleos.events.store import Store
from kleos.events.witnesses import kept_in
from kleos.projections.catalogue import Catalogue
from kleos.projections.scribe import Scribe

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Left(Struct, frozen=True):
    """A match that stays in the store, and why."""

    match: str
    reason: str


def age(text: str) -> int:
    """``7d``, ``12h`` or ``0s`` in milliseconds."""
    found = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is not a number of s, m, h, d or w, such as 7d")
    return int(found[1]) * _SECONDS[found[2]] * 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_where(parser, "--to")
    parser.add_argument(
        "--older-than",
        type=age,
        default="7d",
        metavar="AGE",
        help="leave those that have not been over for so long: 12h, 7d (default), 0s for none",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def main(chosen: argparse.Namespace) -> int:
    return over_the_store(
        "archive", chosen, lambda settings: _archive(settings, chosen.older_than, as_json=chosen.json)
    )


async def _archive(settings: Settings, older_than: int, *, as_json: bool) -> int:
    done: list[Shelved] = []
    left: list[Left] = []
    signer = keys_in(settings.data / KEY_FILE).signer(settings.origin)
    before = time.time_ns() // 1_000_000 - older_than
    async with opened_store(settings) as store:
        with closing(Heads(settings.data / HEADS_FILE)) as heads:
            require_same(signer, heads, settings.data / KEY_FILE)
            async for each in shelve_all(store, signer, heads, before):
                _tell(each, as_json=as_json)
                if isinstance(each, Shelved):
                    done.append(each)
                else:
                    left.append(each)
    _sum_up(done, left, as_json=as_json)
    return 1 if left else 0


async def shelve_all(
    store: Store, signer: Signer, heads: Heads | None, before: int
) -> AsyncIterator[Shelved | Left]:
    """Put away every match that was over at a time (milliseconds since the epoch), one after the other."""
    notary, ledger = Notary(signer), Ledger(store, signer, heads=heads)
    with suppress(Frozen):
        await Scribe(store, ledger, signer).round()
    catalogue = Catalogue(store)
    await catalogue.catch_up()
    async for match in catalogue.over(before):
        if await store.stub(match) is not None:
            continue
        try:
            yield await shelve(store, notary, match, heads, await _said(store, ledger, match))
        except (NotShelved, ArchiveFault, Damaged) as error:
            yield Left(match, str(error))


async def _said(store: Store, ledger: Ledger, match: str) -> Testimony:
    """What the bundle says beside the log; a ledger that was set back proves nothing."""
    try:
        proof = await ledger.proof(match)
    except Frozen:
        proof = None
    return Testimony(proof, await kept_in(store, match))


def _tell(each: Shelved | Left, *, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(each).decode(), flush=True)
    elif isinstance(each, Left):
        print(f"{each.match} stays: {each.reason}")
    elif sys.stderr.isatty():
        sys.stderr.write(f"\r{each.match} {each.events:,} events\x1b[K\r")
        sys.stderr.flush()


def _sum_up(done: list[Shelved], left: list[Left], *, as_json: bool) -> None:
    events, size = sum(each.events for each in done), sum(each.bytes for each in done)
    if as_json:
        summary = {"shelved": len(done), "events": events, "bytes": size, "left": len(left)}
        print(msgspec.json.encode(summary).decode())
        return
    stay = f"; {len(left):,} stay" if left else ""
    print(f"{len(done):,} matches, {events:,} events, {size:,} bytes moved into the archive{stay}")
