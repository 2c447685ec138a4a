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
    """The number of the seat."""
    gold: Owned[int] = 0
    """Gold behind the screen (17): known to its seat alone until the match is over."""
    priests: Public[int] = 0
    """Each lowers what an offering costs by 1 (8)."""
    philosophers: Public[int] = 0
    """Four of them are given for a metropolis as soon as they are together (13)."""
    out: Public[bool] = False
    """Eliminated (12.3)."""


class Island(Struct, frozen=True):
    """An island. Owned without troops it still belongs to its owner (2)."""

    id: Public[str]
    """The name of the island on the board, which the manifest of the game lists with its slots and coasts."""
    slots: Public[tuple[Building | None, ...]]
    """Slot 1 first. The slots under a metropolis stay empty."""
    owner: Public[int | None] = None
    """The seat it belongs to, null for nobody."""
    troops: Public[int] = 0
    """Troops of the owner on the island; those that attack it are in the battle."""
    metropolis: Public[bool] = False
    """Whether a metropolis stands on it."""
    prosperity: Public[int] = 0
    """Prosperity markers added by Apollo. The cornucopias printed on the island are not counted here: they
    are its prosperity in the manifest.
    """
    spent: Public[tuple[int, ...]] = ()
    """Slots whose temple gave its discount this cycle, counted from 1; 0 is the metropolis (R-04)."""


class Squadron(Struct, frozen=True):
    """All the fleets in one sea space; they are always of one seat (outside a battle)."""

    space: Public[str]
    """The sea space they lie in."""
    seat: Public[int]
    """The seat they belong to."""
    ships: Public[int]
    """How many fleets."""


class Figure(Struct, frozen=True):
    """An island figure, placed by ``seat`` in ``cycle`` (14.2)."""

    creature: Public[Creature]
    """Which figure it is."""
    island: Public[str]
    """The island it stands on."""
    seat: Public[int]
    """The seat that called it."""
    cycle: Public[int]
    """The cycle in which it was called."""


class Bid(Struct, frozen=True):
    """A marker that stands on a god."""

    god: Public[God]
    """The god it stands on."""
    seat: Public[int]
    """Whose marker it is."""
    amount: Public[int]
    """What is offered, before priests lower it."""


class Worship(Struct, frozen=True):
    """A marker that stands on a place of Apollo, counted from 1."""

    place: Public[int]
    """The place of Apollo, counted from 1."""
    seat: Public[int]
    """Whose marker it is."""


class Frame(Struct, frozen=True, tag_field="type", tag=snake):
    """Base of the open decisions; ``seat`` is the one who decides."""


class Placing(Frame, frozen=True):
    """A marker must be placed, anywhere but on the god it was just pushed from (8)."""

    seat: Public[int]
    """The seat that decides."""
    barred: Public[God | None] = None
    """The god the marker was just pushed from, where it may not return; null if there is none."""


class Turn(Frame, frozen=True):
    """A turn for a god: any of its actions, in any order (9.1). ``place`` is Apollo's."""

    seat: Public[int]
    """The seat that decides."""
    god: Public[Altar]
    """The god whose actions may be taken."""
    place: Public[int] = 0
    """With Apollo the place its marker stands on, counted from 1; else 0."""
    recruits: Public[int] = 0
    """Recruits of this turn; for Apollo, whether his gift was taken."""
    steps: Public[int] = 0
    """Steps paid for this turn (R-25)."""


class Voyage(Frame, frozen=True):
    """A group of fleets under way. ``at`` is where it lies; None while any fleets may go (R-08)."""

    seat: Public[int]
    """The seat that decides."""
    at: Public[str | None]
    """The sea space the group lies in; null while any fleets may go (R-08)."""
    left: Public[int]
    """Steps that are left to the group."""


class Battle(Frame, frozen=True):
    """A battle on an island or in a sea space.

    ``seat`` is the side that is asked whether it retreats, None when a round is to be fought. The
    attacker's ``units`` are here, the defender's on the map.
    """

    seat: Public[int | None]
    """The side that is asked whether it retreats; null when a round is to be fought."""
    place: Public[str]
    """The island or the sea space that is fought over."""
    attacker: Public[int]
    """The seat that attacks."""
    defender: Public[int]
    """The seat that is attacked."""
    units: Public[int]
    """The attacker's troops or fleets that are left; the defender's are on the map."""


