"""When the greedy bot leaves a battle: when it will probably lose what it could save."""

from __future__ import annotations

from typing import Any

from kleos.core.cyclades.bots.eyes import Eyes, odds
from kleos.core.cyclades.bots.judge import Choice, Judges, always
from kleos.core.cyclades.moves import FightOn, Retreat
from kleos.core.cyclades.position import fleet_bonus, island_at, squadron_at
from kleos.core.cyclades.state import Battle
from kleos.core.kernel.game import Legal

_FAIR = 0.3
"""The chance of winning below which a retreat is better."""


def _fight_on(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """The chance of winning, and more where a metropolis is at stake."""
    battle = eyes.state.frames[-1]
    assert isinstance(battle, Battle)
    at_stake = 0.0
    if battle.place in eyes.board.place:
        island = island_at(eyes.state, battle.place)
        attack = eyes.odds_against(island, battle.units)
        at_stake = 0.5 * island.metropolis
    else:
        there = squadron_at(eyes.state, battle.place)
        bonus = fleet_bonus(eyes.state, battle.defender, battle.place)
        attack = odds(battle.units, 0 if there is None else there.ships, False, bonus)
    chance = attack if battle.attacker == eyes.seat else 1 - attack
    return chance + at_stake, legal.move


JUDGES: Judges = {FightOn: _fight_on, Retreat: always(_FAIR)}
