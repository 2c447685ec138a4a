"""What a position says: who owns what, what is joined to what, what is left in the box. Questions only.

Every function is pure and takes the state; none of them decides whether a move is legal.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleos.core.cyclades.board import Board, board_named
from kleos.core.cyclades.state import Battle, Figure, Island, Player, Squadron, State, Turn
from kleos.core.cyclades.vocabulary import (
    BUILDING_SUPPLY,
    BUILDINGS,
    FLEETS,
    PHILOSOPHERS,
    PRIESTS,
    PROSPERITY_MARKERS,
    TROOPS,
    Building,
)


def board_of(state: State) -> Board:
    return board_named(state.board)


def turn_of(state: State) -> Turn | None:
    """The turn that is being played, if any; whatever else is open belongs to it."""
    bottom = state.frames[0] if state.frames else None
    return bottom if type(bottom) is Turn else None


def target(state: State) -> int:
    """Metropolises needed to win (15, 16). It never changes during a match (R-03)."""
    return 3 if len(state.players) == 2 else 2


def standing(state: State) -> list[Player]:
    """The players who are not eliminated."""
    return [player for player in state.players if not player.out]


# Islands


def island_at(state: State, name: str) -> Island:
    return state.islands[board_named(state.board).place[name]]


def owned(state: State, seat: int) -> list[Island]:
    return [island for island in state.islands if island.owner == seat]


def metropolises(state: State, seat: int) -> int:
    return sum(1 for island in state.islands if island.owner == seat and island.metropolis)


def building_types(state: State, seat: int) -> set[Building]:
    """The types of ordinary buildings a seat owns."""
    types: set[Building] = set()
    for island in state.islands:
        if island.owner == seat:
            for building in island.slots:
                if building is not None:
                    types.add(building)
    return types


def has_set(state: State, seat: int) -> bool:
    """Whether the seat owns one building of each type (13)."""
    return len(building_types(state, seat)) == len(BUILDINGS)


def figure_on(state: State, island: str) -> Figure | None:
    """The figure on an island; two never stay together (14.2)."""
    for figure in state.figures:
        if figure.island == island:
            return figure
    return None


def holds(state: State, island: str, creature: str) -> bool:
    """Whether that figure stands on the island."""
    figure = figure_on(state, island)
    return figure is not None and figure.creature == creature


def slots_of(state: State, island: Island, *, on_site: bool) -> tuple[int, ...]:
    """The slots of an island that lie under its metropolis site, or those that do not, ascending (R-22)."""
    return board_named(state.board).slots[island.id][on_site]


def free_slot(state: State, island: Island, *, on_site: bool) -> int | None:
    """The lowest slot on which a building may be placed (9.4, R-22)."""
    if on_site and island.metropolis:
        return None
    for slot in slots_of(state, island, on_site=on_site):
        if island.slots[slot - 1] is None:
            return slot
    return None


def slot_with(state: State, island: Island, building: Building, *, on_site: bool) -> int | None:
    """The lowest slot there with such a building (R-22)."""
    for slot in slots_of(state, island, on_site=on_site):
        if island.slots[slot - 1] == building:
            return slot
    return None


def buildings_of(state: State, islands: list[Island]) -> Iterator[tuple[Island, Building, bool]]:
    """Each distinguishable building on the islands: island, type, whether it is on the metropolis site."""
    board = board_of(state)
    for island in islands:
        site = board.land(island.id).site
        seen: set[tuple[Building, bool]] = set()
        for slot, building in enumerate(island.slots, 1):
            if building is not None and (building, slot in site) not in seen:
                seen.add((building, slot in site))
                yield island, building, slot in site


def discounts(state: State, seat: int) -> int:
    """How many temples and metropolises of the seat can still lower a price (R-04)."""
    number = 0
    for island in state.islands:
        if island.owner == seat:
            number += island.slots.count("temple") + island.metropolis - len(island.spent)
    return number


def unspent(state: State, seat: int) -> Iterator[tuple[str, int]]:
    """Temples (island, slot) and metropolises (island, 0) that can still lower a price, in R-04's order."""
    for island in state.islands:
        if island.owner != seat:
            continue
        for slot, building in enumerate(island.slots, 1):
            if building == "temple" and slot not in island.spent:
                yield island.id, slot
        if island.metropolis and 0 not in island.spent:
            yield island.id, 0


