"""Whole matches of every variant: the laws of the kernel, and what holds here however it is played."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import mean
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import FOOT, Card, in_order
from kleos.core.iliad.moves import Attack, Extend, Hide, Mount, Place
from kleos.core.iliad.scoring import UNWON_LIMIT, scores
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import Horse, State, cards_on_table
from kleos.core.iliad.strength import strength
from kleos.core.kernel import Chance, KeyedChance, Viewer
from kleos.core.kernel.conform import check
from kleos.core.kernel.playout import Step, playout
from tests.core.iliad.notation import census, whole

VARIANTS = [
    (2, Options()),
    (3, Options()),
    (4, Options()),
    (5, Options()),
    (6, Options()),
    (4, Options(teams=True)),
    (4, Options(teams=True, team4="six")),
    (2, Options(two_player_tie="agamemnon", win_check="instant", phalanx_step="descending")),
    (2, Options(two_player_tie="first_pass")),
    (3, Options(gorgon_no_winner="last_passer", win_check="instant")),
    (6, Options(gorgon_no_winner="sole_remaining", phalanx_step="descending")),
]
TELLING = ("cards_dealt", "horse_broken", "horses_opened", "oracle_revealed", "row_filled")
"""The effects that show what was hidden before: the top of a deck, the inside of a horse."""


def named(variant: Any) -> str:
    """``4 teams team4=six``: only what differs from the default is told."""
    if not isinstance(variant, Options):
        return str(variant)
    default = to_builtins(Options())
    changed = {name: value for name, value in to_builtins(variant).items() if value != default[name]}
    return ",".join(f"{name}={value}" for name, value in changed.items()) or "default"


each_variant = pytest.mark.parametrize(("seats", "options"), VARIANTS, ids=named)


def match(seats: int, options: Options, key: str, bot: str = "random") -> Iterator[Step]:
    """The decisions of one match, always the same for one key."""
    fortune, whim = KeyedChance(f"{key} fortune".encode()), KeyedChance(f"{key} whim".encode())
    opened = GAME.open(GAME.settle(options, seats), seats, fortune)
    return playout(GAME, opened.state, [GAME.bots[bot]] * seats, fortune, whim)


def dealt_anew(state: State, viewer: Viewer, chance: Chance) -> State:
    """The same table for the viewer; the cards it does not see are dealt anew, in horses only men."""
    others = [army for army in state.armies if army.seat != viewer.seat]
    hidden = sum(len(horse.hidden) for army in others for horse in army.horses)
    unseen: list[Card] = []
    unseen.extend(state.deck)
    for army in others:
        unseen.extend((*army.hand, *army.discarded))
        unseen.extend(card for horse in army.horses for card in horse.hidden)
    pool: list[Card] = []
    pool.extend(chance.shuffle(unseen))
    men: list[Card] = []
    men.extend(islice((card for card in pool if card in FOOT), hidden))
    for card in men:
        pool.remove(card)
    armies = list(state.armies)
    for army in others:
        hand, discarded = (taken(pool, len(cards)) for cards in (army.hand, army.discarded))
        horses = tuple(Horse(taken(men, len(horse.hidden))) for horse in army.horses)
        armies[army.seat] = replace(army, hand=hand, discarded=discarded, horses=horses)
    victories, oracles = chance.shuffle(state.victory_deck), chance.shuffle(state.oracle_deck)
    return replace(state, armies=tuple(armies), deck=tuple(pool), victory_deck=victories, oracle_deck=oracles)


def taken(pool: list[Card], number: int) -> tuple[Card, ...]:
    """So many cards off the pool, in the order of the list."""
    return in_order([pool.pop() for _ in range(number)])


@each_variant
def test_every_variant_keeps_the_laws(seats: int, options: Options) -> None:
    """The battery of the conformance kit, matches of random and of greedy players."""
    report = check(
        GAME,
        seats=[seats],
        options=[to_builtins(options)],
        matches=3,
        every=12,
        census=census,
        reveals=TELLING,
        rearrange=dealt_anew,
    )
    report.demand(
        "acceptance", "refusals", "non_interference", "out_of_turn", "replays", "census", "unchanged"
    )
    assert max(report.choices["all"]) <= 40, "never more moves in a position than the rules foretell"


@each_variant
def test_strengths_and_scores_are_those_of_the_rules(seats: int, options: Options) -> None:
    """5, 7: the numbers that a state carries are always what its cards say."""
    for step in match(seats, options, "numbers"):
        state = step.after
        assert whole(state)
        assert [army.strength for army in state.armies] == [strength(army) for army in state.armies]
        assert state.scores == scores(state)


@each_variant
def test_a_siege_is_bounded(seats: int, options: Options) -> None:
    """R-21: every turn but a pass lowers what is left to do, so a siege has at most as many such turns."""

    def left(state: State) -> int:
        return sum(2 * len(army.hand) + len(cards_on_table(army)) for army in state.armies)

    turns: dict[int, int] = {}
    allowed: dict[int, int] = {}
    for step in match(seats, options, "bounded"):
        siege = step.before.siege
        if step.before.phase == "turn":
            allowed.setdefault(siege, 2 * sum(len(army.hand) for army in step.before.armies))
        if step.before.phase == "turn" and isinstance(step.move, Place | Extend | Mount | Hide | Attack):
            turns[siege] = turns.get(siege, 0) + 1
            assert step.after.siege != siege or left(step.after) < left(step.before)
    assert all(count <= allowed[siege] for siege, count in turns.items())
    assert sum(turns.values()) > 0


@each_variant
def test_a_match_of_absent_seats_ends(seats: int, options: Options) -> None:
    """R-01, R-22, C-13: even if nobody ever does anything."""
    chance = KeyedChance(b"absent")
    state: State = GAME.open(GAME.settle(options, seats), seats, chance).state
    while GAME.outcome(state) is None:
        seat = max(GAME.to_act(state))
        state = GAME.decide(state, seat, GAME.fallback(state, seat), chance).state
    assert state.siege <= (16 * UNWON_LIMIT if seats == 2 else 8)


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "matches"), [("random", 2_000), ("greedy", 500)])
@pytest.mark.parametrize(("seats", "options"), VARIANTS[:7], ids=named)
def test_thousands_of_matches_come_to_an_end(seats: int, options: Options, bot: str, matches: int) -> None:
    """No dead end, by random and by sensible players; the lengths are printed."""
    lengths = [sum(1 for _ in match(seats, options, f"{bot} {number}", bot)) for number in range(matches)]
    print(f"{seats} seats, {named(options)}, {bot}: mean {mean(lengths):.0f}, longest {max(lengths)}")
    assert min(lengths) > 0


@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_players_come_to_an_end_too(seats: int) -> None:
    """8: by the target or by the last oracle."""
    *_, last = match(seats, Options(), "greedy", bot="greedy")
    outcome = GAME.outcome(last.after)
    assert outcome is not None
    assert outcome.winners == outcome.ranking[0]
    assert outcome.reason in ("target", "oracles")


def test_greedy_beats_random_between_two() -> None:
    """The bot is worth its name: at least four in five; the full count is made by ``kleos simulate``."""
    won = 0
    matches = 50
    for number in range(matches):
        fortune = KeyedChance(f"contest {number}".encode())
        opened = GAME.open(GAME.settle(Options(), 2), 2, fortune)
        mine = number % 2
        players = [GAME.bots["greedy" if seat == mine else "random"] for seat in range(2)]
        *_, last = playout(GAME, opened.state, players, fortune, KeyedChance(b"whim"))
        outcome = GAME.outcome(last.after)
        assert outcome is not None
        won += outcome.winners == (mine,)
    assert won >= 0.8 * matches
