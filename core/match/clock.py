"""The clock of a match: since when a seat is waited for, and when its time is over (match.13). Pure.

No time is read here. All follows from the times that events carry, so every replay, every process and
everybody who checks a match finds the same deadlines, whatever happened to the server in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from msgspec.structs import replace

from kleos.core.kernel.errors import Forbidden, NotYourTurn, WrongPhase
from kleos.core.kernel.game import Effect
from kleos.core.match.actions import Claim
from kleos.core.match.ending import resignation
from kleos.core.match.event import Event
from kleos.core.match.facts import TimeRanOut
from kleos.core.match.state import Clock, Due, Match, Owed, Past, Waiting, seats_to_act

T = TypeVar("T", Waiting, Owed)


def clock_after(before: Match | None, match: Match, event: Event, past: Past) -> Clock:
    """The clock of ``match``, which ``event`` made of ``before``.

    A seat that is still to decide what it had to decide before is given no more time. ``past`` is asked for
    the versions between the two heads of an undo or redo.
    """
    if match.deadline is None:
        return Clock()
    clock = Clock() if before is None else _moved_on(before, match, event, past)
    since = {each.seat: each.since for each in clock.waiting}
    return replace(
        clock,
        waiting=tuple(
            Waiting(seat, since.get(seat, event.at))
            for seat in seats_to_act(match)
            if match.seats[seat].attended
        ),
        owed=tuple(
            sorted(
                (each for each in clock.owed if match.seats[each.seat].attended), key=lambda each: each.seat
            )
        ),
    )


def _moved_on(before: Match, match: Match, event: Event, past: Past) -> Clock:
    """The clock, still with those who were waited for before."""
    if _begins_anew(before, match, event):
        return Clock(anew=event.at)
    if event.seat is not None and event.kind == "move":
        return _decided(before.clock, event, event.seat)
    if event.seat is not None and event.kind in ("undo", "redo"):
        return _went(before, match, event.seat, past)
    return before.clock


def _begins_anew(before: Match, match: Match, event: Event) -> bool:
    """What others agreed to gives everybody all of their time again; so does the end of an adjournment."""
    if event.kind in ("undo", "redo", "consent") and match.head != before.head:
        return event.kind == "consent" or match.undo == "casual"
    return event.kind == "resume"


def _decided(clock: Clock, event: Event, seat: int) -> Clock:
    """The next decision of ``seat`` has a time of its own, unless it took back as many as it made since.

    Who is not waited for owes nothing any more when somebody else decides: the line is not theirs alone.
    """
    waited = {each.seat for each in clock.waiting}
    _, waiting = _apart(clock.waiting, seat)
    debt, others = _apart(clock.owed, seat)
    owed = tuple(each for each in others if each.seat in waited)
    late = any(isinstance(each, TimeRanOut) for each in event.effects)
    if debt is not None and debt.decisions > 0 and not late:
        waiting = (*waiting, Waiting(seat, debt.since))
        owed = (*owed, replace(debt, decisions=debt.decisions - 1))
    return replace(clock, waiting=waiting, owed=owed)


def _went(before: Match, match: Match, seat: int, past: Past) -> Clock:
    """Who goes back or forward alone gains no time by it, neither there nor with the decisions made again."""
    clock = before.clock
    back = match.head < before.head
    passed = _between(before, match.head, past) if back else -_between(match, before.head, past)
    now, waiting = _apart(clock.waiting, seat)
    then, _ = _apart(past(match.head).clock.waiting, seat)
    debt, owed = _apart(clock.owed, seat)
    if then is not None:
        waiting = (*waiting, Waiting(seat, max(then.since, clock.anew)))
    if debt is None and now is not None:
        debt = Owed(seat, 0, now.since)
    if debt is not None:
        owed = (*owed, replace(debt, decisions=max(0, debt.decisions + passed)))
    return replace(clock, waiting=waiting, owed=owed)


def _apart(every: tuple[T, ...], seat: int) -> tuple[T | None, tuple[T, ...]]:
    """The entry of a seat, if there is one, and those of the others."""
    mine = next((each for each in every if each.seat == seat), None)
    return mine, tuple(each for each in every if each.seat != seat)


def _between(later: Match, head: int, past: Past) -> int:
    """How many decisions led from ``head`` to ``later`` on its line."""
    count = 0
    while later.head != head:
        assert later.step is not None, "heads of one line"
        later = past(later.step.before)
        count += 1
    return count


def dues(match: Match) -> tuple[Due, ...]:
    """When the time of each seat that is waited for is over, the earliest first."""
    if match.deadline is None:
        return ()
    span = match.deadline.seconds * 1000
    found = (Due(each.seat, each.since + span) for each in match.clock.waiting)
    return tuple(sorted(found, key=lambda due: (due.at, due.seat)))


def overdue(match: Match, at: int) -> tuple[Due, ...]:
    """Of ``dues`` those that are over at a time."""
    return tuple(due for due in dues(match) if due.at <= at)


def earliest_overdue(match: Match, at: int) -> tuple[Due, ...]:
    """Those whose time was over first. Who looks late, finds the same as who looked in time."""
    late = overdue(match, at)
    return tuple(due for due in late if due.at == late[0].at)


def expire(match: Match, at: int) -> Iterator[Effect]:
    """The house ends the waiting in a match where that is a resignation."""
    late = earliest_overdue(match, at)
    if not late or match.deadline is None or match.deadline.policy != "resign":
        raise WrongPhase("nobody has run out of time here", rule="match.13")
    yield from _given_up(match, late)


def claim(match: Match, actor: str | None, action: Claim, at: int) -> Iterator[Effect]:
    """Somebody who has not kept others waiting ends it, in a match where that is left to the players."""
    if match.deadline is None or match.deadline.policy != "wait":
        raise WrongPhase("nothing is to be claimed in this match", rule="match.13")
    late = {due.seat: due for due in overdue(match, at)}
    if not any(each.attended and each.player == actor and each.seat not in late for each in match.seats):
        raise Forbidden("only a player who keeps nobody waiting claims", rule="match.13", seat=action.seat)
    if action.seat not in late:
        raise NotYourTurn(f"seat {action.seat} has time left", rule="match.13", seat=action.seat)
    yield from _given_up(match, (late[action.seat],))


def _given_up(match: Match, late: tuple[Due, ...]) -> Iterator[Effect]:
    for due in late:
        yield TimeRanOut(rule="match.13", seat=due.seat, due=due.at)
    yield from resignation(match, [due.seat for due in late])
