"""Which creatures the greedy bot calls, and at whom it directs them; where it founds and blesses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kleos.core.cyclades.bots.eyes import Eyes
from kleos.core.cyclades.bots.judge import Choice, Judges, always
from kleos.core.cyclades.moves import (
    CallCreature,
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    Lure,
    MoveKraken,
    Push,
    Rebuild,
    Sell,
)
from kleos.core.cyclades.position import island_at, metropolises, owned, revenue, squadron_at
from kleos.core.cyclades.state import Blessing, Founding, Island, Power
from kleos.core.cyclades.turn import price_of
from kleos.core.cyclades.vocabulary import Creature
from kleos.core.kernel.game import Legal


def _call(eyes: Eyes, legal: Legal[Any]) -> Choice:
    price, _ = price_of(eyes.state, eyes.seat, legal.move.creature)
    return _worth(eyes, legal.move.creature) - 1.2 * price, legal.move


def _worth(eyes: Eyes, creature: Creature) -> float:
    """What a creature would bring now."""
    return _WORTH[creature](eyes) if creature in _WORTH else 0.5


def _satyr(eyes: Eyes) -> float:
    if not _others_have(eyes, "philosophers"):
        return 0.0
    return eyes.city_worth() if eyes.philosophers == 3 else 4.0


def _others_have(eyes: Eyes, card: str) -> bool:
    return any(getattr(each, card) for each in eyes.state.players if each.seat != eyes.seat)


def _pegasus(eyes: Eyes) -> float:
    return max(flight(eyes, origin, to)[0] for origin in eyes.islands for to in eyes.state.islands)


def flight(eyes: Eyes, origin: Island, to: Island) -> tuple[float, int]:
    """What flying is worth, and with how many troops."""
    spare = eyes.spare(origin)
    return eyes.attack(origin, to, spare) if spare else (-1.0, 1)


def _minotaur(eyes: Eyes) -> float:
    return max((12.0 * eyes.danger(each) for each in eyes.islands if each.metropolis), default=0.0)


def _cyclops(eyes: Eyes) -> float:
    """Worth a metropolis if a second copy can become the last type that is missing."""
    built = [building for island in eyes.islands for building in island.slots if building]
    completes = len(eyes.missing) == 1 and len(built) > len(set(built))
    return 0.8 * eyes.city_worth() if completes else 0.0


_WORTH: dict[Creature, Callable[[Eyes], float]] = {
    "fates": lambda eyes: float(revenue(eyes.state, eyes.seat)),
    "satyr": _satyr,
    "dryad": lambda eyes: 3.0 if _others_have(eyes, "priests") else 0.0,
    "pegasus": _pegasus,
    "griffon": lambda _eyes: 3.0,
    "harpy": lambda _eyes: 2.5,
    "minotaur": _minotaur,
    "cyclops": _cyclops,
}


# Targets


def _island(eyes: Eyes, legal: Legal[Any]) -> Choice:
    island = island_at(eyes.state, legal.move.island)
    frame = eyes.state.frames[-1]
    if isinstance(frame, Founding):
        return _city_site(eyes, island), legal.move
    if isinstance(frame, Blessing):
        return island.troops + 2.0 * island.metropolis - 3.0 * eyes.danger(island), legal.move
    assert isinstance(frame, Power)
    return _figure_site(eyes, island, frame.creature), legal.move


def _city_site(eyes: Eyes, island: Island) -> float:
    """Where troops stand, little is demolished, and nobody comes."""
    site = eyes.board.land(island.id).site
    demolished = sum(1.0 for slot, each in enumerate(island.slots, 1) if each and slot in site)
    return 1.5 * island.troops - 2.0 * demolished - 6.0 * eyes.danger(island)


def _figure_site(eyes: Eyes, island: Island, creature: Creature) -> float:
    ours = island.owner == eyes.seat
    if creature in ("minotaur", "chiron"):
        return (10.0 * island.metropolis + 2.0) * (0.2 + eyes.danger(island)) if ours else -5.0
    if creature == "medusa":
        return -5.0 if ours else float(island.troops)
    if creature == "polyphemus":
        ring = [each for each in eyes.state.fleets if each.space in eyes.board.coasts[island.id]]
        return float(sum(-each.ships if each.seat == eyes.seat else each.ships for each in ring))
    return eyes.prize(island)  # the Harpy's victim


def _space(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """The Kraken goes where rivals lie; the Sylph may start anywhere."""
    there = squadron_at(eyes.state, legal.move.space)
    if there is None:
        return 0.0, legal.move
    frame = eyes.state.frames[-1]
    own = 1.0 if isinstance(frame, Power) and frame.creature == "sylph" else -3.0
    return (own if there.seat == eyes.seat else 1.0) * there.ships, legal.move


def _rival(eyes: Eyes, legal: Legal[Any]) -> Choice:
    rival = legal.move.rival
    return 2.0 * metropolises(eyes.state, rival) + 0.1 * len(owned(eyes.state, rival)), legal.move


def _copied(eyes: Eyes, legal: Legal[Any]) -> Choice:
    return _worth(eyes, legal.move.creature), legal.move


def _building(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """Give up what a metropolis would cover; have the Giant destroy what leaders own."""
    if not isinstance(eyes.state.frames[-1], Power):
        return float(legal.move.on_site), legal.move
    owner = island_at(eyes.state, legal.move.island).owner
    if owner is None or owner == eyes.seat:
        return -5.0, legal.move
    return 1.0 + metropolises(eyes.state, owner), legal.move


def _rebuild(eyes: Eyes, legal: Legal[Any]) -> Choice:
    copies = sum(island.slots.count(legal.move.building) for island in eyes.islands)
    return (eyes.building_worth(legal.move.into) if copies > 1 else -1.0), legal.move


def _lure(eyes: Eyes, legal: Legal[Any]) -> Choice:
    return eyes.reach(eyes.fleets_after(legal.move.source, legal.move.space)), legal.move


def _push(eyes: Eyes, legal: Legal[Any]) -> Choice:
    """Own fleets first, while there is room."""
    pushed = squadron_at(eyes.state, legal.move.origin)
    return float(pushed is not None and pushed.seat == eyes.seat), legal.move


JUDGES: Judges = {
    CallCreature: _call,
    ChooseIsland: _island,
    ChooseSpace: _space,
    ChooseRival: _rival,
    ChooseCreature: _copied,
    ChooseBuilding: _building,
    Rebuild: _rebuild,
    Lure: _lure,
    Push: _push,
    MoveKraken: always(-1.0),
    Sell: always(-1.0),
}
