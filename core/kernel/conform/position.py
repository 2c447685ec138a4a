"""A position that the laws are tried on: a state, the hooks of its game, and chance that can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kleos.core.kernel.chance import Chance, KeyedChance
from kleos.core.kernel.errors import Refused
from kleos.core.kernel.game import Game, Legal
from kleos.core.kernel.visibility import EVERYTHING, SPECTATOR, Viewer

T = TypeVar("T")
CANONICAL = msgspec.json.Encoder(order="sorted")

Census = Callable[[Any], Mapping[str, int]]
Rearrange = Callable[[Any, Viewer, Chance], Any]


class Hooks(Struct, frozen=True):
    """What a game can tell the kit about itself; see ``check``."""

    census: Census | None = None
    rearrange: Rearrange | None = None
    reveals: frozenset[str] = frozenset()


class Position(Struct, frozen=True):
    """``pool`` holds moves that were listed earlier in the match: most of them are illegal by now."""

    game: Game[Any, Any, Any]
    seats: int
    state: Any
    key: bytes
    hooks: Hooks
    pool: tuple[Any, ...] = ()

    def chance(self) -> KeyedChance:
        """The chance of this position from its beginning: two trials with it have the same fortune."""
        return KeyedChance(self.key)

    def whim(self) -> KeyedChance:
        """For what the kit itself picks at random."""
        return KeyedChance(self.key + b"whim")

    @property
    def acting(self) -> tuple[int, ...]:
        return tuple(sorted(self.game.to_act(self.state)))

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        return (*(Viewer(seat) for seat in range(self.seats)), SPECTATOR, EVERYTHING)

    def listed(self, seat: int) -> tuple[Legal[Any], ...]:
        return self.game.moves(self.state, seat)

    def with_state(self, state: Any) -> Position:
        return replace(self, state=state)


def members(listed: Legal[Any]) -> Iterator[Any]:
    """The move itself; of a family both ends and a middle as well."""
    yield listed.move
    for field, (low, high) in (listed.range or {}).items():
        for number in sorted({low, (low + high) // 2, high} - {getattr(listed.move, field)}):
            yield replace(listed.move, **{field: number})


def admitted(legal: tuple[Legal[Any], ...], move: Any) -> bool:
    return any(each.admits(move) for each in legal)


def text(value: Any) -> str:
    """A move, effect or state as short canonical text."""
    return CANONICAL.encode(value).decode()


class Overheard:
    """Chance, and what was asked of it: dice with what they showed, of picks and shuffles only the size.

    This much a report of a match that goes on tells of every event, to everybody.
    """

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.asked: list[tuple[str, int, int | None]] = []

    def die(self, faces: int) -> int:
        value = self._chance.die(faces)
        self.asked.append(("die", faces, value))
        return value

    def pick(self, n: int) -> int:
        self.asked.append(("pick", n, None))
        return self._chance.pick(n)

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        self.asked.append(("shuffle", len(items), None))
        return self._chance.shuffle(items)


def attempt(here: Position, seat: int, move: Any, chance: Chance | None = None) -> tuple[Refused | None, Any]:
    """Decide with the chance of the position, or another: the refusal, or what followed."""
    try:
        return None, here.game.decide(here.state, seat, move, chance or here.chance())
    except Refused as refusal:
        return refusal, None


def mutations(here: Position, seat: int, most: int) -> list[Any]:
    """Up to ``most`` well-typed moves that ``seat`` is not offered, made from moves that are or were.

    A number just outside a range, a field one up or down or taken from another move, and the moves of other
    times and seats.
    """
    legal = here.listed(seat)
    offered = [each.move for each in legal]
    made: dict[str, Any] = {}
    for move in (*_outside(legal), *_crossed(offered, [*offered, *here.pool]), *here.pool):
        if _well_typed(here.game, move) and not admitted(legal, move):
            made.setdefault(text(move), move)
    return list(here.whim().shuffle([made[each] for each in sorted(made)])[:most])


def _outside(legal: tuple[Legal[Any], ...]) -> Iterator[Any]:
    for each in legal:
        for field, (low, high) in (each.range or {}).items():
            yield replace(each.move, **{field: low - 1})
            yield replace(each.move, **{field: high + 1})


def _crossed(moves: list[Any], others: list[Any]) -> Iterator[Any]:
    values: dict[tuple[type, str], set[Any]] = {}
    for move in others:
        for field in move.__struct_fields__:
            values.setdefault((type(move), field), set()).add(getattr(move, field))
    for move in moves:
        for field in move.__struct_fields__:
            value = getattr(move, field)
            near = {value - 1, value + 1} if type(value) is int else set()
            for other in (values[type(move), field] | near) - {value}:
                yield replace(move, **{field: other})


def _well_typed(game: Game[Any, Any, Any], move: Any) -> bool:
    try:
        msgspec.json.decode(msgspec.json.encode(move), type=game.Move)
    except msgspec.ValidationError:
        return False
    return True
