"""The match as a decider: seats, start, moves, undo, resignation, end. It knows no game and no store."""

from kleos.core.match.chance import MatchChance, chance_for
from kleos.core.match.codec import codec
from kleos.core.match.decider import create, decide
from kleos.core.match.event import Event, Signature
from kleos.core.match.folding import Forgotten, Past, evolve, forgotten
from kleos.core.match.fork import fork
from kleos.core.match.state import HOUSE, Match, Proposal, Seat, seats_to_act
from kleos.core.match.undo import Agreed, Cost, Target, foreseen, line, returns, targets

__all__ = [
    "HOUSE",
    "Agreed",
    "Cost",
    "Event",
    "Forgotten",
    "Match",
    "MatchChance",
    "Past",
    "Proposal",
    "Seat",
    "Signature",
    "Target",
    "chance_for",
    "codec",
    "create",
    "decide",
    "evolve",
    "foreseen",
    "forgotten",
    "fork",
    "line",
    "returns",
    "seats_to_act",
    "targets",
]
