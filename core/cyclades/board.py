"""The three printed boards: sea spaces, islands, who touches whom, where each seat may start.

Circles are packed hexagonally in eleven rows; a space is named by its row letter and its place in the row.
Everything here is geometry read from ``maps.json`` and checked on load. It knows no seats, pieces or rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec import Struct

ROWS: Final = "ABCDEFGHIJK"
_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
_PRINTED: Final = {1: 2, 2: 1, 3: 0, 4: 0}
"""Cornucopias printed on an island, by its number of slots."""


class Land(Struct, frozen=True):
    """An island as printed. ``site`` lists the slots (from 1) under its metropolis square."""

    id: str
    cells: tuple[str, ...]
    site: frozenset[int]
    prosperity: int

    @property
    def slots(self) -> int:
        return len(self.cells)


class Start(Struct, frozen=True):
    """A start position: one troop on each island, one fleet on each space."""

    islands: tuple[str, str]
    fleets: tuple[str, str]


class Board(Struct, frozen=True):
    """One face of the map. Islands keep the order of the data file, seas the order of the rows."""

    name: str
    lands: tuple[Land, ...]
    place: Mapping[str, int]
    """Island id -> its place in ``lands``."""
    seas: tuple[str, ...]
    neighbours: Mapping[str, tuple[str, ...]]
    """Sea space -> the sea spaces that touch it."""
    shores: Mapping[str, tuple[str, ...]]
    """Sea space -> the islands it borders."""
    coasts: Mapping[str, tuple[str, ...]]
    """Island -> the sea spaces that border it."""
    slots: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]
    """Island -> its slots off the metropolis site, and those on it, each ascending."""
    prosperous: frozenset[str]
    """Sea spaces with a printed cornucopia."""
    starts: Mapping[int, tuple[Start, ...]]
    """Number of seats -> the start positions for that number."""

    def land(self, island: str) -> Land:
        return self.lands[self.place[island]]


class _Printed(Struct, frozen=True):
    rows: tuple[int, ...]
    prosperous_seas: tuple[str, ...]
    islands: tuple[Land, ...]
    starts: dict[str, tuple[Start, ...]]


class _Atlas(Struct, frozen=True):
    source: str
    boards: dict[str, _Printed]


@cache
def boards() -> Mapping[str, Board]:
    """The boards by name (``small``, ``medium``, ``large``), checked."""
    text = resources.files("kleos.core.cyclades").joinpath("maps.json").read_bytes()
    atlas = msgspec.json.decode(text, type=_Atlas)
    drawn = {name: _draw(name, printed) for name, printed in atlas.boards.items()}
    for board in drawn.values():
        check(board)
    return MappingProxyType(drawn)


@cache
def board_named(name: str) -> Board:
    """The board of that name."""
    return boards()[name]


@cache
def board_for(seats: int) -> Board:
    """The board on which ``seats`` players meet."""
    return next(board for board in boards().values() if seats in board.starts)


def _draw(name: str, printed: _Printed) -> Board:
    at = dict(_circles(printed.rows))
    names = {place: circle for circle, place in at.items()}
    land_at = {cell: land.id for land in printed.islands for cell in land.cells}
    neighbours: dict[str, tuple[str, ...]] = {}
    shores: dict[str, tuple[str, ...]] = {}
    for circle, (q, r) in at.items():
        if circle in land_at:
            continue
        around = [names[q + dq, r + dr] for dq, dr in _STEPS if (q + dq, r + dr) in names]
        neighbours[circle] = tuple(sorted(each for each in around if each not in land_at))
        shores[circle] = tuple(sorted({land_at[each] for each in around if each in land_at}, key=_number))
    return Board(
        name=name,
        lands=printed.islands,
        place=MappingProxyType({land.id: place for place, land in enumerate(printed.islands)}),
        seas=tuple(neighbours),
        neighbours=MappingProxyType(neighbours),
        shores=MappingProxyType(shores),
        coasts=MappingProxyType(
            {
                land.id: tuple(sea for sea, touched in shores.items() if land.id in touched)
                for land in printed.islands
            }
        ),
        slots=MappingProxyType({land.id: _divided(land) for land in printed.islands}),
        prosperous=frozenset(printed.prosperous_seas),
        starts=MappingProxyType({int(seats): starts for seats, starts in printed.starts.items()}),
    )


def _divided(land: Land) -> tuple[tuple[int, ...], tuple[int, ...]]:
    every = range(1, land.slots + 1)
    return tuple(each for each in every if each not in land.site), tuple(sorted(land.site))


def _number(island: str) -> int:
    return int(island[1:])


def _circles(rows: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each circle with its axial hex coordinates; the middle row starts at (-5, 0)."""
    for row, width in enumerate(rows):
        r = row - 5
        for place in range(width):
            yield f"{ROWS[row]}{place + 1}", (max(-5, -5 - r) + place, r)


