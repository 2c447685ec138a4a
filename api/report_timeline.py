"""The timeline of a report as HTML: every event, what changed on the table, and how chance came about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kleos.api import report_words as say
from kleos.api.markup import event, named, text, time
from kleos.api.report_words import Names
from kleos.projections.draws import Draw, Stream
from kleos.projections.explain import Cited
from kleos.projections.report import Line, MatchReport
from kleos.projections.sight import Change


def timeline(report: MatchReport, names: Names, *, served: bool) -> str:
    lines = "\n".join(_line(report, each, names, served=served) for each in report.timeline)
    return f'<ol class="timeline">\n{lines}\n</ol>'


def _line(report: MatchReport, line: Line, names: Names, *, served: bool) -> str:
    undone = "" if line.undone is None else f"<p class=flag>Undone by event {event(line.undone)}.</p>\n"
    stop = say.unproven(line.version, report.verdict)
    stopped = "" if stop is None else f'<p class="flag no">{text(stop)}</p>\n'
    marks = [time(line.at), text(line.kind)]
    if line.signed:
        marks.append("signed by the player")
    if line.head != line.version:
        marks.append(f"version {event(line.head)} is in force")
    if served:
        marks.append(_views(report, line.version))
    return (
        f'<li id="v{line.version}"{" class=undone" if undone else ""}>\n'
        f"<p class=head><span class=number>{line.version}</span> "
        f"<strong>{named(say.who(line.doer, names))}</strong>: {text(line.words)}</p>\n"
        f"<p class=when>{' · '.join(marks)}</p>\n{undone}{stopped}{cited(line.effects)}"
        f"{_changes(line.changes)}{_draws(line)}</li>"
    )


def _views(report: MatchReport, version: int) -> str:
    """Where the server shows what could be seen then."""
    place = f"/v1/matches/{escape(report.match)}/view?at={version}"
    seats: Iterable[int] = sorted({each.seat for each in report.sittings}) if report.open else ()
    eyes = (
        ["spectator", *map(str, seats)]
        if report.open
        else [str(report.seat) if report.seat is not None else "spectator"]
    )
    links = ", ".join(f'<a href="{place}&amp;seat={each}">{each}</a>' for each in eyes)
    return f"seen by {links}"


def cited(effects: Iterable[Cited]) -> str:
    lines = "\n".join(
        f'<li>{text(each.words)} <a class=rule href="#rule-{escape(each.rule)}">{text(each.rule)}</a>'
        for each in effects
    )
    return f"<ul class=said>\n{lines}\n</ul>\n" if lines else ""


def _changes(changes: tuple[Change, ...] | None) -> str:
    if not changes:
        return ""
    return f"<details><summary>What changed on the table</summary>\n{changed(changes)}</details>\n"


def changed(changes: Sequence[Change]) -> str:
    """Lines of the table that went and came, by whose eyes saw it."""
    parts = []
    for each in changes:
        gone = "".join(f"<del>- {text(line)}</del>\n" for line in each.gone)
        come = "".join(f"<ins>+ {text(line)}</ins>\n" for line in each.come)
        parts.append(f"<p>{say.seen_by(each, changes)}</p>\n{gone}{come}")
    return f"<div class=change>\n{''.join(parts)}</div>\n"


def _draws(line: Line) -> str:
    if not line.draws:
        return ""
    return (
        f"<details><summary>Chance: {len(line.draws)} draw{'s' * (len(line.draws) > 1)}</summary>\n"
        f"{workings(line.draws, line.streams, line.version, line.first_draw)}</details>\n"
    )


def workings(draws: Iterable[Draw], streams: Iterable[Stream], version: int, first: int | None) -> str:
    """How draws came about; ``first`` is the number of the first of them, if it is known."""
    parts = []
    for place, draw in enumerate(draws):
        label = "" if first is None else f"Draw {first + place}. "
        lines = "\n".join(text(each) for each in say.worked(draw))
        parts.append(f"<p>{label}{text(say.drawn(draw))}</p>\n" + (f"<pre>{lines}</pre>\n" if lines else ""))
    for stream in streams:
        title = "The dice of this event" if stream.source == "dice" else "Its shuffles and picks"
        lines = "\n".join(text(each) for each in say.flowed(stream, version))
        parts.append(f"<p>{title} come from:</p>\n<pre>{lines}</pre>\n")
    return "".join(parts)
