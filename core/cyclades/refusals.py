"""Why a move is not legal: the rule it breaks, and what would have been right.

Asked only once a move is known not to be listed. Each kind of move names the rules it may break in the order
of the rulebook; the first that is broken is the answer, and the rule of the open decision is the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from kleos.core.cyclades.moves import (
    AnyMove,
    Build,
    CallCreature,
    ChooseBuilding,
    ChooseIsland,
    EndTurn,
    Lure,
    MoveTroops,
    OfferTo,
    OfferToApollo,
    RecruitFleet,
    RecruitTroop,
    Retreat,
    Sail,
    SwapCreature,
    TakePhilosopher,
    TakePriest,
)
from kleos.core.cyclades.offerings import ceiling
from kleos.core.cyclades.ownership import is_protected
from kleos.core.cyclades.position import (
    board_of,
    building_supply,
    closed,
    fleet_reserve,
    holds,
    island_at,
    joined,
    priest_supply,
    ring,
    ships,
    squadron_at,
    troop_reserve,
)
from kleos.core.cyclades.rules import options_of
from kleos.core.cyclades.state import Battle, Founding, Power, State, Turn
from kleos.core.cyclades.turn import harbours, price_of
from kleos.core.cyclades.vocabulary import (
    BUILDING_COST,
    BUILT_BY,
    LADDER,
    STEP_COST,
    STEPS_A_TURN,
)
from kleos.core.kernel.errors import Illegal
from kleos.core.kernel.game import snake

_Why = Iterator[tuple[str, str] | None]
"""Answers in order: a rule (without ``cyclades.``) with a sentence, or None where nothing is wrong."""

_RULES: Final = {
    "placing": "8",
    "turn": "9.1",
    "voyage": "10.1",
    "battle": "11",
    "power": "R-05",
    "kraken_walk": "14.3",
    "pushing": "R-16",
    "selling": "14.1",
    "surrender": "C-12",
    "founding": "13",
    "blessing": "9.6",
}
"""The rule of each open decision."""


def refusal(state: State, seat: int, move: AnyMove) -> Illegal:
    """The answer to a seat that is to act and asked for a move that is not legal."""
    frame = state.frames[-1]
    kinds = [snake(option.move.__name__) for option in options_of(state, frame)]
    asked = snake(type(frame).__name__)
    if snake(type(move).__name__) in kinds:
        why = _WHY.get(type(move))
        for answer in why(state, frame, move) if why is not None else ():
            if answer is not None:
                return Illegal(answer[1], rule=f"cyclades.{answer[0]}", seat=seat)
        return Illegal("that is not one of the choices listed", rule=f"cyclades.{_RULES[asked]}", seat=seat)
    allowed = ", ".join(kinds)
    return Illegal(f"the decision now is {asked}: {allowed}", rule=f"cyclades.{_RULES[asked]}", seat=seat)


def _unless(fine: bool, rule: str, reason: str) -> tuple[str, str] | None:
    return None if fine else (rule, reason)


# Offerings


def _offer(state: State, frame: Any, move: OfferTo) -> _Why:
    yield _unless(move.god in state.gods, "6", f"this cycle's gods are {', '.join(state.gods)}")
    yield _unless(move.god != frame.barred, "C-18", f"the marker was just pushed from {move.god}")
    most = ceiling(state, frame.seat, move.god)
    yield _unless(most > 0, "C-17", "no offering could be paid; Apollo is free")
    yield _unless(move.amount <= most, "C-17", f"at most {most} can be paid")
    standing = next((bid.amount for bid in state.bids if bid.god == move.god), 0)
    yield _unless(move.amount > standing, "8", f"at least {standing + 1} must be offered to {move.god}")


def _apollo(_state: State, _frame: Any, _move: OfferToApollo) -> _Why:
    yield "R-13", "your other marker stands on Apollo, and this one can still be offered to a god"


# The turn


def _call(state: State, frame: Turn, move: CallCreature) -> _Why:
    face_up = [creature for creature in state.track if creature]
    yield _unless(move.creature in face_up, "5", f"face up are {', '.join(face_up) or 'none'}")
    price, _ = price_of(state, frame.seat, move.creature)
    yield _unless(state.players[frame.seat].gold >= price, "9.2", f"the price is {price}")


def _ladder(state: State, frame: Turn) -> tuple[str, str] | None:
    ladder = LADDER[frame.god]
    if frame.recruits >= len(ladder):
        return "9.3", f"{frame.god} gives {len(ladder)} recruits a turn"
    price = ladder[frame.recruits]
    return _unless(state.players[frame.seat].gold >= price, "9.3", f"the next recruit costs {price}")


def _troop(state: State, frame: Turn, move: RecruitTroop) -> _Why:
    yield _unless(troop_reserve(state, frame.seat) > 0, "C-16", "all eight troops are on the map")
    yield _ladder(state, frame)
    yield _ours(state, frame.seat, move.island)


def _ours(state: State, seat: int, island: str) -> tuple[str, str] | None:
    if island not in board_of(state).place:
        return "2", f"there is no island {island} on this board"
    return _unless(island_at(state, island).owner == seat, "9.3", f"{island} is not yours")


def _fleet(state: State, frame: Turn, move: RecruitFleet) -> _Why:
    yield _unless(fleet_reserve(state, frame.seat) > 0, "C-16", "all eight fleets are on the map")
    yield _ladder(state, frame)
    yield _shut(state, move.space)
    allowed = ", ".join(harbours(state, frame.seat))
    yield "C-07", f"new fleets may be placed in {allowed}"


def _shut(state: State, space: str) -> tuple[str, str] | None:
    if space == state.kraken:
        return "C-22", f"the Kraken lies in {space}"
    blocked = space in closed(state) and space in ring(state)
    return _unless(not blocked, "C-23", f"Polyphemus keeps fleets out of {space}")


def _priest(state: State, frame: Turn, _move: TakePriest) -> _Why:
    yield _unless(priest_supply(state) > 0, "18", "no priest is left")
    yield _ladder(state, frame)


def _card(state: State, frame: Turn, _move: TakePhilosopher) -> _Why:
    yield _ladder(state, frame)


def _build(state: State, frame: Turn, move: Build) -> _Why:
    building = BUILT_BY[frame.god]
    yield _unless(
        state.players[frame.seat].gold >= BUILDING_COST, "9.4", f"a {building} costs {BUILDING_COST}"
    )
    yield _unless(building_supply(state, building) > 0, "18", f"no {building} is left")
    yield _ours(state, frame.seat, move.island)
    where = "under the metropolis site" if move.on_site else "off the metropolis site"
    yield "C-14", f"no slot {where} is free on {move.island}"


def _swap(state: State, frame: Turn, move: SwapCreature) -> _Why:
    yield _step(state, frame)
    yield _unless(move.creature in state.track, "9.5", f"the {move.creature} is not face up")


def _step(state: State, frame: Turn) -> tuple[str, str] | None:
    if frame.steps >= STEPS_A_TURN:
        return "R-25", f"{STEPS_A_TURN} steps were paid in this turn"
    return _unless(state.players[frame.seat].gold >= STEP_COST, "R-06", f"that costs {STEP_COST}")


def _end(_state: State, _frame: Turn, _move: EndTurn) -> _Why:
    yield "C-15", "the free card must be taken first"


# Movement


def _march(state: State, frame: Turn | Power, move: MoveTroops) -> _Why:
    if isinstance(frame, Turn):
        yield _step(state, frame)
    yield _ours(state, frame.seat, move.origin)
    yield _unless(move.to in board_of(state).place, "2", f"there is no island {move.to} on this board")
    troops = island_at(state, move.origin).troops
    yield _unless(move.troops <= troops, "10.2", f"{troops} troops stand on {move.origin}")
    yield _unless(
        not holds(state, move.origin, "medusa"), "C-24", f"Medusa holds the troops on {move.origin}"
    )
    yield _unless(move.to != move.origin, "10.2", "troops move to another island")
    if isinstance(frame, Turn):
        reach = joined(state, frame.seat, move.origin) - {move.origin}
        islands = ", ".join(sorted(reach)) or "no island"
        yield _unless(move.to in reach, "10.2", f"your fleets join {move.origin} to {islands}")
    else:
        yield _unless(not holds(state, move.to, "chiron"), "C-25", f"Chiron keeps Pegasus from {move.to}")
    yield _last_island(state, frame.seat, move.to)


def _last_island(state: State, seat: int, island: str) -> tuple[str, str] | None:
    safe = is_protected(state, seat, island_at(state, island))
    return _unless(
        not safe, "12.2", f"{island} is its owner's last, and taking it would not win you the game"
    )


def _sail(state: State, frame: Any, move: Sail) -> _Why:
    if isinstance(frame, Turn):
        yield _step(state, frame)
    there = squadron_at(state, move.origin)
    yield _unless(
        there is not None and there.seat == frame.seat, "10.1", f"{move.origin} holds no fleet of yours"
    )
    if there is not None:
        yield _unless(move.ships <= there.ships, "R-09", f"{there.ships} fleets lie in {move.origin}")
    near = board_of(state).neighbours[move.origin]
    yield _unless(move.to in near, "10.1", f"{move.origin} touches {', '.join(near)}")
    yield _shut(state, move.to)
    yield "R-09", f"the fleets that are under way lie in {getattr(frame, 'at', None)}"


def _retreat(state: State, frame: Battle, _move: Retreat) -> _Why:
    medusa = frame.seat == frame.defender and holds(state, frame.place, "medusa")
    yield _unless(not medusa, "C-24", f"Medusa holds the troops on {frame.place}")
    on_land = frame.place in board_of(state).place
    yield (
        ("C-20", "troops retreat to an own island, over a chain of own fleets")
        if on_land
        else ("11", "fleets retreat to a neighbouring space that is empty or holds fleets of their own")
    )


# Creatures and metropolises


def _island(state: State, frame: Any, move: ChooseIsland) -> _Why:
    yield _unless(
        move.island in board_of(state).place, "2", f"there is no island {move.island} on this board"
    )
    if isinstance(frame, Power) and frame.creature == "harpy":
        shielded = holds(state, move.island, "chiron")
        yield _unless(not shielded, "C-25", f"Chiron keeps the Harpy from {move.island}")
        if state.options.harpy == "replace":
            yield _last_island(state, frame.seat, move.island)
            lone = "a troop that stands alone, without the Minotaur; a troop of yours must be in reserve"
            yield "R-10", f"the Harpy takes {lone}"
        yield "C-04", "the Harpy takes an enemy troop"
    if isinstance(frame, Founding):
        yield _ours(state, frame.seat, move.island)
        yield "13", f"{move.island} has a metropolis already"


def _building(state: State, frame: Any, move: ChooseBuilding) -> _Why:
    yield _unless(
        move.island in board_of(state).place, "2", f"there is no island {move.island} on this board"
    )
    if isinstance(frame, Power):
        shielded = holds(state, move.island, "chiron")
        yield _unless(not shielded, "C-25", f"Chiron keeps the Giant from {move.island}")
        yield "14.1", f"there is no {move.building} there"


def _lure(state: State, frame: Power, move: Lure) -> _Why:
    there = ships(state).get(move.space)
    alone = there is not None and there.seat != frame.seat and there.ships == 1
    yield _unless(alone, "C-55", f"no enemy fleet lies alone in {move.space}")
    yield "R-20", "the own fleet comes from the reserve, and from the map only if the reserve is empty"


_WHY: Final[dict[type[Any], Callable[[State, Any, Any], _Why]]] = {
    OfferTo: _offer,
    OfferToApollo: _apollo,
    CallCreature: _call,
    RecruitTroop: _troop,
    RecruitFleet: _fleet,
    TakePriest: _priest,
    Build: _build,
    SwapCreature: _swap,
    EndTurn: _end,
    MoveTroops: _march,
    Sail: _sail,
    ChooseIsland: _island,
    ChooseBuilding: _building,
    Lure: _lure,
    Retreat: _retreat,
    TakePhilosopher: _card,
}
