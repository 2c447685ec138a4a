"""What Iliad hides, by its rules and not by its declarations, is hidden in every answer of a whole match.

Hidden are the hands, what is discarded for the hand limit, the cards in horses, and the order of the three
decks; everything else is public. Here these places are named once more, independently of the code.
"""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.scenarios.conftest import Join
from tests.scenarios.leaks import scan
from tests.scenarios.server import Server
from tests.scenarios.test_leaks import Table

NOBODY = -1
OF_ITS_SEAT = {"cards_dealt": "cards", "card_discarded": "card", "card_hidden": "card"}
OF_NOBODY = {"decks_shuffled": ("army", "victory", "oracle"), "deck_reshuffled": ("order",)}
DECKS = ("deck", "victory_deck", "oracle_deck")


def secrets(told: Any, seat: int = NOBODY) -> Iterator[tuple[int, Any]]:
    """Every hidden place in a JSON document, as the seat that may look there and what is written there.

    ``seat`` is that of the nearest object around which has one.
    """
    if isinstance(told, list):
        for each in told:
            yield from secrets(each, seat)
    if not isinstance(told, dict):
        return
    if isinstance(told.get("seat"), int):
        seat = told["seat"]
    elif army := re.match(r"/armies/(\d+)/", str(told.get("path"))):  # an operation of a patch
        seat = int(army[1])
    kind = told.get("type")
    if kind in OF_ITS_SEAT:
        yield seat, told[OF_ITS_SEAT[kind]]
    if kind in ("hide", "discard"):
        yield seat, told["card"]
    for name in (*OF_NOBODY.get(str(kind), ()), *(name for name in DECKS if name in told)):
        yield NOBODY, told[name]
    for name in ("hand", "discarded", "hidden"):
        if isinstance(told.get(name), list):
            yield seat, told[name]
    for audience, opening in (told.get("opened") or {}).items():
        yield int(audience.removeprefix("seat:")) if audience.startswith("seat:") else NOBODY, opening
    if isinstance(told.get("moves"), list):
        yield seat, told["moves"]
    for name, value in told.items():
        if name not in ("opened", "moves"):
            yield from secrets(value, seat)


def shown(value: Any) -> bool:
    """Whether anything is written there at all."""
    return any(each is not None for each in value) if isinstance(value, list) else value is not None


def test_iliad_shows_to_each_what_its_rules_let_them_see(
    server: Server, player: Join, rng: random.Random
) -> None:
    """Fault 46."""
    table = Table(server, player, "iliad", curiosity=0.1)
    table.play(rng)
    readers = {"seat:0": 0, "seat:1": 1, "spectator": NOBODY - 1}
    own = looked = 0
    for heard in table.heard:
        if "json" not in heard.answer.headers.get("content-type", ""):
            continue
        for seat, value in secrets(json.loads(heard.answer.body)):
            looked += 1
            if seat == readers[heard.reader]:
                own += shown(value)
            else:
                assert not shown(value), heard
    assert looked > 1000
    assert own > 100, "who looks at their own cards sees them"
    assert scan(table.heard, table.seals()) == []


@pytest.mark.parametrize(
    "leak",
    [
        {"state": {"armies": [{"seat": 0, "hand": [None, "archer"], "horses": []}]}},
        {"state": {"armies": [{"seat": 0, "hand": [None], "horses": [{"hidden": ["archer"]}]}]}},
        {"state": {"deck": ["archer"]}},
        {"event": {"seat": 0, "action": {"type": "hide", "card": "archer", "horse": 0}}},
        {"event": {"seat": 1, "effects": [{"type": "cards_dealt", "seat": 0, "cards": ["archer"]}]}},
        {"items": [{"event": {"seat": 0}, "opened": {"seat:0": {"payload": {}, "salt": "x"}}}]},
        {"seat": 0, "moves": [{"move": {"type": "pass"}}]},
        {"patch": [{"op": "add", "path": "/armies/0/horses/1", "value": {"hidden": ["archer"]}}]},
    ],
)
def test_a_planted_card_is_seen(leak: Any) -> None:
    assert [seat for seat, value in secrets(leak) if shown(value)] in ([0], [NOBODY])
