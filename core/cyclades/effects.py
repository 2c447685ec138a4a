"""The facts of Cyclades: everything that can happen, with the paragraph of the rules it follows from.

Folding the effects of a match in order gives its state (``evolve``). Costs and revenues are public, for they
can be inferred from what everybody sees; no effect shows what lies behind a screen, but for the one purse
that the Griffon opens (17).
"""

from __future__ import annotations

from kleos.core.cyclades.moves import AnyMove, Piece
from kleos.core.cyclades.vocabulary import Altar, Building, Creature, God
from kleos.core.kernel.game import Effect, Outcome
from kleos.core.kernel.visibility import Counted, Public, Secret

# Set-up and the start of a cycle


class StartsDrawn(Effect, frozen=True, kw_only=True):
    """Which start position each seat got; its troops, fleets and gold are laid out (S1, S2, R-02)."""

    rule: Public[str] = "cyclades.R-02"
    starts: Public[tuple[int, ...]]


class DeckShuffled(Effect, frozen=True, kw_only=True):
    """Deck, discard pile and a waiting Chimera became a new deck (S3, 5, C-31, R-11)."""

    rule: Public[str] = "cyclades.5"
    deck: Secret[Counted[tuple[Creature, ...]]]


class OrderDrawn(Effect, frozen=True, kw_only=True):
    """The markers were shuffled onto the turn track (S5, C-44)."""

    rule: Public[str] = "cyclades.C-44"
    order: Public[tuple[int, ...]]


class CycleBegun(Effect, frozen=True, kw_only=True):
    """A cycle begins; every temple may give its discount again (4, R-04)."""

    rule: Public[str] = "cyclades.4"
    cycle: Public[int]


class TrackMoved(Effect, frozen=True, kw_only=True):
    """The creature cards moved on, and the card left on the last position was discarded (5, C-33)."""

    rule: Public[str] = "cyclades.5"
    track: Public[tuple[Creature | None, Creature | None, Creature | None]]
    discarded: Public[Creature | None]


class CreatureDrawn(Effect, frozen=True, kw_only=True):
    """The top card of the deck was laid on the position of that price (5)."""

    rule: Public[str] = "cyclades.5"
    creature: Public[Creature]
    price: Public[int]


class RowDealt(Effect, frozen=True, kw_only=True):
    """The god tiles of the cycle, the first to act first (6, R-03)."""

    rule: Public[str] = "cyclades.6"
    gods: Public[tuple[God, ...]]
    hidden: Secret[Counted[tuple[God, ...]]]


class RevenueCollected(Effect, frozen=True, kw_only=True):
    """What each seat took from the bank (7)."""

    rule: Public[str] = "cyclades.7"
    gold: Public[tuple[int, ...]]


class OfferingsOpened(Effect, frozen=True, kw_only=True):
    """The first marker is to be placed (8)."""

    rule: Public[str] = "cyclades.8"


# Offerings


class OfferingMade(Effect, frozen=True, kw_only=True):
    """A marker stands on a god; ``displaced`` must be placed anew at once (8)."""

    rule: Public[str] = "cyclades.8"
    seat: Public[int]
    god: Public[God]
    amount: Public[int]
    displaced: Public[int | None]


class ApolloJoined(Effect, frozen=True, kw_only=True):
    """A marker stands on a place of Apollo (8)."""

    rule: Public[str] = "cyclades.8"
    seat: Public[int]
    place: Public[int]


class OfferingsPaid(Effect, frozen=True, kw_only=True):
    """What each seat paid for its offerings; the actions begin (8, C-60)."""

    rule: Public[str] = "cyclades.8"
    gold: Public[tuple[int, ...]]


# Turns


class TurnBegun(Effect, frozen=True, kw_only=True):
    """A turn for a god begins; ``place`` is Apollo's, else 0 (9.1)."""

    rule: Public[str] = "cyclades.9.1"
    seat: Public[int]
    god: Public[Altar]
    place: Public[int]


class FigureLeft(Effect, frozen=True, kw_only=True):
    """The time of an island figure is over; its card was discarded (14.2, C-40)."""

    rule: Public[str] = "cyclades.14.2"
    creature: Public[Creature]
    island: Public[str]


