"""What the greedy bot offers, and for which god: whatever a turn would bring, less its price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from kleos.core.cyclades.bots.eyes import Eyes
from kleos.core.cyclades.bots.judge import Choice, Judges, most_of
from kleos.core.cyclades.moves import OfferTo, OfferToApollo
from kleos.core.cyclades.offerings import cost
from kleos.core.cyclades.position import fleet_reserve, joined, troop_reserve
from kleos.core.cyclades.vocabulary import BUILDING_COST, BUILT_BY, LADDER, God
from kleos.core.kernel.game import Legal

_OWN_MARKER: Final = 1000.0
"""More than any turn is worth: one's own marker is outbid only if nothing else is legal."""


def _offer(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """As much as the turn deserves, so as not to be displaced, but not what the turn itself needs."""
    move = legal.move
    others = [bid.amount for bid in eyes.state.bids if bid.seat == eyes.seat and bid.god != move.god]
    paid = cost(eyes.state, eyes.seat, others)

    def price(amount: int) -> int:
        return cost(eyes.state, eyes.seat, [*others, amount]) - paid

    benefit = _benefit(eyes, move.god)
    willing = 0.6 * min(0.45 * benefit, 0.6 * eyes.gold)
    amount = move.amount
    while amount < most_of(legal, "amount") and price(amount + 1) <= willing:
        amount += 1
    starved = eyes.gold - price(amount) < _needs(eyes, move.god)
    worth = benefit * (0.55 if starved else 1.0) - 1.1 * price(move.amount)
    if any(bid.seat == eyes.seat and bid.god == move.god for bid in eyes.state.bids):
        worth -= _OWN_MARKER
    return worth, replace(move, amount=amount)


def _needs(eyes: Eyes, god: God) -> int:
    """Gold that the turn itself calls for."""
    if god == "athena" and eyes.philosophers == 2:
        return LADDER["athena"][1]
    if god == "ares":
        return 1
    return BUILDING_COST if BUILT_BY[god] in eyes.missing else 1


def _benefit(eyes: Eyes, god: God) -> float:
    """What a turn for the god would bring."""
    building = 0.0
    if eyes.gold >= BUILDING_COST and eyes.can_build():
        building = eyes.building_worth(BUILT_BY[god])
    return building + _GODS[god](eyes)


def _athena(eyes: Eyes) -> float:
    if eyes.philosophers == 3 or (eyes.philosophers == 2 and eyes.gold >= 6):
        return eyes.city_worth()
    return (4.0, 5.0, 7.0)[eyes.philosophers]


def _zeus(eyes: Eyes) -> float:
    return max(1.0, 4.0 - eyes.state.players[eyes.seat].priests)


def _ares(eyes: Eyes) -> float:
    """A troop, the best attack that it and what can be paid make possible, and cities in danger."""
    recruits = min(2 if eyes.gold >= 5 else 1, troop_reserve(eyes.state, eyes.seat))
    best = 0.0
    for origin in eyes.islands:
        stronger = replace(origin, troops=origin.troops + recruits)
        reach = joined(eyes.state, eyes.seat, origin.id)
        for to in eyes.state.islands:
            if to.id in reach and to.owner != eyes.seat:
                best = max(best, eyes.attack(stronger, to, eyes.spare(stronger))[0])
    danger = max((eyes.danger(island) for island in eyes.islands if island.metropolis), default=0.0)
    return (2.0 if recruits else 0.0) + best + 8.0 * danger


def _poseidon(eyes: Eyes) -> float:
    if not fleet_reserve(eyes.state, eyes.seat):
        return 1.0
    return 2.5 + 1.2 * max(0, 4 - len(eyes.fleets()))


_GODS: dict[God, Callable[[Eyes], float]] = {
    "athena": _athena,
    "zeus": _zeus,
    "ares": _ares,
    "poseidon": _poseidon,
}


def _apollo(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """Gold, and from place 1 a marker, which pays the more the earlier it is placed."""
    gold = 4.0 if len(eyes.islands) == 1 else 1.0
    marker = 0.0 if eyes.state.apollo else 2.5 if eyes.state.cycle <= 6 else 0.8
    return gold + marker, legal.move


JUDGES: Judges = {OfferTo: _offer, OfferToApollo: _apollo}
