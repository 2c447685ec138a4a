"""Who wins, and how the others rank (15, R-18, R-24)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from kleos.core.cyclades.position import metropolises, standing, target
from kleos.core.cyclades.state import Player, State
from kleos.core.kernel.game import Outcome

_Key = Callable[[Player], tuple[int, ...]]


def verdict(state: State) -> Outcome | None:
    """The outcome at the end of a cycle; None if the match goes on."""
    qualified = [each for each in standing(state) if metropolises(state, each.seat) >= target(state)]
    if qualified:
        key = _by_gold if state.options.tie_break == "gold" else _by_both(state)
        return _outcome(state, qualified, key, "metropolises")
    if state.cycle >= state.options.max_cycles:
        return _outcome(state, standing(state), _by_both(state), "cycle_limit")
    return None


def last_standing(state: State) -> Outcome:
    return _outcome(state, standing(state), _by_both(state), "last_standing")


def _by_gold(player: Player) -> tuple[int, ...]:
    return (player.gold,)


def _by_both(state: State) -> _Key:
    return lambda player: (metropolises(state, player.seat), player.gold)


def _outcome(state: State, qualified: list[Player], key: _Key, reason: str) -> Outcome:
    """Those who qualify by ``key``, then the others by metropolises and gold, the eliminated last."""
    rest = [player for player in standing(state) if player not in qualified]
    out = tuple(player.seat for player in state.players if player.out)
    ranking = (*_groups(qualified, key), *_groups(rest, _by_both(state)))
    return Outcome(
        winners=ranking[0],
        ranking=(*ranking, out) if out else ranking,
        scores={str(player.seat): metropolises(state, player.seat) for player in state.players},
        reason=reason,
    )


def _groups(players: Iterable[Player], key: _Key) -> tuple[tuple[int, ...], ...]:
    ordered = sorted(players, key=key, reverse=True)
    return tuple(tuple(sorted(player.seat for player in group)) for _, group in groupby(ordered, key))
