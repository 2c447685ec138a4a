"""The few pages for people: lobby, documentation, problems. Plain HTML, no script of our own but one line.

Everything that comes from players is escaped, and the content security policy forbids what a page does not
need, so that a name is never more than text.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, Final

from kleos.api.codes import PROBLEMS
from kleos.api.program import first_move, program
from kleos.core.kernel import Game
from kleos.projections.timeline import Summary, SummarySeat

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ASSETS: Final[Mapping[str, tuple[str, str]]] = {
    "kleos.css": ("kleos.css", "text/css"),
    "docs.js": ("docs.js", "text/javascript"),
    "swagger-ui.css": ("swagger-ui/swagger-ui.css.gz", "text/css"),
    "swagger-ui-bundle.js": ("swagger-ui/swagger-ui-bundle.js.gz", "text/javascript"),
}
"""What is served under ``/static/``: the file in the package, and its media type."""


@cache
def asset(name: str) -> bytes:
    """An asset, unpacked."""
    path, _ = ASSETS[name]
    raw = files("kleos.api").joinpath("static", path).read_bytes()
    return gzip.decompress(raw) if path.endswith(".gz") else raw


@cache
def packed_asset(name: str) -> bytes:
    """An asset as gzip."""
    path, _ = ASSETS[name]
    raw = files("kleos.api").joinpath("static", path).read_bytes()
    return raw if path.endswith(".gz") else gzip.compress(raw, mtime=0)


def _page(title: str, body: str, *, head: str = "") -> bytes:
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n'
        f'<link rel="stylesheet" href="/static/kleos.css">\n{head}{body}\n</html>\n'
    ).encode()


def docs_page() -> bytes:
    """The API's documentation, drawn from ``/openapi.json``."""
    head = (
        '<link rel="stylesheet" href="/static/swagger-ui.css">\n'
        '<script src="/static/swagger-ui-bundle.js" defer></script>\n'
        '<script src="/static/docs.js" defer></script>\n'
    )
    return _page(
        "Kleos API",
        '<div id="docs"><noscript><p>This page needs JavaScript; the document itself is '
        '<a href="/openapi.json">openapi.json</a>.</p></noscript></div>',
        head=head,
    )


def problem_page(code: str) -> bytes:
    """What a problem means and what to do about it."""
    kind = PROBLEMS[code]
    return _page(
        f"{code}: {kind.title}",
        f"<h1>{escape(kind.title)}</h1>\n"
        f"<p><code>{escape(code)}</code>, status {kind.status}</p>\n"
        f"<p>{_prose(kind.meaning)}</p>\n<p>{_prose(kind.remedy)}</p>\n"
        '<p><a href="/problems">All problems</a> · <a href="/docs">The API</a></p>',
    )


def problems_page() -> bytes:
    """Every problem there is."""
    rows = "\n".join(
        f'<tr><td>{kind.status}<td><a href="/problems/{code}"><code>{code}</code></a><td>{escape(kind.title)}'
        for code, kind in sorted(PROBLEMS.items(), key=lambda each: (each[1].status, each[0]))
    )
    return _page(
        "Problems",
        "<h1>Problems</h1>\n<p>Every answer that says no is one of these "
        '(<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>).</p>\n'
        f'<div class="scroll"><table>\n<tr><th>Status<th>Code<th>Title\n{rows}\n</table></div>',
    )


def lobby_page(base: str, games: Mapping[str, Game[Any, Any, Any]], matches: Sequence[Summary]) -> bytes:
    """What is being played and by whom, and how to join in."""
    example = escape(first_move(games, base)) if games else ""
    offered = ", ".join(f"{escape(each.title)} for {_players(each.seats)}" for each in games.values())
    rows = "\n".join(_row(each, games) for each in matches) or "<tr><td colspan=4>None yet."
    return _page(
        "Kleos",
        "<h1>Kleos</h1>\n<p>Board games whose every move is kept, and can be proven.</p>\n"
        f"<p>Here: {offered or 'no game yet'}. A first move in the terminal:</p>\n<pre>{example}</pre>\n"
        '<p><a href="/docs">The API</a> · <a href="/problems">Problems</a></p>\n'
        '<h2>Matches</h2>\n<table class="stacked">\n'
        f"<tr><th>Match<th>How it stands<th>Seats<th>Laid out\n{rows}\n</table>\n"
        "<p>Each match leads to its report. To join one that is open, or to watch: "
        f"<code>{escape(program())} play</code> and the characters below its name.</p>",
    )


def _players(seats: range) -> str:
    return f"{seats[0]} players" if len(seats) == 1 else f"{seats[0]} to {seats[-1]} players"


def _row(match: Summary, games: Mapping[str, Game[Any, Any, Any]]) -> str:
    title = games[match.game].title if match.game in games else match.game
    made = datetime.fromisoformat(match.created_at)
    cells = (
        f'<a href="/v1/matches/{escape(match.id)}/report">{escape(title)}</a><br>'
        f"<code>{escape(match.id)}</code>",
        _standing(match) + _to_the_table(match),
        "<br>".join(f"{seat.seat}: {_who(seat)}" for seat in match.seats),
        f'<time datetime="{escape(match.created_at)}">{made:%-d %B %Y, %H:%M} UTC</time>',
    )
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells)


def _to_the_table(match: Summary) -> str:
    if match.links.board is None or match.status == "open":
        return ""
    return f'<br><a href="{escape(match.links.board)}">the table</a>'


def _who(seat: SummarySeat) -> str:
    if seat.player is not None:
        name = escape(seat.player.name or "somebody")
        return f"{name} (resigned)" if seat.resigned else name
    return f"{escape(seat.bot)} (bot)" if seat.bot else "free"


def _standing(match: Summary) -> str:
    """In one phrase: who is waited for, or who won."""
    if match.outcome is not None:
        winners = ", ".join(_who(match.seats[seat]) for seat in match.outcome.winners) or "nobody"
        return f"finished: {winners} won ({escape(match.outcome.reason.replace('_', ' '))})"
    if match.read_only:
        return "a read-only copy of a match that was under way"
    if match.adjourned:
        return "adjourned by the referee"
    if match.to_act:
        return f"playing: {', '.join(_who(match.seats[seat]) for seat in match.to_act)} to move"
    free = sum(seat.player is None and seat.bot is None for seat in match.seats)
    return f"open: {free} of {len(match.seats)} seats free" if match.status == "open" else match.status


def _prose(text: str) -> str:
    """Text in which `backquotes` mark code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
