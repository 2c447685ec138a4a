"""Importing: a match from a file becomes one of this store, as it was and where it ended.

It is verified, put into the archive as it is, with the keys and signatures of whoever kept it, and told to
the feed. It can be read at every version, explained and forked; nobody moves in it, even if it was under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import reduce
from itertools import zip_longest
from typing import Final

from msgspec import Struct

from kleos.core.kernel.registry import games
from kleos.events import merkle, notary
from kleos.events.bundle import Bundle, opening_of, unpack
from kleos.events.cited import Cited
from kleos.events.envelope import Entry, unseal
from kleos.events.heads import Heads
from kleos.events.library import Library
from kleos.events.loading import Loader
from kleos.events.merkle import Edge
from kleos.events.note import Verifier
from kleos.events.replay import rebuild
from kleos.events.standing import Standing
from kleos.events.store import Store
from kleos.events.verifier import Report, verify

FUNCTIONS: Final = Library.read("kleos.events", "take_in")


class NotImported(Exception):
    """The store has not got the match; the text says why. ``report`` is what was found out about the file."""

    def __init__(self, why: str, report: Report) -> None:
        super().__init__(why)
        self.report = report


class Imported(Struct, frozen=True):
    """A match that is in the store; ``there``: it was there already, with the same log."""

    match: str
    events: int
    there: bool
    report: Report


async def take_in(
    store: Store,
    own: Sequence[Verifier],
    data: bytes,
    trusted: Sequence[Verifier] = (),
    heads: Heads | None = None,
) -> Imported:
    """Put the match of a bundle into the store; ``own`` are this server's keys.

    ``trusted``: keys one of which must have signed it; if there are none, those in the bundle are believed.
    A match that returns to where it was signed, and is over, counts as if it had never been away.
    Raises ``NotImported``, ``ArchiveUnavailable``, ``ArchiveDamaged`` or ``StoreUnavailable``.
    """
    report = await asyncio.to_thread(verify, data, trusted)
    _require_whole(report)
    bundle = unpack(data)
    match = bundle.manifest.match
    known = [each async for each in Loader(store).entries(match)]
    if known:
        _require_same(bundle, known, report)
        return Imported(match, len(known), there=True, report=report)
    _require_signed_here(bundle, heads, report)
    stub = await store.archive.put(match, data, None)
    returns = {each.vkey for each in own}.issuperset(report.signed_by) and (
        bundle.manifest.origin == notary.origin(own[0].name, match)
    )
    head, standing = await asyncio.to_thread(_ending, bundle, returns=returns)
    keys = [store.key(store.bucket(match), name) for name in (f"m:{match}:head", "feed")]
    arguments = (match, len(bundle.events), head, standing.notice, stub.stored)
    code, version = await store.connection.function(FUNCTIONS, "take_in", keys, *arguments)
    if code != b"taken":
        raise NotImported(f"a match {match} has just come to version {version} here; try again", report)
    return Imported(match, len(bundle.events), there=False, report=report)


def _require_whole(report: Report) -> None:
    """Without all openings no state can be computed, and without the rules none can be shown."""
    match report.status:
        case "valid":
            return
        case "invalid":
            assert report.failure is not None
            where = "" if report.failure.version is None else f"event {report.failure.version}: "
            raise NotImported(f"it is not valid: {where}{report.failure.reason}", report)
        case "incomplete":
            raise NotImported(
                f"{'; '.join(report.notes)}; export it when the match is over, or as one who may see all",
                report,
            )
        case "unknown_rules":
            installed = ", ".join(games())
            raise NotImported(
                f"it was played by {report.rules}, and the rules installed here are {installed}", report
            )


def _require_same(bundle: Bundle, known: Sequence[Entry], report: Report) -> None:
    for version, (here, there) in enumerate(zip_longest((each.public for each in known), bundle.events), 1):
        if here == there:
            continue
        match = bundle.manifest.match
        if here is None or there is None:
            longer = "file" if here is None else "store"
            what = f"they are the same up to event {version - 1}, after which the {longer} goes on"
        else:
            what = f"they part at event {version}"
        raise NotImported(f"match {match} is in the store with another log: {what}", report)


def _require_signed_here(bundle: Bundle, heads: Heads | None, report: Report) -> None:
    """What this server remembers to have signed of a match that its store has lost must be in the file."""
    signed = heads.newest(bundle.manifest.match) if heads else None
    if signed is None:
        return
    if signed.size > len(bundle.events):
        raise NotImported(
            f"this server has signed {signed.size} events of match {signed.match}, and the file has "
            f"{len(bundle.events)}",
            report,
        )
    if merkle.root([merkle.leaf(each) for each in bundle.events[: signed.size]]) != signed.root:
        raise NotImported(f"this server has signed another log of match {signed.match}", report)


def _ending(bundle: Bundle, *, returns: bool) -> tuple[bytes, Standing]:
    """What the store keeps of the match: the head, and how it stands."""
    entries = [
        Entry(version, public, opening_of(openings))
        for version, (public, openings) in enumerate(zip(bundle.events, bundle.openings, strict=True), 1)
    ]
    edge = reduce(Edge.append, (merkle.leaf(each) for each in bundle.events), Edge())
    match = rebuild(entries)
    checkpoint = Cited(bundle).checkpoint(match.id, edge.size, edge.root)
    standing = Standing.of(match, unseal(entries[-1]).kind)
    counts = returns and match.opened
    return notary.head(edge, checkpoint), standing if counts else standing.brought_in
