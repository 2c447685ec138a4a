"""Markup: the parts that pages of HTML are made of, when they are to be whole in themselves.

Such a page fetches nothing and runs nothing; its own policy forbids both. What ``text`` and ``named`` give is
escaped, all other arguments are HTML.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files

from kleos.api.terminal import printable
from kleos.projections.timeline import rfc3339


@cache
def _style() -> str:
    return files("kleos.api").joinpath("static", "report.css").read_text("utf-8")


@cache
def policy() -> str:
    """The content security policy of a page: its own style sheet and nothing else."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def document(title: str, body: str) -> bytes:
    """A whole page around ``body``, which is HTML."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{text(title)}</title>\n<link rel="icon" href="data:,">\n<style>{_style()}</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    ).encode()


def text(text: str) -> str:
    return escape(printable(text))


def named(text: str) -> str:
    """Text with names in it, which are clean and isolated already."""
    return escape(text)


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Terms, and what HTML says of each."""
    return "<dl class=facts>\n" + "\n".join(f"<dt>{term}<dd>{said}" for term, said in pairs) + "\n</dl>"


def table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose cells are HTML; the first of each row is its heading."""
    head = "".join(f'<th scope="col">{each}' for each in heads)
    lines = []
    for first, *rest in rows:
        lines.append(f'<tr><th scope="row">{first}' + "".join(f"<td>{each}" for each in rest))
    inner = "\n".join(lines)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}"><table>\n'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</thead>\n<tbody>\n{inner}\n</tbody>\n"
        "</table></div>"
    )


def image(svg: str) -> str:
    """The address of a picture that is part of the page."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def event(version: int) -> str:
    return f'<a href="#v{version}">{version}</a>'


def time(at: int) -> str:
    moment = rfc3339(at)
    return f'<time datetime="{moment}">{moment.replace("T", " ").removesuffix("Z")} UTC</time>'
