"""What a seat may ask for in Cyclades, one small decision a move. Which are legal is for the rules to say."""

from __future__ import annotations

from typing import Literal

from kleos.core.cyclades.vocabulary import (
    Amount,
    Building,
    Creature,
    God,
    IslandId,
    PlaceId,
    SeatId,
    SpaceId,
    Units,
)
from kleos.core.kernel.game import Move
from kleos.core.kernel.visibility import Public

Piece = Literal["troop", "fleet", "priest", "philosopher"]


class OfferTo(Move, frozen=True):
    """Place the marker on a god, with an offering of ``amount`` gold (8)."""

    god: Public[God]
    amount: Public[Amount]
    """Gold, before priests lower it."""


class OfferToApollo(Move, frozen=True):
    """Place the marker on the lowest free place of Apollo (8)."""


class CallCreature(Move, frozen=True):
    """Pay for a face-up creature; its effect happens at once (9.2)."""

    creature: Public[Creature]


class RecruitTroop(Move, frozen=True):
    """Take a troop from the reserve and place it on an own island (9.3)."""

    island: Public[IslandId]


class RecruitFleet(Move, frozen=True):
    """Take a fleet from the reserve and place it in a sea space (9.3)."""

    space: Public[SpaceId]


class TakePriest(Move, frozen=True):
    """Take a priest card (9.3)."""


class TakePhilosopher(Move, frozen=True):
    """Take a philosopher card (9.3)."""


class Build(Move, frozen=True):
    """Build the god's building, on a slot under the metropolis site or off it (9.4, R-22)."""

    island: Public[IslandId]
    on_site: Public[bool]
    """Whether the slot lies under the metropolis site of the island."""


class MoveTroops(Move, frozen=True):
    """Move troops from an own island to another, over a chain of own fleets (10.2); with Pegasus, freely."""

    origin: Public[IslandId]
    """The island they leave."""
    to: Public[IslandId]
    """The island they go to."""
    troops: Public[Units]
    """How many go."""


class Sail(Move, frozen=True):
    """Move fleets one space; the first step of a move is paid for (10.1, R-09)."""

    origin: Public[SpaceId]
    """The sea space they leave."""
    to: Public[SpaceId]
    """The sea space they go to."""
    ships: Public[Units]
    """How many fleets go."""


class SwapCreature(Move, frozen=True):
    """Discard a face-up creature and draw another in its place (9.5)."""

    creature: Public[Creature]


class EndTurn(Move, frozen=True):
    """End the turn (9.1)."""


class Stop(Move, frozen=True):
    """Make no further step, or sell no further piece."""


class FightOn(Move, frozen=True):
    """Stay in the battle (11)."""


class Retreat(Move, frozen=True):
    """Leave the battle with all remaining units (11)."""

    to: Public[PlaceId]
    """The island or the sea space that the units go to."""


class ChooseIsland(Move, frozen=True):
    """Name an island: a creature's target, the place of a metropolis or of a prosperity marker."""

    island: Public[IslandId]


class ChooseSpace(Move, frozen=True):
    """Name a sea space as a creature's target."""

    space: Public[SpaceId]


class ChooseRival(Move, frozen=True):
    """Name another player as a creature's target."""

    rival: Public[SeatId]
    """The seat that is named."""


class ChooseCreature(Move, frozen=True):
    """Name the discarded creature whose effect the Chimera copies (C-31)."""

    creature: Public[Creature]


class ChooseBuilding(Move, frozen=True):
    """Name a building: the Giant's target, or one to give for a metropolis (R-22)."""

    island: Public[IslandId]
    building: Public[Building]
    on_site: Public[bool]
    """Whether the slot lies under the metropolis site of the island."""


class Rebuild(Move, frozen=True):
    """Have the Cyclops turn an own building into one of another type (C-30)."""

    island: Public[IslandId]
    building: Public[Building]
    """What stands there."""
    on_site: Public[bool]
    """Whether the slot lies under the metropolis site of the island."""
    into: Public[Building]
    """What is to stand there."""


class Lure(Move, frozen=True):
    """Have the Siren replace a lone enemy fleet; ``source`` is an own space when the reserve is empty."""

    space: Public[SpaceId]
    """Where the fleet lies."""
    source: Public[SpaceId | None] = None
    """Where an own fleet is taken from when the reserve is empty; else null."""


class MoveKraken(Move, frozen=True):
    """Pay to move the Kraken one space (14.3)."""

    to: Public[SpaceId]


class Push(Move, frozen=True):
    """Push the fleets of a space away from Polyphemus (R-16)."""

    origin: Public[SpaceId]
    to: Public[SpaceId]


class Sell(Move, frozen=True):
    """Sell one piece to the Sphinx; ``place`` is where a troop or fleet stands (14.1)."""

    piece: Public[Piece]
    place: Public[PlaceId | None] = None
    """Where a troop or a fleet stands; null for a card."""


AnyMove = (
    OfferTo
    | OfferToApollo
    | CallCreature
    | RecruitTroop
    | RecruitFleet
    | TakePriest
    | TakePhilosopher
    | Build
    | MoveTroops
    | Sail
    | SwapCreature
    | EndTurn
    | Stop
    | FightOn
    | Retreat
    | ChooseIsland
    | ChooseSpace
    | ChooseRival
    | ChooseCreature
    | ChooseBuilding
    | Rebuild
    | Lure
    | MoveKraken
    | Push
    | Sell
)
