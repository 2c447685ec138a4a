"""The Game protocol: the handful of pure functions that a set of rules offers.

A game is a value. It keeps nothing between calls, imports no clock, no network and no random source, and
its states are immutable. Three laws bind the functions together; the conformance kit checks them:

* ``open`` and ``decide`` return effects *and* the state they lead to, and that state is exactly the effects
  folded with ``evolve``: a replay needs the effects alone, never the chance that produced them;
* ``decide`` accepts exactly the moves that ``moves`` lists, their ranges included, for exactly the seats in
  ``to_act``;
* every reachable state without an ``outcome`` has a seat to act, and that seat has a move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec
from msgspec import Struct

from kleos.core.kernel.chance import Chance
from kleos.core.kernel.errors import NotYourTurn
from kleos.core.kernel.visibility import Builtin, Public

S = TypeVar("S")
M = TypeVar("M")
E = TypeVar("E")


def snake(name: str) -> str:
    """``CardDrawn`` -> ``card_drawn``: how a class is named in a ``type`` field."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Move(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=snake):
    """Base of a game's moves: what a seat asks for, named by content, never by position in a list."""


class Effect(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake):
    """Base of a game's effects: one fact that follows from an accepted move.

    ``rule`` is the numbered paragraph it follows from (``iliad.4.2``). ``news``: somebody may learn from it
    what neither the decision said nor its maker knew: a die, a drawn card, a card of somebody else turned
    up. Knowledge cannot be taken back, so an undo across news needs everybody's consent.
    """

    news: ClassVar[bool] = True

    rule: Public[str]
    """The paragraph of the rules that it follows."""


class Known(Effect, frozen=True, kw_only=True):
    """Base of the effects without news: they follow from the decision and from what its maker knew.

    An effect that is not declared so counts as news: forgetting it makes an undo dearer, never cheaper.
    """

    news: ClassVar[bool] = False


class Legal(Struct, Generic[M], frozen=True, gc=False, omit_defaults=True):
    """A legal move, or a family of them that differ in one integer field.

    With ``range = {"amount": (3, 17)}`` the move as given is legal and so is every integer from 3 to 17 in
    its field ``amount``.
    """

    move: M
    range: dict[str, tuple[int, int]] | None = None

    def admits(self, move: M) -> bool:
        """Whether ``move`` is the move listed, or a member of the family."""
        if self.range is None or type(move) is not type(self.move):
            return move == self.move
        ((field, (low, high)),) = self.range.items()
        return (
            low <= getattr(move, field) <= high
            and msgspec.structs.replace(move, **{field: getattr(self.move, field)}) == self.move  # type: ignore[type-var]
        )


class Outcome(Struct, frozen=True):
    """How a match ended: ``ranking`` lists groups of equal seats, best first; ``scores`` are by seat."""

    winners: Public[tuple[int, ...]]
    """The seats that won; several, or none, may have."""
    ranking: Public[tuple[tuple[int, ...], ...]]
    """Groups of equal seats, the best first."""
    scores: Public[dict[str, int]]
    """By the number of the seat."""
    reason: Public[str]
    """What ended the match, in a word or two."""


class Unfolded(NamedTuple, Generic[E, S]):
    """What followed: the effects in order, and the state they lead to."""

    effects: tuple[E, ...]
    state: S


class Unfolding(Generic[S, E]):
    """A decision being carried out: each effect is put into force before the next is thought of."""

    __slots__ = ("_evolve", "effects", "state")

    def __init__(self, evolve: Callable[[S, E], S], state: S) -> None:
        self._evolve = evolve
        self.state = state
        self.effects: list[E] = []

    def add(self, effect: E) -> None:
        self.effects.append(effect)
        self.state = self._evolve(self.state, effect)

    def done(self) -> Unfolded[E, S]:
        return Unfolded(tuple(self.effects), self.state)


class Bot(Protocol):
    """A mechanical player. It is given exactly what a person in that seat could see, and nothing else."""

    def __call__(self, view: Builtin, legal: tuple[Legal[Any], ...], seat: int, chance: Chance, /) -> Any:
        """Choose a move from ``legal`` for ``seat``; ``view`` is the redacted state as builtins."""
        ...


