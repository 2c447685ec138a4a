"""The words of Cyclades: gods, buildings, creatures, the fixed numbers of the box, the options of a match.

It knows what exists in the box, not what happens on the table.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from kleos.core.kernel.visibility import Public

God = Literal["ares", "poseidon", "zeus", "athena"]
Altar = Literal["ares", "poseidon", "zeus", "athena", "apollo"]
Building = Literal["port", "fortress", "temple", "university"]
Creature = Literal[
    "sylph",
    "harpy",
    "griffon",
    "giant",
    "siren",
    "pegasus",
    "cyclops",
    "chimera",
    "sphinx",
    "fates",
    "satyr",
    "dryad",
    "minotaur",
    "chiron",
    "medusa",
    "polyphemus",
    "kraken",
]

GODS: Final[tuple[God, ...]] = ("ares", "poseidon", "zeus", "athena")
BUILDINGS: Final[tuple[Building, ...]] = ("port", "fortress", "temple", "university")
CREATURES: Final[tuple[Creature, ...]] = Creature.__args__  # type: ignore[attr-defined]
FIGURES: Final[frozenset[Creature]] = frozenset({"minotaur", "chiron", "medusa", "polyphemus"})
"""The creatures whose card stays with a figure on an island (14.2)."""
KEPT: Final = FIGURES | frozenset[Creature](("chimera",))
"""The creatures whose card is not discarded when called: it waits for its effect to end (14.2, C-31)."""

BUILT_BY: Final[dict[Altar, Building]] = {
    "ares": "fortress",
    "poseidon": "port",
    "zeus": "temple",
    "athena": "university",
}
LADDER: Final[dict[Altar, tuple[int, ...]]] = {
    "ares": (0, 2, 3, 4),
    "poseidon": (0, 1, 2, 3),
    "zeus": (0, 4),
    "athena": (0, 4),
}
"""What the first, second, … recruit of a turn costs, in gold (1.1, 9.3)."""

DIE: Final = (0, 1, 1, 2, 2, 3)
"""The faces of a battle die (C-03)."""
PRICES: Final = (4, 3, 2)
"""The prices of the three positions of the creature track, left to right (5)."""

OPENING_GOLD: Final = 5
TROOPS: Final = 8
FLEETS: Final = 8
BUILDING_SUPPLY: Final = 10
PRIESTS: Final = 16
PHILOSOPHERS: Final = 16
PROSPERITY_MARKERS: Final = 16
PHILOSOPHERS_NEEDED: Final = 4
"""Philosophers that make a metropolis (13)."""
BUILDING_COST: Final = 2
STEP_COST: Final = 1
PIECE_PRICE: Final = 2
"""What the Sphinx pays for a piece (14.1)."""
REACH: Final = 3
"""Steps of a paid fleet move (10.1)."""
SYLPH_REACH: Final = 10
STEPS_A_TURN: Final = 60
"""Paid steps after which no more are offered in a turn (R-25)."""
MINOTAUR_STRENGTH: Final = 2

IslandId = Annotated[str, Meta(pattern=r"^[SML]([1-9]|1[0-3])\Z")]
SpaceId = Annotated[str, Meta(pattern=r"^[A-K]([1-9]|1[01])\Z")]
PlaceId = Annotated[str, Meta(pattern=r"^([SML]([1-9]|1[0-3])|[A-K]([1-9]|1[01]))\Z")]
SeatId = Annotated[int, Meta(ge=0, le=4)]
Units = Annotated[int, Meta(ge=1, le=8)]
Amount = Annotated[int, Meta(ge=1, le=9999)]

Preset = Literal["sheet", "rulebook"]
Harpy = Literal["replace", "remove"]
GodsOfThree = Literal["alternate", "reshuffle"]
FleetPlacement = Literal["coast_or_fleet", "coast"]
TieBreak = Literal["gold", "metropolises_then_gold"]
Track = Literal["slide", "compact"]
PriestsOfTwo = Literal["per_marker", "total"]
Sylph = Literal["path", "pool"]
Fates = Literal["recompute", "repeat"]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be chosen when a match is created. Where a choice is null the preset makes it."""

    preset: Public[Preset] = "sheet"
    """``sheet`` follows the rule sheet, ``rulebook`` the published rulebook and its authors' answers."""
    harpy: Public[Harpy | None] = None
    """C-04: whether the Harpy's victim is replaced by a troop of the caller."""
    gods_of_three: Public[GodsOfThree | None] = None
    """C-05: whether two pairs of gods alternate for ever, or new pairs are drawn every second cycle."""
    fleet_placement: Public[FleetPlacement | None] = None
    """C-07: whether new fleets may also be placed where one's own fleets already are."""
    tie_break: Public[TieBreak | None] = None
    """C-08: what decides between several players who have reached the target."""
    track: Public[Track | None] = None
    """C-33: whether creature cards move one place a cycle, or close up."""
    priests_of_two: Public[PriestsOfTwo | None] = None
    """C-60: with two players, whether priests lower each of a player's offerings, or their sum."""
    sylph: Public[Sylph | None] = None
    """C-06: whether the Sylph moves along one path, or gives steps to any fleets."""
    retreat_to_neutral: Public[bool] = False
    """C-20: whether troops may retreat to an island that nobody owns."""
    polyphemus_blockade: Public[bool] = True
    """C-23: whether Polyphemus keeps fleets out of the spaces around him while he stands."""
    fates: Public[Fates] = "recompute"
    """C-57: whether the Fates pay by the present board, or repeat the revenue of this cycle."""
    max_cycles: Public[Annotated[int, Meta(ge=1, le=200)]] = 40
    """R-24: the cycle at whose end the match ends in any case."""


_PRESETS: Final = {
    "sheet": Options(
        preset="sheet",
        harpy="replace",
        gods_of_three="alternate",
        fleet_placement="coast_or_fleet",
        tie_break="gold",
        track="slide",
        priests_of_two="per_marker",
        sylph="path",
    ),
    "rulebook": Options(
        preset="rulebook",
        harpy="remove",
        gods_of_three="reshuffle",
        fleet_placement="coast",
        tie_break="metropolises_then_gold",
        track="compact",
        priests_of_two="total",
        sylph="pool",
    ),
}


def settled(options: Options) -> Options:
    """The options with every choice that was left to the preset made (R-01)."""
    preset = _PRESETS[options.preset]
    chosen = {
        name: getattr(preset, name) if getattr(options, name) is None else getattr(options, name)
        for name in Options.__struct_fields__
    }
    return msgspec.convert(chosen, Options)
