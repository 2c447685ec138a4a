"""How moves are judged: a number of gold that the move is worth, and the move with its range decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kleos.core.cyclades.bots.eyes import Eyes
from kleos.core.kernel.game import Legal

Choice = tuple[float, Any]
Judge = Callable[[Eyes, Legal[Any]], Choice]
Judges = Mapping[type[Any], Judge]


def always(worth: float) -> Judge:
    """A judge to whom every such move is worth the same."""
    return lambda _eyes, legal: (worth, legal.move)


def most_of(legal: Legal[Any], field: str) -> int:
    """The highest number that the field of a listed move may have."""
    return int(getattr(legal.move, field)) if legal.range is None else legal.range[field][1]
