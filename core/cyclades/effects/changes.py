"""Small changes of a state that several facts are made of."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from kleos.core.cyclades.position import board_of
from kleos.core.cyclades.state import AnyFrame, Figure, Island, Player, Squadron, State, Turn
from kleos.core.cyclades.vocabulary import Creature


def player_with(state: State, seat: int, **changes: Any) -> tuple[Player, ...]:
    players = state.players
    return (*players[:seat], replace(players[seat], **changes), *players[seat + 1 :])


def paid(state: State, seat: int, cost: int) -> tuple[Player, ...]:
    return player_with(state, seat, gold=state.players[seat].gold - cost) if cost else state.players


def island_with(state: State, name: str, **changes: Any) -> tuple[Island, ...]:
    at = board_of(state).place[name]
    return (*state.islands[:at], replace(state.islands[at], **changes), *state.islands[at + 1 :])


def rebuilt(island: Island, slot: int, building: Any) -> dict[str, Any]:
    """The changes that put ``building`` (or nothing) on a slot; nothing of what stood there remains."""
    return {
        "slots": (*island.slots[: slot - 1], building, *island.slots[slot:]),
        "spent": tuple(each for each in island.spent if each != slot),
    }


def ships_with(state: State, space: str, seat: int, more: int) -> tuple[Squadron, ...]:
    """The fleets once ``more`` of ``seat`` are in a space that holds no others."""
    return fleets_with(state.fleets, space, seat, more)


def fleets_with(fleets: tuple[Squadron, ...], space: str, seat: int, more: int) -> tuple[Squadron, ...]:
    """The same for any fleets in order of their spaces; the order is kept."""
    at = bisect_left(fleets, space, key=by_space)
    there = at < len(fleets) and fleets[at].space == space
    count = more + (fleets[at].ships if there else 0)
    squadron = (Squadron(space, seat, count),) if count else ()
    return fleets[:at] + squadron + fleets[at + there :]


by_space = attrgetter("space")
"""The order in which fleets are kept."""


def ships_without(state: State, space: str) -> tuple[Squadron, ...]:
    return tuple(each for each in state.fleets if each.space != space)


def closed_frame(state: State, *opened: AnyFrame) -> tuple[AnyFrame, ...]:
    """The frames with the innermost replaced by ``opened``."""
    return (*state.frames[:-1], *opened)


def opened_frame(state: State, frame: AnyFrame) -> tuple[AnyFrame, ...]:
    return (*state.frames, frame)


def in_turn(state: State, *, recruits: int = 0, steps: int = 0) -> tuple[AnyFrame, ...]:
    """The frames with more recruits and paid steps counted in the turn."""
    turn = state.frames[0]
    assert type(turn) is Turn
    counted = replace(turn, recruits=turn.recruits + recruits, steps=turn.steps + steps)
    return (counted, *state.frames[1:])


def discarded(state: State, *cards: Creature) -> tuple[Creature, ...]:
    return (*state.discard, *cards)


def taken(state: State, name: str, seat: int, troops: int) -> State:
    """An island has a new owner; a Minotaur does not fight for two (C-27)."""
    changed = replace(state, islands=island_with(state, name, owner=seat, troops=troops))
    return without_minotaur(changed, name)


def without_minotaur(state: State, name: str) -> State:
    for figure in state.figures:
        if figure.island == name and figure.creature == "minotaur":
            return without_figure(state, figure)
    return state


def without_figure(state: State, figure: Figure) -> State:
    figures = tuple(each for each in state.figures if each != figure)
    return replace(state, figures=figures, discard=discarded(state, figure.creature))
