"""Iliad as a ``Game``: where the parts of the rules meet the protocol of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kleos.core.iliad import bots, picture, turn, unseen, words
from kleos.core.iliad.effects import DecksShuffled, IliadEffect
from kleos.core.iliad.evolve import evolve
from kleos.core.iliad.manifest import manifest
from kleos.core.iliad.moves import IliadMove
from kleos.core.iliad.setup import SEATS, settle
from kleos.core.iliad.setup import Options as IliadOptions
from kleos.core.iliad.siege import begin
from kleos.core.iliad.state import State as IliadState
from kleos.core.iliad.state import blank
from kleos.core.kernel.bots import random_move
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Bot, Legal, Outcome, Unfolded, Unfolding, require_turn
from kleos.core.kernel.visibility import Builtin


class Iliad:
    """The rules of ``docs/rules/iliad.md``; see ``kleos.core.kernel.game.Game`` for what each part owes."""

    name: str = "iliad"
    title: str = "Iliad"
    rules: str = "iliad/1"
    seats: range = SEATS
    Options: type[Any] = IliadOptions
    State: type[Any] = IliadState
    Move: Any = IliadMove
    Effect: Any = IliadEffect
    bots: Mapping[str, Bot] = {"random": random_move, "greedy": bots.greedy}

    def settle(self, options: IliadOptions, seats: int) -> IliadOptions:
        return settle(options, seats)

    def blank(self, options: IliadOptions, seats: int) -> IliadState:
        return blank(options, seats)

    def open(self, options: IliadOptions, seats: int, chance: Chance) -> Unfolded[IliadEffect, IliadState]:
        box = blank(options, seats)
        course = Unfolding(evolve, box)
        course.add(
            DecksShuffled(
                rule="iliad.2.5",
                army=chance.shuffle(box.deck),
                victory=chance.shuffle(box.victory_deck),
                oracle=chance.shuffle(box.oracle_deck),
            )
        )
        begin(course, chance, chance.pick(seats))
        return course.done()

    def to_act(self, state: IliadState) -> frozenset[int]:
        return turn.to_act(state)

    def moves(self, state: IliadState, seat: int) -> tuple[Legal[IliadMove], ...]:
        if seat not in turn.to_act(state):
            return ()
        return tuple(map(Legal, turn.moves(state, seat)))

    def decide(
        self, state: IliadState, seat: int, move: IliadMove, chance: Chance
    ) -> Unfolded[IliadEffect, IliadState]:
        if seat not in turn.to_act(state):
            require_turn(self, state, seat)
        course = Unfolding(evolve, state)
        turn.play(course, seat, move, chance)
        return course.done()

    def evolve(self, state: IliadState, effect: IliadEffect) -> IliadState:
        return evolve(state, effect)

    def outcome(self, state: IliadState) -> Outcome | None:
        return state.outcome

    def fallback(self, state: IliadState, seat: int) -> IliadMove:
        return turn.fallback(state, seat)

    def quiet(self, state: IliadState, seat: int, move: IliadMove) -> bool:
        return unseen.quiet(state, seat, move)

    def redeal(self, state: IliadState, seats: frozenset[int], chance: Chance) -> IliadState:
        return unseen.redeal(state, seats, chance)

    def sides(self, state: IliadState) -> tuple[tuple[int, ...], ...]:
        return state.setup.sides

    def table(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        return words.table(view, seat, over=over)

    def picture(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        return picture.picture(view, seat, over=over)

    def say(self, move: Builtin) -> str:
        return words.say(move)

    def tell(self, effect: Builtin) -> str:
        return words.tell(effect)

    def manifest(self) -> Builtin:
        return manifest()


GAME: Final = Iliad()
