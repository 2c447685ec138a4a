"""A god's turn: recruits, buildings, creatures and specials, in any order, until it is ended (9)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.cycle import draw
from kleos.core.cyclades.movement import can_pay_step, departing_fleets, march, marches, set_sail
from kleos.core.cyclades.moves import (
    Build,
    CallCreature,
    EndTurn,
    MoveTroops,
    RecruitFleet,
    RecruitTroop,
    Sail,
    SwapCreature,
    TakePhilosopher,
    TakePriest,
)
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import (
    board_of,
    building_supply,
    closed,
    discounts,
    fleet_reserve,
    free_slot,
    island_at,
    owned,
    philosopher_supply,
    priest_supply,
    troop_reserve,
)
from kleos.core.cyclades.state import State, Turn
from kleos.core.cyclades.vocabulary import (
    BUILDING_COST,
    BUILT_BY,
    LADDER,
    PRICES,
    STEP_COST,
    Altar,
    Creature,
)
from kleos.core.kernel.game import Legal

# Recruits (9.3)


def rung(state: State, turn: Turn) -> int | None:
    """What the next recruit of the turn costs; None if there is none, or it cannot be paid."""
    ladder = LADDER[turn.god]
    if turn.recruits >= len(ladder) or ladder[turn.recruits] > state.players[turn.seat].gold:
        return None
    return ladder[turn.recruits]


def _troops(state: State, turn: Turn) -> Moves:
    if rung(state, turn) is not None and troop_reserve(state, turn.seat):
        for island in owned(state, turn.seat):
            yield Legal(RecruitTroop(island.id))


def _recruit_troop(play: Play, turn: Turn, move: RecruitTroop) -> None:
    price = LADDER[turn.god][turn.recruits]
    play.add(fx.TroopRecruited(seat=turn.seat, island=move.island, cost=price))


def harbours(state: State, seat: int) -> list[str]:
    """The sea spaces in which a seat may place new fleets, island by island (C-07)."""
    coasts = board_of(state).coasts
    own = {squadron.space for squadron in state.fleets if squadron.seat == seat}
    taken = {squadron.space for squadron in state.fleets if squadron.seat != seat} | closed(state)
    spaces = dict.fromkeys(space for island in owned(state, seat) for space in coasts[island.id])
    if state.options.fleet_placement == "coast_or_fleet":
        spaces.update(dict.fromkeys(sorted(own)))
    return [space for space in spaces if space not in taken]


def _fleets(state: State, turn: Turn) -> Moves:
    if rung(state, turn) is not None and fleet_reserve(state, turn.seat):
        for space in harbours(state, turn.seat):
            yield Legal(RecruitFleet(space))


def _recruit_fleet(play: Play, turn: Turn, move: RecruitFleet) -> None:
    price = LADDER[turn.god][turn.recruits]
    play.add(fx.FleetRecruited(seat=turn.seat, space=move.space, cost=price))


def _priest(state: State, turn: Turn) -> Moves:
    if rung(state, turn) is not None and priest_supply(state):
        yield Legal(TakePriest())


def _take_priest(play: Play, turn: Turn, _move: TakePriest) -> None:
    play.add(fx.PriestTaken(seat=turn.seat, cost=LADDER[turn.god][turn.recruits]))


def _philosopher(state: State, turn: Turn) -> Moves:
    assert philosopher_supply(state), "a seat never keeps four philosophers, so they cannot run out (R-23)"
    if rung(state, turn) is not None:
        yield Legal(TakePhilosopher())


def _take_philosopher(play: Play, turn: Turn, _move: TakePhilosopher) -> None:
    play.add(fx.PhilosopherTaken(seat=turn.seat, cost=LADDER[turn.god][turn.recruits]))


# Buildings (9.4)


def _building_sites(state: State, turn: Turn) -> Moves:
    if state.players[turn.seat].gold < BUILDING_COST or not building_supply(state, BUILT_BY[turn.god]):
        return
    for island in owned(state, turn.seat):
        for on_site in (False, True):
            if free_slot(state, island, on_site=on_site) is not None:
                yield Legal(Build(island.id, on_site))


def _build(play: Play, turn: Turn, move: Build) -> None:
    slot = free_slot(play.state, island_at(play.state, move.island), on_site=move.on_site)
    assert slot is not None
    building = BUILT_BY[turn.god]
    play.add(
        fx.BuildingBuilt(seat=turn.seat, island=move.island, building=building, slot=slot, cost=BUILDING_COST)
    )


# Creatures (9.2)


def price_of(state: State, seat: int, creature: Creature) -> tuple[int, int]:
    """The price of a face-up creature for a seat, and how many discounts it takes (R-04)."""
    return _discounted(PRICES[state.track.index(creature)], discounts(state, seat))


def _discounted(printed: int, temples: int) -> tuple[int, int]:
    price = max(1, printed - temples)
    return price, printed - price


def _creatures(state: State, turn: Turn) -> Moves:
    gold = state.players[turn.seat].gold
    if not gold:
        return
    temples = discounts(state, turn.seat)
    for printed, creature in zip(PRICES, state.track, strict=True):
        if creature is not None and _discounted(printed, temples)[0] <= gold:
            yield Legal(CallCreature(creature))


def _call(play: Play, turn: Turn, move: CallCreature) -> None:
    cost, used = price_of(play.state, turn.seat, move.creature)
    play.add(fx.CreatureCalled(seat=turn.seat, creature=move.creature, cost=cost, discounts=used))


def _swaps(state: State, turn: Turn) -> Moves:
    if can_pay_step(state, turn):
        for creature in state.track:
            if creature is not None:
                yield Legal(SwapCreature(creature))


def _swap(play: Play, turn: Turn, move: SwapCreature) -> None:
    """The card goes first, so with an empty deck it may come straight back (9.5, R-11)."""
    price = PRICES[play.state.track.index(move.creature)]
    play.add(fx.CreatureSwapped(seat=turn.seat, creature=move.creature, price=price, cost=STEP_COST))
    draw(play, price)


# The end of the turn (9.1)


def card_is_due(state: State, turn: Turn) -> bool:
    """Whether the free priest or philosopher must still be taken (C-15)."""
    if turn.recruits:
        return False
    return turn.god == "athena" or (turn.god == "zeus" and priest_supply(state) > 0)


def _ending(state: State, turn: Turn) -> Moves:
    if not card_is_due(state, turn):
        yield Legal(EndTurn())


def _end(play: Play, turn: Turn, _move: EndTurn) -> None:
    play.add(fx.TurnEnded(seat=turn.seat, god=turn.god))


_BUILD = Option(Build, _building_sites, _build)
_CALL = Option(CallCreature, _creatures, _call)
_END = Option(EndTurn, _ending, _end)

MENU: dict[Altar, tuple[Option, ...]] = {
    "ares": (
        Option(RecruitTroop, _troops, _recruit_troop),
        _BUILD,
        Option(MoveTroops, marches, march),
        _CALL,
        _END,
    ),
    "poseidon": (
        Option(RecruitFleet, _fleets, _recruit_fleet),
        _BUILD,
        Option(Sail, departing_fleets, set_sail),
        _CALL,
        _END,
    ),
    "zeus": (
        Option(TakePriest, _priest, _take_priest),
        _BUILD,
        Option(SwapCreature, _swaps, _swap),
        _CALL,
        _END,
    ),
    "athena": (
        Option(TakePhilosopher, _philosopher, _take_philosopher),
        _BUILD,
        _CALL,
        _END,
    ),
}
"""What each god offers; Apollo offers nothing to choose (9.6)."""
