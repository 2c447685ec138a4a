"""``kleos rules check``: whether the rules as they are now come to what is in the log, in every match.

A match is pinned to a version of its rules for ever; a change that judges a stored match otherwise belongs
into a new version. Each match is decided once more, event by event, and the first event that differs is
named. Exit codes: 0 none differs, 1 some do, 2 wrong usage.
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Sequence

import msgspec
from msgspec import Struct

from kleos.api.settings import Settings
from kleos.api.stored import add_where, opened_store, over_the_store
from kleos.core.kernel.registry import pinned
from kleos.events import canonical
from kleos.events.archive import ArchiveFault
from kleos.events.envelope import Entry
from kleos.events.fsck import feeds
from kleos.events.loading import Loader
from kleos.events.retrial import Mistrial, retry
from kleos.events.store import Store


class Judged(Struct, frozen=True, omit_defaults=True):
    """A match under the rules of now; ``version`` is its first event that comes out otherwise, with why."""

    match: str
    rules: str
    events: int
    version: int | None = None
    reason: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=["check"], help="check: decide every stored match once more")
    add_where(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def main(chosen: argparse.Namespace) -> int:
    return over_the_store(
        "rules", chosen, lambda settings: _check(settings, as_json=chosen.json), signed=False
    )


async def _check(settings: Settings, *, as_json: bool) -> int:
    same = differing = 0
    async with opened_store(settings) as store:
        async for judged in every_match(store):
            same += judged.reason is None
            differing += judged.reason is not None
            if as_json:
                print(msgspec.json.encode(judged).decode())
            elif judged.reason is not None:
                print(f"{judged.match} ({judged.rules}) event {judged.version}: {judged.reason}")
    if not as_json:
        print(f"{same:,} matches come out the same, {differing:,} do not")
    return 1 if differing else 0


async def every_match(store: Store) -> AsyncIterator[Judged]:
    """Each stored match, judged."""
    loader = Loader(store)
    async for _, told, _ in feeds(store):
        for match in told:
            try:
                yield judge(match, [each async for each in loader.entries(match)])
            except ArchiveFault as fault:
                yield Judged(match, "", len(told[match]), 1, str(fault))


def judge(match: str, entries: Sequence[Entry]) -> Judged:
    """One match under the rules of now."""
    events = [canonical.decode(each.public) for each in entries]
    openings = [
        {name: msgspec.json.decode(raw)["payload"] for name, raw in each.openings.items()} for each in entries
    ]
    rules = events[0]["rules"]
    try:
        pinned(rules)
        for _ in retry(events, openings):
            pass
    except Mistrial as mistrial:
        return Judged(match, rules, len(events), mistrial.version, mistrial.reason)
    except LookupError as error:
        return Judged(match, rules, len(events), 1, str(error))
    return Judged(match, rules, len(events))
