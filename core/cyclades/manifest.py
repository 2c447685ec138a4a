"""What a frontend needs to know before the first state: boards, components, prices, texts. JSON-ready."""

from __future__ import annotations

from kleos.core.cyclades import board
from kleos.core.cyclades.creatures import NATURES
from kleos.core.cyclades.turn import MENU
from kleos.core.cyclades.vocabulary import (
    BUILDING_COST,
    BUILDING_SUPPLY,
    BUILDINGS,
    BUILT_BY,
    DIE,
    FIGURES,
    FLEETS,
    LADDER,
    OPENING_GOLD,
    PHILOSOPHERS,
    PRICES,
    PRIESTS,
    PROSPERITY_MARKERS,
    TROOPS,
)
from kleos.core.kernel.game import snake
from kleos.core.kernel.visibility import Builtin


def manifest() -> Builtin:
    """The box of Cyclades."""
    return {
        "boards": board.manifest(),
        "die": list(DIE),
        "track": list(PRICES),
        "opening_gold": OPENING_GOLD,
        "supplies": {
            "troops": TROOPS,
            "fleets": FLEETS,
            "priests": PRIESTS,
            "philosophers": PHILOSOPHERS,
            "prosperity_markers": PROSPERITY_MARKERS,
            **dict.fromkeys(BUILDINGS, BUILDING_SUPPLY),
        },
        "gods": {
            god: {
                "building": BUILT_BY[god],
                "building_cost": BUILDING_COST,
                "recruits": list(LADDER[god]),
                "moves": [snake(option.move.__name__) for option in options],
            }
            for god, options in MENU.items()
        },
        "creatures": {
            name: {"rule": nature.rule, "text": nature.text, "figure": name in FIGURES}
            for name, nature in NATURES.items()
        },
    }
