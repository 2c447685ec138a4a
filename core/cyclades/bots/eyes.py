"""What a position is worth to a seat: prizes, odds, dangers, what its fleets let it reach. In gold, roughly.

The judgement of the ``greedy`` bot. It is made from a view, so hidden parts are empty and the purses of
others count as nothing. It asks the rules' questions and decides nothing.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import product
from typing import Final

import msgspec

from kleos.core.cyclades.ownership import is_protected
from kleos.core.cyclades.position import (
    board_of,
    building_types,
    closed,
    free_slot,
    holds,
    metropolises,
    owned,
    ships,
    target,
    troop_reserve,
)
from kleos.core.cyclades.state import Island, State
from kleos.core.cyclades.vocabulary import BUILDINGS, DIE, MINOTAUR_STRENGTH, Building
from kleos.core.kernel.visibility import Builtin

_FAR: Final = 5
"""Spaces short of a chain beyond which an island is not thought of."""
_WINNING: Final = 40.0
_CITY: Final = 16.0
_BY_MISSING: Final = {2: 6.0, 3: 4.0, 4: 3.5}
"""What a building of a missing type is worth while that many are missing; the last makes a metropolis."""


def seen(view: Builtin) -> State:
    """The state as a seat sees it: nothing in the deck, nobody else's gold."""
    players = [dict(player, gold=player["gold"] or 0) for player in view["players"]]
    return msgspec.convert({**view, "players": players, "deck": [], "hidden": []}, State)


@cache
def odds(attackers: int, troops: int, minotaur: bool, bonus: int) -> float:
    """The chance that attackers who never retreat win against defenders who never do (11)."""
    if not troops and not minotaur:
        return 1.0 if attackers else 0.0
    if not attackers:
        return 0.0
    defence = troops + (MINOTAUR_STRENGTH if minotaur else 0) + bonus
    fewer = (troops - 1, minotaur) if troops else (0, False)
    leads = [attackers + mine - defence - theirs for mine, theirs in product(DIE, DIE)]
    won = sum(lead > 0 for lead in leads)
    lost = sum(lead < 0 for lead in leads)
    even = len(leads) - won - lost
    chance = won * odds(attackers, *fewer, bonus)
    chance += lost * odds(attackers - 1, troops, minotaur, bonus)
    chance += even * odds(attackers - 1, *fewer, bonus)
    return chance / len(leads)


