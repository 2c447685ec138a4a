"""Deadlines (match.13): whose time runs, when it is over, and what follows, told as given - when - then."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tiny import TINY, Stake

from kleos.core.kernel import Forbidden, MatchFinished, NotYourTurn, UndoNotAllowed, WrongPhase, choices
from kleos.core.kernel.registry import pinned
from kleos.core.match import (
    HOUSE,
    Event,
    Match,
    decide,
    dues,
    earliest_overdue,
    evolve,
    foreseen,
    line,
    returns,
    seats_to_act,
    targets,
)
from kleos.core.match.actions import (
    Adjourn,
    Claim,
    Consent,
    Deadline,
    Expire,
    Leave,
    Redo,
    Resume,
    Start,
    Undo,
)
from kleos.core.match.state import Clock
from tests.core.match.telling import PLAYERS, Told

ANN, BEN, CLEO = PLAYERS[:3]
MINUTE = 60_000


class Timed(Told):
    """A match with a minute for each decision, in which the test says when things happen."""

    def __init__(
        self, policy: str, players: tuple[str, ...] = (ANN, BEN), game: str = "tiny", **rest: Any
    ) -> None:
        super().__init__(game, players, deadline=Deadline(60, policy), **rest)  # type: ignore[arg-type]
        self.when(ANN, Start())
        self.began = self.match.updated_at

    def at(self, seconds: float, actor: str | None, action: Any, seat: int | None = None) -> Event:
        """Carry it out so many seconds after the start of play."""
        at = self.began + int(seconds * 1000)
        event = decide(self.match, actor, seat, action, at=at, past=self.past)
        self.matches.append(evolve(self.match, event, self.past))
        self.events.append(event)
        return event

    def first(self, seat: int) -> Any:
        return choices(self.game, self.match.state, seat)[0].move

    def due(self) -> dict[int, float]:
        """Seconds after the start of play at which the time of each seat is over."""
        return {due.seat: (due.at - self.began) / 1000 for due in dues(self.match)}

    def leading(self) -> int:
        """Everybody pledges at 10 s; the seat that is to stake."""
        for seat in seats_to_act(self.match):
            self.at(10, self.actor(seat), self.first(seat), seat)
        (leader,) = seats_to_act(self.match)
        return leader


def test_time_begins_with_the_decision_and_with_nothing_else() -> None:
    told = Timed("wait", (ANN, BEN, CLEO))
    assert told.due() == {0: 60, 1: 60, 2: 60}
    told.at(50, ANN, told.first(0), 0)
    assert told.due() == {1: 60, 2: 60}, "what others do gives nobody more time"
    told.at(55, BEN, told.first(1), 1)
    told.at(59, CLEO, told.first(2), 2)
    assert list(told.due().values()) == [119], "the leader has a minute from its turn on"


def test_a_match_without_a_deadline_keeps_no_time() -> None:
    told = Told()
    told.when(ANN, Start())
    assert (told.match.clock, dues(told.match)) == (Clock(), ())


def test_bots_and_resigned_seats_have_no_deadline() -> None:
    told = Timed("resign", (ANN, BEN, CLEO, "bot"))
    assert sorted(told.due()) == [0, 1, 2]
    told.at(1, BEN, Leave(seat=1))
    assert sorted(told.due()) == [0, 2]


def test_deadlines_are_the_same_in_every_replay() -> None:
    told = Timed("bot", (ANN, BEN, CLEO))
    told.leading()
    match: Match | None = None
    for event, then in zip(told.events, told.matches, strict=True):
        match = evolve(match, event)
        assert dues(match) == dues(then)


# Undo


def test_taking_back_alone_gains_no_time() -> None:
    """Fault 26."""
    told = Timed("wait")
    told.at(20, ANN, told.first(0), 0)
    for second in range(21, 59):
        told.at(second, ANN, Undo(to=told.start), 0)
        assert told.due()[0] <= 60
        told.at(second + 0.5, ANN, told.first(0), 0)
    told.at(59, ANN, Undo(to=told.start), 0)
    assert told.due() == {0: 60, 1: 60}


def test_going_forward_alone_gains_no_time() -> None:
    told = Timed("wait")
    told.at(20, ANN, told.first(0), 0)
    told.at(30, ANN, Undo(to=told.start), 0)
    told.at(40, ANN, Redo(), 0)
    assert told.due() == {1: 60}


def test_what_others_agreed_to_gives_everybody_all_of_their_time() -> None:
    """Fault 30."""
    told = Timed("wait")
    told.leading()
    proposal = told.at(40, ANN, Undo(to=told.start), 0).effects[-1]
    before = told.due()
    assert before == told.due(), "asking costs nobody time"
    told.at(50, BEN, Consent(proposal=proposal.id), 1)
    assert told.due() == {0: 110, 1: 110}


def test_in_a_casual_match_times_begin_anew_after_every_undo() -> None:
    told = Timed("wait", undo="casual")
    told.at(20, ANN, told.first(0), 0)
    told.at(30, BEN, Undo(to=told.start), 1)
    assert told.due() == {0: 90, 1: 90}


@pytest.mark.parametrize("seed", range(20))
def test_no_way_back_and_forth_within_a_turn_gains_time(seed: int) -> None:
    """However a seat goes back and plays on: only what is farther than ever before has a time of its own."""
    rng = random.Random(seed)
    told = Timed("wait", game="cyclades")
    deepest: dict[int, tuple[int, float]] = {}
    gained = 0
    for second in range(1, 400):
        seat = rng.choice(seats_to_act(told.match))
        free = [
            each.version
            for each in targets(told.match, seat, told.past) + returns(told.match, seat, told.past)
            if each.cost == "free"
        ]
        if free and rng.random() < 0.6:
            to = rng.choice(free)
            told.at(second, told.actor(seat), (Undo if to < told.match.head else Redo)(to=to), seat)
        else:
            told.at(
                second, told.actor(seat), rng.choice(choices(told.game, told.match.state, seat)).move, seat
            )
            deepest = {each: of for each, of in deepest.items() if each == seat}
        due = told.due()
        for each in seats_to_act(told.match):
            depth = len(list(line(told.match, told.past)))
            far, latest = deepest.get(each, (-1, 0.0))
            if depth > far:
                deepest[each] = depth, due[each]
            else:
                assert due[each] <= latest, f"seat {each} got time by what it took back, at {second} s"
                gained += 1
    assert gained > 20, "there was much to and fro"


def test_who_takes_back_and_plays_again_is_late_all_the_same() -> None:
    told, rng = Timed("resign", game="cyclades"), random.Random(1)
    while (again := _free_and_still_to_act(told)) is None:
        told.step(rng)
    (seat,) = seats_to_act(told.match)
    told.began = told.match.updated_at
    here = told.match.head
    told.at(2, told.actor(seat), again, seat)
    assert told.due() == {seat: 62}
    for second in (50, 55, 60):
        told.at(second, told.actor(seat), Undo(to=here), seat)
        assert told.due() == {seat: 60}
        told.at(second + 1, told.actor(seat), again, seat)
        assert told.due() == {seat: 62}


def _free_and_still_to_act(told: Timed) -> Any:
    """A move that can be taken back freely and after which the same seat decides alone, if there is one."""
    if len(acting := seats_to_act(told.match)) != 1:
        return None
    (seat,) = acting
    for legal in choices(told.game, told.match.state, seat):
        event = decide(
            told.match, told.actor(seat), seat, legal.move, at=told.match.updated_at, past=told.past
        )
        after = evolve(told.match, event)
        if seats_to_act(after) == acting and foreseen(told.match, seat)(legal.move) == "free":
            return legal.move
    return None


def test_after_an_adjournment_no_decision_is_older_than_its_end() -> None:
    told = Timed("resign", (ANN, BEN), referee=CLEO)
    told.at(20, ANN, told.first(0), 0)
    told.at(30, CLEO, Adjourn(text="lunch"))
    assert told.due() == {}
    told.at(5000, CLEO, Resume(text="on"))
    assert told.due() == {1: 5060}
    told.at(5010, ANN, Undo(to=told.start), 0)
    assert told.due() == {0: 5060, 1: 5060}


# bot


def test_the_house_decides_for_who_is_late_and_says_so() -> None:
    """Fault 86."""
    told = Timed("bot")
    move = TINY.fallback(told.match.state, 1)
    reason = told.refuses(Forbidden, "match.5", HOUSE, move, 1)
    assert "not yours" in reason
    event = told.at(60, HOUSE, move, 1)
    assert (event.kind, event.seat, event.player) == ("move", 1, None)
    late = event.effects[0]
    assert (late.rule, late.seat, late.due) == ("match.13", 1, told.began + MINUTE)
    told.at(61, ANN, told.first(0), 0)
    assert not told.match.seats[1].resigned, "the next decision is the player's again"


def test_the_house_makes_the_safe_default_and_no_other_move() -> None:
    told = Timed("bot")
    seat = told.leading()
    with pytest.raises(Forbidden):
        told.at(500, HOUSE, Stake(amount=1), seat)
    told.at(500, HOUSE, TINY.fallback(told.match.state, seat), seat)


def test_a_late_player_may_still_move_until_the_house_has() -> None:
    told = Timed("bot")
    told.at(1000, BEN, told.first(1), 1)
    assert told.due() == {0: 60}


def test_what_the_house_decided_is_not_taken_back_by_the_late_player_alone() -> None:
    told = Timed("bot", undo="strict")
    told.at(60, HOUSE, TINY.fallback(told.match.state, 1), 1)
    with pytest.raises(UndoNotAllowed):
        told.at(61, BEN, Undo(to=told.start), 1)


# resign


def test_who_is_late_resigns() -> None:
    told = Timed("resign")
    told.at(10, ANN, told.first(0), 0)
    with pytest.raises(WrongPhase):
        told.at(59, HOUSE, Expire())
    told.at(60, HOUSE, Expire())
    assert told.match.outcome is not None
    assert (told.match.status, told.match.outcome.winners, told.match.outcome.reason) == (
        "finished",
        (0,),
        "resignation",
    )
    told.refuses(MatchFinished, "match.6", HOUSE, Expire())


def test_when_all_are_late_at_once_nobody_wins() -> None:
    """Fault 107."""
    told = Timed("resign", (ANN, BEN, CLEO))
    event = told.at(60, HOUSE, Expire())
    assert [effect.seat for effect in event.effects if effect.rule == "match.13"] == [0, 1, 2]
    assert told.match.status == "abandoned"


def test_who_was_late_first_loses_however_late_the_house_looks() -> None:
    told = Timed("wait")
    told.at(20, ANN, told.first(0), 0)
    told.at(30, ANN, Undo(to=told.start), 0)
    late = Timed("resign", (ANN, BEN, CLEO))
    late.at(5, ANN, late.first(0), 0)
    late.at(6, BEN, late.first(1), 1)
    leader_or_cleo = dues(late.match)
    assert earliest_overdue(late.match, late.began + 10**9) == leader_or_cleo[:1]
    late.at(10**6, HOUSE, Expire())
    assert [each.seat for each in late.match.seats if each.resigned] == [leader_or_cleo[0].seat]
    assert late.match.status == "playing"


def test_players_cannot_end_the_waiting_themselves() -> None:
    told = Timed("resign")
    told.refuses(Forbidden, "match.5", ANN, Expire())
    told.at(10, ANN, told.first(0), 0)
    with pytest.raises(WrongPhase):
        told.at(70, ANN, Claim(seat=1))


# wait


def test_who_waits_may_claim_and_only_who_waits() -> None:
    """Fault 111."""
    told = Timed("wait", (ANN, BEN, CLEO))
    told.at(10, ANN, told.first(0), 0)
    with pytest.raises(NotYourTurn):
        told.at(59, ANN, Claim(seat=1))
    with pytest.raises(Forbidden):
        told.at(60, CLEO, Claim(seat=1))
    with pytest.raises(Forbidden):
        told.at(60, "zoe", Claim(seat=1))
    with pytest.raises(WrongPhase):
        told.at(60, HOUSE, Expire())
    event = told.at(60, ANN, Claim(seat=1))
    assert (event.kind, event.seat, event.player) == ("resign", 1, ANN)
    assert [each.resigned for each in told.match.seats] == [False, True, False]
    assert told.match.status == "playing"


@pytest.mark.parametrize("game", ["tiny", "iliad"])
def test_whoever_goes_at_whatever_moment_the_match_goes_on_to_its_end(game: str) -> None:
    """Fault 106. Everybody late at every decision: the house alone plays the match out."""
    told = Told(game, (ANN, BEN), deadline=Deadline(1, "bot"))
    told.when(ANN, Start())
    for _ in range(3000):
        if told.match.status != "playing":
            break
        late = earliest_overdue(told.match, told.match.updated_at + 1000)[0]
        move = pinned(told.match.rules).fallback(told.match.state, late.seat)
        event = decide(told.match, HOUSE, late.seat, move, at=late.at)
        told.matches.append(evolve(told.match, event))
    assert told.match.status == "finished"
