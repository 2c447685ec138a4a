"""The referee (match.18), told as given - when - then."""

from __future__ import annotations

import pytest
from tiny import TINY

from kleos.core.kernel import Forbidden, Malformed, MatchFinished, WrongPhase
from kleos.core.match import dues, seats_to_act, targets
from kleos.core.match.actions import (
    Abandon,
    Adjourn,
    Adjudicate,
    Annotate,
    Appoint,
    Deadline,
    Join,
    Leave,
    Resume,
    Start,
    Undo,
)
from tests.core.match.telling import PLAYERS, Told

ANN, BEN, CLEO = PLAYERS[:3]
REF = "ref"


@pytest.fixture
def told() -> Told:
    told = Told("tiny", (ANN, BEN, CLEO), referee=REF, deadline=Deadline(60))
    told.when(ANN, Start())
    return told


def test_a_note_is_an_event_and_changes_nothing(told: Told) -> None:
    """Fault 35."""
    before = told.match
    event = told.when(REF, Annotate(text="Ben asked for a ruling.", version=2))
    assert (event.kind, event.player, event.seat) == ("annotate", REF, None)
    assert (told.match.state, told.match.head, dues(told.match)) == (before.state, before.head, dues(before))
    told.refuses(WrongPhase, "match.18", REF, Annotate(text="?", version=99))


def test_while_adjourned_nothing_moves_and_no_time_runs(told: Told) -> None:
    told.when(REF, Adjourn(text="Back at noon."))
    assert (seats_to_act(told.match), dues(told.match)) == ((), ())
    told.refuses(WrongPhase, "match.18", ANN, TINY.fallback(told.match.state, 0), 0)
    told.refuses(WrongPhase, "match.18", ANN, Undo(to=told.start), 0)
    told.refuses(WrongPhase, "match.18", ANN, Abandon(), 0)
    told.refuses(WrongPhase, "match.18", REF, Adjourn(text="again"))
    told.when(REF, Resume(text="Go on."))
    began = told.match.updated_at
    assert {due.at - began for due in dues(told.match)} == {60_000}
    told.when(ANN, TINY.fallback(told.match.state, 0), 0)
    told.refuses(WrongPhase, "match.18", REF, Resume(text="again"))


def test_while_adjourned_no_way_back_is_offered(told: Told) -> None:
    told.when(ANN, TINY.fallback(told.match.state, 0), 0)
    assert [each.cost for each in targets(told.match, 0, told.past)] == ["free"]
    told.when(REF, Adjourn(text="Back at noon."))
    assert [each.cost for each in targets(told.match, 0, told.past)] == ["never"]


def test_one_may_resign_from_an_adjourned_match(told: Told) -> None:
    told.when(REF, Adjourn(text="Back at noon."))
    told.when(CLEO, Leave(seat=2))
    assert told.match.seats[2].resigned


def test_a_ruling_ends_the_match_with_everybody_in_their_place(told: Told) -> None:
    told.when(REF, Adjudicate(text="Agreed by all.", ranking=((1,), (0, 2))))
    assert told.match.outcome is not None
    assert (told.match.status, told.match.outcome.winners, told.match.outcome.ranking) == (
        "finished",
        (1,),
        ((1,), (0, 2)),
    )
    assert told.match.outcome.reason == "adjudication"
    told.refuses(MatchFinished, "match.6", REF, Annotate(text="late"))


def test_a_ruling_may_be_that_nobody_won(told: Told) -> None:
    told.when(REF, Adjourn(text="Back at noon."))
    told.when(REF, Adjudicate(text="Nobody came back."))
    assert (told.match.status, told.match.adjourned) == ("abandoned", False)


@pytest.mark.parametrize("ranking", [((0,), (1,)), ((0, 1), (1, 2)), ((0, 1, 2), ()), ((0,), (1, 2, 3))])
def test_a_ranking_has_every_seat_once(told: Told, ranking: tuple[tuple[int, ...], ...]) -> None:
    told.refuses(Malformed, "match.18", REF, Adjudicate(text="so", ranking=ranking))


@pytest.mark.parametrize(
    "ruling", [Annotate(text="x"), Adjourn(text="x"), Resume(text="x"), Adjudicate(text="x")]
)
def test_nobody_else_rules(told: Told, ruling: Annotate | Adjourn | Resume | Adjudicate) -> None:
    for other in (ANN, "zoe"):
        told.refuses(Forbidden, "match.18", other, ruling)
    alone = Told()
    alone.refuses(Forbidden, "match.18", ANN, ruling)


def test_the_creator_appoints_before_the_start() -> None:
    told = Told("tiny", (ANN, BEN))
    told.refuses(Forbidden, "match.18", BEN, Appoint(player=REF))
    told.refuses(Forbidden, "match.18", ANN, Appoint(player=BEN))
    told.when(ANN, Appoint(player=REF))
    assert told.match.referee == REF
    told.when(BEN, Leave(seat=1))
    told.refuses(Forbidden, "match.18", REF, Join())
    told.when(ANN, Appoint(player=None))
    told.when(REF, Join())
    told.when(ANN, Start())
    told.refuses(WrongPhase, "match.18", ANN, Appoint(player="zoe"))


def test_a_ruling_before_the_start_is_only_talk() -> None:
    told = Told("tiny", (ANN, BEN), referee=REF)
    told.when(REF, Annotate(text="Be kind."))
    told.refuses(WrongPhase, "match.18", REF, Adjourn(text="x"))
    told.refuses(WrongPhase, "match.18", REF, Adjudicate(text="x"))
