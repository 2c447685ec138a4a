"""Whole matches: no gold is lost, every rule is met, bots come to an end."""

from __future__ import annotations

import statistics
import typing
from collections import Counter
from collections.abc import Callable

import msgspec
import pytest

from kleos.core.cyclades import GAME
from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.effects import AnyEffect
from kleos.core.cyclades.state import State
from kleos.core.cyclades.vocabulary import CREATURES, OPENING_GOLD
from kleos.core.kernel.conform import Spread
from kleos.core.kernel.game import snake
from tests.core.cyclades.conservation import census
from tests.core.cyclades.matches import PRESETS, exercised, last, match
from tests.core.cyclades.test_conformance import LAWS, examined

each_table = pytest.mark.parametrize("seats", GAME.seats)


# Gold


def _transfers(effect: AnyEffect) -> dict[int, int]:
    """What an effect says that each seat gained."""
    match effect:
        case fx.RevenueCollected():
            return dict(enumerate(effect.gold))
        case fx.OfferingsPaid():
            return {seat: -gold for seat, gold in enumerate(effect.gold)}
        case fx.PurseRobbed():
            return {effect.seat: effect.gold, effect.victim: -effect.gold}
        case fx.ApolloPaid() | fx.PieceSold() | fx.FatesPaid():
            return {effect.seat: effect.gold}
        case _:
            cost = getattr(effect, "cost", 0)
            return {getattr(effect, "seat", 0): -cost} if cost else {}


@each_table
@pytest.mark.parametrize("preset", PRESETS)
def test_all_gold_comes_from_somewhere_and_goes_somewhere(seats: int, preset: str) -> None:
    purses = dict.fromkeys(range(seats), 0)
    for number in range(3):
        for place, step in enumerate(match(["random"] * seats, preset, f"gold {number}")):
            if place == 0:
                purses = {player.seat: player.gold for player in step.before.players}
            for effect in step.effects:
                for seat, gold in _transfers(effect).items():
                    purses[seat] += gold
                if isinstance(effect, fx.PlayerEliminated):
                    purses[effect.seat] = 0
            assert [player.gold for player in step.after.players] == list(purses.values())
            assert min(purses.values()) >= 0


def test_the_bank_starts_with_what_was_dealt_out() -> None:
    state: State = GAME.blank(GAME.settle(GAME.Options(), 4), 4)
    dealt = fx.StartsDrawn(starts=(2, 0, 3, 1)).applied(state)
    assert [player.gold for player in dealt.players] == [OPENING_GOLD] * 4


# What is met


def _met(matches: int, players: Callable[[int], list[str]], seed: str) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seats in GAME.seats:
        for preset in PRESETS:
            for number in range(matches):
                for step in match(players(seats), preset, f"{seed} {number}"):
                    seen += exercised(step.effects)
    return seen


EVERYTHING = {
    *(
        snake(kind.__name__)
        for kind in typing.get_args(AnyEffect)
        if kind not in (fx.StartsDrawn, fx.OrderDrawn)
    ),
    *(f"creature_called: {creature}" for creature in CREATURES),
    *(f"chimera_copied: {creature}" for creature in CREATURES if creature != "chimera"),
    "battle: won",
    "battle: nobody is left",
    "deck_shuffled: cyclades.R-11",
    "deck_shuffled: cyclades.C-31",
    "ending: metropolises",
    "ending: last_standing",
    "ending: alone",
}
"""Every fact after the set-up, every creature, every end of a battle and of a match."""


def test_matches_meet_every_rule() -> None:
    seen = _met(8, lambda seats: ["random"] * seats, "met")
    seen += _met(6, lambda seats: ["greedy"] * seats, "met")
    print("\n".join(f"{times:7d}  {what}" for what, times in sorted(seen.items())))
    assert EVERYTHING - seen.keys() <= {"player_eliminated", "ending: last_standing"}, "the rarest of all"


# Bots


@each_table
def test_greedy_players_come_to_a_real_end(seats: int) -> None:
    cycles = []
    for number in range(6):
        state, _ = last(match(["greedy"] * seats, PRESETS[number % 2], f"end {number}"))
        assert state.result is not None
        assert state.result.reason in ("metropolises", "last_standing")
        cycles.append(state.cycle)
    assert 5 <= statistics.mean(cycles) <= 13


