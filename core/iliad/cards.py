"""The components of Iliad: which cards there are, how many, what they are worth (rules 2, 5, 7).

The numbers come from ``cards.json``, each with how sure it is; they are read and checked once, when this
module is imported. It knows no rule: what a card may do is told in ``placing`` and ``attacking``.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import Struct

Card = Literal[
    "hoplite_1",
    "hoplite_2",
    "hoplite_3",
    "hoplite_4",
    "archer",
    "elephant",
    "chariot",
    "catapult",
    "ballista",
    "wall",
    "trojan_horse",
]
Victory = Literal["city_1", "city_2", "city_3", "trireme_1", "trireme_2", "trireme_3", "helen"]
Oracle = Literal["thanatos_1", "thanatos_2", "thanatos_3", "gorgon"]
Tile = Literal["agamemnon", "athena", "poseidon"]
Suit = Literal["city", "trireme", "helen"]
Confidence = Literal["certain", "high", "medium", "low", "ours"]


class ArmyCard(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of army card; ``strength`` is what it is worth standing alone on the table (rule 5)."""

    id: Card
    name: str
    count: int
    strength: int
    confidence: dict[str, Confidence]


class VictoryCard(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of victory card."""

    id: Victory
    suit: Suit
    points: int
    count: int
    confidence: dict[str, Confidence]


class OracleCard(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of oracle card; ``points`` count for whoever ends up with it."""

    id: Oracle
    points: int
    count: int
    confidence: dict[str, Confidence]


class Hero(Struct, frozen=True, forbid_unknown_fields=True):
    """A hero card."""

    value: int
    name: str
    confidence: dict[str, Confidence]


class TileCard(Struct, frozen=True, forbid_unknown_fields=True):
    """A tile and who gets it."""

    id: Tile
    points: int
    awarded: str
    confidence: dict[str, Confidence]


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the set-up table (rule 2): ``sides`` are the seats that win together, ``row`` is N."""

    mode: str
    sides: tuple[tuple[int, ...], ...]
    hand: int
    heroes: int
    oracle: bool
    row: int
    target: int
    confidence: Confidence

    @property
    def seats(self) -> int:
        return sum(len(side) for side in self.sides)


class Components(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of ``cards.json``."""

    game: str
    note: str
    totals: dict[str, int]
    army: tuple[ArmyCard, ...]
    victory: tuple[VictoryCard, ...]
    heroes: tuple[Hero, ...]
    oracle: tuple[OracleCard, ...]
    tiles: tuple[TileCard, ...]
    setup: tuple[Setup, ...]
    drawn_each_siege: int
    hand_limit: int
    elephant_places: int


def read(text: bytes) -> Components:
    """The components told by ``text`` (JSON); ``ValueError`` if the totals of rule 2.1 do not hold."""
    components = msgspec.json.decode(text, type=Components)
    counted = {
        "army": sum(card.count for card in components.army),
        "victory": sum(card.count for card in components.victory),
        "hero": len(components.heroes),
        "oracle": sum(card.count for card in components.oracle),
        "tiles": len(components.tiles),
    }
    counted["cards"] = sum(counted.values()) - counted["tiles"]
    if counted != components.totals:
        raise ValueError(f"the cards add up to {counted}, not to {components.totals}")
    kinds: tuple[tuple[tuple[Any, ...], Any], ...] = (
        (components.army, Card),
        (components.victory, Victory),
        (components.oracle, Oracle),
        (components.tiles, Tile),
    )
    for cards, names in kinds:
        if tuple(card.id for card in cards) != get_args(names):
            raise ValueError(
                f"the cards are {', '.join(get_args(names))}, each listed once and in this order"
            )
    return components


COMPONENTS: Final = read(files("kleos.core.iliad").joinpath("cards.json").read_bytes())

CARDS: Final[tuple[Card, ...]] = tuple(card.id for card in COMPONENTS.army)
ORDER: Final[dict[Card, int]] = {card: place for place, card in enumerate(CARDS)}
STRENGTH: Final[dict[Card, int]] = {card.id: card.strength for card in COMPONENTS.army}
NAME: Final[dict[Card, str]] = {card.id: card.name for card in COMPONENTS.army}
POINTS: Final[dict[Victory, int]] = {card.id: card.points for card in COMPONENTS.victory}
SUIT: Final[dict[Victory, Suit]] = {card.id: card.suit for card in COMPONENTS.victory}
PENALTY: Final[dict[Oracle, int]] = {card.id: card.points for card in COMPONENTS.oracle}
TILE_POINTS: Final[dict[Tile, int]] = {tile.id: tile.points for tile in COMPONENTS.tiles}
DRAWN_EACH_SIEGE: Final = COMPONENTS.drawn_each_siege
HAND_LIMIT: Final = COMPONENTS.hand_limit
ELEPHANT_PLACES: Final = COMPONENTS.elephant_places

HOPLITE: Final[dict[int, Card]] = {1: "hoplite_1", 2: "hoplite_2", 3: "hoplite_3", 4: "hoplite_4"}
"""The hoplite of a value."""
VALUE: Final[dict[Card, int]] = {card: value for value, card in HOPLITE.items()}
"""The value of a hoplite; cards of other kinds are not in it."""
FOOT: Final[frozenset[Card]] = frozenset((*VALUE, "archer"))
"""Who may ride an elephant and hide in a horse (rule 4.1)."""


def army_deck() -> tuple[Card, ...]:
    """The 75 army cards in the order of the list."""
    return tuple(card.id for card in COMPONENTS.army for _ in range(card.count))


def victory_deck() -> tuple[Victory, ...]:
    """The 21 victory cards in the order of the list."""
    return tuple(card.id for card in COMPONENTS.victory for _ in range(card.count))


def oracle_deck() -> tuple[Oracle, ...]:
    """The 8 oracle cards in the order of the list."""
    return tuple(card.id for card in COMPONENTS.oracle for _ in range(card.count))


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards in the order of the list: hands are kept so, and tell nothing about when a card came."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    """The cards less one ``card``."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
