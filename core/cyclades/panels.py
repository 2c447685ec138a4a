"""What lies beside the map of Cyclades, as parts of a picture: players, gods, creatures, the legend.

It reads redacted builtins; ``picture`` puts the panels where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kleos.core.cyclades.vocabulary import FLEETS, PRICES, TROOPS
from kleos.core.cyclades.words import amount_named, outcome_named, phase_named
from kleos.core.kernel import svg
from kleos.core.kernel.visibility import Builtin

WIDTH: Final = 430
LEGEND_HEIGHT: Final = 50
LETTERS: Final = {"port": "P", "fortress": "F", "temple": "T", "university": "U"}
_ROW: Final = 28
_HEADS: Final = ("gold", "metro.", "priests", "philos.", "troops", "fleets", "income")
_FIRST: Final = 134
_STEP: Final = 45
Panel = tuple[float, str]
"""How tall it is, and how it is drawn."""


def heading(view: Builtin, x: float, *, over: bool) -> str:
    """What is being played, and who is asked what."""
    title = f"Cyclades, cycle {view['cycle']}: {phase_named(view, over=over)}"
    said = _asked(view["frames"][-1]) if view["frames"] and not over else ""
    if view["result"] is not None:
        won = outcome_named(view["result"])
        said = f"{won[0].upper()}{won[1:]}"
    return svg.words(x, 30, title, "large") + (svg.words(x, 52, said, "strong") if said else "")


def _asked(frame: dict[str, Any]) -> str:
    kind = frame["type"].replace("_", " ")
    if frame["type"] == "battle":
        kind = (
            f"battle in {frame['place']}: seat {frame['attacker']} with {frame['units']} "
            f"against seat {frame['defender']}"
        )
    elif frame["type"] == "turn":
        kind = f"turn for {frame['god'].title()}"
    elif "creature" in frame:
        kind = f"the power of the {frame['creature'].title()}"
    elif frame["type"] == "placing":
        kind = "an offering" + (f", not to {frame['barred'].title()}" if frame["barred"] else "")
    who = "The dice" if frame["seat"] is None else f"Seat {frame['seat']}"
    return f"{who} to decide: {kind}"


def legend() -> str:
    """What the signs on the map mean."""
    letters = ", ".join(f"{letter} {building}" for building, letter in LETTERS.items())
    slots = "dashed: free slot, thick: metropolis site, barred: discount used in this cycle"
    pieces = (
        "on an island: owner, and troops beside the arrow; at sea: owner above, number of fleets on the hull"
    )
    income = "yellow: cornucopias, with +: prosperity markers"
    return svg.column(0, 20, (f"{letters}; {slots}", f"{pieces}; {income}"), "small soft")


def panels(view: Builtin, you: int | None, *, over: bool) -> Panel:
    """All panels, one under the other; whose turn it is only while it is not ``over``."""
    drawn, y = [], 16.0
    for panel in (_players(view, you, over=over), _altars(view, over=over), _track(view), _order(view)):
        tall, inside = panel
        drawn.append(svg.at(0, y, svg.box(0, 0, WIDTH, tall, "field"), inside))
        y += tall + 12
    return y, "".join(drawn)


# The players


def _players(view: Builtin, you: int | None, *, over: bool) -> Panel:
    drawn = [
        svg.words(_FIRST + place * _STEP, 18, head, "small soft", "middle")
        for place, head in enumerate(_HEADS)
    ]
    acting = view["frames"][-1]["seat"] if view["frames"] and not over else None
    for player in view["players"]:
        y = 24 + player["seat"] * _ROW
        name = f"Seat {player['seat']}" + (" (you)" if player["seat"] == you else "")
        drawn.append(svg.mark(player["seat"], 18, y + 14, 10))
        drawn.append(svg.words(34, y + 18, name, "strong" if player["seat"] == you else ""))
        if player["seat"] == acting:
            drawn.append(svg.box(3, y + 1, WIDTH - 6, _ROW - 2, "now"))
        drawn += _holdings(view, player, y + 18)
    return 30 + len(view["players"]) * _ROW, "".join(drawn)


def _holdings(view: Builtin, player: dict[str, Any], y: float) -> Iterator[str]:
    seat = player["seat"]
    if player["out"]:
        yield svg.words(_FIRST, y, "eliminated", "soft")
        return
    owned = [each for each in view["islands"] if each["owner"] == seat]
    cells = (
        "?" if player["gold"] is None else player["gold"],
        sum(each["metropolis"] for each in owned),
        player["priests"],
        player["philosophers"],
        TROOPS - sum(each["troops"] for each in owned) - _fighting(view, seat, on_land=True),
        FLEETS
        - sum(each["ships"] for each in view["fleets"] if each["seat"] == seat)
        - _fighting(view, seat, on_land=False),
        view["revenue"][seat] if view["revenue"] else 0,
    )
    for place, cell in enumerate(cells):
        yield svg.words(_FIRST + place * _STEP, y, str(cell), "", "middle")


def _fighting(view: Builtin, seat: int, *, on_land: bool) -> int:
    """Units of the seat that attack, and so are neither on the map nor in reserve."""
    frame = view["frames"][-1] if view["frames"] else None
    if frame is None or frame["type"] != "battle" or frame["attacker"] != seat:
        return 0
    islands = {each["id"] for each in view["islands"]}
    return int(frame["units"]) if (frame["place"] in islands) == on_land else 0


# The gods, the creatures, the order


def _altars(view: Builtin, *, over: bool) -> Panel:
    """The gods in their order, with the markers on them; the one whose turn is played is framed."""
    turn = view["frames"][0] if view["frames"] and not over else None
    serving = turn["god"] if turn and turn["type"] == "turn" else None
    drawn = [svg.words(12, 20, "Gods", "strong")]
    if view["hidden"]:
        drawn.append(svg.words(WIDTH - 12, 20, f"face down: {len(view['hidden'])}", "soft", "end"))
    for place, god in enumerate((*view["gods"], "apollo")):
        y = 28 + place * _ROW
        drawn += [svg.words(24, y + 18, god.title()), *_markers(view, god, y + 14)]
        if god == serving:
            drawn.append(svg.box(3, y + 1, WIDTH - 6, _ROW - 2, "now"))
    return 32 + (len(view["gods"]) + 1) * _ROW, "".join(drawn)


def _markers(view: Builtin, god: str, y: float) -> Iterator[str]:
    """Who stands on a god, with how much."""
    if god == "apollo":
        for each in view["apollo"]:
            yield svg.mark(each["seat"], 120 + 30 * (each["place"] - 1), y, 9)
    for bid in view["bids"]:
        if bid["god"] == god:
            yield svg.mark(bid["seat"], 120, y, 9)
            yield svg.words(138, y + 4, f"offers {amount_named(bid['amount'])}")


def _track(view: Builtin) -> Panel:
    drawn = [svg.words(12, 20, "Creatures", "strong")]
    width = (WIDTH - 48) / len(PRICES)
    for place, (price, creature) in enumerate(zip(PRICES, view["track"], strict=True)):
        x = 12 + place * (width + 12)
        drawn.append(svg.box(x, 30, width, 44, "card" if creature else "slot", round=6))
        drawn.append(svg.words(x + 8, 48, f"{price} gold", "small soft"))
        drawn.append(svg.words(x + 8, 65, creature.title() if creature else "none", "strong"))
    discarded = ", ".join(each.title() for each in view["discard"]) or "none"
    lines = svg.wrapped(f"Deck: {len(view['deck'])}. Discarded: {discarded}", WIDTH - 24, size=12)
    drawn.append(svg.column(12, 94, lines, "soft"))
    return 88 + 16 * len(lines), "".join(drawn)


def _order(view: Builtin) -> Panel:
    drawn = []
    rows = (
        ("Order of offerings", view["order"]),
        ("Still to offer", view["queue"]),
        ("Done", view["finished"]),
    )
    for row, (label, seats) in enumerate(rows):
        y = 6 + row * 26
        drawn.append(svg.words(12, y + 18, label))
        drawn += [svg.mark(seat, 160 + 28 * place, y + 13, 8) for place, seat in enumerate(seats)]
    return 90, "".join(drawn)