class Power(Frame, frozen=True):
    """A creature was called and its effect must be directed (9.2). It holds the cards that are kept."""

    seat: Public[int]
    """The seat that decides."""
    creature: Public[Creature]
    """The creature whose effect is to be directed."""


class Shuffling(Frame, frozen=True):
    """A Chimera, waiting for the effect it copied to end (R-12)."""

    seat: Public[int]
    """The seat that decides."""


class KrakenWalk(Frame, frozen=True):
    """The Kraken may be moved on (14.3)."""

    seat: Public[int]
    """The seat that decides."""


class Pushing(Frame, frozen=True):
    """Polyphemus pushes the fleets around his island away, one space after the other (R-16)."""

    seat: Public[int]
    """The seat that decides."""
    island: Public[str]
    """The island of Polyphemus."""


class Selling(Frame, frozen=True):
    """The Sphinx buys, piece by piece (14.1)."""

    seat: Public[int]
    """The seat that decides."""


class Surrender(Frame, frozen=True):
    """One building of each type in ``left`` is still to be given for a metropolis (13)."""

    seat: Public[int]
    """The seat that decides."""
    left: Public[tuple[Building, ...]]
    """Types of buildings of which one is still to be given."""


class Founding(Frame, frozen=True):
    """A metropolis is to be placed (13)."""

    seat: Public[int]
    """The seat that decides."""


class Blessing(Frame, frozen=True):
    """Apollo's prosperity marker is to be placed (9.6)."""

    seat: Public[int]
    """The seat that decides."""


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
    """What was chosen when the match was created."""
    board: Public[str]
    """The name of the board; the manifest of the game has its islands and seas."""
    players: Public[tuple[Player, ...]]
    """What each seat owns beside the map, by seat."""
    islands: Public[tuple[Island, ...]]
    """Every island, in the order of the board."""
    phase: Public[Phase] = "setup"
    """`offerings`: markers are placed on gods; `actions`: turns for the gods; `setup` is before the first
    cycle.
    """
    cycle: Public[int] = 0
    """The cycle that is played, counted from 1; 0 before the first."""
    fleets: Public[tuple[Squadron, ...]] = ()
    """Fleets by sea space, in the order of their spaces; empty spaces are not listed."""
    kraken: Public[str | None] = None
    """The sea space of the Kraken, null while it is not on the board."""
    figures: Public[tuple[Figure, ...]] = ()
    """The figures that stand on islands (14.2)."""
    track: Public[tuple[Creature | None, Creature | None, Creature | None]] = (None, None, None)
    """The creature cards on the prices 4, 3 and 2; null where a price has no card."""
    deck: Secret[Counted[tuple[Creature, ...]]] = ()
    """The creature cards to come, the top one first; whoever looks sees only how many there are."""
    discard: Public[tuple[Creature, ...]] = ()
    """Creature cards that were discarded."""
    gods: Public[tuple[God, ...]] = ()
    """The gods to be had this cycle beside Apollo, the first to act first (6)."""
    hidden: Secret[Counted[tuple[God, ...]]] = ()
    """The tiles of gods that lie face down this cycle, in order; whoever looks sees only how many there are.
    """
    order: Public[tuple[int, ...]] = ()
    """The order in which markers are offered this cycle, each by its seat; with two players each seat has
    two.
    """
    queue: Public[tuple[int, ...]] = ()
    """Markers that are still to be offered this cycle, by seat, after the one that is being placed."""
    bids: Public[tuple[Bid, ...]] = ()
    """Markers that stand on gods with what they offer; one is taken off when its turn begins or it is pushed
    away.
    """
    apollo: Public[tuple[Worship, ...]] = ()
    """Markers that stand on Apollo, who takes no offering, by place."""
    finished: Public[tuple[int, ...]] = ()
    """Markers whose turns are over, by seat, in that order; the last offers first in the next cycle."""
    revenue: Public[tuple[int, ...]] = ()
    """The gold each seat took in at the beginning of this cycle, by seat (C-57)."""
    frames: Public[tuple[AnyFrame, ...]] = ()
    """The decisions that are open, the innermost last: only that one is asked now. A turn may hold a battle,
    a battle a metropolis to be placed.
    """
    result: Public[Outcome | None] = None
    """How the match ended; null while it goes on."""
