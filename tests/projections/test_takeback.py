"""What can be taken back: the line in force, the targets and what they cost, for whoever asks."""

from __future__ import annotations

import pytest

from kleos.core.kernel import Malformed
from kleos.core.match import Agreed
from kleos.core.match.actions import Leave, Start, Undo
from kleos.projections.takeback import Reachable, ranges, takeback
from kleos.projections.timeline import view
from tests.core.match.telling import PLAYERS, Told


def playing() -> Told:
    told = Told("tiny", PLAYERS[:3])
    told.when(told.match.creator, Start())
    return told


def test_fault_15_the_line_tells_what_was_undone() -> None:
    told = playing()
    start = told.start
    told.step()
    told.step()
    told.when(PLAYERS[1], Undo(to=start + 1), 1)
    told.step()
    found = takeback(told.match, 1, told.past)
    assert found.line == ((start, start + 1), (start + 4, start + 4))
    assert found.targets == (Reachable(start + 1, "free"), Reachable(start, Agreed((0,))))
    assert found.redo == ()


def test_what_was_left_can_be_returned_to() -> None:
    told = playing()
    told.step()
    told.when(PLAYERS[0], Undo(to=told.start), 0)
    assert takeback(told.match, 0, told.past).redo == (Reachable(told.start + 1, "free"),)
    assert takeback(told.match, 1, told.past).redo == (Reachable(told.start + 1, Agreed((0,))),)


def test_spectators_and_those_who_resigned_take_nothing_back() -> None:
    told = playing()
    told.step()
    told.when(PLAYERS[0], Leave(0))
    for seat in (None, 0):
        found = takeback(told.match, seat, told.past)
        assert (found.targets, found.redo) == ((), ())
        assert found.line == ((told.start, told.start + 1),)


def test_before_the_start_there_is_no_line_and_a_seat_that_is_not_there_is_malformed() -> None:
    told = Told("tiny", PLAYERS[:2])
    assert takeback(told.match, 0, told.past).line == ()
    with pytest.raises(Malformed):
        takeback(told.match, 2, told.past)


def test_a_view_lists_open_proposals_and_what_each_move_would_cost_to_take_back() -> None:
    told = playing()
    told.step()
    told.step()
    told.when(PLAYERS[1], Undo(to=told.start), 1)
    seen = view(told.match, 2, told.match)
    assert [(each.by, each.to, each.needs) for each in seen.proposals] == [(1, told.start, (0,))]
    assert {each.undo for each in seen.moves} == {Agreed((0, 1))}
    assert view(told.past(told.start), 0, told.past(told.start)).moves[0].undo == "free"


def test_runs_of_versions() -> None:
    assert ranges([]) == ()
    assert ranges([1, 2, 3, 7, 9, 10]) == ((1, 3), (7, 7), (9, 10))
