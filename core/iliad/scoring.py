"""Scores, tiles and the end of the game (rules 6.3, 7, 8).

Everything here reads a state and says what follows; ``siege`` decides when it is asked.
"""

from __future__ import annotations

from typing import Final

from kleos.core.iliad.cards import PENALTY, POINTS, SUIT, TILE_POINTS, Suit, Tile
from kleos.core.iliad.effects import GameEnded, TileAwarded
from kleos.core.iliad.state import State

UNWON_LIMIT: Final = 4
"""So many sieges in a row without a winner end a two-player match (R-01)."""


def scores(state: State) -> tuple[int, ...]:
    """The score of each side (rule 7): victory cards, Thanatos cards and tiles of all its members."""
    found = [0] * len(state.scores)
    for army in state.armies:
        points = 0
        for victory in army.victories:
            points += POINTS[victory]
        for penalty in army.penalties:
            points += PENALTY[penalty]
        found[army.side] += points
    if state.agamemnon is not None:
        found[state.armies[state.agamemnon].side] += TILE_POINTS["agamemnon"]
    if state.athena is not None:
        found[state.athena] += TILE_POINTS["athena"]
    if state.poseidon is not None:
        found[state.poseidon] += TILE_POINTS["poseidon"]
    return tuple(found)


def suit_points(state: State, suit: Suit) -> tuple[int, ...]:
    """The points of each side on cards of one suit; Helen belongs to neither (C-09)."""
    found = [0] * len(state.scores)
    for army in state.armies:
        for card in army.victories:
            if SUIT[card] == suit:
                found[army.side] += POINTS[card]
    return tuple(found)


def award(state: State, tile: Tile) -> TileAwarded | None:
    """Athena or Poseidon goes to a side that leads its suit alone, else it stays (rule 6.3.1, C-10)."""
    suit, holder = ("city", state.athena) if tile == "athena" else ("trireme", state.poseidon)
    points = suit_points(state, "city" if suit == "city" else "trireme")
    most = max(points)
    if most < 1 or points.count(most) > 1 or points.index(most) == holder:
        return None
    return TileAwarded(rule="iliad.6.3.1", tile=tile, side=points.index(most))


def reached(state: State) -> GameEnded | None:
    """The end if a side stands at the target or above (rule 8)."""
    if max(state.scores) < state.setup.target:
        return None
    rule = "iliad.R-08" if state.options.win_check == "instant" else "iliad.8.1"
    return ended(state, rule, "target")


def exhausted(state: State) -> GameEnded | None:
    """The end if there can be no further siege (C-13, R-01, rule 9.11)."""
    if state.setup.oracle:
        return None if state.oracle_deck else ended(state, "iliad.C-13", "oracles")
    if state.unwon >= UNWON_LIMIT:
        return ended(state, "iliad.R-01", "draws")
    if len(state.row) + len(state.victory_deck) < state.setup.row:
        return ended(state, "iliad.9.11", "victory_deck")
    return None


def ended(state: State, rule: str, reason: str) -> GameEnded:
    """The end of the game as it stands: sides with equal claims share their place (R-05)."""
    claims = [_claim(state, side) for side in range(len(state.scores))]
    ranking = tuple(
        tuple(army.seat for army in state.armies if claims[army.side] == claim)
        for claim in sorted(set(claims), reverse=True)
    )
    return GameEnded(
        rule=rule,
        winners=ranking[0],
        ranking=ranking,
        scores={str(army.seat): state.scores[army.side] for army in state.armies},
        reason=reason,
    )


def _claim(state: State, side: int) -> tuple[int, int]:
    """What a side is ranked by: its score, then its place in a ranked siege or else Agamemnon (R-05)."""
    if state.ranking:
        best = min(place for place, seat in enumerate(state.ranking) if state.armies[seat].side == side)
        return state.scores[side], -best
    return state.scores[side], int(state.agamemnon is not None and state.armies[state.agamemnon].side == side)