class TurnEnded(Effect, frozen=True, kw_only=True):
    """The marker went to the turn track (9.1, C-43)."""

    rule: Public[str] = "cyclades.9.1"
    seat: Public[int]
    god: Public[Altar]


class OnlyChoice(Effect, frozen=True, kw_only=True):
    """A decision had one legal move, which was made for the seat (R-07)."""

    rule: Public[str] = "cyclades.R-07"
    seat: Public[int]
    move: Public[AnyMove]


class ApolloPaid(Effect, frozen=True, kw_only=True):
    """Apollo gave gold (9.6); ``marker``: a prosperity marker is to be placed."""

    rule: Public[str] = "cyclades.9.6"
    seat: Public[int]
    gold: Public[int]
    marker: Public[bool]


class ProsperityPlaced(Effect, frozen=True, kw_only=True):
    """A prosperity marker lies on an island (9.6, R-14)."""

    rule: Public[str] = "cyclades.9.6"
    seat: Public[int]
    island: Public[str]


class CreatureCalled(Effect, frozen=True, kw_only=True):
    """A creature was paid for; ``discounts`` temples and metropolises lowered its price (9.2, R-04)."""

    rule: Public[str] = "cyclades.9.2"
    seat: Public[int]
    creature: Public[Creature]
    cost: Public[int]
    discounts: Public[int]


class CreatureSwapped(Effect, frozen=True, kw_only=True):
    """Zeus discarded the creature at that price (9.5)."""

    rule: Public[str] = "cyclades.9.5"
    seat: Public[int]
    creature: Public[Creature]
    price: Public[int]
    cost: Public[int]


class TroopRecruited(Effect, frozen=True, kw_only=True):
    """A troop came onto an island (9.3)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    island: Public[str]
    cost: Public[int]


class FleetRecruited(Effect, frozen=True, kw_only=True):
    """A fleet came into a sea space (9.3, C-07)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    space: Public[str]
    cost: Public[int]


class PriestTaken(Effect, frozen=True, kw_only=True):
    """A priest was gained (9.3)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    cost: Public[int]


class PhilosopherTaken(Effect, frozen=True, kw_only=True):
    """A philosopher was gained (9.3)."""

    rule: Public[str] = "cyclades.9.3"
    seat: Public[int]
    cost: Public[int]


class BuildingBuilt(Effect, frozen=True, kw_only=True):
    """A building stands on a slot (9.4)."""

    rule: Public[str] = "cyclades.9.4"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]
    cost: Public[int]


# Movement and battles


class TroopsMoved(Effect, frozen=True, kw_only=True):
    """Troops moved, by Ares or Pegasus. ``against`` is who defends; without one they hold the island."""

    rule: Public[str] = "cyclades.10.2"
    seat: Public[int]
    origin: Public[str]
    to: Public[str]
    troops: Public[int]
    cost: Public[int]
    against: Public[int | None]


class FleetSailed(Effect, frozen=True, kw_only=True):
    """Fleets moved one space, with ``left`` steps to go. ``against`` is whose fleets they met."""

    rule: Public[str] = "cyclades.10.1"
    seat: Public[int]
    origin: Public[str]
    to: Public[str]
    ships: Public[int]
    cost: Public[int]
    left: Public[int]
    against: Public[int | None]


class VoyageEnded(Effect, frozen=True, kw_only=True):
    """The fleets stay where they are (10.1)."""

    rule: Public[str] = "cyclades.10.1"
    seat: Public[int]


class RoundFought(Effect, frozen=True, kw_only=True):
    """One round: what the dice showed, the strengths, and the units each side lost (11)."""

    rule: Public[str] = "cyclades.11"
    place: Public[str]
    dice: Public[tuple[int, int]]
    strengths: Public[tuple[int, int]]
    losses: Public[tuple[int, int]]
    """Each pair: attacker, defender."""


class StoodFirm(Effect, frozen=True, kw_only=True):
    """A side that could have retreated stays (11, C-51)."""

    rule: Public[str] = "cyclades.11"
    seat: Public[int]


class Retreated(Effect, frozen=True, kw_only=True):
    """All remaining units of a side left the battle (11, C-20)."""

    rule: Public[str] = "cyclades.11"
    seat: Public[int]
    place: Public[str]
    to: Public[str]
    units: Public[int]


class BattleEnded(Effect, frozen=True, kw_only=True):
    """``winner`` holds the place; None if nobody is left (11, C-21)."""

    rule: Public[str] = "cyclades.11"
    place: Public[str]
    winner: Public[int | None]


class PlayerEliminated(Effect, frozen=True, kw_only=True):
    """The last island of a seat was taken; all it had left the game (12.3, R-17)."""

    rule: Public[str] = "cyclades.12.3"
    seat: Public[int]


# Metropolises


class PhilosophersGathered(Effect, frozen=True, kw_only=True):
    """Four philosophers were given for a metropolis (13)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]


