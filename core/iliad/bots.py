"""Mechanical players of Iliad."""

from __future__ import annotations

from typing import Any

from kleos.core.kernel.bots import random_move
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Legal
from kleos.core.kernel.visibility import Builtin


def greedy(view: Builtin, legal: tuple[Legal[Any], ...], seat: int, chance: Chance) -> Any:
    return random_move(view, legal, seat, chance)
