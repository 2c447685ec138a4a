"""A mechanical player: ``greedy`` offers for a purpose, expands, defends, and builds towards metropolises.

It is given the view of its seat and the list of its moves, and looks one decision ahead: each move gets a
worth in gold, the best is made. It knows the rules only through the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kleos.core.cyclades.judgement import Eyes, moved, odds, odds_on_land, seen
from kleos.core.cyclades.moves import (
    Build,
    CallCreature,
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    EndTurn,
    FightOn,
    Lure,
    MoveKraken,
    MoveTroops,
    OfferTo,
    OfferToApollo,
    Push,
    Rebuild,
    RecruitFleet,
    RecruitTroop,
    Retreat,
    Sail,
    Sell,
    Stop,
    SwapCreature,
    TakePhilosopher,
    TakePriest,
)
from kleos.core.cyclades.offerings import cost
from kleos.core.cyclades.position import (
    fleet_bonus,
    fleet_reserve,
    island_at,
    metropolises,
    owned,
    revenue,
    squadron_at,
    troop_reserve,
)
from kleos.core.cyclades.state import Battle, Blessing, Founding, Power, Turn, Voyage
from kleos.core.cyclades.turn import price_of
from kleos.core.cyclades.vocabulary import BUILT_BY, LADDER, Creature
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Legal
from kleos.core.kernel.visibility import Builtin

_Choice = tuple[float, Any]
"""What a move is worth, and the move."""


def greedy(view: Builtin, legal: tuple[Legal[Any], ...], seat: int, chance: Chance) -> Any:
    """The move that looks best; among equals, one drawn by chance."""
    eyes = Eyes(seen(view), seat)
    choices = [_WORTH[type(each.move)](eyes, each) for each in legal]
    best = max(worth for worth, _ in choices)
    equals = [move for worth, move in choices if worth == best]
    return equals[chance.pick(len(equals))] if len(equals) > 1 else equals[0]


# Offerings


def _offer(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    move = legal.move
    least, most = legal.range["amount"] if legal.range else (move.amount, move.amount)
    benefit = god_worth(eyes, move.god)
    others = [bid.amount for bid in eyes.state.bids if bid.seat == eyes.seat and bid.god != move.god]

    def price(amount: int) -> int:
        return cost(eyes.state, eyes.seat, [*others, amount]) - cost(eyes.state, eyes.seat, others)

    amount = least
    willing = min(benefit * 0.45, eyes.gold * 0.6)
    while amount < most and price(amount + 1) <= willing * 0.6:
        amount += 1
    spent = price(amount)
    left = eyes.gold - spent
    need = _needs(eyes, move.god)
    worth = benefit * (1.0 if left >= need else 0.55) - 1.1 * price(least)
    return worth, replace(move, amount=amount)


def _needs(eyes: Eyes, god: str) -> int:
    """Gold the turn itself calls for."""
    if god == "athena" and eyes.state.players[eyes.seat].philosophers == 2:
        return 4
    if god == "ares":
        return 1
    return 2 if BUILT_BY[god] in eyes.missing else 1  # type: ignore[index]


def god_worth(eyes: Eyes, god: str) -> float:
    """What a turn for a god would bring."""
    worth = 0.0
    building = BUILT_BY[god]  # type: ignore[index]
    if eyes.gold >= 2 and eyes.room_for(building):
        worth += eyes.building_worth(building)
    return worth + _GOD_WORTH[god](eyes)


def _athena(eyes: Eyes) -> float:
    philosophers = eyes.state.players[eyes.seat].philosophers
    if philosophers == 3 or (philosophers == 2 and eyes.gold >= 6):
        return eyes.city_worth()
    return (4.0, 5.0, 7.0)[philosophers]


def _zeus(eyes: Eyes) -> float:
    return max(1.0, 4.0 - eyes.state.players[eyes.seat].priests)


def _ares(eyes: Eyes) -> float:
    worth = 2.0 if troop_reserve(eyes.state, eyes.seat) else 0.0
    from kleos.core.cyclades.position import joined

    best = 0.0
    recruits = min(2 if eyes.gold >= 5 else 1, troop_reserve(eyes.state, eyes.seat))
    for origin in eyes.islands:
        reach = joined(eyes.state, eyes.seat, origin.id)
        for to in eyes.state.islands:
            if to.id in reach and to.owner != eyes.seat:
                stronger = replace(origin, troops=origin.troops + recruits)
                best = max(best, eyes.attack(stronger, to, eyes.spare(stronger))[0])
    threatened = max((eyes.danger(island) for island in eyes.islands if island.metropolis), default=0.0)
    return worth + best + 8.0 * threatened


def _poseidon(eyes: Eyes) -> float:
    if not fleet_reserve(eyes.state, eyes.seat):
        return 1.0
    spaces = {each.space for each in eyes.state.fleets if each.seat == eyes.seat}
    return 2.5 + 3.0 * max(0, 4 - len(spaces)) * 0.4


_GOD_WORTH: dict[str, Callable[[Eyes], float]] = {
    "athena": _athena,
    "zeus": _zeus,
    "ares": _ares,
    "poseidon": _poseidon,
}


def _apollo(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    gold = 4.0 if len(eyes.islands) == 1 else 1.0
    marker = 2.5 if not eyes.state.apollo and eyes.state.cycle <= 6 else 0.8 if not eyes.state.apollo else 0.0
    return gold + marker, legal.move


# The turn


def _turn(eyes: Eyes) -> Turn:
    turn = eyes.state.frames[0]
    assert isinstance(turn, Turn)
    return turn


def _next_price(eyes: Eyes) -> int:
    turn = _turn(eyes)
    return LADDER[turn.god][turn.recruits]


def _take_philosopher(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    if not _next_price(eyes):
        return 100.0, legal.move
    have = eyes.state.players[eyes.seat].philosophers
    return (50.0 if have == 3 else 6.0 if eyes.gold >= 5 else 0.5), legal.move


def _take_priest(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    if not _next_price(eyes):
        return 100.0, legal.move
    return (1.0 if eyes.gold >= 9 and eyes.state.players[eyes.seat].priests < 3 else -1.0), legal.move


def _recruit_troop(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    """A troop goes where it defends most, or makes the best attack possible."""
    from kleos.core.cyclades.position import joined

    price = _next_price(eyes)
    island = island_at(eyes.state, legal.move.island)
    worth = 0.3
    held = 2.0 + 20.0 * island.metropolis + sum(1 for each in island.slots if each)
    worth += held * (eyes.danger(island) - eyes.danger(island, 1))
    if eyes.gold > price:
        reach = joined(eyes.state, eyes.seat, island.id)
        stronger = replace(island, troops=island.troops + 1)
        for to in eyes.state.islands:
            if to.id in reach and to.owner != eyes.seat:
                now = max(0.0, eyes.attack(island, to, eyes.spare(island))[0]) if island.troops else 0.0
                worth = max(worth, eyes.attack(stronger, to, eyes.spare(stronger))[0] - now)
    return worth + (2.0 if price == 0 else 0.0) - 1.2 * price, legal.move


def _march(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    move = legal.move
    origin, to = island_at(eyes.state, move.origin), island_at(eyes.state, move.to)
    most = legal.range["troops"][1] if legal.range else move.troops
    if to.owner == eyes.seat:
        return _reinforce(eyes, origin, to, move)
    spare = min(most, eyes.spare(origin))
    if not spare:
        return -1.0, move
    worth, troops = eyes.attack(origin, to, spare)
    return worth, replace(move, troops=troops)


def _reinforce(eyes: Eyes, origin: Any, to: Any, move: Any) -> _Choice:
    """Bring a troop to a metropolis in danger from an island that is in none."""
    if not to.metropolis or origin.metropolis or _turn(eyes).steps > 3:
        return -1.0, move
    gain = eyes.danger(to) - eyes.danger(to, 1)
    return 10.0 * gain - 1.5, move


def _recruit_fleet(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    price = _next_price(eyes)
    gain = eyes.reach(moved(eyes.state, eyes.seat, None, legal.move.space)) - _reach_now(eyes)
    return gain + (1.0 if price == 0 else 0.0) - 1.2 * price, legal.move


def _reach_now(eyes: Eyes) -> float:
    return eyes.reach({each.space for each in eyes.state.fleets if each.seat == eyes.seat})


def _sail(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    """One step: what it lets the troops reach. Foreign fleets are attacked only from strength."""
    move = legal.move
    under_way = isinstance(eyes.state.frames[-1], Voyage)
    there = squadron_at(eyes.state, move.to)
    most = legal.range["ships"][1] if legal.range else move.ships
    if there is not None and there.seat != eyes.seat:
        chance = odds(most, there.ships, False, fleet_bonus(eyes.state, there.seat, move.to))
        gain = eyes.reach(moved(eyes.state, eyes.seat, move.origin, move.to)) - _reach_now(eyes)
        return chance * (gain + 1.0) - (1 - chance) * 3.0 - 2.0, replace(move, ships=most)
    gain = eyes.reach(moved(eyes.state, eyes.seat, move.origin, move.to)) - _reach_now(eyes)
    return gain - (0.0 if under_way else 1.0) - 0.3, move


def _build(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    building = BUILT_BY[_turn(eyes).god]
    worth = eyes.building_worth(building)
    island = island_at(eyes.state, legal.move.island)
    if building not in eyes.missing:
        worth = 2.5 if building == "fortress" and island.metropolis and eyes.gold >= 6 else 0.5
    keeps = 0.4 if not legal.move.on_site else 0.0
    return worth + keeps + 0.1 * island.troops - 2.2, legal.move


def _end_turn(_eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return 0.0, legal.move


def _never(_eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return -1.0, legal.move


# Creatures


def _call(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    price, _ = price_of(eyes.state, eyes.seat, legal.move.creature)
    return creature_worth(eyes, legal.move.creature) - 1.2 * price, legal.move


def creature_worth(eyes: Eyes, creature: Creature) -> float:
    """What calling a creature would bring now."""
    if creature == "fates":
        return float(revenue(eyes.state, eyes.seat))
    if creature == "satyr":
        others = any(each.philosophers for each in eyes.state.players if each.seat != eyes.seat)
        have = eyes.state.players[eyes.seat].philosophers
        return (eyes.city_worth() if have == 3 else 4.0) if others else 0.0
    if creature == "dryad":
        return 3.0 if any(each.priests for each in eyes.state.players if each.seat != eyes.seat) else 0.0
    if creature == "pegasus":
        return max((_flight(eyes, origin, to)[0] for origin in eyes.islands for to in eyes.state.islands), default=0.0)
    if creature == "griffon":
        return 3.0
    if creature == "minotaur":
        return max((12.0 * eyes.danger(each) for each in eyes.islands if each.metropolis), default=0.0)
    if creature == "cyclops":
        return eyes.city_worth() * 0.8 if len(eyes.missing) == 1 and _has_double(eyes) else 0.0
    if creature == "harpy":
        return 2.5
    return 0.5


def _has_double(eyes: Eyes) -> bool:
    built = [each for island in eyes.islands for each in island.slots if each]
    return len(built) > len(set(built))


def _flight(eyes: Eyes, origin: Any, to: Any) -> tuple[float, int]:
    spare = eyes.spare(origin)
    return eyes.attack(origin, to, spare) if spare and to is not origin else (-1.0, 1)


def _island(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    island = island_at(eyes.state, legal.move.island)
    frame = eyes.state.frames[-1]
    ours = island.owner == eyes.seat
    if isinstance(frame, Founding):
        site = eyes.board.land(island.id).site
        lost = sum(1.0 for slot, each in enumerate(island.slots, 1) if each and slot in site)
        return island.troops * 1.5 - 2.0 * lost - 6.0 * eyes.danger(island), legal.move
    if isinstance(frame, Blessing):
        return island.troops + 2.0 * island.metropolis - 3.0 * eyes.danger(island), legal.move
    assert isinstance(frame, Power)
    if frame.creature in ("minotaur", "chiron"):
        safety = (10.0 * island.metropolis + 2.0) * (0.2 + eyes.danger(island)) if ours else -5.0
        return safety, legal.move
    if frame.creature == "medusa":
        return (-5.0 if ours else float(island.troops)), legal.move
    if frame.creature == "polyphemus":
        ring = eyes.board.coasts[island.id]
        sign = {True: -1.0, False: 1.0}
        return sum(sign[each.seat == eyes.seat] * each.ships for each in eyes.state.fleets if each.space in ring), legal.move
    return eyes.prize(island), legal.move  # the Harpy


def _space(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    there = squadron_at(eyes.state, legal.move.space)
    frame = eyes.state.frames[-1]
    if isinstance(frame, Power) and frame.creature == "sylph":
        return 1.0, legal.move
    if there is None:
        return 0.0, legal.move
    return (-3.0 if there.seat == eyes.seat else 1.0) * there.ships, legal.move


def _rival(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    rival = legal.move.rival
    return metropolises(eyes.state, rival) * 2.0 + 0.1 * len(owned(eyes.state, rival)), legal.move


def _copied(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return creature_worth(eyes, legal.move.creature), legal.move


def _building(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    island = island_at(eyes.state, legal.move.island)
    if not isinstance(eyes.state.frames[-1], Power):
        return (1.0 if legal.move.on_site else 0.0), legal.move  # to give up what a city would cover
    if island.owner == eyes.seat:
        return -5.0, legal.move
    return 1.0 + metropolises(eyes.state, island.owner) if island.owner is not None else 0.0, legal.move


def _rebuild(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    copies = sum(island.slots.count(legal.move.building) for island in eyes.islands)
    return (eyes.building_worth(legal.move.into) if copies > 1 else -1.0), legal.move


def _lure(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return eyes.reach(moved(eyes.state, eyes.seat, legal.move.source, legal.move.space)), legal.move


def _fly(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    origin, to = island_at(eyes.state, legal.move.origin), island_at(eyes.state, legal.move.to)
    worth, troops = _flight(eyes, origin, to)
    most = legal.range["troops"][1] if legal.range else 1
    return worth, replace(legal.move, troops=min(troops, most))


def _move_troops(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return (_fly if isinstance(eyes.state.frames[-1], Power) else _march)(eyes, legal)


def _push(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    pushed = squadron_at(eyes.state, legal.move.origin)
    ours = pushed is not None and pushed.seat == eyes.seat
    return (1.0 if ours else 0.0), legal.move


def _sell(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return -1.0, legal.move


def _stop(_eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return 0.0, legal.move


# Battles


def _fight_on(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    """Stay while the chance of winning is fair, or what is at stake is too dear to leave."""
    battle = eyes.state.frames[-1]
    assert isinstance(battle, Battle)
    if battle.place in eyes.board.place:
        island = island_at(eyes.state, battle.place)
        chance = odds_on_land(eyes.state, island, battle.units)
        dear = island.metropolis
    else:
        there = squadron_at(eyes.state, battle.place)
        bonus = fleet_bonus(eyes.state, battle.defender, battle.place)
        chance = odds(battle.units, 0 if there is None else there.ships, False, bonus)
        dear = False
    ours = chance if battle.attacker == eyes.seat else 1 - chance
    return ours + (0.5 if dear else 0.0), legal.move


def _retreat(eyes: Eyes, legal: Legal[Any]) -> _Choice:
    return 0.3, legal.move


_WORTH: dict[type[Any], Callable[[Eyes, Legal[Any]], _Choice]] = {
    OfferTo: _offer,
    OfferToApollo: _apollo,
    CallCreature: _call,
    RecruitTroop: _recruit_troop,
    RecruitFleet: _recruit_fleet,
    TakePriest: _take_priest,
    TakePhilosopher: _take_philosopher,
    Build: _build,
    MoveTroops: _move_troops,
    Sail: _sail,
    SwapCreature: _never,
    EndTurn: _end_turn,
    Stop: _stop,
    FightOn: _fight_on,
    Retreat: _retreat,
    ChooseIsland: _island,
    ChooseSpace: _space,
    ChooseRival: _rival,
    ChooseCreature: _copied,
    ChooseBuilding: _building,
    Rebuild: _rebuild,
    Lure: _lure,
    MoveKraken: _never,
    Push: _push,
    Sell: _sell,
}
