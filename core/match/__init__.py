"""The match as a decider: seats, start, moves, resignation, end. It knows no game and no store."""

from kleos.core.match.codec import codec
from kleos.core.match.decider import chance_for, create, decide, evolve
from kleos.core.match.event import Event
from kleos.core.match.state import HOUSE, Match, Seat, seats_to_act

__all__ = [
    "HOUSE",
    "Event",
    "Match",
    "Seat",
    "chance_for",
    "codec",
    "create",
    "decide",
    "evolve",
    "seats_to_act",
]
