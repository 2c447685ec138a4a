"""The codec: an event taken apart and put together again is the same event; states survive their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tiny import TINY, Pledge, Table

from kleos.core.kernel import EVERYTHING, SPECTATOR, KeyedChance, Viewer, choices, random_move, redact
from kleos.core.match import HOUSE, Event, Match, codec, create, decide, evolve, seats_to_act
from kleos.core.match.actions import Create, Join

SEED = bytes(range(32)).hex()
TINY_CODEC = codec("tiny/1")


@pytest.fixture(scope="module")
def told() -> list[tuple[Event, Match]]:
    """A whole match between two bots: each event with the match after it."""

    def steps() -> Iterator[tuple[Event, Match]]:
        asked = Create(game="tiny", rules="tiny/1", seats=2, options={"preset": "long"})
        event = create("m1", "ann", asked, seed=SEED, at=1)
        match = evolve(None, event)
        yield event, match
        chance = KeyedChance(b"moves")
        while not match.opened:
            if match.status == "open":
                event = decide(match, "ann", None, Join(bot="random"), at=match.version)
            else:
                seat = seats_to_act(match)[0]
                view = redact(match.state, Viewer(seat))
                move = random_move(view, choices(TINY, match.state, seat), seat, chance)
                event = decide(match, HOUSE, seat, move, at=match.version)
            match = evolve(match, event)
            yield event, match

    return list(steps())


def test_split_and_join_are_each_others_inverse(told: list[tuple[Event, Match]]) -> None:
    for event, _ in told:
        public, parts = TINY_CODEC.split(event)
        sent = msgspec.json.decode(msgspec.json.encode(public))
        assert TINY_CODEC.join(sent, list(parts.values())) == event


def test_the_public_form_is_what_a_spectator_sees(told: list[tuple[Event, Match]]) -> None:
    for event, _ in told:
        public, _parts = TINY_CODEC.split(event)
        assert public["action"] == redact(event.action, SPECTATOR, owner=event.seat)
        assert public["effects"] == [redact(each, SPECTATOR, owner=event.seat) for each in event.effects]


def test_each_part_holds_what_its_audience_alone_may_see(told: list[tuple[Event, Match]]) -> None:
    created, _ = told[0]
    public, parts = TINY_CODEC.split(created)
    assert parts == {"server": {"/effects/0/seed": SEED}}
    assert SEED not in msgspec.json.encode(public).decode()
    pledge = next(event for event, _ in told if isinstance(event.action, Pledge))
    public, parts = TINY_CODEC.split(pledge)
    assert public["action"] == {"type": "pledge", "card": None}
    assert parts[f"seat:{pledge.seat}"]["/action/card"] == pledge.action.card


def test_an_event_without_its_parts_cannot_be_read_as_a_whole(told: list[tuple[Event, Match]]) -> None:
    public, _ = TINY_CODEC.split(told[0][0])
    with pytest.raises(ValueError, match="seed"):
        TINY_CODEC.join(public, [])


def test_states_survive_their_bytes(
    told: list[tuple[Event, Match]],
) -> None:
    """Fault 73."""
    for _, match in told:
        stored = TINY_CODEC.state_bytes(match.state)
        restored = TINY_CODEC.state(stored)
        assert restored == match.state
        assert TINY_CODEC.state_bytes(restored) == stored
    assert TINY_CODEC.state(TINY_CODEC.state_bytes(None)) is None


def test_there_is_no_view_before_the_start(told: list[tuple[Event, Match]]) -> None:
    assert TINY_CODEC.view(told[0][1].state, SPECTATOR) is None
    last = told[-1][1]
    assert isinstance(last.state, Table)
    assert TINY_CODEC.view(last.state, EVERYTHING) == msgspec.json.decode(msgspec.json.encode(last.state))


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "pledge"},
        {"type": "pledge", "card": 0},
        {"type": "pledge", "card": 1.5},
        {"type": "pledge", "card": "1"},
        {"type": "pledge", "card": True},
        {"type": "pledge", "card": 1 << 63},
        {"type": "pledge", "card": 1, "and": 2},
        {"type": "join"},
        {"card": 1},
        [],
        None,
    ],
)
def test_a_move_that_is_not_of_its_type_never_reaches_the_rules(raw: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        TINY_CODEC.move(raw)


def test_options_are_validated_by_type() -> None:
    assert TINY_CODEC.options({"rounds": 4}).rounds == 4
    with pytest.raises(msgspec.ValidationError):
        TINY_CODEC.options({"round": 4})
