"""What can happen to one army: a card is placed, a unit is lost, all is cleared.

Each function takes an army and returns it changed, its strength kept in step. It knows no other seat and no
rule: whether a thing may happen is told in ``placing`` and ``attacking``.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from kleos.core.iliad.cards import STRENGTH, VALUE, Card, in_order, without
from kleos.core.iliad.effects import UnitsDestroyed
from kleos.core.iliad.state import Army, Horse, Line, Riders
from kleos.core.iliad.strength import behind, riding, strength

_ALIKE: Final[dict[Card, str]] = {
    "archer": "archers",
    "chariot": "chariots",
    "catapult": "catapults",
    "ballista": "ballistas",
    "wall": "walls",
}
"""Cards of which an army only counts how many stand alone."""


# Placing


def stand_alone(army: Army, card: Card) -> Army:
    """``card`` stands on the table by itself."""
    stronger = army.strength + STRENGTH[card]
    if card in VALUE:
        return replace(army, lines=_sorted((*army.lines, (VALUE[card],))), strength=stronger)
    if card == "elephant":
        return replace(army, elephants=((), *army.elephants), strength=stronger)
    if card == "trojan_horse":
        return replace(army, horses=(*army.horses, Horse(())), strength=stronger)
    field = _ALIKE[card]
    return replace(army, **{field: getattr(army, field) + 1, "strength": stronger})


def follow(army: Army, card: Card, line: Line) -> Army:
    """A hoplite goes behind the last card of ``line``."""
    value = VALUE[card]
    lines = _sorted((*_less(army.lines, line), (*line, value)))
    return replace(army, lines=lines, strength=army.strength + behind(line, value))


def mount(army: Army, card: Card, riders: Riders) -> Army:
    """``card`` climbs the elephant that carries ``riders``."""
    herd = _herd((*_less(army.elephants, riders), in_order((*riders, card))))
    return replace(army, elephants=herd, strength=army.strength + riding(card))


def hide(army: Army, card: Card, horse: int) -> Army:
    """``card`` goes into the horse at this place."""
    fuller = Horse((*army.horses[horse].hidden, card))
    return replace(army, horses=(*army.horses[:horse], fuller, *army.horses[horse + 1 :]))


# Losing


def less_attacker(army: Army, fact: UnitsDestroyed) -> Army:
    """The attacker is spent; its elephant stays."""
    if fact.source == "hand":
        return replace(army, hand=without(army.hand, fact.attacker))
    if fact.source == "elephant":
        herd = _herd((*_less(army.elephants, fact.mount), without(fact.mount, fact.attacker)))
        return _measured(replace(army, elephants=herd))
    return _measured(_one_less(army, fact.attacker))


def less_target(army: Army, fact: UnitsDestroyed) -> Army:
    """The target is gone; a line closes up, what was carried is not here any more."""
    if fact.line:
        at = fact.line.index(VALUE[fact.target])
        rest = fact.line[:at] + fact.line[at + 1 :]
        lines = _less(army.lines, fact.line)
        return _measured(replace(army, lines=_sorted((*lines, rest)) if rest else lines))
    if fact.target == "elephant":
        return _measured(replace(army, elephants=_less(army.elephants, fact.riders)))
    if fact.horse is not None:
        return replace(army, horses=army.horses[: fact.horse] + army.horses[fact.horse + 1 :])
    return _measured(_one_less(army, fact.target))


def bare(army: Army, *, passed: bool) -> Army:
    """Nothing is left on the table; hand and trophies are kept."""
    return Army(
        seat=army.seat,
        side=army.side,
        hand=army.hand,
        passed=passed,
        victories=army.victories,
        penalties=army.penalties,
        discarded=army.discarded,
    )


def _one_less(army: Army, card: Card) -> Army:
    field = _ALIKE[card]
    return replace(army, **{field: getattr(army, field) - 1})


def _measured(army: Army) -> Army:
    return replace(army, strength=strength(army))


def _less(units: tuple[Any, ...], unit: Any) -> tuple[Any, ...]:
    place = units.index(unit)
    return units[:place] + units[place + 1 :]


def _sorted(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(sorted(lines, reverse=True))


def _herd(elephants: tuple[Riders, ...]) -> tuple[Riders, ...]:
    return tuple(sorted(elephants))
