"""Cyclades as a game of the kernel: the functions of the ``Game`` protocol, in its order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kleos.core.cyclades import board, bots, cycle, manifest, picture, refusals, unseen, words
from kleos.core.cyclades.effects import AnyEffect, evolve
from kleos.core.cyclades.moves import AnyMove, EndTurn, FightOn, OfferTo, OfferToApollo
from kleos.core.cyclades.play import Play
from kleos.core.cyclades.rules import legal, option_for, run
from kleos.core.cyclades.state import Battle, Island, Placing, Player, Turn
from kleos.core.cyclades.state import State as Position
from kleos.core.cyclades.vocabulary import Options as Choices
from kleos.core.cyclades.vocabulary import settled
from kleos.core.kernel.bots import random_move
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Bot, Game, Legal, Outcome, Unfolded, require_turn
from kleos.core.kernel.visibility import Builtin

_NOBODY: frozenset[int] = frozenset()
_ALONE = tuple(frozenset((seat,)) for seat in range(5))


class Cyclades:
    """The base game of 2009 for two to five players (docs/rules/cyclades.md)."""

    name = "cyclades"
    title = "Cyclades"
    rules = "cyclades/1"
    seats = range(2, 6)
    Options: type[Any] = Choices
    State: type[Any] = Position
    Move: Any = AnyMove
    Effect: Any = AnyEffect
    bots: Mapping[str, Bot] = MappingProxyType({"random": random_move, "greedy": bots.greedy})

    def settle(self, options: Choices, seats: int) -> Choices:  # noqa: ARG002 - every combination can be played
        return settled(options)

    def blank(self, options: Choices, seats: int) -> Position:
        printed = board.board_for(seats)
        return Position(
            options=options,
            board=printed.name,
            players=tuple(Player(seat) for seat in range(seats)),
            islands=tuple(Island(land.id, (None,) * land.slots) for land in printed.lands),
        )

    def open(self, options: Choices, seats: int, chance: Chance) -> Unfolded[AnyEffect, Position]:
        play = Play(self.blank(options, seats), chance)
        cycle.set_up(play)
        run(play)
        return play.done()

    def to_act(self, state: Position) -> frozenset[int]:
        seat = state.frames[-1].seat if state.frames else None
        return _NOBODY if seat is None else _ALONE[seat]

    def moves(self, state: Position, seat: int) -> tuple[Legal[AnyMove], ...]:
        return tuple(legal(state)) if seat in self.to_act(state) else ()

    def decide(
        self, state: Position, seat: int, move: AnyMove, chance: Chance
    ) -> Unfolded[AnyEffect, Position]:
        require_turn(self, state, seat)
        option = option_for(state, move)
        if option is None:
            raise refusals.refusal(state, seat, move)
        play = Play(state, chance)
        option.makes(play, state.frames[-1], move)
        run(play)
        return play.done()

    def evolve(self, state: Position, effect: AnyEffect) -> Position:
        return evolve(state, effect)

    def outcome(self, state: Position) -> Outcome | None:
        return state.result

    def fallback(self, state: Position, seat: int) -> AnyMove:
        """The harmless way on: Apollo or the lowest bid, the compulsory card, the end of the turn (R-26).

        Elsewhere it is the first move listed, which stops whatever may be stopped.
        """
        listed = self.moves(state, seat)
        frame = state.frames[-1]
        if type(frame) is Placing:
            return _humblest(state, listed)
        if type(frame) in (Turn, Battle):
            for each in listed:
                if type(each.move) in (EndTurn, FightOn):
                    return each.move
        return listed[0].move

    def sides(self, state: Position) -> tuple[tuple[int, ...], ...]:
        return tuple((player.seat,) for player in state.players)

    def quiet(self, state: Position, seat: int, move: AnyMove) -> bool:
        return unseen.quiet(state, seat, move)

    def redeal(self, state: Position, seats: frozenset[int], chance: Chance) -> Position:  # noqa: ARG002
        return unseen.redeal(state, chance)

    def table(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        return words.table(view, seat, over=over)

    def picture(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        return picture.picture(view, seat, over=over)

    def say(self, move: Builtin) -> str:
        return words.say(move)

    def tell(self, effect: Builtin) -> str:
        return words.tell(effect)

    def manifest(self) -> Builtin:
        return manifest.manifest()


def _humblest(state: Position, listed: tuple[Legal[AnyMove], ...]) -> AnyMove:
    """Apollo if he may be chosen, else the lowest bid on a free god, else the lowest on any."""
    bids = [each.move for each in listed if isinstance(each.move, OfferTo)]
    taken = {bid.god for bid in state.bids}
    free = [bid for bid in bids if bid.god not in taken]
    apollo = [each.move for each in listed if isinstance(each.move, OfferToApollo)]
    return (apollo or free or sorted(bids, key=lambda bid: bid.amount))[0]


GAME: Game[Position, AnyMove, AnyEffect] = Cyclades()
