"""Seats filled anew, abandoning, invitations, rematches (match.14 to match.17): given - when - then."""

from __future__ import annotations

import random
from typing import Any, Literal

import pytest
from tiny import TINY

from kleos.core.kernel import (
    Forbidden,
    Malformed,
    MatchFull,
    ProposalVoid,
    SeatTaken,
    WrongPhase,
)
from kleos.core.match import Match, decide, evolve, rematch, seats_to_act
from kleos.core.match.actions import (
    Abandon,
    Adjourn,
    Adjudicate,
    Annotate,
    Claim,
    Consent,
    Deadline,
    Expire,
    Invite,
    Join,
    Leave,
    Refuse,
    Resume,
    Revoke,
    Start,
    Vacate,
)
from tests.core.match.telling import PLAYERS, SEED, Told

ANN, BEN, CLEO = PLAYERS[:3]
ZOE = "zoe"


def begun(*players: str, **rest: Any) -> Told:
    told = Told("tiny", players or (ANN, BEN, CLEO), **rest)
    told.when(ANN, Start())
    return told


def later(told: Told, seconds: int, actor: str | None, action: Any, seat: int | None = None) -> None:
    event = decide(told.match, actor, seat, action, at=told.match.updated_at + seconds * 1000, past=told.past)
    told.matches.append(evolve(told.match, event, told.past))
    told.events.append(event)


def proposal(told: Told) -> str:
    return told.match.proposals[-1].id


# Filling a seat anew


def test_the_creator_frees_the_seat_of_who_is_away_for_too_long() -> None:
    told = begun(deadline=Deadline(60, "wait"))
    later(told, 60, ANN, Vacate(seat=1))
    assert (told.events[-1].kind, told.events[-1].player) == ("vacate", ANN)
    assert told.match.seats[1].free
    assert 1 not in {each.seat for each in told.match.clock.waiting}
    told.refuses(Forbidden, "match.5", BEN, TINY.fallback(told.match.state, 1), 1)
    told.when(ZOE, Join())
    assert told.match.seats[1].player == ZOE
    assert told.match.seats_of(BEN) == ()
    told.when(ZOE, TINY.fallback(told.match.state, 1), 1)


def test_a_seat_filled_anew_leaves_the_line_of_play_as_it_was() -> None:
    told = begun(ANN, BEN, CLEO, deadline=Deadline(60, "wait"))
    told.when(ANN, TINY.fallback(told.match.state, 0), 0)
    head = told.match.head
    later(told, 60, ANN, Vacate(seat=1))
    told.when(ZOE, Join())
    assert (told.match.head, told.match.status) == (head, "playing")
    told.play(500, random.Random(7))
    assert told.match.status == "finished"


def test_nobody_frees_the_seat_of_who_is_there() -> None:
    told = begun(deadline=Deadline(60, "wait"))
    told.when(ANN, Vacate(seat=1), 0)
    assert told.match.proposals[-1].needs == (1, 2), "the seat itself is asked"
    told.when(CLEO, Consent(proposal=proposal(told)), 2)
    assert not told.match.seats[1].free
    told.when(BEN, Consent(proposal=proposal(told)), 1)
    assert told.match.seats[1].free
    assert told.match.proposals == ()


def test_without_the_creator_the_others_agree_on_who_is_away() -> None:
    told = begun(deadline=Deadline(60, "wait"))
    for seat in (1, 2):
        told.when(PLAYERS[seat], TINY.fallback(told.match.state, seat), seat)
    later(told, 60, BEN, Vacate(seat=0), 1)
    assert told.match.proposals[-1].needs == (2,)
    told.when(CLEO, Consent(proposal=proposal(told)), 2)
    assert told.match.seats[0].free
    assert told.match.creator == BEN, "the care of the match passes on"


def test_of_two_neither_puts_the_other_out() -> None:
    told = begun(ANN, BEN)
    told.when(ANN, Vacate(seat=1), 0)
    assert told.match.proposals[-1].needs == (1,)
    told.when(BEN, Refuse(proposal=proposal(told)), 1)
    assert not told.match.seats[1].free


@pytest.mark.parametrize("how", ["bot", "resigned"])
def test_the_creator_lets_a_person_take_the_seat_of_a_machine(how: str) -> None:
    told = begun(ANN, BEN, "bot" if how == "bot" else CLEO)
    if how == "resigned":
        told.when(CLEO, Leave(seat=2))
    told.refuses(Forbidden, "match.14", BEN, Vacate(seat=2), 1)
    told.when(ANN, Vacate(seat=2))
    told.when(ANN, Join(bot="random"))
    assert told.match.seats[2].bot == "random"


def test_whoever_sits_nowhere_frees_no_seat() -> None:
    assert "no seat" in begun().refuses(Forbidden, "match.14", ZOE, Vacate(seat=1))