class SetCompleted(Effect, frozen=True, kw_only=True):
    """A port, a fortress, a temple and a university are to be given for a metropolis (13)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]


class BuildingGiven(Effect, frozen=True, kw_only=True):
    """A building was given for a metropolis (13, C-12)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]


class MetropolisFounded(Effect, frozen=True, kw_only=True):
    """A metropolis stands; ``demolished`` are the buildings that were under it (13, C-12)."""

    rule: Public[str] = "cyclades.13"
    seat: Public[int]
    island: Public[str]
    demolished: Public[tuple[Building, ...]]


class MetropolisForgone(Effect, frozen=True, kw_only=True):
    """Every island of the seat has a metropolis: nothing was gained (C-12)."""

    rule: Public[str] = "cyclades.C-12"
    seat: Public[int]


# Creatures


class CreatureActed(Effect, frozen=True, kw_only=True):
    """The effect of a called creature was directed; it follows (9.2)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    creature: Public[Creature]


class CreatureIdle(Effect, frozen=True, kw_only=True):
    """A called creature had no legal target (C-32)."""

    rule: Public[str] = "cyclades.C-32"
    seat: Public[int]
    creature: Public[Creature]


class SylphSent(Effect, frozen=True, kw_only=True):
    """Fleets get steps for nothing: those of one space, or any (C-06)."""

    rule: Public[str] = "cyclades.C-06"
    seat: Public[int]
    space: Public[str | None]
    steps: Public[int]


class TroopSlain(Effect, frozen=True, kw_only=True):
    """The Harpy removed a troop; ``replaced`` by one of ``seat``, who holds the island (C-04)."""

    rule: Public[str] = "cyclades.C-04"
    seat: Public[int]
    island: Public[str]
    victim: Public[int]
    replaced: Public[bool]


class PurseRobbed(Effect, frozen=True, kw_only=True):
    """The Griffon took half of a purse, whose content ``purse`` everybody saw (14.1, C-56)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    victim: Public[int]
    purse: Public[int]
    gold: Public[int]


class BuildingDestroyed(Effect, frozen=True, kw_only=True):
    """The Giant destroyed a building (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]


class FleetLured(Effect, frozen=True, kw_only=True):
    """The Siren replaced a lone fleet, by one from the reserve or from ``source`` (14.1, C-55)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    space: Public[str]
    victim: Public[int]
    source: Public[str | None]


class BuildingConverted(Effect, frozen=True, kw_only=True):
    """The Cyclops turned a building into another (C-30)."""

    rule: Public[str] = "cyclades.C-30"
    seat: Public[int]
    island: Public[str]
    building: Public[Building]
    slot: Public[int]
    into: Public[Building]


class ChimeraCopied(Effect, frozen=True, kw_only=True):
    """The Chimera has the effect of a discarded creature (C-31)."""

    rule: Public[str] = "cyclades.C-31"
    seat: Public[int]
    creature: Public[Creature]


class SphinxAsked(Effect, frozen=True, kw_only=True):
    """The Sphinx buys (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]


class PieceSold(Effect, frozen=True, kw_only=True):
    """A piece went to the Sphinx (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]
    piece: Public[Piece]
    place: Public[str | None]
    gold: Public[int]


class SaleEnded(Effect, frozen=True, kw_only=True):
    """The Sphinx left (14.1)."""

    rule: Public[str] = "cyclades.14.1"
    seat: Public[int]