@each_table
def test_greedy_beats_random(seats: int) -> None:
    wins = 0
    for number in range(8):
        hero = number % seats
        players = ["greedy" if seat == hero else "random" for seat in range(seats)]
        state, _ = last(match(players, PRESETS[number % 2], f"duel {number}"))
        assert state.result is not None
        wins += state.result.winners == (hero,)
    assert wins >= 6


@pytest.mark.parametrize("preset", PRESETS)
def test_greedy_leaves_its_own_other_marker_where_it_stands(preset: str) -> None:
    displaced = [
        effect.displaced == step.seat
        for number in range(3)
        for step in match(["greedy"] * 2, preset, f"markers {number}")
        for effect in step.effects
        if isinstance(effect, fx.OfferingMade) and effect.displaced is not None
    ]
    assert displaced
    assert not any(displaced)


def test_an_event_is_small() -> None:
    sizes = [
        len(msgspec.json.encode([step.move, step.effects]))
        for seats in GAME.seats
        for step in match(["greedy"] * seats, "sheet", "size")
    ]
    assert statistics.mean(sizes) < 300
    assert max(sizes) < 3_000


# At length


@pytest.mark.slow
@each_table
@pytest.mark.parametrize("preset", PRESETS)
def test_five_hundred_random_matches_keep_the_laws(seats: int, preset: str) -> None:
    report = examined(seats=[seats], options=[{"preset": preset}], matches=4, every=4)
    report.demand(*LAWS)
    cycles: list[int] = []
    moves: dict[str, list[int]] = {}
    for number in range(500):
        steps = list(match(["random"] * seats, preset, f"long {number}"))
        counted = census(steps[0].before)
        for step in steps:
            if step.after.cycle != step.before.cycle or step.after.result is not None:
                assert census(step.after) == counted
            moves.setdefault(type(step.before.frames[-1]).__name__, []).append(len(step.legal))
        cycles.append(steps[-1].after.cycle)
    _tell(f"random, {seats} seats, {preset}", cycles, moves)
    assert max(max(lengths) for lengths in moves.values()) <= 500


@pytest.mark.slow
@each_table
@pytest.mark.parametrize("preset", PRESETS)
def test_two_hundred_greedy_matches_are_won(seats: int, preset: str) -> None:
    cycles, reasons = [], Counter[str]()
    for number in range(200):
        state, _ = last(match(["greedy"] * seats, preset, f"long {number}"))
        assert state.result is not None
        cycles.append(state.cycle)
        reasons[state.result.reason] += 1
    _tell(f"greedy, {seats} seats, {preset}: {dict(reasons)}", cycles, {})
    assert reasons["cycle_limit"] <= 10


@pytest.mark.slow
@each_table
@pytest.mark.parametrize("preset", PRESETS)
def test_greedy_wins_nine_of_ten_against_random(seats: int, preset: str) -> None:
    wins = 0
    for number in range(200):
        hero = number % seats
        players = ["greedy" if seat == hero else "random" for seat in range(seats)]
        state, _ = last(match(players, preset, f"long duel {number}"))
        wins += state.result is not None and state.result.winners == (hero,)
    print(f"greedy against random, {seats} seats, {preset}: {wins} of 200")
    assert wins >= 180


@pytest.mark.slow
def test_many_matches_meet_every_rule() -> None:
    seen = _met(60, lambda seats: ["random"] * seats, "many")
    seen += _met(60, lambda seats: ["greedy"] * seats, "many")
    print("\n".join(f"{times:7d}  {what}" for what, times in sorted(seen.items())))
    assert seen.keys() >= EVERYTHING


def _tell(what: str, cycles: list[int], moves: dict[str, list[int]]) -> None:
    print(f"{what}: cycles mean {statistics.mean(cycles):.1f}, {Spread.of(cycles)}")
    print("  " + ", ".join(f"{times}x{cycle}" for cycle, times in sorted(Counter(cycles).items())))
    for frame, lengths in sorted(moves.items()):
        print(f"  legal moves, {frame}: {Spread.of(lengths)}")
