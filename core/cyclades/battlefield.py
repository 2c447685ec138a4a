"""What a battle looks like: who defends, how strongly, and where each side could retreat to (11).

Questions only, like ``position``; ``battle`` fights.
"""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.cyclades.position import (
    board_of,
    closed,
    fleet_bonus,
    holds,
    island_at,
    joined,
    ships,
    squadron_at,
)
from kleos.core.cyclades.state import Battle, State
from kleos.core.cyclades.vocabulary import MINOTAUR_STRENGTH


def on_land(state: State, battle: Battle) -> bool:
    return battle.place in board_of(state).place


def defenders(state: State, battle: Battle) -> int:
    """Casualties the defender can still take: troops and Minotaur, or fleets."""
    if on_land(state, battle):
        return island_at(state, battle.place).troops + holds(state, battle.place, "minotaur")
    squadron = squadron_at(state, battle.place)
    return 0 if squadron is None else squadron.ships


def defence(state: State, battle: Battle) -> int:
    """The defender's strength before the die: units, Minotaur, and what is built (11, C-11, C-53)."""
    if on_land(state, battle):
        island = island_at(state, battle.place)
        minotaur = MINOTAUR_STRENGTH if holds(state, battle.place, "minotaur") else 0
        return island.troops + minotaur + island.slots.count("fortress") + island.metropolis
    return defenders(state, battle) + fleet_bonus(state, battle.defender, battle.place)


def retreats(state: State, battle: Battle, seat: int) -> tuple[str, ...]:
    """Where all remaining units of a side could go; empty if it cannot retreat (11, C-20, C-24)."""
    if on_land(state, battle):
        return _land_retreats(state, battle, seat)
    board, barred, fleets = board_of(state), closed(state), ships(state)
    return tuple(
        space
        for space in board.neighbours[battle.place]
        if space not in barred and (space not in fleets or fleets[space].seat == seat)
    )


def _land_retreats(state: State, battle: Battle, seat: int) -> tuple[str, ...]:
    if seat == battle.defender and (
        island_at(state, battle.place).troops == 0 or holds(state, battle.place, "medusa")
    ):
        return ()
    reach = joined(state, seat, battle.place) - {battle.place}
    if not reach:
        return ()
    owners = (seat, None) if state.options.retreat_to_neutral else (seat,)
    return tuple(each.id for each in state.islands if each.id in reach and each.owner in owners)


def next_to_be_asked(state: State, battle: Battle, *, after_round: bool) -> Battle:
    """The battle with ``seat`` set to the side that may now retreat: the defender first (11)."""
    sides: tuple[int, ...]
    if after_round:
        fought_out = battle.units == 0 or defenders(state, battle) == 0
        sides = () if fought_out else (battle.defender, battle.attacker)
    else:
        sides = (battle.attacker,) if battle.seat == battle.defender else ()
    asked = next((side for side in sides if retreats(state, battle, side)), None)
    return replace(battle, seat=asked)
