"""The timeline: what each seat and a spectator may see of a match at each version, and what not even then."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec
import pytest
import tiny

from kleos.core.kernel import Malformed, choices
from kleos.core.match import Agreed, Match, create, decide, evolve, seats_to_act
from kleos.core.match.actions import Create, Join, Leave, Start
from kleos.events.envelope import Entry, commitment, seal
from kleos.events.standing import Standing
from kleos.projections.timeline import item, rfc3339, summary, view

NAMES = {"p0": "Ariadne", "p1": "Bellerophon"}


def told() -> Iterator[tuple[Match, Entry]]:
    """A match of Tiny from its creation to its end: each version with the entry that made it."""
    salts = count()
    match: Match | None = None
    asked: Any = None
    while match is None or not match.opened:
        if match is None:
            action = Create(game="tiny", rules="tiny/1", seats=2, options={}, seat=0)
            event = create("M", "p0", action, seed="5a" * 32, at=1767225600123)
        else:
            asked = ("p1", None, Join())
            if match.status == "playing":
                seat = seats_to_act(match)[0]
                asked = (f"p{seat}", seat, choices(tiny.TINY, match.state, seat)[-1].move)
            event = decide(match, *asked, at=match.updated_at + 1000)
        match = evolve(match, event)
        yield match, seal(event, match, command=b"c", entropy=lambda n: next(salts).to_bytes(n, "big"))


TOLD = list(told())
MATCHES = [match for match, _ in TOLD]
ENTRIES = [entry for _, entry in TOLD]
LAST = MATCHES[-1]
RUNNING = MATCHES[:-1]


def as_read(value: Any) -> Any:
    """A value as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def hand(state: Any, seat: int) -> list[int | None]:
    cards: list[int | None] = state["places"][seat]["hand"]
    return cards


def test_before_the_start_there_is_nothing_to_see_or_to_do() -> None:
    seen = view(MATCHES[0], 0, MATCHES[0])
    assert (seen.status, seen.state, seen.moves, seen.to_act) == ("open", None, (), ())


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_a_seat_sees_its_own_cards_and_how_many_the_others_hold(viewer: int | None) -> None:
    for match in MATCHES[1:-1]:
        state = view(match, viewer, match).state
        for place in match.state.places:
            expected = list(place.hand) if place.seat == viewer else [None] * len(place.hand)
            assert hand(state, place.seat) == expected
        assert state["deck"] == [None] * len(match.state.deck)


def test_the_moves_of_the_seat_to_act_are_those_of_the_rules() -> None:
    for match in RUNNING[1:]:
        for seat in (0, 1):
            listed = view(match, seat, match).moves
            legal = choices(tiny.TINY, match.state, seat)
            assert [each.move for each in listed] == [msgspec.to_builtins(each.move) for each in legal]
            assert all(each.undo in ("free", Agreed((1 - seat,))) for each in listed)
            assert bool(listed) == (seat in seats_to_act(match))
        assert view(match, None, match).moves == ()


def test_a_number_that_may_vary_is_listed_with_its_range() -> None:
    match = next(each for each in RUNNING[1:] if each.state.leader is not None)
    listed = as_read(view(match, match.state.leader, match).moves)
    cost = {"consent": [1 - match.state.leader]}
    assert listed == [{"move": {"type": "stake", "amount": 0}, "range": {"amount": [0, 10]}, "undo": cost}]
    pledging = as_read(view(MATCHES[1], 0, MATCHES[1]).moves[0])
    assert set(pledging) == {"move", "undo"}


def test_the_past_is_seen_as_it_was_and_offers_no_moves() -> None:
    """Fault 53."""
    latest = RUNNING[-1]
    for match in RUNNING[1:-1]:
        then, now = view(match, 0, match), view(match, 0, latest)
        assert (now.version, now.head) == (match.version, match.version)
        assert now.moves == ()
        assert msgspec.structs.replace(then, moves=()) == now


def test_once_all_is_over_the_whole_past_is_open_to_everybody() -> None:
    for match in MATCHES[1:]:
        for viewer in (0, 1, None):
            seen = view(match, viewer, LAST)
            assert [hand(seen.state, seat) for seat in (0, 1)] == [
                list(each.hand) for each in match.state.places
            ]
            assert seen.state["deck"] == list(match.state.deck)
            assert seen.moves == ()
    assert view(LAST, None, LAST).outcome == LAST.outcome is not None


