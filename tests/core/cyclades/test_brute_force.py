"""Every move that can be written down is tried: those that are accepted are exactly those that are listed."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from kleos.core.cyclades import GAME
from kleos.core.cyclades.board import boards
from kleos.core.cyclades.moves import AnyMove
from kleos.core.cyclades.state import State
from kleos.core.cyclades.vocabulary import BUILDINGS, CREATURES, GODS
from kleos.core.kernel import Illegal, KeyedChance
from kleos.core.kernel.game import Legal
from tests.core.cyclades.matches import match

SMALL = boards()["small"]
ISLANDS = (*(land.id for land in SMALL.lands), "M1")
SPACES = (*SMALL.seas, "F11")
WRITTEN: dict[str, tuple[Any, ...]] = {
    "god": GODS,
    "amount": tuple(range(1, 80)),
    "creature": CREATURES,
    "island": ISLANDS,
    "space": SPACES,
    "on_site": (False, True),
    "troops": tuple(range(1, 9)),
    "ships": tuple(range(1, 9)),
    "rival": tuple(range(5)),
    "building": BUILDINGS,
    "into": BUILDINGS,
    "source": (None, *SPACES),
    "piece": ("troop", "fleet", "priest", "philosopher"),
    "place": (None, *ISLANDS, *SPACES),
}


def written() -> Iterator[Any]:
    """All moves on the small board, with a few places that are not on it."""
    for kind in typing.get_args(AnyMove):
        places = ISLANDS if kind.__name__ == "MoveTroops" else SPACES
        if kind.__name__ == "Retreat":
            places = (*ISLANDS, *SPACES)
        domains = [WRITTEN.get(name, places) for name in kind.__struct_fields__]
        yield from (kind(*values) for values in product(*domains))


def listed(legal: tuple[Legal[Any], ...]) -> Iterator[Any]:
    for each in legal:
        if each.range is None:
            yield each.move
            continue
        ((field, (low, high)),) = each.range.items()
        yield from (replace(each.move, **{field: number}) for number in range(low, high + 1))


def accepted(state: State, seat: int, move: Any) -> bool:
    with contextlib.suppress(Illegal):
        GAME.decide(state, seat, move, KeyedChance(b"brute force"))
        return True
    return False


def decision(state: State) -> str:
    """What is to be decided: the frame, and the god or creature it is about."""
    frame = state.frames[-1]
    return f"{type(frame).__name__} {getattr(frame, 'god', '')}{getattr(frame, 'creature', '')}"


@pytest.mark.parametrize("preset", ["sheet", "rulebook"])
def test_what_is_accepted_is_what_is_listed(preset: str) -> None:
    """Fault 113."""
    every = list(written())
    tried: set[str] = set()
    for step in match(["random"] * 3, preset, "brute force"):
        if decision(step.before) not in tried:
            tried.add(decision(step.before))
            assert {move for move in every if accepted(step.before, step.seat, move)} == set(
                listed(step.legal)
            )
    assert len(tried) > 12
