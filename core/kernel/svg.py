"""Parts of a picture of a table: SVG 1.1 as text, from numbers and words. It knows no game and no page.

A picture is whole in itself: no script, nothing fetched, its colours for light and dark in one style sheet.
Equal arguments give equal bytes. Lengths are in user units, which are pixels at the natural size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from math import cos, pi, sin
from typing import Final

_COLOURS: Final = ("#0072b2", "#e0701a", "#12a57c", "#d884b4", "#f0d53c", "#7cc6f2")
"""Told apart with any kind of colour vision; the shapes below are for whoever sees none."""
_ON_COLOUR: Final = ("#fff", "#000", "#000", "#000", "#000", "#000")
_SHAPES: Final = ((0, 0.0), (4, 0.25), (3, 0.5), (4, 0.0), (5, 0.5), (6, 0.0))
"""By seat: how many corners (0: a circle), and how far the first lies from the right, in half turns."""
_GROWN: Final = {3: 1.35, 4: 1.2, 5: 1.12, 6: 1.1}
"""How much larger than a circle a shape with so many corners must be to hold the same number."""
_UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BASE: Final = """
.kleos{color-scheme:light dark;--ink:#1d2733;--paper:#fbfaf6;--line:#b5ae9d;--soft:#56606b;--field:#efeadd;
--card:#fff;--accent:#8a3b1d;font-family:system-ui,sans-serif;font-size:13px;
display:block;margin:0 auto;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.kleos{--ink:#e8e4da;--paper:#171a1f;--line:#565d68;--soft:#a9b0b8;
--field:#22272f;--card:#2b313a;--accent:#e39a73}}
.kleos text{fill:var(--ink)}
.kleos .paper{fill:var(--paper)}
.kleos .field{fill:var(--field);stroke:var(--line)}
.kleos .card{fill:var(--card);stroke:var(--soft)}
.kleos .back{fill:var(--soft);stroke:var(--ink)}
.kleos .now{fill:none;stroke:var(--accent);stroke-width:3}
.kleos .soft{fill:var(--soft)}
.kleos .small{font-size:10px}
.kleos .strong{font-weight:700}
.kleos .large{font-size:18px;font-weight:700}
"""
_STYLE: Final = _BASE + "".join(
    f".kleos .s{seat}{{fill:{colour};stroke:var(--ink)}}.kleos .on{seat}{{fill:{on}}}"
    f".kleos .of{seat}{{stroke:{colour}}}\n"
    for seat, (colour, on) in enumerate(zip(_COLOURS, _ON_COLOUR, strict=True))
)


def plain(text: str) -> str:
    """Text as it stands in XML; characters that XML cannot hold are replaced."""
    return escape(_UNWRITABLE.sub("\ufffd", text))


def number(value: float) -> str:
    """A length with one decimal at most, so that bytes do not hang on the last bit of a float."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """An element around SVG; ``class_`` is ``class``, ``font_size`` is ``font-size``."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{plain(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value != ""
    )
    content = "".join(inside)
    return f"<{name}{said}>{content}</{name}>" if content else f"<{name}{said}/>"


def words(x: float, y: float, text: str, style: str = "", anchor: str = "") -> str:
    """Text whose first line stands at (x, y); ``anchor`` is ``middle``, ``end``, or the start."""
    return element("text", plain(text), x=x, y=y, class_=style, text_anchor=anchor)


def box(x: float, y: float, width: float, height: float, style: str, *, round: float = 4) -> str:
    return element("rect", x=x, y=y, width=width, height=height, rx=round, class_=style)


def at(x: float, y: float, *inside: str, title: str = "") -> str:
    """A group moved to (x, y); ``title`` is what pointing at it tells."""
    told = element("title", plain(title)) if title else ""
    return element("g", told, *inside, transform=f"translate({number(x)} {number(y)})")


def polygon(x: float, y: float, radius: float, style: str, *, corners: int, turned: float) -> str:
    """A regular polygon; its first corner lies ``turned`` half turns up from the right."""
    angles = (pi * (2 * each / corners - turned) for each in range(corners))
    points = " ".join(f"{number(x + radius * cos(a))},{number(y + radius * sin(a))}" for a in angles)
    return element("polygon", points=points, class_=style)


def hexagon(x: float, y: float, radius: float, style: str) -> str:
    """A hexagon that stands on a corner."""
    return polygon(x, y, radius, style, corners=6, turned=0.5)


def mark(seat: int, x: float, y: float, radius: float = 9, said: str | None = None) -> str:
    """The token of a seat, in its colour and shape, with its number on it, or what is ``said``."""
    kind = seat % len(_SHAPES)
    corners, turned = _SHAPES[kind]
    if corners:
        shape = polygon(x, y, radius * _GROWN[corners], f"s{kind}", corners=corners, turned=turned)
    else:
        shape = element("circle", cx=x, cy=y, r=radius, class_=f"s{kind}")
    size = radius * 1.3
    number_on_it = element(
        "text",
        plain(str(seat) if said is None else said),
        x=x,
        y=y + size * 0.36,
        class_=f"on{kind} strong",
        text_anchor="middle",
        font_size=size,
    )
    return shape + number_on_it


def of_seat(seat: int) -> str:
    """The class of an outline in the colour of a seat."""
    return f"of{seat % len(_COLOURS)}"


def in_seat(seat: int) -> str:
    """The class of a surface in the colour of a seat."""
    return f"s{seat % len(_COLOURS)}"


def on_seat(seat: int) -> str:
    """The class of text on such a surface."""
    return f"on{seat % len(_COLOURS)}"


def wrapped(text: str, width: float, *, size: float = 13) -> list[str]:
    """The lines of a text in so narrow a column, judged by the number of its letters."""
    most, lines = max(1, int(width / (size * 0.56))), [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def column(
    x: float, y: float, lines: Iterable[str], style: str = "", anchor: str = "", *, step: float = 16
) -> str:
    """Lines of text, one under the other."""
    return "".join(words(x, y + place * step, line, style, anchor) for place, line in enumerate(lines))


def document(width: float, height: float, title: str, described: str, *inside: str, style: str = "") -> str:
    """A whole picture. ``described`` is the same in words, for whoever does not see it."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + element(
            "svg",
            "\n",
            element("title", plain(title), id="title"),
            "\n",
            element("desc", plain(described), id="description"),
            "\n",
            element("style", _STYLE, style),
            "\n",
            element("rect", width="100%", height="100%", class_="paper"),
            "\n",
            "\n".join(each for each in inside if each),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            class_="kleos",
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=width,
            height=height,
            role="img",
            aria_labelledby="title",
            aria_describedby="description",
        )
        + "\n"
    )
