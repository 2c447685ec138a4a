"""Fleets and troops on the move, and what they meet (10)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.moves import MoveTroops, Sail, Stop
from kleos.core.cyclades.ownership import after_capture, is_protected
from kleos.core.cyclades.play import Moves, Option, Play, some
from kleos.core.cyclades.position import board_of, closed, holds, island_at, joined, squadron_at
from kleos.core.cyclades.state import Island, Squadron, State, Turn, Voyage
from kleos.core.cyclades.vocabulary import REACH, STEP_COST, STEPS_A_TURN
from kleos.core.kernel.game import Legal


def can_pay_step(state: State, turn: Turn) -> bool:
    """Whether another paid step may be made in this turn (R-06, R-25)."""
    return state.players[turn.seat].gold >= STEP_COST and turn.steps < STEPS_A_TURN


# Troops (10.2)


def marches(state: State, turn: Turn) -> Moves:
    """Moves over chains of own fleets."""
    if not can_pay_step(state, turn):
        return
    for origin in departures(state, turn.seat):
        reach = joined(state, turn.seat, origin.id)
        for to in state.islands:
            if to.id in reach and to is not origin and not is_protected(state, turn.seat, to):
                yield some(MoveTroops(origin.id, to.id, 1), "troops", origin.troops)


def departures(state: State, seat: int) -> list[Island]:
    """The islands from which troops of the seat may move: Medusa holds them (C-24)."""
    return [
        island
        for island in state.islands
        if island.owner == seat and island.troops and not holds(state, island.id, "medusa")
    ]


def march(play: Play, turn: Turn, move: MoveTroops) -> None:
    land(play, turn.seat, move, cost=STEP_COST, rule="cyclades.10.2")


def land(play: Play, seat: int, move: MoveTroops, *, cost: int, rule: str) -> None:
    """Bring troops to an island: own, free, undefended (captured at once), or defended (a battle)."""
    to = island_at(play.state, move.to)
    hostile = to.owner not in (None, seat)
    defended = hostile and (to.troops or holds(play.state, to.id, "minotaur"))
    play.add(
        fx.TroopsMoved(
            rule=rule,
            seat=seat,
            origin=move.origin,
            to=move.to,
            troops=move.troops,
            cost=cost,
            against=to.owner if defended else None,
        )
    )
    if hostile and not defended:
        after_capture(play, to.owner)


# Fleets (10.1)


def departing_fleets(state: State, turn: Turn) -> Moves:
    """The first, paid step of a move."""
    if not can_pay_step(state, turn):
        return
    barred = closed(state)
    for squadron in state.fleets:
        if squadron.seat == turn.seat:
            yield from _steps(state, squadron, barred)


def set_sail(play: Play, turn: Turn, move: Sail) -> None:
    _sail(play, turn.seat, move, cost=STEP_COST, left=REACH - 1)


def _steps(state: State, squadron: Squadron, barred: set[str]) -> Moves:
    for space in board_of(state).neighbours[squadron.space]:
        if space not in barred:
            yield some(Sail(squadron.space, space, 1), "ships", squadron.ships)


def can_step(state: State, squadron: Squadron) -> bool:
    """Whether the fleets of a space have anywhere to go."""
    barred = closed(state)
    return any(space not in barred for space in board_of(state).neighbours[squadron.space])


def _further_steps(state: State, voyage: Voyage) -> Moves:
    barred = closed(state)
    for squadron in state.fleets:
        if squadron.seat == voyage.seat and voyage.at in (None, squadron.space):
            yield from _steps(state, squadron, barred)


def _sail_on(play: Play, voyage: Voyage, move: Sail) -> None:
    _sail(play, voyage.seat, move, cost=0, left=voyage.left - 1)


def _sail(play: Play, seat: int, move: Sail, *, cost: int, left: int) -> None:
    """One step. Foreign fleets end the move, however the battle ends (C-19)."""
    there = squadron_at(play.state, move.to)
    against = there.seat if there is not None and there.seat != seat else None
    play.add(
        fx.FleetSailed(
            seat=seat,
            origin=move.origin,
            to=move.to,
            ships=move.ships,
            cost=cost,
            left=0 if against is not None else left,
            against=against,
        )
    )


def _stopping(_state: State, _voyage: Voyage) -> Moves:
    yield Legal(Stop())


def _stop(play: Play, voyage: Voyage, _move: Stop) -> None:
    play.add(fx.VoyageEnded(seat=voyage.seat))


VOYAGE = (Option(Stop, _stopping, _stop), Option(Sail, _further_steps, _sail_on))
