"""Whatever is asked of a match, in whatever order: it is refused by a rule, or the match stays sound."""

from __future__ import annotations

from typing import Any

from hypothesis import event as event_of
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import TINY, Pledge, Stake

from kleos.core.kernel import NotYourTurn, Refused
from kleos.core.match import HOUSE, Event, Match, Past, codec, create, decide, evolve, line, seats_to_act
from kleos.core.match.actions import Consent, Create, Join, Leave, Redo, Refuse, Start, Undo, Withdraw

PEOPLE = ("ann", "ben", "cleo", HOUSE)
STAGES = ("open", "playing", "finished", "abandoned")

Asked = tuple[str | None, int | None, Any]
GO_ON = "what comes next"

seats = st.integers(0, 4)
ACTIONS = st.one_of(
    st.builds(Join),
    st.builds(Join, seat=st.none() | seats, bot=st.sampled_from([None, None, "random", "deep"])),
    st.builds(Leave, seat=seats),
    st.just(Start()),
    st.builds(Pledge, card=st.integers(1, 12)),
    st.builds(Stake, amount=st.integers(0, 12)),
    st.builds(Undo, to=st.integers(1, 30)),
    st.builds(Redo, to=st.none() | st.integers(1, 30)),
    *(st.builds(kind, proposal=st.integers(4, 30).map("p{}".format)) for kind in (Consent, Refuse, Withdraw)),
    *[st.just(GO_ON)] * 4,
)
ASKED = st.lists(st.tuples(st.sampled_from(PEOPLE), st.none() | seats, ACTIONS), min_size=5, max_size=60)
CREATED = st.builds(
    Create,
    game=st.just("tiny"),
    rules=st.just("tiny/1"),
    seats=st.integers(2, 4),
    options=st.sampled_from([{}, {"rounds": 1}, {"rounds": 0}]),
    undo=st.sampled_from(["consent", "casual"]),
    start=st.sampled_from(["full", "manual"]),
    seat=st.none() | st.integers(0, 1),
)


@settings(max_examples=300)
@given(CREATED, ASKED)
def test_every_history_is_sound(created: Create, asked: list[Asked]) -> None:
    events = [create("m1", "ann", created, seed="00" * 32, at=0)]
    match = evolve(None, events[0])
    told = [match]
    for wish in asked:
        event = outcome_of(match, wish, lambda version: told[version - 1])
        if isinstance(event, Refused):
            assert event.reason
            assert event.rule is not None or isinstance(event, NotYourTurn)
        else:
            before, match = match, evolve(match, event, lambda version: told[version - 1])
            events.append(event)
            told.append(match)
            assert_sound(before, event, match)
            assert_lined(told)
    event_of(match.status)
    rebuilt = None
    for event in events:
        public, parts = codec("tiny/1").split(event)
        joined = codec("tiny/1").join(public, list(parts.values()))
        rebuilt = evolve(rebuilt, joined, lambda version: told[version - 1])
    assert rebuilt == match


def outcome_of(match: Match, wish: Asked, past: Past) -> Event | Refused:
    actor, seat, action = onwards(match) if wish[2] == GO_ON else wish
    try:
        return decide(match, actor, seat, action, at=match.version, past=past)
    except Refused as refusal:
        return refusal


def onwards(match: Match) -> Asked:
    """The next step of a match that runs smoothly: a guest sits down, the creator starts, a seat moves."""
    acting = seats_to_act(match)
    if acting:
        held = match.seats[acting[0]]
        return (HOUSE if held.mechanical else held.player, held.seat, TINY.fallback(match.state, held.seat))
    if any(each.free for each in match.seats):
        return (f"guest {match.version}", None, Join())
    return (match.creator, None, Start())


def assert_lined(told: list[Match]) -> None:
    """The head is a version of the line, with the state of that version, and every proposal is about it."""
    match = told[-1]
    assert match.since <= match.version
    assert match.head <= match.version
    if match.state is not None:
        heads = [each.head for each in line(match, lambda version: told[version - 1])]
        assert heads == sorted(set(heads), reverse=True)
        assert heads[0] == match.head
        assert match.state == told[match.head - 1].state
        assert list(match.undone) == sorted(match.undone, reverse=True)
        assert all(each > match.head for each in match.undone)
    for each in match.proposals:
        assert each.head == match.head
        assert each.by not in each.needs
        assert set(each.given) < set(each.needs)


def assert_sound(before: Match, event: Event, match: Match) -> None:
    assert match.version == event.version == before.version + 1
    assert event.effects
    if event.kind == "join":
        assert event.seat is not None
        assert not match.seats[event.seat].free
    assert STAGES.index(match.status) >= STAGES.index(before.status)
    assert [each.seat for each in match.seats] == list(range(len(match.seats)))
    assert all(each.player is None or each.bot is None for each in match.seats)
    assert (match.outcome is not None) == (match.status == "finished")
    if match.status == "open":
        assert match.state is None
        assert not any(each.resigned for each in match.seats)
    if match.status == "playing":
        assert not any(each.free for each in match.seats)
        assert seats_to_act(match)
        assert any(each.player is not None and not each.resigned for each in match.seats)
    if match.undo != "casual":
        players = [each.player for each in match.seats if each.player is not None]
        assert len(players) == len(set(players)), "one player, one seat"
