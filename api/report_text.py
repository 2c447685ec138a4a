"""A report, an explanation, a judgement or a comparison as lines of text, for a terminal or a mail.

The phrases are those of ``report_words``; here is only how they stand on lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from kleos.api import report_words as say
from kleos.api.report_words import Names
from kleos.api.terminal import printable
from kleos.api.verify import noted, witnessed
from kleos.events import verifier
from kleos.projections.comparison import Comparison, Side
from kleos.projections.draws import Draw, Stream
from kleos.projections.explain import Explanation, Verdict
from kleos.projections.report import Line, MatchReport, installed
from kleos.projections.sight import Change, Sight, changes_of
from kleos.projections.timeline import rfc3339
from kleos.projections.words import offer_in_words


def report_lines(report: MatchReport) -> Iterator[str]:
    """The whole report."""
    names = Names(report.people)
    yield f"{report.title}, match {report.match}: report"
    yield f"as seen by {say.looking(report.seat, opened=report.open)}"
    for title, lines in (
        ("The match", _match(report, names)),
        ("Seats", _seats(report, names)),
        ("Verdict", verdict_lines(report.verdict)),
        ("Timeline", (line for each in report.timeline for line in _line(each, names, report.verdict))),
        ("Undone", _undone(report)),
        ("Proposals", _proposals(report)),
        ("Keys", _keys(report.verdict)),
    ):
        yield ""
        yield title.upper()
        yield from lines


def _match(report: MatchReport, names: Names) -> Iterator[str]:
    yield f"  rules     {report.rules}" + (f", code {report.code}" if report.code else "")
    yield f"  options   {printable(say.chosen(report.options))}"
    yield f"  taking back: {report.undo}"
    yield f"  state     {report.status} at version {report.version}; version {report.head} is in force"
    if report.outcome is not None:
        yield f"  outcome   {printable(say.decided(report.outcome))}"
    if report.referee is not None:
        yield f"  referee   {names(report.referee)}"
    if report.deadline is not None:
        yield f"  deadline  {say.timed(report.deadline)}"
    if report.parent is not None:
        yield f"  begins    {say.begun(report.parent)}"
    if report.rematch_of is not None:
        yield f"  follows   match {report.rematch_of}"


def _seats(report: MatchReport, names: Names) -> Iterator[str]:
    for each in sorted(report.sittings, key=lambda each: (each.seat, each.since)):
        yield f"  seat {each.seat}  {say.sat(each, names)}, {say.stayed(each)}"


def verdict_lines(verdict: verifier.Report) -> Iterator[str]:
    """The steps of the verifier, and what follows."""
    marks = {True: "ok ", False: "BAD", None: "-  "}
    for each in say.steps(verdict):
        yield f"  {marks[each.holds]}   {each.step:12} {each.words}"
    for note in noted(verdict):
        yield f"  note  {printable(note)}"
    yield f"  {say.concluded(verdict.status, trusted=verdict.trusted)}"


def _line(line: Line, names: Names, verdict: verifier.Report) -> Iterator[str]:
    undone = "" if line.undone is None else f"   [undone by event {line.undone}]"
    asked = f"{say.who(line.doer, names)}: {printable(line.words)}"
    yield f"{line.version:>5}  {rfc3339(line.at)}  {asked}{undone}"
    if stop := say.unproven(line.version, verdict):
        yield f"       {stop.upper()}"
    for effect in line.effects:
        yield f"       {printable(effect.words)}  ({effect.rule})"
    for place, draw in enumerate(line.draws):
        number = "?" if line.first_draw is None else line.first_draw + place
        yield f"       draw {number}: {say.drawn(draw)}"


def _undone(report: MatchReport) -> Iterator[str]:
    if not report.turnings:
        yield "  Nothing was taken back."
    for each in report.turnings:
        yield f"  event {each.version}: {say.turned(each)}; {say.agreed(each, report.offers)}"


def _proposals(report: MatchReport) -> Iterator[str]:
    if not report.offers:
        yield "  Nothing was proposed."
    for each in report.offers:
        made = f"event {each.id[1:]}: seat {each.by} proposed {say.offered(each)}"
        yield f"  {made}; asked: {say.seats(each.needs)}; {say.ended(each)}"


def _keys(verdict: verifier.Report) -> Iterator[str]:
    yield f"  log   {verdict.origin}"
    yield f"  root  {verdict.root} over {verdict.events} events"
    where = "" if verdict.trusted else ", as the file itself says (compare the key, or give it as --key)"
    yield from (f"  signed by {key}{where}" for key in verdict.signed_by)
    yield from (f"  {each}" for each in witnessed(verdict))


# One event


def explanation_lines(
    found: Explanation, names: Names, verdict: verifier.Report, number: int | None = None
) -> Iterator[str]:
    """Why an event did what it did; ``number`` is that of its first draw in the match, if it is known.

    ``verdict`` is that on the whole match.
    """
    yield f"match {found.match}, event {found.version} under {found.rules}, {rfc3339(found.at)}"
    yield f"{say.who(found.doer, names)}: {printable(found.words)}"
    yield f"  asked for     {msgspec.json.encode(found.action).decode()}"
    if found.head is not None:
        yield f"  asked at      version {found.head}, which was in force"
    yield ""
    yield "What followed"
    for effect in found.effects:
        yield f"  {printable(effect.words)}"
        yield f"      {effect.rule}: {effect.place}"
    yield from _chance(found.chance, found.streams, found.version, number)
    yield ""
    agrees = "come to the same" if found.again else "COME TO SOMETHING ELSE"
    yield f"The rules, asked once more with the same chance, {agrees}."
    yield from _seen(found.seen)
    yield from _alternatives(found)
    yield ""
    yield f"The whole match: {say.concluded(verdict.status, trusted=verdict.trusted)}"
    if verdict.failure is not None:
        yield f"  {printable(verdict.failure.told)}"


def _chance(
    draws: Sequence[Draw], streams: Iterable[Stream], version: int, number: int | None
) -> Iterator[str]:
    if not draws:
        return
    yield ""
    yield "Chance"
    for place, draw in enumerate(draws):
        label = f"draw {place + 1} of this event" if number is None else f"draw {number + place} of the match"
        yield f"  {label}: {say.drawn(draw)}"
        yield from (f"      {each}" for each in say.worked(draw))
    for stream in streams:
        yield f"  {stream.source}"
        yield from (f"      {each}" for each in say.flowed(stream, version))


def _seen(seen: Sequence[Sight]) -> Iterator[str]:
    changes = changes_of(seen)
    if changes:
        yield ""
        yield "What changed on the table"
    for each in changes:
        yield f"  {say.seen_by(each, changes)}"
        yield from _changed(each)


def _changed(change: Change) -> Iterator[str]:
    yield from (f"    - {printable(each)}" for each in change.gone)
    yield from (f"    + {printable(each)}" for each in change.come)


def _alternatives(found: Explanation) -> Iterator[str]:
    if found.legal is None:
        return
    yield ""
    yield f"What seat {found.seat} could have done"
    yield from offers(found.rules, found.legal)


def offers(rules: str, legal: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Legal moves in words, or as they are where the rules are not installed."""
    game = installed(rules)
    for each in legal:
        yield f"  {offer_in_words(game, each) if game else msgspec.json.encode(each).decode()}"


