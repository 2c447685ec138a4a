"""Positions of Cyclades built by hand, and scenes that play them on with dice that are laid down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
import pytest
from msgspec.structs import replace

from kleos.core.cyclades import GAME
from kleos.core.cyclades.effects import AnyEffect
from kleos.core.cyclades.state import (
    AnyFrame,
    Bid,
    Figure,
    Island,
    Placing,
    Player,
    Power,
    Squadron,
    State,
    Turn,
    Worship,
)
from kleos.core.cyclades.vocabulary import CREATURES, DIE, KEPT, Options, settled
from kleos.core.kernel import Illegal
from kleos.core.kernel.game import Legal

T = TypeVar("T")
A, B, C, D, E = range(5)
"""The seats, named as in the cases."""


class Fortune:
    """Chance whose battle dice show the given faces, and whose shuffles reverse."""

    def __init__(self, faces: Iterable[int] = ()) -> None:
        self.faces = list(faces)

    def die(self, faces: int) -> int:
        assert faces == len(DIE)
        assert self.faces, "a die was rolled that nobody laid down"
        return DIE.index(self.faces.pop(0)) + 1

    def pick(self, n: int) -> int:
        return 0

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        return tuple(items)[::-1]


def options(preset: str = "rulebook", **chosen: Any) -> Options:
    return settled(msgspec.convert({"preset": preset, **chosen}, Options))


def land(owner: int | None = None, troops: int = 0, slots: dict[int, str] | None = None, **more: Any) -> Any:
    """An island; ``slots`` maps slot numbers to buildings."""
    return {"owner": owner, "troops": troops, "slots": slots or {}, **more}


def position(
    seats: int = 3,
    *,
    islands: dict[str, Any] | None = None,
    fleets: dict[str, tuple[int, int]] | None = None,
    gold: Sequence[int] = (),
    priests: Sequence[int] = (),
    philosophers: Sequence[int] = (),
    figures: dict[str, tuple[str, int]] | None = None,
    frames: tuple[AnyFrame, ...] = (),
    rules: Options | None = None,
    **more: Any,
) -> State:
    """A state in the actions of cycle 5, empty but for what is given.

    ``fleets``: space -> (seat, ships); ``figures``: creature -> (island, seat), placed in this cycle.
    Creature cards that are nowhere else make up the deck.
    """
    blank = GAME.blank(rules or options(), seats)

    def given(numbers: Sequence[int], seat: int, default: int) -> int:
        return numbers[seat] if seat < len(numbers) else default

    def built(island: Island) -> Island:
        wanted = dict((islands or {}).get(island.id, {}))
        slots = wanted.pop("slots", {})
        built_on = tuple(slots.get(slot) for slot in range(1, len(island.slots) + 1))
        return replace(island, slots=built_on, **wanted)

    state = replace(
        blank,
        phase="actions",
        cycle=5,
        gods=("ares", "poseidon", "zeus", "athena")[: max(1, (4 if seats == 2 else seats) - 1)],
        islands=tuple(built(island) for island in blank.islands),
        players=tuple(
            Player(seat, given(gold, seat, 10), given(priests, seat, 0), given(philosophers, seat, 0))
            for seat in range(seats)
        ),
        fleets=tuple(Squadron(space, *there) for space, there in sorted((fleets or {}).items())),
        figures=tuple(
            Figure(creature, island, seat, 5)  # type: ignore[arg-type]
            for creature, (island, seat) in (figures or {}).items()
        ),
        revenue=(0,) * seats,
    )
    turn = frames[0] if frames else None
    if isinstance(turn, Turn) and turn.god != "apollo":
        state = replace(state, bids=(Bid(turn.god, turn.seat, 1),))
    if isinstance(turn, Turn) and turn.god == "apollo":
        state = replace(state, apollo=(Worship(turn.place, turn.seat),))
    state = replace(state, frames=frames, **more)
    return state if "deck" in more else replace(state, deck=_undealt(state))


def _undealt(state: State) -> tuple[Any, ...]:
    held = [frame.creature for frame in state.frames if isinstance(frame, Power) and frame.creature in KEPT]
    placed = {figure.creature for figure in state.figures} | {*state.track, *state.discard, *held}
    return tuple(creature for creature in CREATURES if creature not in placed)


class Scene:
    """A position that is played on. Moves are made by whoever is to act."""

    def __init__(self, state: State, dice: Iterable[int] = ()) -> None:
        self.state = state
        self.chance = Fortune(dice)
        self.effects: tuple[AnyEffect, ...] = ()
        """Those of the last move."""

    @property
    def seat(self) -> int:
        (seat,) = GAME.to_act(self.state)
        return seat

    def legal(self) -> tuple[Legal[Any], ...]:
        return GAME.moves(self.state, self.seat)

    def offers(self, kind: type[T]) -> list[T]:
        """The moves of a kind that are listed; those with a range, once."""
        return [each.move for each in self.legal() if isinstance(each.move, kind)]

    def allows(self, move: Any) -> bool:
        return any(each.admits(move) for each in self.legal())

    def do(self, *moves: Any, dice: Iterable[int] = ()) -> Scene:
        self.chance.faces += dice
        for move in moves:
            played = GAME.decide(self.state, self.seat, move, self.chance)
            folded = self.state
            for effect in played.effects:
                folded = GAME.evolve(folded, effect)
            assert folded == played.state, "the effects do not lead to the state"
            self.effects, self.state = played.effects, played.state
        return self

    def refused(self, move: Any) -> str:
        """The rule by which the move is refused, without the name of the game."""
        assert not self.allows(move)
        with pytest.raises(Illegal) as refusal:
            GAME.decide(self.state, self.seat, move, self.chance)
        assert refusal.value.reason
        assert refusal.value.rule is not None
        return refusal.value.rule.removeprefix("cyclades.")

    def facts(self, kind: type[T]) -> list[T]:
        """The effects of that kind that followed from the last move."""
        return [effect for effect in self.effects if isinstance(effect, kind)]

    # What is on the table, by short names

    def island(self, name: str) -> Island:
        return next(island for island in self.state.islands if island.id == name)

    def at_sea(self, space: str) -> tuple[int, int] | None:
        """(seat, ships) in a space, or None."""
        return next(((each.seat, each.ships) for each in self.state.fleets if each.space == space), None)

    def gold(self, seat: int) -> int:
        return self.state.players[seat].gold

    @property
    def frame(self) -> Any:
        return self.state.frames[-1]


def turn(god: Any, seat: int = A, **more: Any) -> tuple[AnyFrame, ...]:
    """The frames of a turn."""
    return (Turn(seat, god, **more),)


def called(creature: Any, god: Any = "ares", seat: int = A) -> tuple[AnyFrame, ...]:
    """The frames when a creature was called and must be directed."""
    return (Turn(seat, god), Power(seat, creature))


def offering(state: State, order: Sequence[int], barred: Any = None, **more: Any) -> State:
    """The state while offerings are made, the first marker of ``order`` being placed."""
    frames = (Placing(order[0], barred),)
    return replace(
        state, phase="offerings", order=tuple(order), queue=tuple(order[1:]), frames=frames, **more
    )
