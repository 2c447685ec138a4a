"""The table of Iliad as a picture: the row, and before each seat its army, card by card.

It reads redacted builtins only, so it can show no more than its reader may know; hidden cards lie face down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kleos.core.iliad import words
from kleos.core.iliad.cards import HOPLITE, NAME, STRENGTH, TILE_POINTS
from kleos.core.kernel import svg
from kleos.core.kernel.visibility import Builtin

_WIDTH: Final = 1120
_MARGIN: Final = 16
_COLUMNS: Final = 2
_CARD: Final = (56, 66)
_PILED: Final = 19
"""How far equal cards in a pile stand apart; others lie side by side."""
_GAP: Final = 10
_CAPTION: Final = 16
_STYLE: Final = ".kleos .trophy{fill:#f3dfa2;stroke:#8a6d1a}.kleos .gain{fill:#3d2f06}"
_ENGINES: Final = (
    ("archers", "archer"),
    ("chariots", "chariot"),
    ("ballistas", "ballista"),
    ("catapults", "catapult"),
    ("walls", "wall"),
)
Unit = tuple[float, str]
"""Something that lies on the table: its width, and how it is drawn from its upper left corner."""


def picture(view: Builtin, you: int | None, *, over: bool = False) -> str:
    """The table as ``view`` shows it, through the eyes of the seat ``you``; ``over``: nobody is to act."""
    top, shared = _shared(view, over=over)
    acting = () if over else _acting(view)
    drawn, y = [shared], top
    width = (_WIDTH - _MARGIN * (_COLUMNS + 1)) / _COLUMNS
    armies = view["armies"]
    for abreast in (armies[at : at + _COLUMNS] for at in range(0, len(armies), _COLUMNS)):
        panels = [_army(view, army, you, width) for army in abreast]
        height = max(tall for tall, _ in panels)
        for place, (_, panel) in enumerate(panels):
            x = _MARGIN + place * (width + _MARGIN)
            now = abreast[place]["seat"] in acting
            frame = svg.box(0, 0, width, height, "field") + svg.box(0, 0, width, height, "now") * now
            drawn.append(svg.at(x, y, frame, panel))
        y += height + _MARGIN
    told = words.table(view, you, over=over)
    return svg.document(_WIDTH, y, told.splitlines()[0], told, *drawn, style=_STYLE)


def _acting(view: Builtin) -> tuple[int, ...]:
    if view["phase"] in ("turn", "arrange"):
        return (view["turn"],)
    return tuple(view["choosing"][:1]) if view["phase"] == "choose" else ()


# Cards


def _card(card: str | None) -> str:
    """An army card face up with its strength standing alone, or face down."""
    width, height = _CARD
    if card is None:
        return svg.box(0, 0, width, height, "back", round=6)
    kind, _, value = NAME[card].partition(" ")  # type: ignore[index]
    name = [kind, value] if value and not value.isdecimal() else [kind]
    strength = STRENGTH[card]  # type: ignore[index]
    return (
        svg.box(0, 0, width, height, "card", round=6)
        + (svg.words(7, 21, str(strength), "large") if strength else "")
        + svg.column(width / 2, height - 8 - 11 * (len(name) - 1), name, "small", step=11, anchor="middle")
    )


def _joined(cards: Iterable[str | None], step: float = _CARD[0]) -> Unit:
    """Cards that belong together, the first at the left."""
    together = list(cards)
    drawn = [svg.at(place * step, 0, _card(card)) for place, card in enumerate(together)]
    return (len(together) - 1) * step + _CARD[0], "".join(drawn)


def _captioned(unit: Unit, caption: str) -> Unit:
    width, drawn = unit
    return width, drawn + svg.words(width / 2, _CARD[1] + 13, caption, "small soft", "middle")


def _prize(label: str, points: str = "") -> Unit:
    """A victory card, an oracle, a hero or a tile."""
    width = max(48.0, len(label + points) * 8 + 26)
    drawn = svg.box(0, 0, width, 24, "trophy", round=5)
    return width, drawn + svg.words(width / 2, 16.5, label + points, "gain", "middle")


def _laid(units: Iterable[Unit], width: float, height: float) -> tuple[float, str]:
    """Units from left to right, in as many rows as it takes; how tall all is."""
    x = y = 0.0
    drawn = []
    for wide, unit in units:
        if x and x + wide > width:
            x, y = 0.0, y + height
        drawn.append(svg.at(x, y, unit))
        x += wide + _GAP
    return (y + height if drawn else 0.0), "".join(drawn)


# What belongs to nobody


def _shared(view: Builtin, *, over: bool) -> tuple[float, str]:
    title = words.heading(view, over=over)[0]
    if view["outcome"] is not None:
        title += f". {words.outcome_named(view['outcome'])}"
    prizes = [_prize(words.VICTORY[card]) for card in view["row"]]
    heroes = [_prize(f"{words.HERO[hero]} {hero}") for hero in view["heroes"]]
    tiles = [_prize(tile.capitalize(), "") for tile in TILE_POINTS if view[tile] is None]
    drawn = [svg.words(_MARGIN, 32, title, "large")]
    y = 48.0
    for label, units in (("Row", prizes), ("Heroes", heroes), ("Tiles", tiles)):
        if units:
            tall, row = _laid(units, _WIDTH - 90 - _MARGIN, 30)
            drawn += [svg.words(_MARGIN, y + 17, label, "strong"), svg.at(90, y, row)]
            y += tall
    for line in svg.wrapped(_piles(view), _WIDTH - 2 * _MARGIN):
        drawn.append(svg.words(_MARGIN, y + 16, line, "soft"))
        y += 18
    return y + 14, "".join(drawn)


def _piles(view: Builtin) -> str:
    decks = [f"army {len(view['deck'])}", f"victory {len(view['victory_deck'])}"]
    if view["oracle_deck"]:
        decks.append(f"oracle {len(view['oracle_deck'])}")
    said = f"Decks: {', '.join(decks)}. Discards: {words.cards_named(view['discards'])}."
    if view["spent_oracles"]:
        said += f" Oracles out of play: {', '.join(words.ORACLE[card] for card in view['spent_oracles'])}."
    return said


# An army


def _army(view: Builtin, army: Builtin, you: int | None, width: float) -> tuple[float, str]:
    """What lies before a seat, and how tall it is."""
    seat, inner = army["seat"], width - 2 * _GAP
    drawn, y = [svg.mark(seat, 24, 24, 12), svg.words(46, 29, _title(view, army, you), "strong")], 46.0
    for units, height in (
        (_trophies(view, army), 32),
        (_units(army), _CARD[1] + _CAPTION + 6),
        (_hand(army), _CARD[1] + _CAPTION + 6),
    ):
        tall, row = _laid(units, inner, height)
        drawn.append(svg.at(_GAP, y, row) if row else "")
        y += tall
    return y + 4, "".join(drawn)


def _title(view: Builtin, army: Builtin, you: int | None) -> str:
    marks = ["you"] * (army["seat"] == you)
    if len(view["scores"]) < len(view["armies"]):
        marks.append(f"team {army['side']}")
    marked = f" ({', '.join(marks)})" if marks else ""
    state = [f"score {view['scores'][army['side']]}", f"strength {army['strength']}"]
    state.append(f"{len(army['hand'])} in hand")
    if army["discarded"]:
        state.append(f"{len(army['discarded'])} discarded unseen")
    if army["passed"]:
        state.append("passed")
    return f"Seat {army['seat']}{marked}: {', '.join(state)}"


def _trophies(view: Builtin, army: Builtin) -> list[Unit]:
    held = [f"{words.HERO[army['hero']]} {army['hero']}"] if army["hero"] else []
    held += [words.VICTORY[card] for card in army["victories"]]
    held += [words.ORACLE[card] for card in army["penalties"]]
    held += [tile.capitalize() for tile in TILE_POINTS if words.holds(view, army, tile)]
    return [_prize(label) for label in held]


def _units(army: Builtin) -> Iterator[Unit]:
    for line in army["lines"]:
        joined = _joined(HOPLITE[value] for value in line)
        yield _captioned(joined, "front first" * (len(line) > 1))
    for riders in army["elephants"]:
        yield _captioned(_joined(("elephant", *riders)), "" if riders else "no riders")
    for field, card in _ENGINES:
        if army[field]:
            yield _captioned(
                _joined([card] * army[field], _PILED), f"{army[field]} x" if army[field] > 1 else ""
            )
    for place, horse in enumerate(army["horses"]):
        hidden = horse["hidden"]
        yield _captioned(_joined(("trojan_horse", *hidden)), f"{place}: {len(hidden)} hidden")
    if army["revealed"]:
        yield _captioned(_joined(army["revealed"]), "to be placed")


def _hand(army: Builtin) -> list[Unit]:
    """The cards of a hand that can be seen; one that cannot is only counted, in the title."""
    cards = army["hand"]
    return [_captioned(_joined([card]), "hand") for card in cards] if any(cards) else []
