"""The table of Cyclades as a picture: the map with what lies on it, and beside it the panels.

It reads redacted builtins only, so it can show no more than its reader may know. The map is drawn here, what
lies beside it in ``panels``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, Final

from kleos.core.cyclades import panels, words
from kleos.core.cyclades.board import ROWS, Board, board_named
from kleos.core.kernel import svg
from kleos.core.kernel.visibility import Builtin

_SIZE: Final = 40
"""From the middle of a hexagon to its corners."""
_MARGIN: Final = 16
_TOP: Final = 70
_STYLE: Final = """
.kleos{--sea:#cfe3ef;--shore:#8fb3c9;--land:#e6d5a8;--deep:#4a2c6b}
@media (prefers-color-scheme:dark){.kleos{--sea:#1d3848;--shore:#3d6178;--land:#5a4d2c;--deep:#b79ad8}}
.kleos .sea{fill:var(--sea);stroke:var(--shore)}
.kleos .land{fill:var(--land);stroke:var(--shore)}
.kleos .coast{fill:none;stroke-width:5;stroke-linejoin:round}
.kleos .slot{fill:none;stroke:var(--ink);stroke-dasharray:3 2}
.kleos .site{fill:none;stroke:var(--ink);stroke-width:2.5;stroke-dasharray:3 2}
.kleos .building{fill:var(--card);stroke:var(--ink)}
.kleos .under{fill:var(--card);stroke:var(--ink);stroke-width:2.5}
.kleos .used{stroke:var(--ink);stroke-width:2}
.kleos .horn{fill:#f0c23c;stroke:#7a5b00}
.kleos .gain{fill:#3d2f06}
.kleos .city{fill:#fff;stroke:#3d2f06;stroke-width:1.5}
.kleos .monster{fill:var(--deep)}
.kleos .named{fill:var(--paper)}
"""
Point = tuple[float, float]


def picture(view: Builtin, you: int | None, *, over: bool = False) -> str:
    """The table as ``view`` shows it, through the eyes of the seat ``you``; ``over``: nobody is to act."""
    board = board_named(view["board"])
    at = _middles(board)
    right = max(x for x, _ in at.values()) + _SIZE + _MARGIN
    foot = max(y for _, y in at.values()) + _SIZE + _MARGIN
    beside_height, beside = panels.panels(view, you, over=over)
    height = max(foot, beside_height) + panels.LEGEND_HEIGHT
    told = words.table(view, you, over=over)
    return svg.document(
        right + panels.WIDTH + _MARGIN,
        height,
        told.splitlines()[0],
        told,
        panels.heading(view, _MARGIN, over=over),
        *(_sea(view, board, space, at[space]) for space in board.seas),
        *(_island(view, board, island, at) for island in view["islands"]),
        *_battle(view, board, at),
        svg.at(right, 0, beside),
        svg.at(_MARGIN, height - panels.LEGEND_HEIGHT, panels.legend()),
        style=_STYLE,
    )


def _middles(board: Board) -> dict[str, Point]:
    """Every circle of the board -> the middle of its hexagon."""
    circles = {*board.seas, *(cell for land in board.lands for cell in land.cells)}
    width = {row: sum(1 for circle in circles if circle[0] == row) for row in ROWS}
    broad, across = max(width.values()), _SIZE * sqrt(3)
    return {
        circle: (
            _MARGIN + across * (int(circle[1:]) - 0.5 + (broad - width[circle[0]]) / 2),
            _TOP + _SIZE + 1.5 * _SIZE * ROWS.index(circle[0]),
        )
        for circle in sorted(circles)
    }


# The sea


def _sea(view: Builtin, board: Board, space: str, middle: Point) -> str:
    fleets = next((each for each in view["fleets"] if each["space"] == space), None)
    parts = [svg.hexagon(0, 0, _SIZE, "sea"), svg.words(0, -24, space, "small soft", "middle")]
    if space in board.prosperous:
        parts.append(horn(0, 26, 1))
    if fleets is not None:
        parts.append(ship(0, 0, fleets["seat"], fleets["ships"]))
    if view["kraken"] == space:
        parts.append(_named(0, 2, "Kraken"))
    title = space if fleets is None else f"{space}: {fleets['ships']} of seat {fleets['seat']}"
    return svg.at(*middle, *parts, title=title)


def ship(x: float, y: float, seat: int, ships: int) -> str:
    """The fleets of a seat in one space: a hull with their number, under the mark of the seat."""
    hull = svg.element("path", d="M-20 1H20L13 17H-13Z", class_=svg.in_seat(seat))
    mast = svg.element("path", d="M0 1V-4", class_="used")
    number = svg.words(0, 14, str(ships), f"{svg.on_seat(seat)} strong", "middle")
    return svg.at(x, y, mast, hull, number, svg.mark(seat, 0, -11, 8))


def horn(x: float, y: float, income: int, *, placed: bool = False) -> str:
    """Cornucopias and what they yield; with a plus sign, prosperity markers."""
    said = f"+{income}" if placed else str(income)
    broad = 4 * len(said) + 11
    return svg.box(x - broad / 2, y - 7.5, broad, 15, "horn", round=7.5) + svg.words(
        x, y + 3.6, said, "small gain strong", "middle"
    )


def _named(x: float, y: float, name: str) -> str:
    """A figure, by its name."""
    width = len(name) * 6.2 + 10
    return svg.box(x - width / 2, y - 9, width, 16, "monster", round=8) + svg.words(
        x, y + 2.6, name, "small named strong", "middle"
    )


# The islands


def _island(view: Builtin, board: Board, island: Builtin, at: dict[str, Point]) -> str:
    land = board.land(island["id"])
    cells = [at[cell] for cell in land.cells]
    parts = [svg.hexagon(x, y, _SIZE, "land") for x, y in cells]
    if island["owner"] is not None:
        parts.append(_coast(cells, island["owner"]))
    for slot, (x, y) in enumerate(cells, 1):
        parts += _slot(island, slot, x + 15 * (slot == 1), y - 2, on_site=slot in land.site)
    if island["metropolis"]:
        x, y = cells[max(land.site) - 1]
        parts.append(_city(x + 15 * (len(cells) == 1), y, spent=0 in island["spent"]))
    x, y = cells[0]
    parts.append(svg.words(x, y - 23, island["id"], "small strong", "middle"))
    if island["owner"] is not None:
        parts.append(_garrison(x - 16, y - 7, island))
    parts += _prosperity(x, y + 27, land.prosperity, island["prosperity"])
    for figure in view["figures"]:
        if figure["island"] == island["id"]:
            below = 12 if len(cells) == 1 else 26
            parts.append(_figure(cells[-1][0], cells[-1][1] + below, figure))
    return svg.at(0, 0, *parts, title=_told(island))


def _told(island: Builtin) -> str:
    owner = "nobody's" if island["owner"] is None else f"of seat {island['owner']}"
    return f"{island['id']}, {owner}, troops: {island['troops']}"


def _coast(cells: list[Point], owner: int) -> str:
    """The outline of an island in the colour of its owner, just inside its hexagons."""
    return "".join(svg.hexagon(x, y, _SIZE - 4, f"coast {svg.of_seat(owner)}") for x, y in cells)


def _garrison(x: float, y: float, island: Builtin) -> str:
    """The owner's mark, and how many troops; without any the island is still the owner's."""
    troops = svg.words(x, y + 20, f"{island['troops']}", "strong", "middle")
    soldier = svg.element("path", d="M-9 0V-10M-12 -7L-9 -12L-6 -7", class_="used")
    return svg.mark(island["owner"], x, y, 9) + troops + svg.at(x - 2, y + 20, soldier)


def _slot(island: Builtin, slot: int, x: float, y: float, *, on_site: bool) -> Iterator[str]:
    """A place for a building: what stands there, or that it is free. Under a metropolis there is none."""
    if on_site and island["metropolis"]:
        return
    building = island["slots"][slot - 1]
    style = ("under" if on_site else "building") if building else ("site" if on_site else "slot")
    yield svg.box(x - 11, y - 11, 22, 22, style, round=2)
    if building:
        yield svg.words(x, y + 5, panels.LETTERS[building], "strong", "middle")
    if slot in island["spent"]:
        yield _used(x, y)


def _city(x: float, y: float, *, spent: bool) -> str:
    columns = "".join(f"M{left} -5h5V9h-5Z" for left in (-13, -2, 9))
    temple = svg.element("path", d=f"M-16 -5L0 -16L16 -5Z{columns}M-16 9H16V13H-16Z")
    return svg.at(x, y, svg.element("g", temple, class_="city"), _used(0, 0) if spent else "")


def _used(x: float, y: float) -> str:
    """The bar across a temple or a metropolis that gave its discount in this cycle."""
    return svg.at(x, y, svg.element("path", d="M-13 13L13 -13", class_="used"))


def _prosperity(x: float, y: float, printed: int, markers: int) -> Iterator[str]:
    shown = [(income, placed) for income, placed in ((printed, False), (markers, True)) if income]
    for place, (income, placed) in enumerate(shown):
        yield horn(x + 22 * place - 11 * (len(shown) - 1), y - 4 * (len(shown) - 1), income, placed=placed)


def _figure(x: float, y: float, figure: Builtin) -> str:
    name = figure["creature"].title()
    called = f"{name}, called by seat {figure['seat']} in cycle {figure['cycle']}"
    return svg.at(x, y, _named(0, 0, name), title=called)


# A battle


def _battle(view: Builtin, board: Board, at: dict[str, Point]) -> Iterator[str]:
    """A ring around the place of a battle, and the attackers, who stand on no space yet."""
    frame: Any = view["frames"][-1] if view["frames"] else None
    if frame is None or frame["type"] != "battle":
        return
    place = frame["place"]
    x, y = at[place if place in board.neighbours else board.land(place).cells[0]]
    yield svg.element("circle", cx=x, cy=y, r=_SIZE, class_="now")
    yield svg.box(x + 10, y - 36, 46, 22, "card")
    yield svg.mark(frame["attacker"], x + 24, y - 25, 8)
    yield svg.words(x + 38, y - 20, f"{frame['units']}", "strong")
