"""The moves of Iliad: what a seat asks for, every unit named by its content (R-17).

A line is named by its values from front to back, an elephant by its riders, a horse by its place. Whether a
move is legal is told in ``placing``, ``attacking`` and ``siege``; here is only its form.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kleos.core.iliad.cards import Card, Victory
from kleos.core.kernel.game import Move
from kleos.core.kernel.visibility import Owned, Public

SeatNumber = Annotated[int, Meta(ge=0, le=5)]
Value = Annotated[int, Meta(ge=1, le=4)]
LineOf = Annotated[tuple[Value, ...], Meta(max_length=4)]
RidersOf = Annotated[tuple[Card, ...], Meta(max_length=2)]
HorsePlace = Annotated[int, Meta(ge=0, le=75)]
Source = Literal["table", "elephant", "hand"]


class Place(Move, frozen=True, gc=False):
    """Put a card on the table alone (rule 4.1)."""

    card: Public[Card]


class Extend(Move, frozen=True, gc=False):
    """Put a hoplite behind the last card of one of your lines (rule 4.1)."""

    card: Public[Card]
    line: Public[LineOf]


class Mount(Move, frozen=True, gc=False):
    """Put a hoplite or an archer on one of your elephants; ``riders`` already sit there (rule 4.1)."""

    card: Public[Card]
    riders: Public[RidersOf] = ()


class Hide(Move, frozen=True, gc=False):
    """Put a hoplite or an archer face down into one of your horses (rule 4.1)."""

    card: Owned[Card]
    horse: Public[HorsePlace]


class Attack(Move, frozen=True, gc=False, omit_defaults=True):
    """Destroy ``target`` before the seat ``against``, and lose the attacker (rule 4.2).

    ``source``: where the attacker comes from; an archer on an ``elephant`` names all its riders in
    ``mount``. A hoplite as target stands in ``line``, an elephant carries ``riders``, a horse is named by
    its place ``horse``.
    """

    attacker: Public[Card]
    against: Public[SeatNumber]
    target: Public[Card]
    source: Public[Source] = "table"
    mount: Public[RidersOf] = ()
    line: Public[LineOf] = ()
    riders: Public[RidersOf] = ()
    horse: Public[HorsePlace | None] = None


class Pass(Move, frozen=True, gc=False):
    """Do nothing (rule 4.3): final for this siege, except with two players (rule 9.3)."""


class Arrange(Move, frozen=True, gc=False):
    """Place all your revealed cards so that your army is as strong as it can be (R-09)."""


class Choose(Move, frozen=True, gc=False):
    """Take a victory card from the row (rules 6.1.4, 6.2.2, 9.5)."""

    card: Public[Victory]


class Discard(Move, frozen=True, gc=False):
    """Discard a card because you hold more than the hand limit (rule 3.3)."""

    card: Owned[Card]


Placing = Place | Extend | Mount | Hide
IliadMove = Place | Extend | Mount | Hide | Attack | Pass | Arrange | Choose | Discard
