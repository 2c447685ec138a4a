"""Explanations: rule, inputs, chance and alternatives of every event, and why another move was illegal."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec import to_builtins
from tiny import Pledge, Stake

from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer, choices
from kleos.core.match.actions import Leave, Start, Undo
from kleos.projections.draws import Draw
from kleos.projections.explain import explain, verdict
from kleos.projections.history import Doer
from tests.core.match.telling import PLAYERS, Told

ROOT = Path(__file__).parents[2]


def told_match(game: str = "tiny", seats: int = 2) -> Told:
    told = Told(game, PLAYERS[:seats])
    told.when(told.match.creator, Start())
    return told


@pytest.mark.parametrize("game", ["tiny", "canary", "iliad", "cyclades"])
@pytest.mark.parametrize("seats", [2, 3])
def test_asked_again_the_rules_come_to_the_same_effects(game: str, seats: int) -> None:
    """Fault 115."""
    told = told_match(game, seats)
    told.play(1000, random.Random(f"{game} {seats}"))
    for before, event, after in zip([None, *told.matches], told.events, told.matches, strict=False):
        for viewer in (SPECTATOR, Viewer(0), EVERYTHING):
            found = explain(before, event, after, viewer)
            assert found.again
            assert [each.rule for each in found.effects] == [each.rule for each in event.effects]
            assert (found.version, found.kind, found.seat) == (event.version, event.kind, event.seat)


def test_the_alternatives_are_for_those_who_may_see_the_seats_moves() -> None:
    told = told_match()
    before = told.match
    event = told.step()
    legal = tuple(to_builtins(each) for each in choices(told.game, before.state, 0))
    assert explain(before, event, told.match, Viewer(0)).legal == legal
    assert explain(before, event, told.match, EVERYTHING).legal == legal
    assert explain(before, event, told.match, Viewer(1)).legal is None
    assert explain(before, event, told.match, SPECTATOR).legal is None
    assert explain(before, event, told.match, SPECTATOR).action == {"type": "pledge", "card": None}


def test_dice_are_told_as_they_fall_and_a_shuffle_when_all_is_over() -> None:
    told = told_match()
    told.step()
    told.step()
    before = told.match
    leader = before.state.leader
    event = told.when(told.actor(leader), Stake(1), leader)
    for viewer in (SPECTATOR, Viewer(leader), EVERYTHING):
        [die] = explain(before, event, told.match, viewer).chance
        assert (die.kind, die.of, die.value) == ("die", 6, event.effects[0].die)
    start, laid = told.events[told.start - 1], told.past(told.start)
    hidden = explain(told.past(told.start - 1), start, laid, SPECTATOR)
    assert (hidden.chance, hidden.streams) == ((Draw("shuffle", 8),), ())
    [shuffle] = explain(told.past(told.start - 1), start, laid, EVERYTHING).chance
    assert sorted(shuffle.order or ()) == list(range(8))


def test_each_effect_says_where_its_rule_is_written() -> None:
    told = told_match("iliad")
    before = told.match
    found = explain(before, told.step(), told.match, SPECTATOR)
    for each in found.effects:
        page, _, paragraph = each.place.partition(", ")
        text = (ROOT / page).read_text()
        assert f"**{paragraph}**" in text or f"## {paragraph} " in text, each


def test_a_seat_is_shown_what_it_saw_and_everybody_all_when_it_is_over() -> None:
    told = told_match()
    before = told.match
    event = told.step()
    mine, theirs = (explain(before, event, told.match, Viewer(seat)).seen for seat in (0, 1))
    assert [each.seat for each in (*mine, *theirs)] == [0, 1]
    assert mine[0].before != theirs[0].before
    all_seen = explain(before, event, told.match, EVERYTHING).seen
    assert [each.seat for each in all_seen] == [None, 0, 1]
    assert all_seen[1:] == (*mine, *theirs)


@pytest.mark.parametrize(
    ("actor", "seat", "says"),
    [
        ("player", 0, Doer(role="player", player=PLAYERS[0], seat=0, own=True)),
        ("bot", 1, Doer(role="bot", bot="random", seat=1)),
        ("resigned", 2, Doer(role="house", seat=2, why="resigned")),
    ],
)
def test_it_says_who_did_it_and_on_whose_behalf(actor: str, seat: int, says: Doer) -> None:
    told = Told("tiny", (PLAYERS[0], "bot", PLAYERS[2], PLAYERS[3]))
    told.when(told.match.creator, Start())
    told.when(PLAYERS[2], Leave(2))
    before = told.match
    move = choices(told.game, before.state, seat)[0].move
    event = told.when(told.actor(seat), move, seat)
    assert explain(before, event, told.match, SPECTATOR).doer == says, actor


def test_an_undo_is_explained_by_the_rules_of_the_match() -> None:
    told = told_match()
    told.step()
    before = told.match
    event = told.when(PLAYERS[0], Undo(to=told.start), 0)
    found = explain(before, event, told.match, SPECTATOR)
    assert [(each.rule, each.words) for each in found.effects] == [("match.7", "Back from version 4 to 3.")]
    assert (found.chance, found.legal, found.words) == ((), None, "go back to version 3")


def test_a_move_that_was_not_made_is_judged_like_one_that_is() -> None:
    told = told_match()
    assert verdict(told.match, 0, told.game.fallback(told.match.state, 0)).legal
    refused = verdict(told.match, 0, Pledge(99))
    assert (refused.legal, refused.code, refused.rule) == (False, "illegal", "tiny.2")
    assert refused.place == "the rules of tiny, 2"
    assert "99" in str(refused.reason)
    told.step()
    assert verdict(told.match, 0, Pledge(99)).code == "not_your_turn"
    assert verdict(told.past(1), 0, Pledge(99)).code == "wrong_phase"
    told.when(PLAYERS[0], Leave(0))
    assert verdict(told.match, 1, Pledge(99)).code == "match_finished"