# The sea


def ships(state: State) -> dict[str, Squadron]:
    """Sea space -> the fleets in it."""
    return {squadron.space: squadron for squadron in state.fleets}


def squadron_at(state: State, space: str) -> Squadron | None:
    for squadron in state.fleets:
        if squadron.space == space:
            return squadron
    return None


def ring(state: State) -> tuple[str, ...]:
    """The spaces around Polyphemus, if he stands (14.2)."""
    for figure in state.figures:
        if figure.creature == "polyphemus":
            return board_of(state).coasts[figure.island]
    return ()


def closed(state: State) -> set[str]:
    """The sea spaces that no fleet may enter: the Kraken's, and Polyphemus's blockade (C-22, C-23)."""
    spaces = set(ring(state)) if state.options.polyphemus_blockade and state.figures else set()
    if state.kraken is not None:
        spaces.add(state.kraken)
    return spaces


def fleet_bonus(state: State, seat: int, space: str) -> int:
    """Ports and metropolises of the seat on the islands that border the space (9.4, C-11, C-53)."""
    place = board_of(state).place
    return sum(
        island.slots.count("port") + island.metropolis
        for shore in board_of(state).shores[space]
        for island in [state.islands[place[shore]]]
        if island.owner == seat
    )


def joined(state: State, seat: int, island: str) -> set[str]:
    """The islands joined to an island by a chain of the seat's fleets, itself included (2)."""
    board = board_of(state)
    own = {squadron.space for squadron in state.fleets if squadron.seat == seat}
    edge = own.intersection(board.coasts[island])
    seen, islands = set(edge), {island}
    while edge:
        space = edge.pop()
        islands.update(board.shores[space])
        fresh = own.intersection(board.neighbours[space]) - seen
        seen |= fresh
        edge |= fresh
    return islands


# What is left in the box (18)


def _in_battle(state: State, seat: int, *, on_land: bool) -> int:
    battle = state.frames[-1] if state.frames else None
    if type(battle) is not Battle or battle.attacker != seat:
        return 0
    return battle.units if (battle.place in board_of(state).place) == on_land else 0


def troop_reserve(state: State, seat: int) -> int:
    reserve = TROOPS
    for island in state.islands:
        if island.owner == seat:
            reserve -= island.troops
    return reserve - _in_battle(state, seat, on_land=True)


def fleet_reserve(state: State, seat: int) -> int:
    reserve = FLEETS
    for squadron in state.fleets:
        if squadron.seat == seat:
            reserve -= squadron.ships
    return reserve - _in_battle(state, seat, on_land=False)


def building_supply(state: State, building: Building) -> int:
    supply = BUILDING_SUPPLY
    for island in state.islands:
        supply -= island.slots.count(building)
    return supply


def priest_supply(state: State) -> int:
    return PRIESTS - sum(player.priests for player in state.players)


def philosopher_supply(state: State) -> int:
    return PHILOSOPHERS - sum(player.philosophers for player in state.players)


def prosperity_supply(state: State) -> int:
    return PROSPERITY_MARKERS - sum(island.prosperity for island in state.islands)


# Gold


def revenue(state: State, seat: int) -> int:
    """Cornucopias, printed and placed, on the seat's islands, and those at sea under its fleets (7)."""
    board = board_of(state)
    gold = 0
    for printed, island in zip(board.lands, state.islands, strict=True):
        if island.owner == seat:
            gold += printed.prosperity + island.prosperity
    for squadron in state.fleets:
        if squadron.seat == seat and squadron.space in board.prosperous:
            gold += 1
    return gold
