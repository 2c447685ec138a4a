"""``kleos fsck``: whether everything in a store is what it must be. Only ``--accept`` changes anything.

Exit codes: 0 all is well, 1 something is not, 2 wrong usage. The server need not be stopped if the store is
an outside one; the embedded store is started for the check, so the server that has it must be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import msgspec

from kleos.api.settings import HEADS_FILE, KEY_FILE, Settings
from kleos.api.stored import add_where, opened_store, over_the_store
from kleos.events.audit import Finding, audit
from kleos.events.fsck import Checked, examine, feeds
from kleos.events.heads import Heads
from kleos.events.keys import keys_in
from kleos.events.ledger import Ledger
from kleos.events.rotation import keys_of
from kleos.events.store import Store
from kleos.projections.recount import Recount


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_where(parser)
    parser.add_argument(
        "--accept", action="store_true", help="go on with matches that were frozen, with what the store has"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def main(chosen: argparse.Namespace) -> int:
    return over_the_store(
        "fsck", chosen, lambda settings: _check(settings, accept=chosen.accept, as_json=chosen.json)
    )


async def _check(settings: Settings, *, accept: bool, as_json: bool) -> int:
    matches = events = 0
    wrong: list[Finding] = []
    async with opened_store(settings) as store, _heads(settings) as heads:
        async for each in check_store(store, settings.origin, settings.data / KEY_FILE, heads):
            matches += each.match != ""
            events += each.events
            wrong += each.findings
            for finding in each.findings:
                _tell(finding, as_json=as_json)
            _progress(matches, events)
            for finding in each.findings:
                if accept and finding.what.startswith("frozen"):
                    heads.forget(finding.where)
    summary = {"matches": matches, "events": events, "findings": len(wrong)}
    told = f"{matches:,} matches, {events:,} events: " + (
        f"{len(wrong)} findings" if wrong else "all is well"
    )
    print(msgspec.json.encode(summary).decode() if as_json else told)
    return 1 if wrong else 0


@asynccontextmanager
async def _heads(settings: Settings) -> AsyncIterator[Heads]:
    with closing(Heads(settings.data / HEADS_FILE)) as heads:
        yield heads


async def check_store(store: Store, host: str, key: Path, heads: Heads) -> AsyncIterator[Checked]:
    """Everything in a store; a ``Checked`` without a name is about no single match."""
    signer = keys_in(key).signer(host)
    trusted = keys_of(signer)
    audited = await audit(Ledger(store, signer, heads=heads), host)
    yield Checked("", 0, audited.findings, None)
    recount = Recount(store)
    yield Checked("", 0, tuple([each async for each in recount.begin()]), None)
    there: set[str] = set()
    ends = await store.positions()
    async for bucket, told, found in feeds(store):
        yield Checked("", 0, tuple(found), None)
        there |= told.keys()
        whole = audited.state.positions.get(bucket) == ends[bucket]
        for match, news in told.items():
            checked = await examine(
                store, match, told=news, trusted=trusted, heads=heads, audited=audited, whole=whole
            )
            listed = [each async for each in recount.add(match, checked.standing)]
            yield msgspec.structs.replace(checked, findings=(*checked.findings, *listed))
    for head in heads.all():
        if head.match not in there:
            what = f"frozen: {head.size} events were signed, and the match is gone"
            yield Checked(head.match, 0, (Finding(head.match, None, what),), None)
    yield Checked("", 0, tuple(audited.missing(sorted(there))), None)
    yield Checked("", 0, tuple([each async for each in recount.compare()]), None)


def _tell(finding: Finding, *, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(finding).decode())
        return
    version = "" if finding.version is None else f" event {finding.version}"
    print(f"{finding.where}{version}: {finding.what}")


def _progress(matches: int, events: int) -> None:
    if sys.stderr.isatty() and matches % 10 == 0:
        sys.stderr.write(f"\r{matches:,} matches, {events:,} events\x1b[K\r")
        sys.stderr.flush()
