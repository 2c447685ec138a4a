"""The components: totals hold, numbers can be replaced without touching code, each says how sure it is."""

import msgspec
import pytest

from kleos.core.iliad import GAME, cards
from kleos.core.iliad.cards import COMPONENTS, PENALTY, POINTS, TILE_POINTS, read

FILE = msgspec.json.decode(msgspec.json.encode(COMPONENTS))


def test_the_totals_are_those_of_the_box() -> None:
    """2.1: 110 cards and 3 tiles."""
    assert len(cards.army_deck()) == 75
    assert len(cards.victory_deck()) == 21
    assert len(cards.oracle_deck()) == 8
    assert len(COMPONENTS.heroes) == 6
    assert len(COMPONENTS.tiles) == 3


def test_counts_may_be_replaced_as_long_as_the_totals_hold() -> None:
    """C-24: nothing in the code depends on a count that no source gives."""
    changed = msgspec.json.decode(msgspec.json.encode(FILE))
    changed["army"][0]["count"] += 2
    changed["army"][1]["count"] -= 2
    assert read(msgspec.json.encode(changed)).army[0].count == COMPONENTS.army[0].count + 2
    changed["army"][0]["count"] += 1
    with pytest.raises(ValueError, match="add up to"):
        read(msgspec.json.encode(changed))


def test_an_unknown_card_is_refused() -> None:
    changed = msgspec.json.decode(msgspec.json.encode(FILE))
    changed["victory"][0], changed["victory"][1] = changed["victory"][1], changed["victory"][0]
    with pytest.raises(ValueError, match="in this order"):
        read(msgspec.json.encode(changed))


def test_every_number_says_how_sure_it_is() -> None:
    for kind in (COMPONENTS.army, COMPONENTS.victory, COMPONENTS.oracle):
        assert all("count" in card.confidence for card in kind)
    assert all("points" in tile.confidence for tile in COMPONENTS.tiles)
    assert all(set(hero.confidence) == {"value", "name"} for hero in COMPONENTS.heroes)


def test_points_that_are_known() -> None:
    """7."""
    assert TILE_POINTS == {"agamemnon": 1, "athena": 2, "poseidon": 2}
    assert sorted(PENALTY.values()) == [-3, -2, -1, 0]
    assert POINTS["helen"] == 5
    assert {points for card, points in POINTS.items() if card != "helen"} == {1, 2, 3}


def test_heroes_are_told_apart_by_value() -> None:
    """2.2, C-25: no rule depends on a name."""
    assert [hero.value for hero in COMPONENTS.heroes] == [1, 2, 3, 4, 5, 6]
    assert len({hero.name for hero in COMPONENTS.heroes}) == 6


def test_the_set_up_table() -> None:
    """2, 10.2, C-20."""
    table = {
        line.mode: (line.seats, line.hand, line.heroes, line.oracle, line.row, line.target, len(line.sides))
        for line in COMPONENTS.setup
    }
    assert table == {
        "two": (2, 12, 0, False, 2, 15, 2),
        "three": (3, 12, 3, True, 1, 12, 3),
        "four": (4, 12, 4, True, 2, 12, 4),
        "five": (5, 12, 5, True, 3, 12, 5),
        "six in teams": (6, 10, 6, True, 3, 15, 3),
        "four in teams": (4, 12, 4, True, 2, 15, 2),
        "four in teams, as six": (4, 10, 4, True, 3, 15, 2),
    }


def test_the_manifest_tells_components_and_the_help_how_matches_end() -> None:
    """R-20."""
    told = GAME.manifest()
    assert told["components"] == FILE
    assert set(told["attacks"]) == {"archer", "chariot", "ballista", "catapult"}
    assert "more than half" in told["help"]
    told.clear()
    assert GAME.manifest() != told, "a caller cannot spoil it"
