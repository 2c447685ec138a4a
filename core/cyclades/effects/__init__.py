"""The facts of Cyclades: everything that can happen, with the paragraph of the rules it follows from.

Folding the effects of a match in order gives its state (``applied``). Costs and revenues are public, for they
can be inferred from what everybody sees; no effect shows what lies behind a screen, but for the one purse
that the Griffon opens (17).
"""

from __future__ import annotations

from kleos.core.cyclades.effects.creatures import (
    BuildingConverted,
    BuildingDestroyed,
    ChimeraCopied,
    CreatureActed,
    CreatureIdle,
    FatesPaid,
    FleetLured,
    PhilosopherStolen,
    PieceSold,
    PriestStolen,
    PurseRobbed,
    SaleEnded,
    SphinxAsked,
    SylphSent,
    TroopSlain,
)
from kleos.core.cyclades.effects.cycle import (
    ApolloJoined,
    ApolloPaid,
    CreatureDrawn,
    CycleBegun,
    DeckShuffled,
    FigureLeft,
    GameEnded,
    OfferingMade,
    OfferingsOpened,
    OfferingsPaid,
    OnlyChoice,
    OrderDrawn,
    ProsperityPlaced,
    RevenueCollected,
    RowDealt,
    StartsDrawn,
    TrackMoved,
    TurnBegun,
    TurnEnded,
)
from kleos.core.cyclades.effects.figures import (
    FigurePlaced,
    FiguresClashed,
    FleetsDrowned,
    FleetsPushed,
    KrakenMoved,
    KrakenRested,
    PushingEnded,
)
from kleos.core.cyclades.effects.metropolises import (
    BuildingGiven,
    MetropolisForgone,
    MetropolisFounded,
    PhilosophersGathered,
    SetCompleted,
)
from kleos.core.cyclades.effects.turns import (
    BuildingBuilt,
    CreatureCalled,
    CreatureSwapped,
    FleetRecruited,
    PhilosopherTaken,
    PriestTaken,
    TroopRecruited,
)
from kleos.core.cyclades.effects.warfare import (
    BattleEnded,
    FleetSailed,
    PlayerEliminated,
    Retreated,
    RoundFought,
    StoodFirm,
    TroopsMoved,
    VoyageEnded,
)
from kleos.core.cyclades.state import State

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


def evolve(state: State, effect: AnyEffect) -> State:
    """The state after ``effect``."""
    return effect.applied(state)


__all__ = [
    "AnyEffect",
    "ApolloJoined",
    "ApolloPaid",
    "BattleEnded",
    "BuildingBuilt",
    "BuildingConverted",
    "BuildingDestroyed",
    "BuildingGiven",
    "ChimeraCopied",
    "CreatureActed",
    "CreatureCalled",
    "CreatureDrawn",
    "CreatureIdle",
    "CreatureSwapped",
    "CycleBegun",
    "DeckShuffled",
    "FatesPaid",
    "FigureLeft",
    "FigurePlaced",
    "FiguresClashed",
    "FleetLured",
    "FleetRecruited",
    "FleetSailed",
    "FleetsDrowned",
    "FleetsPushed",
    "GameEnded",
    "KrakenMoved",
    "KrakenRested",
    "MetropolisForgone",
    "MetropolisFounded",
    "OfferingMade",
    "OfferingsOpened",
    "OfferingsPaid",
    "OnlyChoice",
    "OrderDrawn",
    "PhilosopherStolen",
    "PhilosopherTaken",
    "PhilosophersGathered",
    "PieceSold",
    "PlayerEliminated",
    "PriestStolen",
    "PriestTaken",
    "ProsperityPlaced",
    "PurseRobbed",
    "PushingEnded",
    "Retreated",
    "RevenueCollected",
    "RoundFought",
    "RowDealt",
    "SaleEnded",
    "SetCompleted",
    "SphinxAsked",
    "StartsDrawn",
    "StoodFirm",
    "SylphSent",
    "TrackMoved",
    "TroopRecruited",
    "TroopSlain",
    "TroopsMoved",
    "TurnBegun",
    "TurnEnded",
    "VoyageEnded",
    "evolve",
]
