"""The match as a decider: seats, start, moves, undo, resignation, end. It knows no game and no store."""

from kleos.core.match.chance import MatchChance, chance_for
from kleos.core.match.clock import dues, earliest_overdue, overdue
from kleos.core.match.codec import codec
from kleos.core.match.decider import create, decide
from kleos.core.match.event import Event, Signature
from kleos.core.match.folding import evolve
from kleos.core.match.fork import fork
from kleos.core.match.rematch import rematch
from kleos.core.match.state import (
    HOUSE,
    OVER,
    Due,
    Forgotten,
    Invitation,
    Match,
    Past,
    Proposal,
    Seat,
    forgotten,
    seats_to_act,
)
from kleos.core.match.tidings import News, Tiding, TidingKind, tidings
from kleos.core.match.undo import Agreed, Cost, Target, foreseen, line, returns, targets

__all__ = [
    "HOUSE",
    "OVER",
    "Agreed",
    "Cost",
    "Due",
    "Event",
    "Forgotten",
    "Invitation",
    "Match",
    "MatchChance",
    "News",
    "Past",
    "Proposal",
    "Seat",
    "Signature",
    "Target",
    "Tiding",
    "TidingKind",
    "chance_for",
    "codec",
    "create",
    "decide",
    "dues",
    "earliest_overdue",
    "evolve",
    "foreseen",
    "forgotten",
    "fork",
    "line",
    "overdue",
    "rematch",
    "returns",
    "seats_to_act",
    "targets",
    "tidings",
]
