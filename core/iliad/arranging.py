"""The strongest way to place revealed cards (R-09): the one move an absent owner would want made.

Revealed cards go behind lines, onto elephants or alone. For every choice of riders the hoplites left over
are laid from the highest value down, each behind the strongest line that takes it: strength being the sum
of a line times its length, a card is worth the more the stronger the line it joins.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from kleos.core.iliad.cards import ELEPHANT_PLACES, HOPLITE, STRENGTH, VALUE, Card
from kleos.core.iliad.moves import Extend, Mount, Place, Placing
from kleos.core.iliad.placing import followers
from kleos.core.iliad.setup import PhalanxStep
from kleos.core.iliad.state import Army, Riders
from kleos.core.iliad.strength import behind, riding


class Arrangement(NamedTuple):
    """Placements in order, and what they add to the strength of the army."""

    moves: list[Placing]
    worth: int


def strongest(army: Army, step: PhalanxStep) -> Arrangement:
    """The arrangement that leaves the army as strong as its revealed cards can make it."""
    places = sum(ELEPHANT_PLACES - len(riders) for riders in army.elephants)
    arrangements = (_arranged(army, step, riders) for riders in _choices(army.revealed, places))
    return max(arrangements, key=lambda arrangement: arrangement.worth)


def _choices(cards: tuple[Card, ...], places: int) -> Iterator[list[Card]]:
    """Every choice of hoplites to ride, strongest first; archers take the places that are left."""
    hoplites: list[Card] = [HOPLITE[value] for value in sorted(HOPLITE, reverse=True)]
    archer: Card = "archer"
    for counts in product(*(range(min(cards.count(card), places), -1, -1) for card in hoplites)):
        riders: list[Card] = []
        for card, count in zip(hoplites, counts, strict=True):
            riders.extend(card for _ in range(count))
        if len(riders) <= places:
            riders.extend(archer for _ in range(min(cards.count(archer), places - len(riders))))
            yield riders


def _arranged(army: Army, step: PhalanxStep, riders: list[Card]) -> Arrangement:
    """The arrangement with these riders."""
    moves, worth = _mounted(army, riders)
    left = list(army.revealed)
    for card in riders:
        left.remove(card)
    lines = list(army.lines)
    for card in sorted(left, key=lambda card: -VALUE.get(card, 0)):
        value = VALUE.get(card, 0)
        gains = [(behind(line, value), line) for line in lines if value in followers(step, line)]
        if gains:
            gain, line = max(gains)
            moves.append(Extend(card, line))
            lines[lines.index(line)] = (*line, value)
        else:
            gain = STRENGTH[card]
            moves.append(Place(card))
            lines += [(value,)] if value else []
        worth += gain
    return Arrangement(moves, worth)


def _mounted(army: Army, riders: list[Card]) -> Arrangement:
    moves: list[Placing] = []
    elephants: list[Riders] = list(army.elephants)
    for card in riders:
        place = next(at for at, mounted in enumerate(elephants) if len(mounted) < ELEPHANT_PLACES)
        moves.append(Mount(card, elephants[place]))
        elephants[place] = (*elephants[place], card)
    return Arrangement(moves, sum(map(riding, riders)))