class FatesPaid(Effect, frozen=True, kw_only=True):
    """A revenue was collected again (C-57)."""

    rule: Public[str] = "cyclades.C-57"
    seat: Public[int]
    gold: Public[int]


class PhilosopherStolen(Effect, frozen=True, kw_only=True):
    """The Satyr took a philosopher (C-29)."""

    rule: Public[str] = "cyclades.C-29"
    seat: Public[int]
    victim: Public[int]


class PriestStolen(Effect, frozen=True, kw_only=True):
    """The Dryad took a priest (C-29)."""

    rule: Public[str] = "cyclades.C-29"
    seat: Public[int]
    victim: Public[int]


class FigurePlaced(Effect, frozen=True, kw_only=True):
    """An island figure stands (14.2)."""

    rule: Public[str] = "cyclades.14.2"
    seat: Public[int]
    creature: Public[Creature]
    island: Public[str]


class FiguresClashed(Effect, frozen=True, kw_only=True):
    """Two figures met on an island and destroyed each other; both cards were discarded (14.2)."""

    rule: Public[str] = "cyclades.14.2"
    seat: Public[int]
    creature: Public[Creature]
    other: Public[Creature]
    island: Public[str]


class FleetsPushed(Effect, frozen=True, kw_only=True):
    """Polyphemus pushed the fleets of a space away (R-16)."""

    rule: Public[str] = "cyclades.R-16"
    origin: Public[str]
    to: Public[str]


class FleetsDrowned(Effect, frozen=True, kw_only=True):
    """The fleets of a space could not be pushed anywhere and are destroyed (R-16)."""

    rule: Public[str] = "cyclades.R-16"
    space: Public[str]


class PushingEnded(Effect, frozen=True, kw_only=True):
    """No fleet is left around Polyphemus (R-16)."""

    rule: Public[str] = "cyclades.R-16"


class KrakenMoved(Effect, frozen=True, kw_only=True):
    """The Kraken lies in a space; the fleets there are destroyed (14.3, C-22)."""

    rule: Public[str] = "cyclades.14.3"
    seat: Public[int]
    space: Public[str]
    cost: Public[int]
    destroyed: Public[int]


class KrakenRested(Effect, frozen=True, kw_only=True):
    """The Kraken stays where it is (14.3)."""

    rule: Public[str] = "cyclades.14.3"


# The end


class GameEnded(Effect, frozen=True, kw_only=True):
    """The match is decided (15, R-18, R-24)."""

    rule: Public[str] = "cyclades.15"
    outcome: Public[Outcome]


AnyEffect = (
    StartsDrawn
    | DeckShuffled
    | OrderDrawn
    | CycleBegun
    | TrackMoved
    | CreatureDrawn
    | RowDealt
    | RevenueCollected
    | OfferingsOpened
    | OfferingMade
    | ApolloJoined
    | OfferingsPaid
    | TurnBegun
    | FigureLeft
    | TurnEnded
    | OnlyChoice
    | ApolloPaid
    | ProsperityPlaced
    | CreatureCalled
    | CreatureSwapped
    | TroopRecruited
    | FleetRecruited
    | PriestTaken
    | PhilosopherTaken
    | BuildingBuilt
    | TroopsMoved
    | FleetSailed
    | VoyageEnded
    | RoundFought
    | StoodFirm
    | Retreated
    | BattleEnded
    | PlayerEliminated
    | PhilosophersGathered
    | SetCompleted
    | BuildingGiven
    | MetropolisFounded
    | MetropolisForgone
    | CreatureActed
    | CreatureIdle
    | SylphSent
    | TroopSlain
    | PurseRobbed
    | BuildingDestroyed
    | FleetLured
    | BuildingConverted
    | ChimeraCopied
    | SphinxAsked
    | PieceSold
    | SaleEnded
    | FatesPaid
    | PhilosopherStolen
    | PriestStolen
    | FigurePlaced
    | FiguresClashed
    | FleetsPushed
    | FleetsDrowned
    | PushingEnded
    | KrakenMoved
    | KrakenRested
    | GameEnded
)