def judged(verdict: Verdict, seat: int) -> Iterator[str]:
    """Whether a move could be made."""
    if verdict.legal:
        yield f"Seat {seat} could make this move at version {verdict.version}."
        return
    yield f"Seat {seat} could not make this move at version {verdict.version}:"
    yield f"  {printable(str(verdict.reason))}"
    if verdict.rule is not UNSET and verdict.rule is not None:
        yield f"  {verdict.rule}: {verdict.place}"


# Two bundles


def comparison_lines(found: Comparison) -> Iterator[str]:
    """The first difference between two bundles."""
    one, other = found.sides
    match found.finding:
        case "equal":
            yield f"The two files hold the same match, all {found.common} events of it."
        case "length":
            longer = "second" if one.events < other.events else "first"
            yield f"The first {found.common} events are the same; the {longer} file goes on from there."
        case "openings":
            yield f"All {found.common} events are the same; what is opened of event {found.version} is not."
        case "events":
            yield f"The first {found.common} events are the same; event {found.version} is not."
    for title, side in (("The first file", one), ("The second file", other)):
        yield f"{title}: {say.concluded(side.status, trusted=side.trusted)}"
    for title, side in (("The first file", one), ("The second file", other)):
        yield from _side(title, side, found.version)
    if found.finding == "events":
        yield ""
        yield "From the one to the other"
        yield from (f"  {msgspec.json.encode(each).decode()}" for each in found.patch)
        yield ""
        yield from _signed(found)


def _side(title: str, side: Side, version: int | None) -> Iterator[str]:
    if side.doer is None or side.at is None or side.words is None:
        return
    yield ""
    yield f"{title}, event {version} of {side.events}, {rfc3339(side.at)}"
    yield f"  {say.who(side.doer, Names({}))}: {printable(side.words)}"
    yield from (f"    {printable(each.words)}  ({each.rule})" for each in side.effects)
    yield f"  root of the log up to here: {side.root}"
    yield from (f"  signed by {each}" for each in side.signed_by)
    if not side.signed_by:
        yield "  SIGNED BY NOBODY whose key is known"


def _signed(found: Comparison) -> Iterator[str]:
    if not found.signed_both:
        yield "No key has signed both."
    for each in found.signed_both:
        yield f"The same key has signed both: {each}"
    if found.signed_both:
        yield "Whoever holds it has told two stories of one match. These two files are the proof."