def test_a_seat_that_the_house_plays_is_offered_nothing() -> None:
    made = Create(game="tiny", rules="tiny/1", seats=3, options={}, seat=0, start="manual")
    match = evolve(None, create("M", "p0", made, seed="00" * 32, at=0))
    for actor, action in [("p1", Join()), ("p0", Join(bot="greedy"))]:
        match = evolve(match, decide(match, actor, None, action, at=0))
    match = evolve(match, decide(match, "p0", None, Start(), at=0))
    match = evolve(match, decide(match, "p1", None, Leave(seat=1), at=0))
    assert seats_to_act(match) == (0, 1, 2)
    assert [bool(view(match, seat, match).moves) for seat in (0, 1, 2)] == [True, False, False]


@pytest.mark.parametrize("seat", [-1, 2, 64])
def test_a_seat_that_is_not_there_has_no_view(seat: int) -> None:
    with pytest.raises(Malformed, match="0 to 1"):
        view(MATCHES[1], seat, MATCHES[1])


def test_an_item_is_the_logged_bytes_with_the_openings_one_may_have() -> None:
    dealt = ENTRIES[1]
    for seats, opened, expected in [
        ((), False, set()),
        ((0,), False, {"seat:0"}),
        ((0, 1), False, {"seat:0", "seat:1"}),
        ((), True, {"seat:0", "seat:1", "server"}),
    ]:
        encoded = msgspec.json.encode(item(dealt, seats, opened=opened))
        assert dealt.public in encoded
        parts = msgspec.json.decode(encoded, type=dict[str, msgspec.Raw])
        openings = msgspec.json.decode(parts["opened"], type=dict[str, msgspec.Raw])
        assert set(openings) == expected
        sealed = msgspec.json.decode(dealt.public)["sealed"]
        assert all(commitment(name, raw) == sealed[name] for name, raw in openings.items())


def test_no_card_of_a_seat_is_in_what_the_others_read() -> None:
    for match, entry in TOLD[1:-1]:
        for viewer, seats in [(0, (0,)), (1, (1,)), (None, ())]:
            shown = as_read(item(entry, seats, opened=False))
            for effect in shown["event"]["effects"]:
                if effect["type"] in ("card_drawn", "pledged", "shuffled"):
                    hidden = effect.get("cards", effect.get("deck", [effect.get("card")]))
                    assert set(hidden) == {None}
            assert set(shown["opened"]) <= {f"seat:{seat}" for seat in seats}
            state = view(match, viewer, match).state
            assert all(set(hand(state, seat)) <= {None} for seat in {0, 1} - set(seats))


def test_a_summary_names_the_players_and_tells_the_times() -> None:
    told = as_read(summary(MATCHES[1], NAMES))
    assert told == {
        "id": "M",
        "game": "tiny",
        "rules": "tiny/1",
        "status": "playing",
        "seats": [
            {"seat": 0, "player": {"id": "p0", "name": "Ariadne"}, "bot": None, "resigned": False},
            {"seat": 1, "player": {"id": "p1", "name": "Bellerophon"}, "bot": None, "resigned": False},
        ],
        "to_act": [0, 1],
        "version": 2,
        "head": 2,
        "options": {"preset": "short", "rounds": 3, "hand": 3},
        "undo": "consent",
        "visibility": "public",
        "created_at": "2026-01-01T00:00:00.123Z",
        "updated_at": "2026-01-01T00:00:01.123Z",
        "outcome": None,
        "parent": None,
        "deadline": None,
        "due": [],
        "rated": True,
        "rematch_of": None,
        "referee": None,
        "adjourned": False,
        "read_only": False,
        "signed": False,
        "links": {
            "view": "/v1/matches/M/view",
            "moves": "/v1/matches/M/moves",
            "events": "/v1/matches/M/events",
            "board": None,
            "report": "/v1/matches/M/report",
        },
    }


def test_a_summary_out_of_the_feed_is_the_one_of_the_match() -> None:
    for match in MATCHES:
        assert summary(Standing.read(Standing.of(match, "move").notice), NAMES) == summary(match, NAMES)


def test_a_forgotten_player_has_no_name_and_a_free_seat_no_player() -> None:
    seats = summary(MATCHES[0], {}).seats
    assert seats[0].player is not None
    assert (seats[0].player.id, seats[0].player.name) == ("p0", None)
    assert seats[1].player is None


def test_times_are_told_to_the_millisecond() -> None:
    assert rfc3339(0) == "1970-01-01T00:00:00.000Z"
    assert rfc3339(1767225600123) == "2026-01-01T00:00:00.123Z"
