"""Explanations: rule, inputs, chance and alternatives of every event, and why another move was illegal."""

from __future__ import annotations

import random

import pytest
from msgspec import to_builtins
from tiny import Pledge, Stake

from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer, choices
from kleos.core.match.actions import Leave, Start, Undo
from kleos.projections.explain import Draw, explain, verdict
from tests.core.match.telling import PLAYERS, Told


def told_match(game: str = "tiny", seats: int = 2) -> Told:
    told = Told(game, PLAYERS[:seats])
    told.when(told.match.creator, Start())
    return told


@pytest.mark.parametrize("game", ["tiny", "canary", "iliad", "cyclades"])
@pytest.mark.parametrize("seats", [2, 3])
def test_asked_again_the_rules_come_to_the_same_effects(game: str, seats: int) -> None:
    told = told_match(game, seats)
    told.play(1000, random.Random(f"{game} {seats}"))
    for before, event in zip([None, *told.matches], told.events, strict=False):
        for viewer in (SPECTATOR, Viewer(0), EVERYTHING):
            found = explain(before, event, viewer)
            assert found.again
            assert [each.rule for each in found.effects] == [each.rule for each in event.effects]
            assert (found.version, found.kind, found.seat) == (event.version, event.kind, event.seat)


def test_the_alternatives_are_for_those_who_may_see_the_seats_moves() -> None:
    told = told_match()
    before = told.match
    event = told.step()
    legal = tuple(to_builtins(each) for each in choices(told.game, before.state, 0))
    assert explain(before, event, Viewer(0)).legal == legal
    assert explain(before, event, EVERYTHING).legal == legal
    assert explain(before, event, Viewer(1)).legal is None
    assert explain(before, event, SPECTATOR).legal is None
    assert explain(before, event, SPECTATOR).action == {"type": "pledge", "card": None}


def test_chance_is_told_by_its_use_and_by_its_value_when_all_is_over() -> None:
    told = told_match()
    told.step()
    told.step()
    before = told.match
    leader = before.state.leader
    event = told.when(told.actor(leader), Stake(1), leader)
    die = event.effects[0].die
    assert explain(before, event, Viewer(leader)).chance == (Draw("die", 6),)
    assert explain(before, event, EVERYTHING).chance == (Draw("die", 6, die),)
    start = told.events[told.start - 1]
    assert explain(told.past(told.start - 1), start, SPECTATOR).chance == (Draw("shuffle", 8),)


def test_an_undo_is_explained_by_the_rules_of_the_match() -> None:
    told = told_match()
    told.step()
    before = told.match
    event = told.when(PLAYERS[0], Undo(to=told.start), 0)
    found = explain(before, event, SPECTATOR)
    assert [(each.rule, each.words) for each in found.effects] == [("match.7", "Back from version 4 to 3.")]
    assert (found.chance, found.legal, found.words) == ((), None, "undo")


def test_a_move_that_was_not_made_is_judged_like_one_that_is() -> None:
    told = told_match()
    assert verdict(told.match, 0, told.game.fallback(told.match.state, 0)).legal
    refused = verdict(told.match, 0, Pledge(99))
    assert (refused.legal, refused.code, refused.rule) == (False, "illegal", "tiny.2")
    assert "99" in str(refused.reason)
    told.step()
    assert verdict(told.match, 0, Pledge(99)).code == "not_your_turn"
    assert verdict(told.past(1), 0, Pledge(99)).code == "wrong_phase"
    told.when(PLAYERS[0], Leave(0))
    assert verdict(told.match, 1, Pledge(99)).code == "match_finished"
