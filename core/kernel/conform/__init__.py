"""The conformance kit: one call holds any game against the laws of the kernel.

::

    def test_hnefatafl_keeps_the_laws():
        check(GAME, census=census, reveals={"card_drawn"}).demand("non_interference", "commuting")

It plays matches between the game's bots for every number of seats and every set of options, and on the
way tries what could be tried: every listed move and the ends of its ranges, moves that are not listed, seats
that are not to act, both orders of simultaneous decisions, states whose hidden parts were dealt anew. The
laws are the docstrings in ``laws``, ``interference``, ``declarations`` and ``match``. Pure: no clock and no
randomness but what ``seed`` gives, so that a failure can be played again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from kleos.core.kernel.conform.declarations import declarations
from kleos.core.kernel.conform.match import MatchUnderTest
from kleos.core.kernel.conform.position import Census, Hooks, Position, Rearrange
from kleos.core.kernel.conform.report import Failure, Report, Spread
from kleos.core.kernel.errors import Malformed
from kleos.core.kernel.game import Game

__all__ = ["Census", "Failure", "Rearrange", "Report", "Spread", "check"]


def check(
    game: Game[Any, Any, Any],
    *,
    seats: Iterable[int] | None = None,
    options: Sequence[dict[str, Any]] = ({},),
    matches: int = 3,
    first: int = 0,
    every: int = 4,
    limit: int = 5_000,
    seed: str = "kleos",
    census: Census | None = None,
    reveals: Collection[str] = (),
    rearrange: Rearrange | None = None,
) -> Report:
    """Run the battery and return what was found; ``.demand()`` raises if anything was.

    * ``seats``: the numbers of seats (default: all the game has); ``options``: raw option objects. A
      combination that the game refuses to settle as ``Malformed`` is passed over.
    * ``matches`` for each combination, counted from ``first``; the first is played by ``random`` bots, the
      second by one of each kind in turn, the third by the last kind alone, and so on.
    * ``every``: how rare the positions are on which moves are tried out; 1 tries all.
    * ``limit``: decisions after which a match counts as endless.
    * ``census(state)``: counts that must not change in a match, such as cards and coins.
    * ``reveals``: types of effects that may tell a seat what it could not know (see ``interference``).
    * ``rearrange(state, viewer, chance)``: a state that looks the same to the viewer but differs in what it
      may not see, for games whose hidden parts cannot simply be exchanged by type (see ``secrets``).
    """
    report = Report(rules=game.rules)
    _declared(game, report, seed)
    hooks = Hooks(census=census, rearrange=rearrange, reveals=frozenset(reveals))
    for count in game.seats if seats is None else seats:
        for raw in options:
            try:
                settled = game.settle(msgspec.convert(raw, game.Options), count)
            except Malformed:
                continue
            if game.settle(settled, count) != settled:
                report.add(Failure("settled", "settling twice changes the options", seed, count, raw, 0, ()))
            for number in range(first, first + matches):
                failure = Failure("", "", seed, count, raw, number, ())
                key = hashlib.sha256(msgspec.json.encode([seed, game.rules, count, raw, number])).digest()
                opening = Position(game, count, game.blank(settled, count), key, hooks)
                under_test = MatchUnderTest(report, failure, opening)
                report.matches += 1
                try:
                    under_test.run(_players(game, count, number), settled, every=every, limit=limit)
                except Exception as error:  # the match cannot go on; the next one may
                    under_test.complain("playable", f"{type(error).__name__}: {error}")
    return report


def _declared(game: Game[Any, Any, Any], report: Report, seed: str) -> None:
    for complaint in declarations(game):
        if complaint is None:
            report.checks["declarations"] += 1
        else:
            report.add(Failure("declarations", complaint, seed, game.seats[0], {}, 0, ()))


def _players(game: Game[Any, Any, Any], seats: int, number: int) -> list[Any]:
    """The bots of the match with this number: of one kind, or (every second match) of all kinds mixed."""
    bots = list(game.bots.values())
    if number % 2 and len(bots) > 1:
        return [bots[(seat + number // 2) % len(bots)] for seat in range(seats)]
    return [bots[(number // 2) % len(bots)]] * seats
