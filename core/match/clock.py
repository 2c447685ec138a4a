"""The clock of a match: since when a seat is waited for, and when its time is over (match.13). Pure.

No time is read here. All follows from the times that events carry, so every replay, every process and
everybody who checks a match finds the same deadlines, whatever happened to the server in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleos.core.kernel.errors import Forbidden, NotYourTurn, WrongPhase
from kleos.core.kernel.game import Effect
from kleos.core.match.actions import Claim, TimeRanOut
from kleos.core.match.ending import resignation
from kleos.core.match.event import Event
from kleos.core.match.state import Due, Match, Waiting, seats_to_act


def waiting_after(
    before: Match | None, match: Match, event: Event, earlier: Match | None
) -> tuple[Waiting, ...]:
    """Whose decisions are waited for in ``match``, which ``event`` made of ``before``, and since when.

    A seat that is still to decide what it had to decide before is given no more time. ``earlier`` is the
    match at the version that an undo or redo put in force.
    """
    if match.deadline is None:
        return ()
    since = {} if before is None else {each.seat: each.since for each in before.waiting}
    if event.seat is not None and event.kind == "move":
        since.pop(event.seat, None)
    if earlier is not None:
        since = _moved(match, event, earlier, since)
    return tuple(
        Waiting(seat, since.get(seat, event.at)) for seat in seats_to_act(match) if match.seats[seat].attended
    )


def _moved(match: Match, event: Event, earlier: Match, since: dict[int, int]) -> dict[int, int]:
    """Who undoes alone gains no time by it; what others agreed to gives everybody all of it again."""
    if event.kind == "consent" or match.undo == "casual":
        return {}
    then = {each.seat: each.since for each in earlier.waiting}
    others = {seat: at for seat, at in since.items() if seat != event.seat}
    return others | {seat: at for seat, at in then.items() if seat == event.seat}


def dues(match: Match) -> tuple[Due, ...]:
    """When the time of each seat that is waited for is over, the earliest first."""
    if match.deadline is None:
        return ()
    span = match.deadline.seconds * 1000
    found = (Due(each.seat, each.since + span) for each in match.waiting)
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
