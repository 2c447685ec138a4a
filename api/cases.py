"""Cases: a match to be explained, from a file, from a server, or from a store. Knows no terminal.

A case that holds all parts of its match is judged here, without asking anybody. Where parts are sealed, a
server is asked, which tells what its player may know; a file tells what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kleos.api.client import Client
from kleos.api.report_text import verdict_lines
from kleos.api.wording import in_json_words
from kleos.core.kernel import SPECTATOR, Viewer
from kleos.core.match import codec, seats_to_act
from kleos.events.bundle import NotABundle, unpack
from kleos.events.note import Verifier
from kleos.events.verifier import Report, verify
from kleos.projections.draws import ASTRAY, decided_again
from kleos.projections.evidence import JSON, Evidence, of_bundle, players
from kleos.projections.explain import Explanation, Verdict, explain, verdict
from kleos.projections.report import MatchReport, report


class Untellable(Exception):
    """There is nothing to be told; the text says why."""


class Spoilt(Untellable):
    """What there is to be told was changed: the verdict on it is in the text."""


class Kept(Struct, frozen=True):
    """What the asker has kept: the server's keys, and receipts."""

    keys: Sequence[Verifier] = ()
    receipts: Sequence[str] = ()

    def judge(self, data: bytes) -> Report:
        return verify(data, self.keys, self.receipts)


class Case(Protocol):
    """A match that can be asked about, with the verdict on the whole of it.

    ``people`` are the names of its players, by id.
    """

    verdict: Report
    people: Mapping[str, str | None]

    def report(self) -> MatchReport:
        """The whole of it."""
        ...

    def event(self, version: int) -> tuple[Explanation, int | None]:
        """One event, and the number of its first draw if that is known."""
        ...

    def judge(self, at: int | None, seat: int | None, move: JSON) -> tuple[Verdict, int]:
        """Whether a move could be made at a version (default: the last), and by which seat."""
        ...


class FileCase:
    """A match in a bundle. ``seat`` is a number or ``spectator``; without, all that is open is told."""

    def __init__(
        self,
        data: bytes,
        kept: Kept,
        seat: str | None = None,
        people: Mapping[str, str | None] = MappingProxyType({}),
    ) -> None:
        self.verdict = kept.judge(data)
        self.people = people
        try:
            bundle = unpack(data)
            if "form" not in self.verdict.passed:
                raise self._untellable("they have not the form of events")
            self.known = of_bundle(bundle, _viewer(seat))
            if (self.known.viewer.seat or 0) >= self.known.events[0]["effects"][0]["seats"]:
                seats = self.known.events[0]["effects"][0]["seats"]
                raise Untellable(f"there is no seat {seat}: the seats are 0 to {seats - 1}")
        except NotABundle as error:
            raise Spoilt(f"it is no whole bundle: {error}") from None
        except ASTRAY as error:
            raise self._untellable(str(error) or type(error).__name__) from None

    def report(self) -> MatchReport:
        try:
            return report(self.known, self.verdict, self.people)
        except ASTRAY as error:
            raise self._untellable(str(error) or type(error).__name__) from None

    def event(self, version: int) -> tuple[Explanation, int | None]:
        known = self._at(version)
        before = known.matches[version - 2] if version > 1 else None
        found = explain(before, known.full[version - 1], known.matches[version - 1], known.viewer)
        return found, _draws_before(known, version)

    def judge(self, at: int | None, seat: int | None, move: JSON) -> tuple[Verdict, int]:
        at = len(self.known.events) if at is None else at
        match = self._at(at).matches[at - 1]
        acting = seats_to_act(match) if seat is None else (seat,)
        if len(acting) != 1:
            raise Untellable("say for which seat: --seat N")
        if acting[0] >= len(match.seats):
            raise Untellable(f"the seats are 0 to {len(match.seats) - 1}")
        try:
            wanted = codec(match.rules).move(move)
        except msgspec.ValidationError as error:
            raise Untellable(f"this is no move of {match.game}: {in_json_words(str(error))}") from None
        return verdict(match, acting[0], wanted), acting[0]

    def _at(self, version: int) -> Evidence:
        if not 1 <= version <= len(self.known.events):
            raise Untellable(f"the versions are 1 to {len(self.known.events)}")
        if version > len(self.known.matches):
            raise self._kind(
                f"the file does not hold what explains version {version}: parts are sealed or wrong. While a "
                "match goes on ask its server; when it is over export it again"
            )
        return self.known

    @property
    def _kind(self) -> type[Untellable]:
        return Spoilt if self.verdict.status == "invalid" else Untellable

    def _untellable(self, why: str) -> Untellable:
        told = "\n".join(verdict_lines(self.verdict))
        return self._kind(f"its events cannot be told: {why}\n{told}")


class ServedCase:
    """A match on a server that is not wholly open to its player."""

    def __init__(
        self, client: Client, match: str, verdict: Report, seat: str | None, people: Mapping[str, str | None]
    ) -> None:
        self._client = client
        self._match = match
        self.verdict = verdict
        self._seat = seat
        self.people = people

    def report(self) -> MatchReport:
        told = msgspec.convert(self._client.report(self._match, self._seat), MatchReport)
        return replace(told, verdict=self.verdict)

    def event(self, version: int) -> tuple[Explanation, int | None]:
        found = self._client.explanation(self._match, version, self._seat)
        return msgspec.convert(found, Explanation), None

    def judge(self, at: int | None, seat: int | None, move: JSON) -> tuple[Verdict, int]:
        if seat is None:
            acting = self._client.view(self._match)["seat"]
            if acting is None:
                raise Untellable("say for which seat: --seat N")
            seat = int(acting)
        return msgspec.convert(self._client.judge(self._match, seat, move, at), Verdict), seat


def served(client: Client, match: str, kept: Kept, seat: str | None) -> Case:
    """A match on a server. When it is over the server is only asked for the file and for names."""
    data = client.bundle(match)
    verdict = kept.judge(data)
    events = [msgspec.json.decode(each) for each in unpack(data).events]
    people = {each: client.name(each) for each in sorted(players(events))}
    if verdict.status == "incomplete":
        return ServedCase(client, match, verdict, seat, people)
    return FileCase(data, kept, seat, people)


def _viewer(seat: str | None) -> Viewer | None:
    if seat is None:
        return None
    return SPECTATOR if seat == "spectator" else Viewer(int(seat))


def _draws_before(known: Evidence, version: int) -> int:
    """How many draws there were in the events before one."""
    count = 0
    for at in range(version - 1):
        witness, _ = decided_again(known.matches[at - 1] if at else None, known.full[at])
        count += 0 if witness is None else len(witness.draws)
    return count
