"""What cannot be seen: moves that surely bring nothing new to light, and another deal of what is hidden.

Both are told from what seats may see. Purses lie behind screens but can be counted by everybody (17).
"""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.cyclades.moves import (
    AnyMove,
    Build,
    EndTurn,
    MoveTroops,
    OfferTo,
    OfferToApollo,
    RecruitFleet,
    RecruitTroop,
    Sail,
    TakePhilosopher,
    TakePriest,
)
from kleos.core.cyclades.position import island_at
from kleos.core.cyclades.state import Placing, State, Turn, Voyage
from kleos.core.kernel.chance import Chance


def quiet(state: State, seat: int, move: AnyMove) -> bool:
    """Whether the move surely throws no die, draws nothing, and does not end the match.

    After it a marker is placed, or the turn menu is asked: both are asked in any case (R-07). While a
    creature acts nothing is promised: it may be copied by a Chimera, whose shuffle comes last (C-31).
    """
    if not all(type(frame) in (Placing, Turn, Voyage) for frame in state.frames):
        return False
    match move:
        case RecruitTroop() | RecruitFleet() | TakePriest() | TakePhilosopher() | Build():
            return True
        case OfferTo(god=god):
            return bool(state.queue) or any(bid.god == god for bid in state.bids)
        case OfferToApollo():
            return bool(state.queue)
        case EndTurn():
            return len(state.bids) > 1
        case MoveTroops(to=to):
            return island_at(state, to).owner == seat
        case Sail(to=to):
            return all(squadron.seat == seat for squadron in state.fleets if squadron.space == to)
        case _:
            return False


def redeal(state: State, chance: Chance) -> State:
    """The same table with another order of the deck and of the gods that lie face down."""
    deck, hidden = chance.shuffle(sorted(state.deck)), chance.shuffle(sorted(state.hidden))
    return replace(state, deck=deck, hidden=hidden)
