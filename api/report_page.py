"""A report as one page of HTML, whole in itself: to be kept, mailed, printed, and read without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from kleos.api import report_words as say
from kleos.api.markup import document, event, facts, image, named, table, text, time
from kleos.api.report_timeline import timeline
from kleos.api.report_words import Names
from kleos.api.verify import noted, witnessed
from kleos.events import verifier
from kleos.projections.report import Line, MatchReport
from kleos.projections.sight import Picture

_SECTIONS: Final = (
    ("match", "The match"),
    ("seats", "Seats"),
    ("verdict", "Verdict"),
    ("timeline", "Timeline"),
    ("undone", "Undone"),
    ("proposals", "Proposals"),
    ("referee", "Referee"),
    ("chance", "Chance"),
    ("tables", "The table"),
    ("keys", "Keys"),
    ("rules", "Rules"),
)


def report_page(report: MatchReport, *, served: bool = False) -> bytes:
    """The page of a report; one that a server gives out leads on to the views it serves."""
    names = Names(report.people, isolated=True)
    eyes = say.looking(report.seat, opened=report.open)
    body = {
        "match": _match(report, names),
        "seats": _seats(report, names),
        "verdict": _verdict(report.verdict),
        "timeline": timeline(report, names, served=served),
        "undone": _undone(report),
        "proposals": _proposals(report),
        "referee": _referee(report),
        "chance": _chance(report),
        "tables": _tables(report),
        "keys": _keys(report, names, served=served),
        "rules": _rules(report),
    }
    links = "".join(f'<li><a href="#{name}">{title}</a>' for name, title in _SECTIONS)
    sections = "\n".join(
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{body[name]}\n</section>'
        for name, title in _SECTIONS
    )
    home = '<p><a href="/">All matches</a></p>\n' if served else ""
    conclusion = say.concluded(report.verdict.status, trusted=report.verdict.trusted)
    return document(
        f"{report.title}, match {report.match}: report",
        f"<header>\n{home}<h1>{text(report.title)}</h1>\n"
        f"<p>Report of match <code>{text(report.match)}</code>, as seen by {text(eyes)}.</p>\n"
        f'<p class="verdict {text(report.verdict.status)}"><strong>{text(conclusion)}</strong></p>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n</header>\n<main>\n{sections}\n</main>\n'
        f"<footer>\n{_footer(report, served=served)}\n</footer>",
    )


# The sections


def _match(report: MatchReport, names: Names) -> str:
    known = [
        ("Game", text(report.title)),
        ("Rules", f"{text(report.rules)}" + (f", code <code>{report.code}</code>" if report.code else "")),
        ("Options", text(say.chosen(report.options))),
        ("Taking back", text(report.undo)),
        ("State", f"{report.status} at version {report.version}; version {report.head} is in force"),
        ("Began", time(report.timeline[0].at) if report.timeline else "unknown"),
        ("Last event", time(report.timeline[-1].at) if report.timeline else "unknown"),
    ]
    if report.outcome is not None:
        known.append(("Outcome", text(say.decided(report.outcome))))
    if report.referee is not None:
        known.append(("Referee", named(names(report.referee))))
    if report.deadline is not None:
        known.append(("Deadline", text(say.timed(report.deadline))))
    if report.signed:
        known.append(("Signed", "every move of a player is signed by the player"))
    if report.parent is not None:
        known.append(("Begins", text(say.begun(report.parent))))
    if report.rematch_of is not None:
        known.append(("Follows", f"match <code>{text(report.rematch_of)}</code>"))
    return facts(known)


def _seats(report: MatchReport, names: Names) -> str:
    rows = [
        (f"seat {each.seat}", named(say.sat(each, names)), say.stayed(each))
        for each in sorted(report.sittings, key=lambda each: (each.seat, each.since))
    ]
    return table("Who sat where, and when", ("Seat", "Who", "When"), rows)


def _verdict(verdict: verifier.Report) -> str:
    marks = {True: "<span class=ok>holds</span>", False: "<span class=no>fails</span>", None: "not checked"}
    rows = [(each.step, marks[each.holds], text(each.words)) for each in say.steps(verdict)]
    notes = "".join(f"<p>{text(each)}</p>\n" for each in noted(verdict))
    return table("The steps of the verifier", ("Step", "Result", "What it says"), rows) + "\n" + notes


def _undone(report: MatchReport) -> str:
    if not report.turnings:
        return "<p>Nothing was taken back.</p>"
    rows = [
        (event(each.version), text(say.turned(each)), text(say.agreed(each, report.offers)))
        for each in report.turnings
    ]
    return table("Every undo and redo", ("Event", "Where to", "Who asked, who agreed"), rows)


def _proposals(report: MatchReport) -> str:
    if not report.offers:
        return "<p>Nothing was proposed.</p>"
    rows = [
        (
            event(int(each.id[1:])),
            _unbroken(f"seat {each.by}"),
            text(say.offered(each)),
            _unbroken(say.seats(each.needs)),
            text(say.ended(each)),
        )
        for each in report.offers
    ]
    heads = ("Event", "By", "What", "Asked", "What came of it")
    return table("Every proposal", heads, rows)


def _unbroken(seats: str) -> str:
    """Seats whose number stays beside its word in a narrow column."""
    return seats.replace("seat ", "seat&nbsp;")


def _referee(report: MatchReport) -> str:
    if not report.notes:
        return "<p>No referee said anything.</p>"
    rows = [
        (
            event(each.version),
            text(each.kind),
            "" if each.about is None else event(each.about),
            text(each.text),
        )
        for each in report.notes
    ]
    return table("What the referee said", ("Event", "What", "About version", "Words"), rows)


def _chance(report: MatchReport) -> str:
    seed = f"<code>{text(report.seed)}</code>" if report.seed else "hidden until the match is over"
    known = [("Anchor of the dice", f"<code>{text(report.anchor or 'unknown')}</code>"), ("Seed", seed)]
    rows = [row for line in report.timeline for row in _draw_rows(line)]
    if rows:
        drawn = table("Every draw", ("Draw", "Event", "What", "Hangs on"), rows)
    elif all(each.first_draw is not None for each in report.timeline):
        drawn = "<p>Nothing here was left to chance.</p>"
    else:
        drawn = "<p>What was drawn is hidden: these are not all parts of the match.</p>"
    return f"{facts(known)}\n{drawn}"


def _draw_rows(line: Line) -> Iterator[tuple[str, ...]]:
    secrets = {each.source: each.secret for each in line.streams}
    for place, draw in enumerate(line.draws):
        secret = secrets.get("dice" if draw.kind == "die" else "shuffles")
        hangs = "hidden" if secret is None else f"<code>{secret}</code>"
        number = "?" if line.first_draw is None else str(line.first_draw + place)
        yield number, event(line.version), text(say.drawn(draw)), hangs


def _tables(report: MatchReport) -> str:
    if not report.pictures:
        return "<p>Hidden: these are not all parts of the match, or play had not begun.</p>"
    last = report.pictures[-1].version
    shown = next(each for each in report.pictures if each.version == last)
    return "\n".join(
        f"<details{' open' * (each is shown)}>"
        f"<summary>Version {each.version}, seen by {say.looking(each.seat)}</summary>\n"
        f"{_drawn(each)}<pre>{text(each.words)}</pre></details>"
        for each in report.pictures
    )


def _drawn(picture: Picture) -> str:
    """The picture as an image, in which nothing can run; the words below it say the same."""
    if picture.svg is None:
        return ""
    told = f"The table at version {picture.version}, told in words below"
    return f'<img class="table" alt="{told}" src="{image(picture.svg)}">\n'


def _keys(report: MatchReport, names: Names, *, served: bool) -> str:
    verdict = report.verdict
    named_by = "this server named its own: compare them" if served else "named by whoever asked"
    known = [
        ("Log", f"<code>{text(verdict.origin or 'unknown')}</code>"),
        ("Events", str(verdict.events)),
        ("Root", f"<code>{text(verdict.root or 'unknown')}</code>"),
        ("Keys", named_by if verdict.trusted else "those that came with the match: compare them"),
    ]
    known += [("Signed by", f"<code>{text(each)}</code>") for each in verdict.signed_by]
    known += [("Witness", text(each)) for each in witnessed(verdict)]
    known += [
        (f"Key of seat {each.seat}", f"<code>{text(each.key)}</code>, {named(say.sat(each, names))}")
        for each in report.sittings
        if each.key is not None
    ]
    return facts(known)


def _rules(report: MatchReport) -> str:
    cited: dict[str, tuple[str, list[int]]] = {}
    for line in report.timeline:
        for effect in line.effects:
            _, versions = cited.setdefault(effect.rule, (effect.place, []))
            if versions[-1:] != [line.version]:
                versions.append(line.version)
    rows = [
        (f'<span id="rule-{escape(rule)}">{text(rule)}</span>', text(where), _some(versions))
        for rule, (where, versions) in sorted(cited.items(), key=lambda each: _by_number(each[0]))
    ]
    return table("Every rule that was followed", ("Rule", "Where it is written", "Events"), rows)


def _by_number(rule: str) -> list[tuple[int, str]]:
    """Paragraph 9.10 comes after 9.9."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", rule)]


def _some(versions: list[int]) -> str:
    shown = ", ".join(map(event, versions[:20]))
    return shown if len(versions) <= 20 else f"{shown} and {len(versions) - 20} more"


def _footer(report: MatchReport, *, served: bool) -> str:
    if not served:
        return "<p>Made offline, from a file, by <code>kleos explain</code>.</p>"
    place = f"/v1/matches/{escape(report.match)}"
    return (
        "<p>The server that keeps this match made this report and checked its own log. Who wants to depend "
        f'on nobody takes <a href="{place}/bundle">the match in one file</a>, and checks it with '
        "<code>kleos verify</code>.</p>"
    )
