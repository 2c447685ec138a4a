"""Mechanical players that every game has."""

from __future__ import annotations

from typing import Any

import msgspec

from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Legal
from kleos.core.kernel.visibility import Builtin


def random_move(_view: Builtin, legal: tuple[Legal[Any], ...], _seat: int, chance: Chance) -> Any:
    """A uniformly random entry of the list; where it has a range, a uniformly random number of it."""
    chosen = legal[chance.pick(len(legal))]
    if chosen.range is None:
        return chosen.move
    ((field, (low, high)),) = chosen.range.items()
    return msgspec.structs.replace(chosen.move, **{field: low + chance.pick(high - low + 1)})