def test_seats_are_not_freed_before_the_start_nor_twice() -> None:
    told = Told("tiny", (ANN, BEN))
    told.refuses(WrongPhase, "match.14", ANN, Vacate(seat=1), 0)
    told = begun(ANN, BEN, "bot")
    told.when(ANN, Vacate(seat=2))
    told.refuses(WrongPhase, "match.14", ANN, Vacate(seat=2))
    told.refuses(Malformed, "match.14", ANN, Vacate(seat=7))


@pytest.mark.parametrize("seed", range(8))
def test_whoever_goes_in_whatever_phase_the_match_goes_on(seed: int) -> None:
    """Fault 106. A seat that is waited for is freed at any time; a newcomer plays on for it to the end."""
    rng = random.Random(seed)
    told = begun(deadline=Deadline(1, "wait"))
    told.play(rng.randrange(12), rng)
    gone = rng.choice(seats_to_act(told.match))
    later(told, 100, ANN, Vacate(seat=gone))
    told.when(ZOE, Join())
    told.play(500, rng)
    assert told.match.status == "finished"


# Abandoning


def test_a_match_is_abandoned_when_all_agree() -> None:
    told = begun()
    told.when(BEN, Abandon(), 1)
    assert told.match.proposals[-1].needs == (0, 2)
    told.when(ANN, Consent(proposal=proposal(told)), 0)
    assert told.match.status == "playing"
    told.when(CLEO, Consent(proposal=proposal(told)), 2)
    assert (told.match.status, told.match.outcome, told.match.proposals) == ("abandoned", None, ())


def test_one_refusal_or_a_move_ends_the_talk_of_abandoning() -> None:
    told = begun()
    told.when(BEN, Abandon(), 1)
    told.when(ANN, Refuse(proposal=proposal(told)), 0)
    assert told.match.proposals == ()
    told.when(BEN, Abandon(), 1)
    name = proposal(told)
    told.when(ANN, TINY.fallback(told.match.state, 0), 0)
    told.refuses(ProposalVoid, "match.9", CLEO, Consent(proposal=name), 2)


def test_who_is_away_is_not_asked_and_who_is_alone_asks_nobody() -> None:
    told = begun(deadline=Deadline(60, "wait"))
    told.when(ANN, TINY.fallback(told.match.state, 0), 0)
    told.when(BEN, TINY.fallback(told.match.state, 1), 1)
    later(told, 60, ANN, Abandon(), 0)
    assert told.match.proposals[-1].needs == (1,)
    alone = begun(ANN, "bot")
    alone.when(ANN, Abandon(), 0)
    assert (alone.events[-1].kind, alone.match.status) == ("abandon", "abandoned")


def test_only_who_plays_proposes_to_abandon() -> None:
    told = begun()
    told.refuses(Forbidden, "match.15", ZOE, Abandon(), 1)
    waiting = Told("tiny", (ANN, BEN))
    waiting.refuses(WrongPhase, "match.15", ANN, Abandon(), 0)
    told.refuses(Forbidden, "match.15", ANN, Abandon(), None)


# Invitations


def _open(seats: int, **rest: Any) -> Told:
    told = Told("tiny", PLAYERS[:seats], **rest)
    for seat in range(1, seats):
        told.when(PLAYERS[seat], Leave(seat=seat))
    return told


def test_a_seat_is_kept_for_who_is_invited() -> None:
    told = _open(3)
    told.when(ANN, Invite(seat=1, player=ZOE))
    told.refuses(SeatTaken, "match.16", BEN, Join(seat=1))
    told.refuses(SeatTaken, "match.16", ANN, Join(seat=1, bot="random"))
    told.when(BEN, Join())
    assert told.match.seats_of(BEN) == (2,)
    assert told.match.awaits(ZOE)
    told.when(ZOE, Join())
    assert (told.match.seats_of(ZOE), told.match.invitations) == ((1,), ())


def test_a_link_is_good_for_one_guest() -> None:
    told = _open(3)
    told.when(ANN, Invite())
    link = told.match.invitations[0].id
    told.when(BEN, Join(invitation=link))
    told.refuses(Forbidden, "match.16", CLEO, Join(invitation=link))
    told.when(CLEO, Join())


def test_a_revoked_invitation_is_worth_nothing() -> None:
    told = _open(2)
    told.when(ANN, Invite(seat=1))
    link = told.match.invitations[0].id
    told.refuses(MatchFull, "match.2", BEN, Join())
    told.when(ANN, Revoke(invitation=link))
    told.refuses(WrongPhase, "match.16", ANN, Revoke(invitation=link))
    told.refuses(Forbidden, "match.16", BEN, Join(invitation=link))
    told.when(BEN, Join())


def test_nobody_comes_by_the_invitation_of_another() -> None:
    told = _open(2)
    told.when(ANN, Invite(seat=1, player=ZOE))
    told.refuses(Forbidden, "match.16", BEN, Join(invitation=told.match.invitations[0].id))


