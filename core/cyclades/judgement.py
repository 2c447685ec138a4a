"""What a position is worth to a seat: odds of battles, prizes, ways over the sea, needs. In gold, roughly.

The judgement of the ``greedy`` bot. It is made from a view, so hidden parts are empty and the purses of
others count as nothing. Rules are asked, never decided here.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import product
from typing import Any

import msgspec
from msgspec.structs import replace

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
from kleos.core.cyclades.ownership import is_protected
from kleos.core.cyclades.state import Island, State
from kleos.core.cyclades.vocabulary import BUILDINGS, DIE, MINOTAUR_STRENGTH, Building
from kleos.core.kernel.visibility import Builtin

FAR = 99
"""Further than any fleets reach."""


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
    worse = better = even = 0
    for mine, theirs in product(DIE, DIE):
        lead = attackers + mine - defence - theirs
        worse += lead < 0
        better += lead > 0
        even += lead == 0
    total = len(DIE) ** 2
    won = better * odds(attackers, *fewer, bonus) if better else 0.0
    lost = worse * odds(attackers - 1, troops, minotaur, bonus) if worse else 0.0
    return (won + lost + even * odds(attackers - 1, *fewer, bonus)) / total


def odds_on_land(state: State, island: Island, attackers: int, more: int = 0) -> float:
    """The chance to take an island as it stands, with ``more`` defenders on it."""
    bonus = island.slots.count("fortress") + island.metropolis
    return odds(attackers, island.troops + more, holds(state, island.id, "minotaur"), bonus)


class Eyes:
    """One seat's look at one position; what several decisions ask is worked out once."""

    def __init__(self, state: State, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.board = board_of(state)
        self.gold = state.players[seat].gold
        self.islands = owned(state, seat)
        self.cities = metropolises(state, seat)
        self.missing: set[Building] = set(BUILDINGS) - building_types(state, seat)
        self.target = target(state)

    # Prizes

    def city_worth(self) -> float:
        """What one more metropolis is worth."""
        return 40.0 if self.cities + 1 >= self.target else 16.0

    def prize(self, island: Island) -> float:
        """What holding an island that is not ours would be worth."""
        land = self.board.land(island.id)
        worth = 2.0 + 1.5 * (land.prosperity + island.prosperity) + 0.5 * land.slots
        worth += sum(3.0 if building in self.missing else 1.0 for building in island.slots if building)
        if len(self.missing - set(island.slots)) == 0 and self.missing:
            worth += self.city_worth()
        if not island.metropolis and all(each.metropolis for each in self.islands):
            worth += 6.0
        if island.metropolis:
            worth += self.city_worth()
        if island.owner is not None and self._threatens(island.owner):
            worth += 30.0 if island.metropolis else 3.0
        return worth

    def _threatens(self, rival: int) -> bool:
        return metropolises(self.state, rival) >= self.target

    def open_to_us(self, island: Island) -> bool:
        return island.owner != self.seat and not is_protected(self.state, self.seat, island)

    # Attack and defence

    def spare(self, island: Island) -> int:
        """Troops that may leave an own island without giving it up to the next who comes."""
        if self.cities + 1 >= self.target + 1 and island.metropolis:
            return 0
        if island.metropolis:
            return max(0, island.troops - 2)
        return island.troops

    def attack(self, origin: Island, to: Island, most: int) -> tuple[float, int]:
        """The best number of troops to send, up to ``most``, and what that is worth beyond its cost."""
        if to.owner == self.seat or not self.open_to_us(to):
            return (-1.0, 1)
        best = (-1.0, 1)
        prize = self.prize(to)
        leaving = 0.7 * len(self.islands) if False else 0.5
        for troops in range(1, most + 1):
            if to.owner is None or (not to.troops and not holds(self.state, to.id, "minotaur")):
                chance, lost = 1.0, 0.0
            else:
                chance = odds_on_land(self.state, to, troops)
                lost = (1 - chance) * troops + chance * min(to.troops, troops - 1) * 0.5
            left = origin.troops - troops
            risk = leaving * 3 if left == 0 and (origin.metropolis or any(origin.slots)) else 0.0
            worth = chance * prize - 1.5 * lost - risk - 1.0
            if worth > best[0] + (0.2 if troops > best[1] else 0.0):
                best = (worth, troops)
        return best

    def danger(self, island: Island, more: int = 0) -> float:
        """How likely some rival could take an own island with what stands within reach of its fleets."""
        worst = 0.0
        for rival in self.state.players:
            if rival.seat == self.seat or rival.out:
                continue
            force = self._force(rival.seat, island.id)
            if force:
                worst = max(worst, odds_on_land(self.state, island, force, more))
        return worst

    def _force(self, rival: int, island: str) -> int:
        fleets = {each.space for each in self.state.fleets if each.seat == rival}
        gaps = sea_gaps(self.state, rival, island, fleets)
        most = 0
        for other in self.state.islands:
            if other.owner == rival and other.troops and gaps.get(other.id, FAR) == 0:
                most = max(most, other.troops + min(2, troop_reserve(self.state, rival)))
        return most

    # The sea

    def reach(self, fleets: set[str]) -> float:
        """What our fleets, lying in these spaces, let our troops come to."""
        worth = sum(1.2 for space in fleets if space in self.board.prosperous)
        homes = [island.id for island in self.islands if island.troops] or [each.id for each in self.islands]
        gaps = sea_gaps(self.state, self.seat, homes[0], fleets, homes)
        best = sorted(
            (
                self.prize(island) * _ease(self.state, island) / (1 + gaps.get(island.id, FAR)) ** 1.3
                for island in self.state.islands
                if self.open_to_us(island)
            ),
            reverse=True,
        )
        return worth + 0.5 * sum(best[:3])

    def room_for(self, building: Building) -> bool:
        """Whether some own slot is free for a building we lack."""
        return any(
            free_slot(self.state, island, on_site=on_site) is not None
            for island in self.islands
            for on_site in (False, True)
        )

    def building_worth(self, building: Building) -> float:
        """What one building of the type is worth: the last missing one makes a metropolis."""
        if building not in self.missing or all(island.metropolis for island in self.islands):
            return 0.5
        return {1: self.city_worth(), 2: 6.0, 3: 4.0, 4: 3.5}[len(self.missing)]


def _ease(state: State, island: Island) -> float:
    """How weakly an island is held: 1 if nobody defends it."""
    if island.owner is None:
        return 1.0
    return 1.0 / (1.0 + island.troops + 2 * holds(state, island.id, "minotaur"))


def sea_gaps(
    state: State, seat: int, home: str, fleets: set[str], homes: list[str] | None = None
) -> dict[str, int]:
    """Island -> how many more spaces the seat's fleets would have to hold to join it to a home (0-1 search)."""
    board, barred, there = board_of(state), closed(state), ships(state)
    gaps: dict[str, int] = {}
    best: dict[str, int] = {}
    edge: deque[tuple[int, str]] = deque()

    def step(space: str, gap: int) -> None:
        if space in barred:
            return
        if space not in fleets:
            foreign = there.get(space)
            gap += 1 if foreign is None or foreign.seat == seat else 1 + foreign.ships
        if gap < best.get(space, FAR):
            best[space] = gap
            if space in fleets:
                edge.appendleft((gap, space))
            else:
                edge.append((gap, space))

    for start in homes or [home]:
        for space in board.coasts[start]:
            step(space, 0)
    while edge:
        gap, space = edge.popleft()
        if gap > best[space] or gap > 4:
            continue
        for island in board.shores[space]:
            if gap < gaps.get(island, FAR):
                gaps[island] = gap
        for near in board.neighbours[space]:
            step(near, gap)
    return gaps


def moved(state: State, seat: int, origin: str | None, to: str) -> set[str]:
    """The seat's spaces after one fleet came to ``to``, from ``origin`` or from the reserve."""
    spaces = {each.space for each in state.fleets if each.seat == seat}
    for each in state.fleets:
        if each.space == origin and each.ships == 1:
            spaces.discard(each.space)
    return spaces | {to}


__all__ = ["FAR", "Eyes", "moved", "odds", "odds_on_land", "replace", "sea_gaps", "seen"]
_: Any = None
