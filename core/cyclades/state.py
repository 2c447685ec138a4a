"""The state of a match of Cyclades: what lies on the table, and the decisions that are open.

``frames`` is a stack of open decisions, the innermost last: the turn, the battle inside it, the metropolis
won by the battle. Structs only; what follows from them is asked in ``position``, and changed by ``effects``.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from kleos.core.cyclades.vocabulary import Altar, Building, Creature, God, Options
from kleos.core.kernel.game import Outcome, snake
from kleos.core.kernel.visibility import Counted, Owned, Public, Secret

Phase = Literal["setup", "offerings", "actions", "over"]


class Player(Struct, frozen=True):
    """What a seat owns beside the map. Gold lies behind the screen (17)."""

    seat: Public[int]
    gold: Owned[int] = 0
    priests: Public[int] = 0
    philosophers: Public[int] = 0
    out: Public[bool] = False
    """Eliminated (12.3)."""


class Island(Struct, frozen=True):
    """An island. Owned without troops it still belongs to its owner (2)."""

    id: Public[str]
    slots: Public[tuple[Building | None, ...]]
    """Slot 1 first. The slots under a metropolis stay empty."""
    owner: Public[int | None] = None
    troops: Public[int] = 0
    metropolis: Public[bool] = False
    prosperity: Public[int] = 0
    """Apollo's markers; printed cornucopias belong to the board."""
    spent: Public[tuple[int, ...]] = ()
    """Slots whose temple gave its discount this cycle; 0 is the metropolis (R-04)."""


class Squadron(Struct, frozen=True):
    """All the fleets in one sea space; they are always of one seat (outside a battle)."""

    space: Public[str]
    seat: Public[int]
    ships: Public[int]


class Figure(Struct, frozen=True):
    """An island figure, placed by ``seat`` in ``cycle`` (14.2)."""

    creature: Public[Creature]
    island: Public[str]
    seat: Public[int]
    cycle: Public[int]


class Bid(Struct, frozen=True):
    """A marker that stands on a god."""

    god: Public[God]
    seat: Public[int]
    amount: Public[int]


class Worship(Struct, frozen=True):
    """A marker that stands on a place of Apollo, counted from 1."""

    place: Public[int]
    seat: Public[int]


class Frame(Struct, frozen=True, tag_field="type", tag=snake):
    """Base of the open decisions; ``seat`` is the one who decides."""


class Placing(Frame, frozen=True):
    """A marker must be placed, anywhere but on the god it was just pushed from (8)."""

    seat: Public[int]
    barred: Public[God | None] = None


class Turn(Frame, frozen=True):
    """A turn for a god: any of its actions, in any order (9.1). ``place`` is Apollo's."""

    seat: Public[int]
    god: Public[Altar]
    place: Public[int] = 0
    recruits: Public[int] = 0
    """Recruits of this turn; for Apollo, whether his gift was taken."""
    steps: Public[int] = 0
    """Steps paid for this turn (R-25)."""


class Voyage(Frame, frozen=True):
    """A group of fleets under way. ``at`` is where it lies; None while any fleets may go (R-08)."""

    seat: Public[int]
    at: Public[str | None]
    left: Public[int]


class Battle(Frame, frozen=True):
    """A battle on an island or in a sea space.

    ``seat`` is the side that is asked whether it retreats, None when a round is to be fought. The
    attacker's ``units`` are here, the defender's on the map.
    """

    seat: Public[int | None]
    place: Public[str]
    attacker: Public[int]
    defender: Public[int]
    units: Public[int]


class Power(Frame, frozen=True):
    """A creature was called and its effect must be directed (9.2). It holds the cards that are kept."""

    seat: Public[int]
    creature: Public[Creature]


class Shuffling(Frame, frozen=True):
    """A Chimera, waiting for the effect it copied to end (R-12)."""

    seat: Public[int]


class KrakenWalk(Frame, frozen=True):
    """The Kraken may be moved on (14.3)."""

    seat: Public[int]


class Pushing(Frame, frozen=True):
    """Polyphemus pushes the fleets around his island away, one space after the other (R-16)."""

    seat: Public[int]
    island: Public[str]


class Selling(Frame, frozen=True):
    """The Sphinx buys, piece by piece (14.1)."""

    seat: Public[int]


class Surrender(Frame, frozen=True):
    """One building of each type in ``left`` is still to be given for a metropolis (13)."""

    seat: Public[int]
    left: Public[tuple[Building, ...]]


class Founding(Frame, frozen=True):
    """A metropolis is to be placed (13)."""

    seat: Public[int]


class Blessing(Frame, frozen=True):
    """Apollo's prosperity marker is to be placed (9.6)."""

    seat: Public[int]


AnyFrame = (
    Placing
    | Turn
    | Voyage
    | Battle
    | Power
    | Shuffling
    | KrakenWalk
    | Pushing
    | Selling
    | Surrender
    | Founding
    | Blessing
)


class State(Struct, frozen=True, kw_only=True):
    """A whole match between two effects. Tuples by seat are indexed by it; islands follow the board."""

    options: Public[Options]
    board: Public[str]
    players: Public[tuple[Player, ...]]
    islands: Public[tuple[Island, ...]]
    phase: Public[Phase] = "setup"
    cycle: Public[int] = 0
    fleets: Public[tuple[Squadron, ...]] = ()
    """In order of their spaces; empty spaces are not listed."""
    kraken: Public[str | None] = None
    figures: Public[tuple[Figure, ...]] = ()
    track: Public[tuple[Creature | None, Creature | None, Creature | None]] = (None, None, None)
    """The cards on the prices 4, 3 and 2."""
    deck: Secret[Counted[tuple[Creature, ...]]] = ()
    """Top first."""
    discard: Public[tuple[Creature, ...]] = ()
    gods: Public[tuple[God, ...]] = ()
    """The gods to be had this cycle, the first to act first (6)."""
    hidden: Secret[Counted[tuple[God, ...]]] = ()
    """The tiles that lie face down, in order."""
    order: Public[tuple[int, ...]] = ()
    """Markers (by their seats) in the order in which they are offered this cycle."""
    queue: Public[tuple[int, ...]] = ()
    """Markers that are still to be offered, after the one that is being placed."""
    bids: Public[tuple[Bid, ...]] = ()
    apollo: Public[tuple[Worship, ...]] = ()
    finished: Public[tuple[int, ...]] = ()
    """Markers whose turns are over, in that order; the last offers first in the next cycle."""
    revenue: Public[tuple[int, ...]] = ()
    """What each seat took in this cycle (C-57)."""
    frames: Public[tuple[AnyFrame, ...]] = ()
    result: Public[Outcome | None] = None
