"""Placing one card (rule 4.1), from the hand or, when the horses are opened, from the revealed cards.

``placings`` lists where a card may go; a placement is legal exactly when it is listed. ``refuse`` tells why
one is not. Neither knows whose turn it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kleos.core.iliad.cards import CARDS, ELEPHANT_PLACES, FOOT, NAME, VALUE, Card
from kleos.core.iliad.effects import (
    CardHidden,
    CardPlaced,
    ElephantMounted,
    IliadEffect,
    LineExtended,
)
from kleos.core.iliad.moves import Extend, Hide, Mount, Place, Placing
from kleos.core.iliad.setup import PhalanxStep
from kleos.core.iliad.state import Army, Line, State
from kleos.core.kernel.errors import Illegal

_ALONE: Final[dict[Card, Place]] = {card: Place(card) for card in CARDS}
_FOLLOWERS: Final[dict[PhalanxStep, dict[int, tuple[int, ...]]]] = {
    "exact": {4: (3,), 3: (2,), 2: (1,), 1: ()},
    "descending": {4: (3, 2, 1), 3: (2, 1), 2: (1,), 1: ()},
}


def followers(step: PhalanxStep, line: Line) -> tuple[int, ...]:
    """The values that may stand right behind a line (C-05)."""
    return _FOLLOWERS[step][line[-1]]


def placings(state: State, army: Army, cards: Iterable[Card]) -> list[Placing]:
    """Where each of ``cards`` may be put; horses are closed to revealed cards (R-09)."""
    follow = _FOLLOWERS[state.options.phalanx_step]
    lines = dict.fromkeys(army.lines)
    carriers = dict.fromkeys(army.elephants)
    horses = range(len(army.horses)) if state.phase == "turn" else ()
    found: list[Placing] = []
    for card in cards:
        if card != "trojan_horse" or not state.gorgon:
            found.append(_ALONE[card])
        if lines and card in VALUE:
            value = VALUE[card]
            found += [Extend(card, line) for line in lines if value in follow[line[-1]]]
        if carriers and card in FOOT:
            found += [Mount(card, riders) for riders in carriers if len(riders) < ELEPHANT_PLACES]
        if horses and card in FOOT:
            found += [Hide(card, horse) for horse in horses]
    return found


def placed(seat: int, move: Placing, rule: str) -> IliadEffect:
    """The effect of a legal placement."""
    match move:
        case Place(card=card):
            return CardPlaced(rule=rule, seat=seat, card=card)
        case Extend(card=card, line=line):
            return LineExtended(rule=rule, seat=seat, card=card, line=line)
        case Mount(card=card, riders=riders):
            return ElephantMounted(rule=rule, seat=seat, card=card, riders=riders)
        case Hide(card=card, horse=horse):
            return CardHidden(rule=rule, seat=seat, card=card, horse=horse)


def show(line: tuple[int, ...]) -> str:
    """A line as people write it: ``4-3-2``."""
    return "-".join(str(value) for value in line)


def refuse(state: State, army: Army, cards: tuple[Card, ...], move: Placing) -> Illegal:
    """Why the placement of one of ``cards`` is not among ``placings``."""
    seat = army.seat
    if move.card not in cards:
        held = ", ".join(NAME[card] for card in dict.fromkeys(cards)) or "none"
        return Illegal(
            f"you have no {NAME[move.card]} to place; you have: {held}", rule="iliad.4.1", seat=seat
        )
    match move:
        case Place():
            return Illegal(
                "no trojan horses in a Gorgon siege: keep it, or place another card",
                rule="iliad.6.2.4",
                seat=seat,
            )
        case Extend():
            return _not_behind(state, army, move)
        case Mount():
            return _not_up(army, move)
        case Hide():
            return _not_inside(state, army, move)


def _not_behind(state: State, army: Army, move: Extend) -> Illegal:
    seat = army.seat
    value = VALUE.get(move.card)
    if value is None:
        return Illegal(
            f"only hoplites stand in lines, not the {NAME[move.card]}", rule="iliad.4.1", seat=seat
        )
    if move.line not in army.lines:
        lines = ", ".join(show(line) for line in army.lines) or "none"
        return Illegal(
            f"you have no line {show(move.line) or '(empty)'} on the table; your lines: {lines}",
            rule="iliad.4.1",
            seat=seat,
        )
    wanted = (
        " or ".join(str(each) for each in followers(state.options.phalanx_step, move.line)) or "nothing more"
    )
    return Illegal(
        f"behind the {move.line[-1]} of {show(move.line)} goes {wanted}, not a {value}; "
        "nothing goes in front or in between",
        rule="iliad.C-05",
        seat=seat,
    )


def _not_up(army: Army, move: Mount) -> Illegal:
    seat = army.seat
    if move.card not in FOOT:
        return Illegal(
            f"only hoplites and archers ride elephants, not the {NAME[move.card]}",
            rule="iliad.4.1",
            seat=seat,
        )
    if move.riders in army.elephants:
        return Illegal(f"an elephant carries {ELEPHANT_PLACES} riders at most", rule="iliad.4.1", seat=seat)
    riders = ", ".join(NAME[card] for card in move.riders) or "nobody"
    return Illegal(
        f"you have no elephant on the table that carries {riders}; it must be there before its riders",
        rule="iliad.C-29" if not army.elephants else "iliad.4.1",
        seat=seat,
    )


def _not_inside(state: State, army: Army, move: Hide) -> Illegal:
    seat = army.seat
    if move.card not in FOOT:
        return Illegal(
            f"only hoplites and archers hide in horses, not the {NAME[move.card]}",
            rule="iliad.4.1",
            seat=seat,
        )
    if state.phase != "turn":
        return Illegal("a revealed card does not go into a horse again", rule="iliad.R-09", seat=seat)
    if not army.horses:
        return Illegal(
            "you have no horse on the table; it must be there before the turn in which a card hides in it",
            rule="iliad.C-29",
            seat=seat,
        )
    return Illegal(
        f"your horses are numbered 0 to {len(army.horses) - 1}; there is no {move.horse}",
        rule="iliad.R-17",
        seat=seat,
    )