def test_only_the_creator_invites_and_not_twice() -> None:
    told = _open(3)
    told.refuses(Forbidden, "match.16", BEN, Invite(seat=1))
    told.when(ANN, Invite(seat=1, player=ZOE))
    told.refuses(SeatTaken, "match.16", ANN, Invite(seat=1))
    told.refuses(SeatTaken, "match.16", ANN, Invite(seat=2, player=ZOE))
    told.refuses(SeatTaken, "match.16", ANN, Invite(seat=0))
    told.refuses(Forbidden, "match.16", BEN, Revoke(invitation="i9"))


# Rematch


def follow(told: Told, player: str) -> Match:
    return evolve(None, rematch("m2", player, told.match, seed=SEED, at=9))


def test_a_rematch_keeps_everybody_s_seat() -> None:
    told = begun(ANN, BEN, "bot", options={"preset": "long"}, undo="strict", deadline=Deadline(5))
    told.play(500, random.Random(1))
    again = follow(told, BEN)
    assert (again.rematch_of, again.creator, again.status) == ("m1", BEN, "open")
    assert (again.options, again.undo, again.deadline) == (
        told.match.options,
        told.match.undo,
        told.match.deadline,
    )
    assert [(each.player, each.bot) for each in again.seats] == [(None, None), (BEN, None), (None, "random")]
    assert [(each.seat, each.player) for each in again.invitations] == [(0, ANN)]


def test_whose_are_several_seats_of_a_rematch_takes_them_in_any_order() -> None:
    told = begun(ANN, BEN, BEN, undo="casual")
    told.play(500, random.Random(1))
    told.matches, told.events = [follow(told, ANN)], []
    assert [(each.seat, each.player) for each in told.match.invitations] == [(1, BEN), (2, BEN)]
    told.refuses(SeatTaken, "match.16", CLEO, Join(seat=2))
    told.when(BEN, Join(seat=2))
    told.when(BEN, Join(seat=1))
    assert (told.match.seats_of(BEN), told.match.invitations) == ((1, 2), ())


def test_a_rematch_against_bots_begins_at_once() -> None:
    told = begun(ANN, "bot")
    told.play(500, random.Random(1))
    again = follow(told, ANN)
    assert again.start == "manual"
    assert not any(each.free for each in again.seats)


def test_a_rematch_is_for_those_who_played_and_follows_the_end() -> None:
    told = begun(ANN, BEN)
    with pytest.raises(WrongPhase):
        follow(told, ANN)
    told.when(BEN, Leave(seat=1))
    with pytest.raises(Forbidden):
        follow(told, ZOE)
    assert follow(told, BEN).invitations[0].player == ANN


# Proof


def retold(told: Told) -> None:
    """Every event follows again from what it says of itself."""
    for before, event in zip(told.matches, told.events[1:], strict=False):
        assert event == decide(before, event.player, event.seat, event.action, at=event.at, past=told.past), (
            event.kind
        )


def test_every_event_of_the_lobby_and_of_the_referee_can_be_decided_again() -> None:
    """Fault 27."""
    told = _open(3, deadline=Deadline(60, "wait"), referee="ref")
    told.when(ANN, Invite(seat=1, player=ZOE))
    told.when(ANN, Invite())
    told.when(ANN, Revoke(invitation="i7"))
    told.when(ANN, Invite())
    told.when(ZOE, Join())
    told.when(CLEO, Join(invitation=told.match.invitations[0].id))
    told.when("ref", Annotate(text="Be kind."))
    told.when(ANN, Start())
    told.when(CLEO, Vacate(seat=1), 2)
    told.when(ZOE, Consent(proposal=proposal(told)), 1)
    told.when(ANN, Consent(proposal=proposal(told)), 0)
    told.when(BEN, Join())
    told.when("ref", Adjourn(text="Tea."))
    told.when("ref", Resume(text="Go on."))
    told.when(ANN, TINY.fallback(told.match.state, 0), 0)
    told.when(BEN, TINY.fallback(told.match.state, 1), 1)
    later(told, 60, BEN, Vacate(seat=2), 1)
    told.when(ANN, Refuse(proposal=proposal(told)), 0)
    later(told, 1, ANN, Claim(seat=2))
    told.when(ANN, Vacate(seat=2))
    later(told, 60, ANN, Abandon(), 0)
    told.when("ref", Adjudicate(text="So be it.", ranking=((0,), (1, 2))))
    assert len({event.kind for event in told.events}) >= 14
    retold(told)


@pytest.mark.parametrize("policy", ["bot", "resign"])
def test_what_the_house_does_for_who_is_late_can_be_decided_again(policy: Literal["bot", "resign"]) -> None:
    told = begun(deadline=Deadline(60, policy))
    if policy == "resign":
        later(told, 60, None, Expire())
    else:
        later(told, 60, None, TINY.fallback(told.match.state, 1), 1)
    retold(told)


def test_one_who_is_alone_with_who_stayed_away_frees_the_seat_and_that_can_be_decided_again() -> None:
    told = begun(ANN, BEN, "bot", deadline=Deadline(60, "wait"))
    told.when(BEN, TINY.fallback(told.match.state, 1), 1)
    later(told, 60, BEN, Vacate(seat=0), 1)
    assert told.match.seats[0].free
    assert told.match.creator == BEN
    retold(told)
