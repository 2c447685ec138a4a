"""What a conquest brings and costs: the last-island rule, elimination, the last one standing (12)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.ending import last_standing
from kleos.core.cyclades.play import Play
from kleos.core.cyclades.position import building_types, metropolises, owned, standing, target
from kleos.core.cyclades.state import Island, State
from kleos.core.cyclades.vocabulary import BUILDINGS


def is_protected(state: State, attacker: int, island: Island) -> bool:
    """Whether it is another player's last island, and taking it would not reach the target (12.2, R-15)."""
    if island.owner is None or island.owner == attacker or len(owned(state, island.owner)) > 1:
        return False
    have = metropolises(state, attacker)
    return not have < target(state) <= have + _gained(state, attacker, island)


def _gained(state: State, attacker: int, island: Island) -> int:
    """Metropolises that taking the island brings at once: one on it, at most one by a set (R-15)."""
    types = building_types(state, attacker).union(each for each in island.slots if each)
    room = not island.metropolis or any(not each.metropolis for each in owned(state, attacker))
    return island.metropolis + (len(types) == len(BUILDINGS) and room)


def after_capture(play: Play, loser: int | None) -> None:
    """Eliminate the seat that an island was taken from, if it was its last (12.3, R-18)."""
    if loser is None or owned(play.state, loser):
        return
    play.add(fx.PlayerEliminated(seat=loser))
    if len(standing(play.state)) == 1:
        play.add(fx.GameEnded(rule="cyclades.R-18", outcome=last_standing(play.state)))
