"""The history of a match, read from its public log: who did what for whom, what stands, what was agreed."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec import json, to_builtins

from kleos.core.match import HOUSE, codec, decide, evolve, line
from kleos.core.match.actions import (
    Abandon,
    Adjourn,
    Annotate,
    Consent,
    Deadline,
    Join,
    Leave,
    Redo,
    Refuse,
    Resume,
    Start,
    Undo,
    Vacate,
    Withdraw,
)
from kleos.projections.history import Assent, Doer, History, Note, history
from tests.core.match.telling import PLAYERS, Told

ANN, BEN, CLEO = PLAYERS[:3]


def playing(*players: str, **rest: Any) -> Told:
    told = Told("tiny", players or (ANN, BEN, CLEO), **rest)
    told.when(ANN, Start())
    return told


def of(told: Told) -> History:
    """As everybody can read it: from the public parts alone."""
    return history([to_builtins(codec(each.rules).split(each)[0]) for each in told.events])


def test_every_event_says_who_did_it_and_on_whose_behalf() -> None:
    told = playing(ANN, "bot", CLEO, referee="ray", deadline=Deadline(60, "bot"))
    start = told.start
    told.step()
    told.step()
    time_runs_out(told, 2)
    told.when("ray", Annotate(text="Noted."))
    told.when(CLEO, Leave(2))
    doers = of(told).doers
    assert doers[:3] == (
        Doer(role="player", player=ANN, seat=0, own=True),
        Doer(role="player", player=ANN, seat=1),
        Doer(role="player", player=CLEO, seat=2, own=True),
    )
    assert doers[start:] == (
        Doer(role="player", player=ANN, seat=0, own=True),
        Doer(role="bot", bot="random", seat=1),
        Doer(role="house", seat=2, why="late"),
        Doer(role="referee", player="ray"),
        Doer(role="player", player=CLEO, seat=2, own=True),
    )


def time_runs_out(told: Told, seat: int) -> None:
    """The house decides for a seat that took a day."""
    move, at = told.game.fallback(told.match.state, seat), told.match.updated_at + 86_400_000
    event = decide(told.match, HOUSE, seat, move, at=at)
    told.matches.append(evolve(told.match, event))
    told.events.append(event)


@pytest.mark.parametrize("seed", range(20))
def test_the_heads_and_the_decisions_that_stand_are_those_of_the_match(seed: int) -> None:
    rng = random.Random(seed)
    told = playing(ANN, BEN, undo="casual")
    for _ in range(30):
        if told.match.status != "playing":
            break
        if told.match.undone and rng.random() < 0.3:
            told.when(ANN, Redo(), 0)
        elif told.match.head > told.start and rng.random() < 0.4:
            behind = [each.head for each in line(told.match, told.past)][1:]
            told.when(ANN, Undo(to=rng.choice(behind)), 0)
        else:
            told.step(rng)
    found = of(told)
    assert found.heads == tuple(each.head for each in told.matches), f"seed {seed}"
    stands = {each.head for each in line(told.match, told.past)}
    moves = {each.version for each in told.events if each.kind == "move"}
    assert set(found.undone) == moves - stands, f"seed {seed}"
    for decision, taker in found.undone.items():
        turning = next(each for each in found.turnings if each.version == taker)
        assert decision in turning.decisions


def test_an_undo_by_agreement_tells_who_asked_and_who_agreed() -> None:
    told = playing()
    told.step()
    told.step()
    told.when(ANN, Undo(to=told.start), 0)
    proposal = told.match.proposals[0].id
    told.when(BEN, Consent(proposal), 1)
    found = of(told)
    [offer] = found.offers
    assert (offer.by, offer.to, offer.given) == (0, told.start, (Assent(1, told.match.version),))
    assert (offer.ending, offer.ended) == ("carried out", told.match.version)
    [turning] = found.turnings
    assert (turning.asked, turning.proposal, turning.decisions) == (
        0,
        proposal,
        (told.start + 1, told.start + 2),
    )
    assert set(found.undone.values()) == {told.match.version}


def test_what_came_of_each_proposal() -> None:
    told = playing()
    told.when(ANN, Abandon(), 0)
    told.when(BEN, Refuse(told.match.proposals[0].id), 1)
    told.when(ANN, Abandon(), 0)
    told.when(ANN, Withdraw(told.match.proposals[0].id), 0)
    told.when(BEN, Vacate(2), 1)
    told.step()
    told.when(ANN, Abandon(), 0)
    found = of(told).offers
    assert [(each.kind, each.ending, each.by_seat) for each in found] == [
        ("abandon", "refused", 1),
        ("abandon", "withdrawn", 0),
        ("replace", "void", None),
        ("abandon", "open", None),
    ]
    assert [each.ended for each in found][-1] is None


def test_a_seat_is_told_from_when_to_when_and_by_whom() -> None:
    told = playing()
    start = told.match.version
    told.when(BEN, Leave(1))
    told.when(ANN, Vacate(1), 0)
    told.when("dan", Join(seat=1))
    sat = [(each.seat, each.player, each.since, each.resigned, each.until) for each in of(told).sittings]
    assert (1, BEN, 2, start + 1, start + 2) in sat
    assert (1, "dan", start + 3, None, None) in sat


def test_the_referee_is_told_word_by_word() -> None:
    told = playing(referee="ray")
    told.when("ray", Annotate(text="Look.", version=2))
    told.when("ray", Adjourn(text="Lunch."))
    told.when("ray", Resume(text="Go on."))
    at = told.match.version
    assert of(told).notes == (
        Note(at - 2, "annotate", "Look.", 2),
        Note(at - 1, "adjourn", "Lunch.", None),
        Note(at, "resume", "Go on.", None),
    )


def test_it_knows_how_the_match_stands() -> None:
    told = playing()
    assert (of(told).status, of(told).outcome) == ("playing", None)
    told.play(1000)
    found = of(told)
    assert found.status == told.match.status == "finished"
    assert found.outcome == json.decode(json.encode(told.match.outcome))