class Eyes:
    """One seat's look at one position."""

    def __init__(self, state: State, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.board = board_of(state)
        self.gold = state.players[seat].gold
        self.philosophers = state.players[seat].philosophers
        self.islands = owned(state, seat)
        self.cities = metropolises(state, seat)
        self.missing: set[Building] = set(BUILDINGS) - building_types(state, seat)
        self.target = target(state)

    # Prizes

    def city_worth(self) -> float:
        """What one more metropolis is worth; the last one wins."""
        return _WINNING if self.cities + 1 >= self.target else _CITY

    def building_worth(self, building: Building) -> float:
        """What a building of that type brings towards a set that can still become a metropolis."""
        if building not in self.missing or all(island.metropolis for island in self.islands):
            return 0.5
        return self.city_worth() if len(self.missing) == 1 else _BY_MISSING[len(self.missing)]

    def can_build(self) -> bool:
        """Whether some own slot is free."""
        return any(
            free_slot(self.state, island, on_site=on_site) is not None
            for island in self.islands
            for on_site in (False, True)
        )

    def prize(self, island: Island) -> float:
        """What holding an island that is not ours would be worth."""
        land = self.board.land(island.id)
        worth = 2.0 + 1.5 * (land.prosperity + island.prosperity) + 0.5 * land.slots
        worth += sum(3.0 if building in self.missing else 1.0 for building in island.slots if building)
        if self.missing and self.missing <= set(island.slots):
            worth += self.city_worth()
        if not island.metropolis and all(each.metropolis for each in self.islands):
            worth += 6.0  # room for the next metropolis
        if island.metropolis:
            worth += self.city_worth()
        if island.owner is not None and metropolises(self.state, island.owner) >= self.target:
            worth += 30.0 if island.metropolis else 3.0  # its owner is about to win
        return worth

    def is_open(self, island: Island) -> bool:
        """Whether the island is not ours and may be attacked."""
        return island.owner != self.seat and not is_protected(self.state, self.seat, island)

    # Attack and defence

    def odds_against(self, island: Island, attackers: int, more: int = 0) -> float:
        """The chance to take an island as it stands, with ``more`` defenders on it."""
        bonus = island.slots.count("fortress") + island.metropolis
        return odds(attackers, island.troops + more, holds(self.state, island.id, "minotaur"), bonus)

    def spare(self, island: Island) -> int:
        """Troops that may leave an own island: a metropolis keeps two, or all once they are enough to win."""
        if not island.metropolis:
            return island.troops
        return 0 if self.cities >= self.target else max(0, island.troops - 2)

    def attack(self, origin: Island, to: Island, most: int) -> tuple[float, int]:
        """What an attack is worth beyond its cost, and the best number of troops for it, up to ``most``."""
        best = -1.0, 1
        if not self.is_open(to):
            return best
        prize = self.prize(to)
        for troops in range(1, most + 1):
            chance = 1.0 if to.owner is None else self.odds_against(to, troops)
            lost = (1 - chance) * troops + chance * min(to.troops, troops - 1) * 0.5
            emptied = troops == origin.troops and (origin.metropolis or any(origin.slots))
            worth = chance * prize - 1.5 * lost - 1.5 * emptied - 1.0
            if worth > best[0] + 0.2:
                best = worth, troops
        return best

    def danger(self, island: Island, more: int = 0) -> float:
        """How likely the worst rival could take an own island, were there ``more`` troops on it."""
        forces = [
            self._force(rival.seat, island)
            for rival in self.state.players
            if rival.seat != self.seat and not rival.out
        ]
        return max((self.odds_against(island, force, more) for force in forces if force), default=0.0)

    def _force(self, rival: int, island: Island) -> int:
        """The most troops a rival could land from one island, two recruits included."""
        fleets = {each.space for each in self.state.fleets if each.seat == rival}
        gaps = self.gaps(rival, [island], fleets)
        stacks = [
            other.troops
            for other in self.state.islands
            if other.owner == rival and other.troops and gaps.get(other.id) == 0
        ]
        return max(stacks) + min(2, troop_reserve(self.state, rival)) if stacks else 0

    # The sea

    def fleets(self) -> set[str]:
        """The spaces in which our fleets lie."""
        return {each.space for each in self.state.fleets if each.seat == self.seat}

    def fleets_after(self, origin: str | None, to: str) -> set[str]:
        """Those spaces once a fleet came to ``to``, from ``origin`` or from the reserve."""
        last = {each.space for each in self.state.fleets if each.space == origin and each.ships == 1}
        return (self.fleets() - last) | {to}

    def reach(self, fleets: set[str]) -> float:
        """What fleets in these spaces let our troops come to, and what they fish up themselves."""
        garrisons = [island for island in self.islands if island.troops] or self.islands
        gaps = self.gaps(self.seat, garrisons, fleets)
        prizes = sorted(
            (
                self.prize(island) * self._weakness(island) / float((1 + gaps[island.id]) ** 1.3)
                for island in self.state.islands
                if island.id in gaps and self.is_open(island)
            ),
            reverse=True,
        )
        return 1.2 * len(fleets & self.board.prosperous) + 0.5 * sum(prizes[:3])

    def _weakness(self, island: Island) -> float:
        minotaur = holds(self.state, island.id, "minotaur")
        return 1.0 if island.owner is None else 1.0 / (1.0 + island.troops + 2 * minotaur)

    def gaps(self, seat: int, homes: list[Island], fleets: set[str]) -> dict[str, int]:
        """Island -> how many more spaces the seat's fleets would have to hold to join it to a home.

        A search in which a space with an own fleet costs nothing, an empty one 1, a foreign one more.
        """
        barred, there = closed(self.state), ships(self.state)
        islands: dict[str, int] = {}
        best: dict[str, int] = {}
        edge: deque[str] = deque()

        def come_to(space: str, gap: int) -> None:
            if space in barred:
                return
            if space not in fleets:
                foreign = there.get(space)
                gap += 1 if foreign is None or foreign.seat == seat else 1 + foreign.ships
            if gap < best.get(space, _FAR):
                best[space] = gap
                (edge.appendleft if space in fleets else edge.append)(space)

        for home in homes:
            for space in self.board.coasts[home.id]:
                come_to(space, 0)
        while edge:
            space = edge.popleft()
            for island in self.board.shores[space]:
                islands[island] = min(best[space], islands.get(island, _FAR))
            for near in self.board.neighbours[space]:
                come_to(near, best[space])
        return islands
