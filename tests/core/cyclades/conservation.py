"""What cannot change in a match of Cyclades: every piece is somewhere, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from kleos.core.cyclades.position import (
    building_supply,
    fleet_reserve,
    philosopher_supply,
    priest_supply,
    prosperity_supply,
    troop_reserve,
)
from kleos.core.cyclades.state import Placing, Power, Shuffling, State
from kleos.core.cyclades.vocabulary import BUILDINGS, CREATURES, GODS, KEPT
from kleos.core.kernel import Chance, Viewer


def census(state: State) -> dict[str, int]:
    """The cards one by one, the tiles, the markers of those who play, and what the box has given too much.

    Before the set-up all cards and tiles lie in the box.
    """
    boxed = state.phase == "setup"
    return {
        **Counter(CREATURES if boxed else _cards(state)),
        "tiles": len(GODS) if boxed else len({*state.gods, *state.hidden}),
        "overdrawn": sum(1 for supply in _supplies(state) if supply < 0),
        "markers missing": 0 if boxed else _markers_due(state) - len(_markers(state)),
    }


def _cards(state: State) -> Iterator[str]:
    yield from state.deck
    yield from state.discard
    yield from (card for card in state.track if card is not None)
    yield from (figure.creature for figure in state.figures)
    for frame in state.frames:
        if isinstance(frame, Power) and frame.creature in KEPT:
            yield frame.creature
        if isinstance(frame, Shuffling):
            yield "chimera"


def _supplies(state: State) -> Iterator[int]:
    for player in state.players:
        yield troop_reserve(state, player.seat)
        yield fleet_reserve(state, player.seat)
        yield player.gold
        yield player.priests
        yield player.philosophers
    yield from (island.troops for island in state.islands)
    yield from (squadron.ships - 1 for squadron in state.fleets)
    yield from (building_supply(state, building) for building in BUILDINGS)
    yield priest_supply(state)
    yield philosopher_supply(state)
    yield prosperity_supply(state)


def _markers_due(state: State) -> int:
    return sum(2 if len(state.players) == 2 else 1 for player in state.players if not player.out)


def _markers(state: State) -> list[int]:
    placing = [frame.seat for frame in state.frames if isinstance(frame, Placing)]
    standing = [bid.seat for bid in state.bids] + [worship.seat for worship in state.apollo]
    return [*state.queue, *placing, *standing, *state.finished]


def dealt_anew(state: State, _viewer: Viewer, chance: Chance) -> State:
    """The state with another order of deck and hidden tiles.

    Purses stay: whoever has counted knows them, for all income and all costs are public (17).
    """
    return replace(state, deck=chance.shuffle(state.deck), hidden=chance.shuffle(state.hidden))
