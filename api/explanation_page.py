"""An explanation of one event as a page of HTML, whole in itself; other answers as a plain one."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kleos.api import report_words as say
from kleos.api.markup import document, facts, named, text, time
from kleos.api.report_text import offers
from kleos.api.report_timeline import changed, workings
from kleos.api.report_words import Names
from kleos.events import verifier
from kleos.projections.explain import Explanation
from kleos.projections.sight import changes_of


def explanation_page(
    found: Explanation, names: Names, verdict: verifier.Report, number: int | None = None
) -> bytes:
    """Why an event did what it did; ``number`` is that of its first draw in the match, if it is known.

    ``verdict`` is that on the whole match.
    """
    sections = [
        ("What was asked for", _asked(found)),
        ("What followed", _followed(found)),
        ("Chance", workings(found.chance, found.streams, found.version, number) or "<p>No part of it.</p>"),
        ("What was seen", _seen(found)),
        ("What could have been done", _alternatives(found)),
    ]
    body = "\n".join(f"<section>\n<h2>{title}</h2>\n{inner}\n</section>" for title, inner in sections)
    who = named(say.who(found.doer, names))
    concluded = say.concluded(verdict.status, trusted=verdict.trusted)
    return document(
        f"Event {found.version} of match {found.match}",
        f"<header>\n<h1>Event {found.version}</h1>\n<p>Match <code>{text(found.match)}</code>, "
        f"{text(found.rules)}, {time(found.at)}</p>\n"
        f"<p><strong>{who}</strong>: {text(found.words)}</p>\n"
        f'<p class="verdict {verdict.status}">The whole match: {text(concluded)}</p>\n'
        f"</header>\n<main>\n{body}\n</main>",
    )


def plain_page(title: str, lines: Iterable[str]) -> bytes:
    """Lines of text as they are."""
    said = "\n".join(map(text, lines))
    return document(title, f"<main>\n<h1>{text(title)}</h1>\n<pre>{said}</pre>\n</main>")


def _asked(found: Explanation) -> str:
    action = msgspec.json.encode(found.action).decode()
    known = [("Asked for", f"<code>{text(action)}</code>")]
    if found.head is not None:
        known.append(("In force then", f"version {found.head}"))
    return facts(known)


def _followed(found: Explanation) -> str:
    lines = "\n".join(
        f"<li>{text(each.words)} <span class=soft>{text(each.rule)}: {text(each.place)}</span>"
        for each in found.effects
    )
    agrees = "come to the same" if found.again else "<strong>come to something else</strong>"
    return (
        f"<ul class=said>\n{lines}\n</ul>\n<p>The rules, asked once more with the same chance, {agrees}.</p>"
    )


def _seen(found: Explanation) -> str:
    if not found.seen:
        return "<p>There was no table yet.</p>"
    tables = "".join(
        f"<details><summary>The table {when}, seen by {say.looking(each.seat)}</summary>\n"
        f"<pre>{text(words)}</pre></details>\n"
        for each in found.seen
        for when, words in (("before", each.before), ("after", each.after))
        if words is not None
    )
    return changed(changes_of(found.seen)) + tables


def _alternatives(found: Explanation) -> str:
    if found.legal is None:
        return "<p>Hidden, or nobody's to decide.</p>"
    lines = "\n".join(f"<li>{text(each.strip())}" for each in offers(found.rules, found.legal))
    return f"<ul class=said>\n{lines}\n</ul>"
