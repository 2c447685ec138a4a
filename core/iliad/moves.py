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
    """The line as it is now, by its values, front to back."""


class Mount(Move, frozen=True, gc=False):
    """Put a hoplite or an archer on one of your elephants; ``riders`` already sit there (rule 4.1)."""

    card: Public[Card]
    riders: Public[RidersOf] = ()
    """Who already sits on that elephant."""


class Hide(Move, frozen=True, gc=False):
    """Put a hoplite or an archer face down into one of your horses (rule 4.1)."""

    card: Owned[Card]
    horse: Public[HorsePlace]
    """The place of the horse in `horses`, counted from 0."""


class Attack(Move, frozen=True, gc=False, omit_defaults=True):
    """Destroy ``target`` before the seat ``against``, and lose the attacker (rule 4.2)."""

    attacker: Public[Card]
    """The card that attacks."""
    against: Public[SeatNumber]
    """The seat that is attacked."""
    target: Public[Card]
    """The card that is attacked."""
    source: Public[Source] = "table"
    """Where the attacker comes from."""
    mount: Public[RidersOf] = ()
    """All riders of the elephant from which an archer attacks."""
    line: Public[LineOf] = ()
    """The line in which a hoplite as target stands, by its values, front to back."""
    riders: Public[RidersOf] = ()
    """Who sits on an elephant as target."""
    horse: Public[HorsePlace | None] = None
    """The place of a horse as target in `horses`, counted from 0."""


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
