"""What an event means to whom: beginnings, turns, proposals, invitations, ends, each told when it comes."""

from __future__ import annotations

from typing import Any

import pytest
from tiny import TINY

from kleos.core.match import News, Tiding, tidings
from kleos.core.match.actions import (
    Abandon,
    Adjourn,
    Consent,
    Deadline,
    Invite,
    Join,
    Leave,
    Resume,
    Start,
    Vacate,
)
from tests.core.match.telling import PLAYERS, Told

ANN, BEN, CLEO = PLAYERS[:3]
REF, ZOE = "ref", "zoe"


def news(
    told: Told, actor: str | None, action: Any, seat: int | None = None
) -> list[tuple[str, int | None, str]]:
    """What the next event means to whom."""
    before = told.match
    told.when(actor, action, seat)
    return [
        (each.kind.removeprefix("match."), each.seat, each.player) for each in tidings(before, told.match)
    ]


def begun(*players: str, **rest: Any) -> Told:
    told = Told("tiny", players, **rest)
    told.when(ANN, Start())
    return told


def test_the_start_tells_those_who_play_and_those_who_are_to_act() -> None:
    told = Told("tiny", (ANN, "bot", CLEO))
    assert tidings(None, told.matches[0]) == ()
    assert news(told, ANN, Start()) == [
        ("started", 0, ANN),
        ("started", 2, CLEO),
        ("your_turn", 0, ANN),
        ("your_turn", 2, CLEO),
    ], "nobody is told for a bot"


def test_a_turn_is_told_when_it_begins_and_not_again() -> None:
    """Fault 98."""
    told = begun(ANN, BEN)
    assert news(told, ANN, TINY.fallback(told.match.state, 0), 0) == []


def test_whoever_takes_over_a_seat_that_is_to_act_is_told() -> None:
    told = begun(ANN, BEN, CLEO, deadline=Deadline(60, "wait"))
    told.when(ANN, Vacate(seat=1), 0)
    told.when(CLEO, Consent(proposal=told.match.proposals[-1].id), 2)
    assert news(told, BEN, Consent(proposal=told.match.proposals[-1].id), 1) == []
    assert news(told, ZOE, Join()) == [("your_turn", 1, ZOE)]


def test_a_proposal_waits_for_those_whose_consent_it_needs() -> None:
    told = begun(ANN, BEN, CLEO)
    assert news(told, ANN, Abandon(), 0) == [("proposal", 1, BEN), ("proposal", 2, CLEO)]
    assert news(told, BEN, Consent(proposal=told.match.proposals[-1].id), 1) == []


def test_an_invitation_is_told_to_whom_it_names() -> None:
    told = Told("tiny", (ANN, BEN))
    told.when(BEN, Leave(seat=1))
    assert news(told, ANN, Invite(seat=1, player=ZOE)) == [("invited", 1, ZOE)]
    assert news(told, ZOE, Join(seat=1)) == []


@pytest.mark.parametrize("ending", [Leave(seat=1), Abandon()])
def test_the_end_is_told_once_to_everybody_whom_it_concerns(ending: Any) -> None:
    told = begun(ANN, BEN, referee=REF)
    if ending == Abandon():
        told.when(ANN, ending, 0)
        ending = Consent(proposal=told.match.proposals[-1].id)
    assert news(told, BEN, ending, 1) == [("over", 0, ANN), ("over", 1, BEN), ("over", None, REF)]
    assert tidings(told.match, told.match) == ()


def test_after_an_adjournment_it_is_their_turn_again() -> None:
    told = begun(ANN, BEN, referee=REF)
    assert news(told, REF, Adjourn(text="Dinner.")) == []
    assert news(told, REF, Resume(text="On.")) == [("your_turn", 0, ANN), ("your_turn", 1, BEN)]


def test_news_are_kept_in_few_bytes_and_none_in_none() -> None:
    some = News("tiny", "playing", (Tiding("match.your_turn", 1, BEN),))
    assert News.read(some.kept) == some
    assert News("tiny", "playing", ()).kept == b""
