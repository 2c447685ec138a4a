"""The map in words, so that it can be played without seeing it: coasts, seas, slots. It knows no seats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from kleos.core.cyclades.board import Board, boards

KEY = "seas that touch; * a cornucopia"


def coast(board: Board, island: str) -> str:
    """The sea spaces around an island: ``seas A1 A2 B2``."""
    return f"seas {' '.join(board.coasts[island])}"


def sea(board: Board, space: str) -> str:
    """A sea space and those that touch it: ``A2* (A1 A3 B2 B3)``."""
    horn = "*" if space in board.prosperous else ""
    return f"{space}{horn} ({' '.join(board.neighbours[space])})"


def seas(board: Board) -> Iterator[str]:
    """All sea spaces, a line for each row of the board."""
    for _, spaces in groupby(board.seas, key=lambda space: space[0]):
        yield ", ".join(sea(board, space) for space in spaces)


def slots(board: Board, island: dict[str, Any]) -> Iterator[str]:
    """What is built on an island of a view, and what is free; slots under the metropolis site apart.

    Those are gone once the metropolis stands there.
    """
    off, site = board.slots[island["id"]]
    if island["metropolis"]:
        yield "metropolis"
        site = ()
    named = [(island["slots"][slot - 1], slot in site) for slot in (*off, *site)]
    built = [f"{building} under the site" if sited else building for building, sited in named if building]
    if built:
        yield f"built: {', '.join(built)}"
    beside, below = (named.count((None, sited)) for sited in (False, True))
    free = [str(beside)] * (beside > 0) + [f"{below} under the site"] * (below > 0)
    if free:
        yield f"free slots: {' and '.join(free)}"


def deserted(place: str) -> str:
    """What becomes of a place where a battle has left nobody (C-21)."""
    if any(place in board.place for board in boards().values()):
        return f"{place} stays with its owner"
    return f"{place} is empty"