def check(board: Board) -> None:
    """What every printed board obeys; ``ValueError`` names the first rule that is broken."""
    for broken in _faults(board):
        raise ValueError(f"the board {board.name} is misprinted: {broken}")


def _faults(board: Board) -> Iterator[str]:
    cells: dict[str, str] = {cell: land.id for land in board.lands for cell in land.cells}
    if len(cells) != sum(land.slots for land in board.lands) or cells.keys() & set(board.seas):
        yield "a circle belongs to two places"
    for land in board.lands:
        if land.prosperity != _PRINTED[land.slots]:
            yield f"{land.id} has {land.slots} slots but {land.prosperity} cornucopias"
        if len(land.site) != min(2, land.slots) or not land.site <= set(range(1, land.slots + 1)):
            yield f"the metropolis site of {land.id} does not lie on its slots"
        if not board.coasts[land.id]:
            yield f"{land.id} has no coast"
    if _touching(board, cells):
        yield "two islands touch"
    if len(_reached(board)) != len(board.seas):
        yield "the sea is not connected"
    if not board.prosperous <= set(board.seas):
        yield "a sea cornucopia lies on land"
    for seats, starts in board.starts.items():
        if len(starts) != seats:
            yield f"{len(starts)} start positions for {seats} seats"
        for start in starts:
            yield from _start_faults(board, start)


def _start_faults(board: Board, start: Start) -> Iterator[str]:
    lands = [board.land(island) for island in start.islands]
    income = sum(land.prosperity for land in lands) + len(board.prosperous & set(start.fleets))
    if income != 2 or sum(land.slots for land in lands) != 5:
        yield f"the start at {start.islands} has income {income}, not 2, or not five slots"
    beside = [set(start.islands) & set(board.shores[space]) for space in start.fleets]
    if not all(beside) or set().union(*beside) != set(start.islands):
        yield f"the fleets of the start at {start.islands} do not lie beside its islands"


def _touching(board: Board, cells: Mapping[str, str]) -> bool:
    """Whether circles of two islands touch: each island's coast and cells must close it off."""
    at = dict(_circles(tuple(_widths(board, cells))))
    names = {place: circle for circle, place in at.items()}
    return any(
        cells.get(names.get((q + dq, r + dr), ""), cells[cell]) != cells[cell]
        for cell in cells
        for q, r in [at[cell]]
        for dq, dr in _STEPS
    )


def _widths(board: Board, cells: Mapping[str, str]) -> list[int]:
    return [sum(1 for circle in (*board.seas, *cells) if circle[0] == row) for row in ROWS]


def _reached(board: Board) -> set[str]:
    seen, edge = {board.seas[0]}, [board.seas[0]]
    while edge:
        fresh = set(board.neighbours[edge.pop()]) - seen
        seen |= fresh
        edge += fresh
    return seen


def manifest() -> Any:
    """The boards as JSON-ready builtins, for whoever draws them."""
    return {
        board.name: {
            "seats": sorted(board.starts),
            "islands": [
                {
                    "id": land.id,
                    "cells": list(land.cells),
                    "slots": land.slots,
                    "site": sorted(land.site),
                    "prosperity": land.prosperity,
                    "coast": list(board.coasts[land.id]),
                }
                for land in board.lands
            ],
            "seas": [
                {
                    "id": sea,
                    "neighbours": list(board.neighbours[sea]),
                    "shores": list(board.shores[sea]),
                    "prosperity": int(sea in board.prosperous),
                }
                for sea in board.seas
            ],
            "starts": {str(seats): msgspec.to_builtins(starts) for seats, starts in board.starts.items()},
        }
        for board in boards().values()
    }
