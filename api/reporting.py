"""Reports of matches on this server: made one at a time beside the event loop, the latest of them kept.

A report replays a whole match and tells the table as each seat saw it: some milliseconds an event. It is made
from the bundle that its viewer could take along, and from states that are redacted for that viewer.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from kleos.core.kernel import Viewer
from kleos.core.kernel.visibility import audience
from kleos.core.match import Match
from kleos.events.accounts import Accounts
from kleos.events.bundle import unpack
from kleos.events.envelope import Entry
from kleos.events.log import Log
from kleos.events.notary import everything, origin
from kleos.events.note import Verifier
from kleos.events.verifier import verify
from kleos.projections.evidence import evidence, players
from kleos.projections.report import MatchReport, report

_KEPT: Final = 8
"""Reports that are remembered, each of a few hundred kilobytes. Names are not: they may be forgotten."""

_Key = tuple[str, int, Viewer]


class Reports:
    """Share one in a process."""

    def __init__(self, log: Log, accounts: Accounts, keys: Sequence[Verifier]) -> None:
        """``keys`` are all of the server's: what is in the archive keeps the signatures of its time."""
        self._log = log
        self._accounts = accounts
        self._keys = keys
        self._kept: OrderedDict[_Key, MatchReport] = OrderedDict()
        self._turn = asyncio.Lock()

    async def people(self, match: Match) -> dict[str, str | None]:
        """The names of everybody who had a part in the match, by id; None for who is forgotten."""
        entries = self._log.between(match.id, 0, match.version)
        ids = players([msgspec.json.decode(each.public) async for each in entries])
        names = await self._accounts.names(ids)
        return {each: names.get(each) for each in sorted(ids)}

    async def of(self, match: Match, viewer: Viewer, people: Mapping[str, str | None]) -> MatchReport:
        """The report of a match as it stands, as ``viewer`` may have it."""
        key = (match.id, match.version, viewer)
        async with self._turn:
            if key not in self._kept:
                self._kept[key] = await self._made(match, viewer)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return replace(self._kept[key], people=dict(people))

    async def _made(self, match: Match, viewer: Viewer) -> MatchReport:
        mine = None if viewer.seat is None else audience(viewer.seat)
        shows = everything if viewer.open else lambda _version, name: name == mine
        entries = [each async for each in self._log.between(match.id, 0, match.version)]
        past = await self._log.past(match.id, match.version)
        matches = [past(version) for version in range(1, match.version + 1)]
        bundle = await self._log.bundle(match.id, shows)
        return await asyncio.to_thread(self._told, bundle, entries, matches, viewer)

    def _told(
        self,
        bundle: bytes,
        entries: Sequence[Entry],
        matches: Sequence[Match],
        viewer: Viewer,
    ) -> MatchReport:
        mine = unpack(bundle).manifest.origin == origin(self._keys[0].name, matches[-1].id)
        verdict = verify(bundle, self._keys if mine else ())  # a guest from elsewhere brings its own keys
        return report(evidence(entries, matches, viewer), verdict, {})
