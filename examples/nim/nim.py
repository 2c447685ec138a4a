"""Nim: a whole game for Kleos on one page. Knows only the kernel.

* nim.1  There are some heaps of sticks. Who begins is drawn by lot.
* nim.2  In turn, a seat takes any number of sticks from one heap, at least one.
* nim.3  Who takes the last stick has won.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from kleos.core.kernel import (
    Bot,
    Builtin,
    Chance,
    Effect,
    Illegal,
    Known,
    Legal,
    Move,
    Outcome,
    Public,
    Unfolded,
    Unfolding,
    random_move,
    require_turn,
    svg,
)

Sticks = Annotated[int, Meta(ge=1, le=99)]


class NimOptions(Struct, frozen=True, forbid_unknown_fields=True):
    heaps: Public[Annotated[tuple[Sticks, ...], Meta(min_length=1, max_length=9)]] = (3, 4, 5)


class Board(Struct, frozen=True):
    heaps: Public[tuple[int, ...]]
    turn: Public[int] = 0


class Take(Move, frozen=True):
    """``sticks`` from the heap with this number, the first being 0."""

    heap: Public[Annotated[int, Meta(ge=0, le=8)]]
    sticks: Public[Sticks]


class Begun(Effect, frozen=True, kw_only=True):
    seat: Public[int]


class Taken(Known, frozen=True, kw_only=True):
    seat: Public[int]
    heap: Public[int]
    sticks: Public[int]


class Nim:
    name = "nim"
    title = "Nim"
    rules = "nim/1"
    seats = range(2, 3)
    Options: type[Any] = NimOptions
    State: type[Any] = Board
    Move: Any = Take
    Effect: Any = Begun | Taken
    bots: Mapping[str, Bot] = {"random": random_move}

    def settle(self, options: NimOptions, seats: int) -> NimOptions:
        return options

    def blank(self, options: NimOptions, seats: int) -> Board:
        return Board(options.heaps)

    def open(self, options: NimOptions, seats: int, chance: Chance) -> Unfolded[Any, Board]:
        doing = Unfolding[Board, Any](self.evolve, self.blank(options, seats))
        doing.add(Begun(rule="nim.1", seat=chance.pick(seats)))
        return doing.done()

    def to_act(self, state: Board) -> frozenset[int]:
        return frozenset({state.turn}) if any(state.heaps) else frozenset()

    def moves(self, state: Board, seat: int) -> tuple[Legal[Any], ...]:
        if seat not in self.to_act(state):
            return ()
        return tuple(
            Legal(Take(heap, 1), {"sticks": (1, sticks)}) for heap, sticks in enumerate(state.heaps) if sticks
        )

    def decide(self, state: Board, seat: int, move: Take, chance: Chance) -> Unfolded[Any, Board]:
        require_turn(self, state, seat)
        there = state.heaps[move.heap] if move.heap < len(state.heaps) else 0
        if move.sticks > there:
            raise Illegal(f"heap {move.heap} has {there} sticks", rule="nim.2", seat=seat)
        doing = Unfolding[Board, Any](self.evolve, state)
        doing.add(Taken(rule="nim.2", seat=seat, heap=move.heap, sticks=move.sticks))
        return doing.done()

    def evolve(self, state: Board, effect: Any) -> Board:
        match effect:
            case Begun(seat=seat):
                return replace(state, turn=seat)
            case Taken(seat=seat, heap=heap, sticks=sticks):
                left = (there - sticks * (n == heap) for n, there in enumerate(state.heaps))
                return replace(state, heaps=tuple(left), turn=1 - seat)
        raise AssertionError(f"not an effect of Nim: {effect!r}")

    def outcome(self, state: Board) -> Outcome | None:
        if any(state.heaps):
            return None
        winner = 1 - state.turn
        return Outcome(
            winners=(winner,),
            ranking=((winner,), (state.turn,)),
            scores={str(seat): int(seat == winner) for seat in (0, 1)},
            reason="the last stick",
        )

    def fallback(self, state: Board, seat: int) -> Take:
        return Take(next(heap for heap, sticks in enumerate(state.heaps) if sticks), 1)

    def sides(self, state: Board) -> tuple[tuple[int, ...], ...]:
        return ((0,), (1,))

    def table(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        return "\n".join(f"heap {heap}: {'|' * sticks}" for heap, sticks in enumerate(view["heaps"]))

    def picture(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        return svg.document(400, 100, "Nim", self.table(view, seat), svg.words(10, 30, str(view["heaps"])))

    def say(self, move: Builtin) -> str:
        return f"take {move['sticks']} from heap {move['heap']}"

    def tell(self, effect: Builtin) -> str:
        if effect["type"] == "begun":
            return f"Seat {effect['seat']} begins."
        return f"Seat {effect['seat']} takes {effect['sticks']} from heap {effect['heap']}."

    def manifest(self) -> Builtin:
        return {"title": self.title}


NIM: Final = Nim()
