"""Whole matches told event by event, for tests that look back: what is accepted is folded in at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from kleos.core.kernel import Refused, choices
from kleos.core.kernel.registry import current
from kleos.core.match import HOUSE, Event, Match, create, decide, evolve, seats_to_act
from kleos.core.match.actions import Create, Join

SEED = bytes(range(32)).hex()
PLAYERS = ("ann", "ben", "cleo", "dan", "eve", "fay")


class Told:
    """A match of a game by PLAYERS (``bot`` in their place puts a mechanical player there)."""

    def __init__(self, name: str = "tiny", players: Sequence[str] = PLAYERS[:2], **rest: Any) -> None:
        game = current(name)
        options = rest.pop("options", {})
        seed = rest.pop("seed", SEED)
        asked = Create(
            game=name, rules=game.rules, seats=len(players), options=options, seat=0, start="manual", **rest
        )
        self.game = game
        self.events: list[Event] = [create("m1", players[0], asked, seed=seed, at=1000)]
        self.matches: list[Match] = [evolve(None, self.events[0])]
        for seat, player in enumerate(players[1:], start=1):
            if player == "bot":
                self.when(players[0], Join(seat=seat, bot="random"))
            else:
                self.when(player, Join(seat=seat))

    @property
    def match(self) -> Match:
        return self.matches[-1]

    @property
    def start(self) -> int:
        """The version at which play began."""
        return next(each.version for each in self.matches if each.status == "playing")

    def past(self, version: int) -> Match:
        return self.matches[version - 1]

    def when(self, actor: str | None, action: Any, seat: int | None = None) -> Event:
        """Carry it out."""
        event = decide(self.match, actor, seat, action, at=self.match.updated_at + 1, past=self.past)
        self.matches.append(evolve(self.match, event, self.past))
        self.events.append(event)
        return event

    def refuses(
        self, refusal: type[Refused], rule: str, actor: str | None, action: Any, seat: int | None = None
    ) -> str:
        with pytest.raises(refusal) as caught:
            decide(self.match, actor, seat, action, at=0, past=self.past)
        assert caught.value.rule == rule
        return caught.value.reason

    def actor(self, seat: int) -> str | None:
        held = self.match.seats[seat]
        return HOUSE if held.mechanical else held.player

    def step(self, rng: random.Random | None = None) -> Event:
        """One legal move of a seat that is to act: the first of the lowest, or any of any."""
        seats = seats_to_act(self.match)
        seat = rng.choice(seats) if rng else seats[0]
        legal = choices(self.game, self.match.state, seat)
        move = rng.choice(legal).move if rng else legal[0].move
        return self.when(self.actor(seat), move, seat)

    def play(self, moves: int, rng: random.Random | None = None) -> None:
        """So many moves, or to the end."""
        for _ in range(moves):
            if self.match.status != "playing":
                return
            self.step(rng)