class Game(Protocol[S, M, E]):
    """A set of rules. Types are msgspec structs whose fields declare who sees them (see ``visibility``)."""

    name: str
    """The identifier in URLs and entry points: ``iliad``."""
    title: str
    """For people: ``Iliad``."""
    rules: str
    """The version of the rules a match is pinned to: ``iliad/1``."""
    seats: range
    """The numbers of seats that can be played."""
    Options: type[Any]
    """What can be chosen when a match is created; every field has a default, ``preset`` sets the others."""
    State: type[Any]
    Move: Any
    """The union of all moves, tagged by ``type``."""
    Effect: Any
    """The union of all effects, tagged by ``type``."""
    bots: Mapping[str, Bot]
    """The mechanical players by name; ``random`` is always there."""

    def settle(self, options: Any, seats: int) -> Any:
        """The options with every default and preset made explicit, as they are recorded in the log.

        Raises ``Malformed`` for a combination that cannot be played.
        """
        ...

    def blank(self, options: Any, seats: int) -> S:
        """The state before anything happened: what the first effect evolves. ``options`` are settled."""
        ...

    def open(self, options: Any, seats: int, chance: Chance) -> Unfolded[E, S]:
        """Set the game up and run it to the first decision."""
        ...

    def to_act(self, state: S) -> frozenset[int]:
        """The seats that have a decision to make now, in any order; empty when the game is over."""
        ...

    def moves(self, state: S, seat: int) -> tuple[Legal[M], ...]:
        """Every legal move of the seat, exactly those, in the rulebook's order; empty if it has none."""
        ...

    def decide(self, state: S, seat: int, move: M, chance: Chance) -> Unfolded[E, S]:
        """Carry out a move and whatever follows from it, up to the next decision.

        Raises ``NotYourTurn``, or ``Illegal`` with the rule that forbids the move.
        """
        ...

    def evolve(self, state: S, effect: E) -> S:
        """The state after one effect. Total on the effects of its own log; never consults chance."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """How it ended, or None while it goes on."""
        ...

    def fallback(self, state: S, seat: int) -> M:
        """The safe default of a seat in ``to_act`` whose player is absent."""
        ...

    def sides(self, state: S) -> tuple[tuple[int, ...], ...]:
        """The seats that win together: one tuple a seat, or one a team."""
        ...

    def table(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        """A redacted state as text for a terminal or a screen reader: plain lines, no colours.

        ``seat`` is whose eyes these are, so that the text can say "you"; None for a spectator. ``over``: the
        match has ended, by whatever way, though the state may not know it (players resign): nobody is to act.
        Who won need not be in it: whoever shows a table tells the outcome beside it.
        """
        ...

    def say(self, move: Builtin) -> str:
        """A move as a short phrase (``place hoplite 3 behind the 4``)."""
        ...

    def tell(self, effect: Builtin) -> str:
        """An effect, as a viewer may see it, as one sentence; hidden parts are told as hidden."""
        ...

    def manifest(self) -> Builtin:
        """Components, map, texts and set-up tables for whoever builds a frontend: JSON-ready, constant."""
        ...


@runtime_checkable
class Foreseeing(Protocol):
    """What a game may offer so that people see beforehand what it costs to take a move back."""

    def quiet(self, state: Any, seat: int, move: Any) -> bool:
        """Whether the legal move brings no news and does not end the game, whatever chance and secrets hold.

        To be told from what the seat may see. In doubt False; True is a promise, and one for the whole
        range if the move is listed with one.
        """
        ...


@runtime_checkable
class Redealing(Protocol):
    """What a game may offer so that a match can be forked while it is being played."""

    def redeal(self, state: Any, seats: frozenset[int], chance: Chance) -> Any:
        """The same position to the eyes of ``seats``, with all that they cannot see dealt anew at random."""
        ...


@runtime_checkable
class Pictured(Protocol):
    """What a game may offer so that people see the table as it would lie before them."""

    def picture(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        """A redacted state as one SVG document, the same bytes for the same view; ``svg`` has its parts.

        ``seat`` is whose eyes these are, and ``over`` that nobody is to act, as for ``table``. It holds no
        script and fetches nothing.
        """
        ...


def choices(game: Game[S, M, E], state: S, seat: int) -> tuple[Legal[M], ...]:
    """The legal moves of a seat; none, rather than an error, for a seat that is not to act."""
    return game.moves(state, seat) if seat in game.to_act(state) else ()


def require_turn(game: Game[S, M, E], state: S, seat: int) -> None:
    """Raise ``NotYourTurn`` unless the seat has a decision to make."""
    acting = game.to_act(state)
    if seat not in acting:
        waiting = ", ".join(str(each) for each in sorted(acting)) or "nobody"
        raise NotYourTurn(f"seat {seat} has nothing to decide now; to act: {waiting}", seat=seat)
