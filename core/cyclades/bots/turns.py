"""How the greedy bot plays a turn: cards, troops, fleets, buildings, and when to stop."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kleos.core.cyclades.bots.creatures import flight
from kleos.core.cyclades.bots.eyes import Eyes, odds
from kleos.core.cyclades.bots.judge import Choice, Judges, always, most_of
from kleos.core.cyclades.moves import (
    Build,
    EndTurn,
    MoveTroops,
    RecruitFleet,
    RecruitTroop,
    Sail,
    Stop,
    SwapCreature,
    TakePhilosopher,
    TakePriest,
)
from kleos.core.cyclades.position import fleet_bonus, island_at, joined, squadron_at, turn_of
from kleos.core.cyclades.state import Island, Power, Turn, Voyage
from kleos.core.cyclades.vocabulary import BUILT_BY, LADDER
from kleos.core.kernel.game import Legal


def _turn(eyes: Eyes) -> Turn:
    turn = turn_of(eyes.state)
    assert turn is not None
    return turn


def _price(eyes: Eyes) -> int:
    """What the next recruit costs."""
    turn = _turn(eyes)
    return LADDER[turn.god][turn.recruits]


# Cards


def _philosopher(eyes: Eyes, legal: Legal[Any]) -> Choice:
    if not _price(eyes):
        return 100.0, legal.move
    return (50.0 if eyes.philosophers == 3 else 6.0 if eyes.gold >= 5 else 0.5), legal.move


def _priest(eyes: Eyes, legal: Legal[Any]) -> Choice:
    if not _price(eyes):
        return 100.0, legal.move
    few = eyes.state.players[eyes.seat].priests < 3
    return (1.0 if few and eyes.gold >= 9 else -1.0), legal.move


# Troops


def _troop(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """A troop goes where it defends most, or makes the best attack better."""
    price = _price(eyes)
    island = island_at(eyes.state, legal.move.island)
    held = 2.0 + 20.0 * island.metropolis + sum(1 for each in island.slots if each)
    worth = 0.3 + held * (eyes.danger(island) - eyes.danger(island, 1))
    if eyes.gold > price:
        worth = max(worth, _reinforced(eyes, island))
    return worth + (0.0 if price else 2.0) - 1.2 * price, legal.move


def _reinforced(eyes: Eyes, island: Island) -> float:
    """What one more troop adds to the best attack from the island."""
    stronger = replace(island, troops=island.troops + 1)
    reach = joined(eyes.state, eyes.seat, island.id)
    best = 0.0
    for to in eyes.state.islands:
        if to.id in reach and to.owner != eyes.seat:
            now, _ = eyes.attack(island, to, eyes.spare(island))
            then, _ = eyes.attack(stronger, to, eyes.spare(stronger))
            best = max(best, then - max(0.0, now))
    return best


def _troops(eyes: Eyes, legal: Legal[Any]) -> Choice:
    origin, to = island_at(eyes.state, legal.move.origin), island_at(eyes.state, legal.move.to)
    most = most_of(legal, "troops")
    if isinstance(eyes.state.frames[-1], Power):
        worth, troops = flight(eyes, origin, to)
        return worth, replace(legal.move, troops=min(troops, most))
    if to.owner == eyes.seat:
        return _garrison(eyes, origin, to), legal.move
    worth, troops = eyes.attack(origin, to, min(most, eyes.spare(origin)))
    return worth, replace(legal.move, troops=troops)


def _garrison(eyes: Eyes, origin: Island, to: Island) -> float:
    """Bringing a troop to a metropolis in danger, from an island that is none."""
    if not to.metropolis or origin.metropolis or _turn(eyes).steps > 3:
        return -1.0
    return 10.0 * (eyes.danger(to) - eyes.danger(to, 1)) - 1.5


# Fleets


def _fleet(eyes: Eyes, legal: Legal[Any]) -> Choice:
    price = _price(eyes)
    gain = eyes.reach(eyes.fleets_after(None, legal.move.space)) - eyes.reach(eyes.fleets())
    return gain + (0.0 if price else 1.0) - 1.2 * price, legal.move


def _sail(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """One step: what it lets the troops reach. Foreign fleets are attacked only from strength."""
    move = legal.move
    gain = eyes.reach(eyes.fleets_after(move.origin, move.to)) - eyes.reach(eyes.fleets())
    there = squadron_at(eyes.state, move.to)
    if there is None or there.seat == eyes.seat:
        fare = 0.3 if isinstance(eyes.state.frames[-1], Voyage) else 1.3
        return gain - fare, move
    most = most_of(legal, "ships")
    chance = odds(most, there.ships, False, fleet_bonus(eyes.state, there.seat, move.to))
    return chance * (gain + 1.0) - (1 - chance) * 3.0 - 2.0, replace(move, ships=most)


# Buildings


def _build(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """What the set lacks, rather where no metropolis will cover it; walls for a metropolis."""
    building = BUILT_BY[_turn(eyes).god]
    island = island_at(eyes.state, legal.move.island)
    worth = eyes.building_worth(building)
    if building not in eyes.missing and building == "fortress" and island.metropolis and eyes.gold >= 6:
        worth = 2.5
    safer = 0.0 if legal.move.on_site else 0.4
    return worth + safer + 0.1 * island.troops - 2.2, legal.move


JUDGES: Judges = {
    TakePhilosopher: _philosopher,
    TakePriest: _priest,
    RecruitTroop: _troop,
    RecruitFleet: _fleet,
    MoveTroops: _troops,
    Sail: _sail,
    Build: _build,
    SwapCreature: always(-1.0),
    EndTurn: always(0.0),
    Stop: always(0.0),
}
