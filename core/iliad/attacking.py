"""Attacking (rule 4.2): who may destroy what, and the reason of every refusal.

``weapons`` lists what a seat can attack with, ``attacks_on`` what such a weapon can do to an opponent; an
attack is legal exactly when both list it. Nothing here knows whose turn it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from kleos.core.iliad.cards import HOPLITE, NAME, VALUE, Card, in_order
from kleos.core.iliad.effects import HorseBroken, IliadEffect, RidersFell, UnitsDestroyed
from kleos.core.iliad.moves import Attack, Source
from kleos.core.iliad.placing import show
from kleos.core.iliad.setup import opponents
from kleos.core.iliad.state import Army, Riders, State
from kleos.core.kernel.errors import Illegal


class Weapon(NamedTuple):
    """What attacks, and from where; ``mount`` are all riders of the elephant a riding archer sits on."""

    attacker: Card
    source: Source = "table"
    mount: Riders = ()


_ARCHER: Final = Weapon("archer")
_CHARIOT: Final = Weapon("chariot")
_CHARIOT_FROM_HAND: Final = Weapon("chariot", "hand")
_BALLISTA: Final = Weapon("ballista")
_CATAPULT: Final = Weapon("catapult")

MAY_DESTROY: Final[dict[Card, str]] = {
    "archer": "a lone archer or the last hoplite of a line (the first, from an elephant)",
    "chariot": "a lone archer or the last hoplite of a line, unless its owner has a wall",
    "ballista": "an elephant or a chariot",
    "catapult": "a trojan horse, a ballista, a catapult or a wall",
}


def weapons(army: Army) -> list[Weapon]:
    """What the seat can attack with: on the table, and chariots from the hand."""
    found = [_ARCHER] if army.archers else []
    if army.elephants:
        mounts = [riders for riders in dict.fromkeys(army.elephants) if "archer" in riders]
        found += [Weapon("archer", "elephant", riders) for riders in mounts]
    if army.chariots:
        found.append(_CHARIOT)
    if "chariot" in army.hand:
        found.append(_CHARIOT_FROM_HAND)
    if army.ballistas:
        found.append(_BALLISTA)
    if army.catapults:
        found.append(_CATAPULT)
    return found


def _by_archer(army: Army, weapon: Weapon) -> list[Attack]:
    return _on_men(army, weapon, 0 if weapon.source == "elephant" else -1)


def _by_chariot(army: Army, weapon: Weapon) -> list[Attack]:
    return [] if army.walls else _on_men(army, weapon, -1)


def _on_men(army: Army, weapon: Weapon, end: int) -> list[Attack]:
    """Lone archers, and of each line the card at one end: 0 is its head, -1 its last."""
    attacker, source, mount = weapon
    found = [Attack(attacker, army.seat, "archer", source, mount)] if army.archers else []
    if army.lines:
        found += [
            Attack(attacker, army.seat, HOPLITE[line[end]], source, mount, line)
            for line in dict.fromkeys(army.lines)
        ]
    return found


def _by_ballista(army: Army, _weapon: Weapon) -> list[Attack]:
    seat = army.seat
    found = [Attack("ballista", seat, "elephant", riders=riders) for riders in dict.fromkeys(army.elephants)]
    if army.chariots:
        found.append(Attack("ballista", seat, "chariot"))
    return found


def _by_catapult(army: Army, _weapon: Weapon) -> list[Attack]:
    seat = army.seat
    found = [Attack("catapult", seat, "trojan_horse", horse=place) for place in range(len(army.horses))]
    if army.ballistas:
        found.append(Attack("catapult", seat, "ballista"))
    if army.catapults:
        found.append(Attack("catapult", seat, "catapult"))
    if army.walls:
        found.append(Attack("catapult", seat, "wall"))
    return found


_BY: Final[dict[Card, Callable[[Army, Weapon], list[Attack]]]] = {
    "archer": _by_archer,
    "chariot": _by_chariot,
    "ballista": _by_ballista,
    "catapult": _by_catapult,
}


def attacks_on(army: Army, weapon: Weapon) -> list[Attack]:
    """Every attack with ``weapon`` on what lies before the seat of ``army``."""
    return _BY[weapon.attacker](army, weapon)


def attacks(state: State, army: Army) -> list[Attack]:
    """Every legal attack of a seat."""
    armed = weapons(army)
    found: list[Attack] = []
    if armed:
        against = [state.armies[seat] for seat in opponents(state.setup, army.seat)]
        for weapon in armed:
            attack = _BY[weapon.attacker]
            for other in against:
                found += attack(other, weapon)
    return found


def legal(state: State, army: Army, move: Attack) -> bool:
    """Whether ``attacks`` lists the move, without listing the others."""
    weapon = Weapon(move.attacker, move.source, move.mount)
    return (
        weapon in weapons(army)
        and move.against in opponents(state.setup, army.seat)
        and move in attacks_on(state.armies[move.against], weapon)
    )


def attacked(state: State, seat: int, move: Attack) -> list[IliadEffect]:
    """The effects of a legal attack: both are discarded, and whoever was carried falls (rule 4.2)."""
    found: list[IliadEffect] = [
        UnitsDestroyed(
            rule="iliad.4.2",
            seat=seat,
            attacker=move.attacker,
            against=move.against,
            target=move.target,
            source=move.source,
            mount=move.mount,
            line=move.line,
            riders=move.riders,
            horse=move.horse,
        )
    ]
    if move.riders:
        found.append(RidersFell(rule="iliad.4.2", seat=move.against, cards=move.riders))
    if move.horse is not None:
        hidden = state.armies[move.against].horses[move.horse].hidden
        if hidden:
            found.append(HorseBroken(rule="iliad.4.2", seat=move.against, cards=in_order(hidden)))
    return found


# Refusals


def refuse(state: State, army: Army, move: Attack) -> Illegal:
    """Why the attack is not among ``attacks``."""
    reason, rule = (
        _no_weapon(army, move)
        or _no_opponent(state, army, move)
        or _no_target(state.armies[move.against], move)
    )
    return Illegal(reason, rule=rule, seat=army.seat)


def _no_weapon(army: Army, move: Attack) -> tuple[str, str] | None:
    if Weapon(move.attacker, move.source, move.mount) in weapons(army):
        return None
    name = NAME[move.attacker]
    if move.attacker not in MAY_DESTROY:
        return f"a {name} cannot attack: only archers, chariots, ballistas and catapults do", "iliad.4.2"
    if move.source == "hand" and move.attacker != "chariot":
        return f"only a chariot attacks straight from the hand; place the {name} first", "iliad.4.2"
    if move.source == "hand":
        return "you hold no chariot", "iliad.4.2"
    if move.source == "elephant":
        return f"you have no elephant with these riders that a {name} could attack from", "iliad.4.2"
    if move.mount:
        return "only an attacker on an elephant names a mount", "iliad.4.2"
    return f"you have no {name} on the table to attack with", "iliad.4.2"


def _no_opponent(state: State, army: Army, move: Attack) -> tuple[str, str] | None:
    against = opponents(state.setup, army.seat)
    if move.against in against:
        return None
    if move.against < len(state.armies) and move.against != army.seat:
        return f"seat {move.against} is your partner, not an opponent", "iliad.10.7"
    return f"attack an opponent: seat {', '.join(str(seat) for seat in against)}", "iliad.4.2"


def _no_target(army: Army, move: Attack) -> tuple[str, str]:
    attacker, target = NAME[move.attacker], NAME[move.target]
    weapon = Weapon(move.attacker, move.source, move.mount)
    may = MAY_DESTROY[move.attacker]
    if not _could_hit(move.attacker, move.target):
        return f"a {attacker} may destroy {may}, never a {target}", "iliad.4.2"
    if move.attacker == "chariot" and army.walls:
        return f"seat {army.seat} has a wall: no chariot can attack any of its units", "iliad.C-26"
    if move.target in VALUE and move.line in army.lines:
        hit: Card = next(each.target for each in attacks_on(army, weapon) if each.line == move.line)
        rule = "iliad.C-08" if move.source == "elephant" else "iliad.4.2"
        return f"of the line {show(move.line)} this attack hits the {NAME[hit]} only, not the {target}", rule
    if any(move.target in riders for riders in army.elephants):
        return f"a {target} riding an elephant cannot be attacked while it is mounted", "iliad.4.2"
    if move.target == "trojan_horse" and army.horses:
        return f"the horses of seat {army.seat} are numbered 0 to {len(army.horses) - 1}", "iliad.R-17"
    return f"there is no such {target} before seat {army.seat}", "iliad.4.2"


def _could_hit(attacker: Card, target: Card) -> bool:
    """The table of rule 4.2 by kind of card."""
    match attacker:
        case "archer" | "chariot":
            return target in VALUE or target == "archer"
        case "ballista":
            return target in ("elephant", "chariot")
        case _:
            return target in ("trojan_horse", "ballista", "catapult", "wall")
