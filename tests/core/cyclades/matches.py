"""Whole matches of Cyclades between bots, and what was exercised in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kleos.core.cyclades import GAME
from kleos.core.cyclades.effects import AnyEffect
from kleos.core.cyclades.state import State
from kleos.core.kernel import KeyedChance
from kleos.core.kernel.playout import Step, playout
from tests.core.cyclades.positions import options

PRESETS = ("sheet", "rulebook")


def opened(seats: int, preset: str, seed: str) -> tuple[Any, KeyedChance, KeyedChance]:
    """An opening, the chance of the match, and that of its players."""
    fortune, whim = (KeyedChance(f"{seed}/{seats}/{preset}/{use}".encode()) for use in ("fortune", "whim"))
    return GAME.open(options(preset), seats, fortune), fortune, whim


def match(players: Sequence[str], preset: str, seed: str) -> Iterator[Step]:
    """The decisions of one match between these bots, by seat."""
    start, fortune, whim = opened(len(players), preset, seed)
    return playout(GAME, start.state, [GAME.bots[name] for name in players], fortune, whim)


def last(steps: Iterable[Step]) -> tuple[State, int]:
    """The final state of a match, and the number of its decisions."""
    *_, (number, step) = enumerate(steps, 1)
    return step.after, number


def exercised(effects: Iterable[AnyEffect]) -> Counter[str]:
    """How often each rule was exercised: effects, creatures, ends of battles, ways of winning."""
    seen: Counter[str] = Counter()
    for effect in effects:
        kind = str(effect.__struct_config__.tag)
        seen[kind] += 1
        if kind in ("creature_called", "chimera_copied", "creature_idle", "figure_left"):
            seen[f"{kind}: {getattr(effect, 'creature')}"] += 1  # noqa: B009 - of several types
        if kind == "battle_ended":
            seen["battle: nobody is left" if getattr(effect, "winner") is None else "battle: won"] += 1  # noqa: B009
        if kind == "deck_shuffled":
            seen[f"deck_shuffled: {effect.rule}"] += 1
        if kind == "game_ended":
            result = getattr(effect, "outcome")  # noqa: B009
            seen[f"ending: {result.reason}"] += 1
            seen["ending: shared" if len(result.winners) > 1 else "ending: alone"] += 1
    return seen
