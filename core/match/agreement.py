"""Proposals: what takes the agreement of several seats (match.9, match.14, match.15). Pure.

A proposal changes nothing until the last of those asked has agreed; then it is carried out in the same event.
It is void once the head has moved.
"""

from __future__ import annotations

from typing import Final, Literal

from kleos.core.kernel.errors import Forbidden, Malformed, ProposalVoid, UndoNotAllowed, WrongPhase
from kleos.core.kernel.game import Effect
from kleos.core.match.actions import ProposalKind, Vacate
from kleos.core.match.clock import overdue
from kleos.core.match.event import Kind
from kleos.core.match.facts import (
    ConsentGiven,
    HeadMoved,
    MatchAbandoned,
    OwnerChanged,
    ProposalClosed,
    Proposed,
    SeatVacated,
)
from kleos.core.match.state import Match, Proposal, Seat

PROPOSALS: Final = 3
"""How many proposals a seat may make while the same version is in force."""


def asker(match: Match, actor: str | None, seat: int | None, rule: str) -> Seat:
    """The seat that ``actor`` speaks for; refused unless a person who still plays holds it."""
    if seat is None:
        raise Forbidden("you hold no seat here to speak for", rule=rule)
    if not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {seat}", rule=rule)
    held = match.seats[seat]
    if held.player != actor or not held.attended:
        raise Forbidden(f"seat {seat} is not yours to speak for", rule=rule, seat=seat)
    return held


def propose(
    match: Match,
    by: int,
    kind: ProposalKind,
    needs: tuple[int, ...],
    *,
    to: int | None = None,
    seat: int | None = None,
) -> Proposed:
    """The proposal, unless its seat has an open one or made too many."""
    if any(each.by == by for each in match.proposals):
        raise UndoNotAllowed(f"seat {by} has an open proposal; withdraw it first", rule="match.9", seat=by)
    if match.asked.count(by) >= PROPOSALS:
        raise UndoNotAllowed(
            f"seat {by} has proposed {PROPOSALS} times at version {match.head}; somebody has to move first",
            rule="match.9",
            seat=by,
        )
    name = f"p{match.version + 1}"
    return Proposed(rule="match.9", id=name, kind=kind, by=by, to=to, seat=seat, head=match.head, needs=needs)


def late_seats(match: Match, at: int) -> frozenset[int]:
    """Seats whose absence is left to the players, and has lasted too long: nobody waits for their word."""
    if match.deadline is None or match.deadline.policy != "wait":
        return frozenset()
    return frozenset(due.seat for due in overdue(match, at))


def abandon(match: Match, actor: str | None, seat: int | None, at: int) -> tuple[Kind, list[Effect]]:
    """End the match without an outcome, if all who play and are there agree."""
    if match.status != "playing":
        raise WrongPhase("before the start one leaves", rule="match.15")
    held = asker(match, actor, seat, "match.15")
    away = late_seats(match, at)
    needs = tuple(
        each.seat
        for each in match.seats
        if each.attended and each.player != held.player and each.seat not in away
    )
    if not needs:
        return "abandon", [MatchAbandoned(rule="match.15")]
    return "propose", [propose(match, held.seat, "abandon", needs)]


def vacate(
    match: Match, actor: str | None, seat: int | None, action: Vacate, at: int
) -> tuple[Kind, list[Effect]]:
    """Free a seat while the match is played, so that somebody else can take it."""
    if match.status != "playing":
        raise WrongPhase("before the start one leaves", rule="match.14")
    if not 0 <= action.seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {action.seat}", rule="match.14")
    target = match.seats[action.seat]
    if target.free:
        raise WrongPhase(f"nobody sits at seat {action.seat}", rule="match.14", seat=action.seat)
    away = late_seats(match, at)
    late = action.seat in away
    if actor == match.creator and (late or target.mechanical):
        return "vacate", vacated(match, action.seat)
    if target.mechanical:
        raise Forbidden(
            "only the creator of the match replaces a bot or a seat that resigned",
            rule="match.14",
            seat=action.seat,
        )
    held = asker(match, actor, seat, "match.14")
    needs = tuple(
        each.seat
        for each in match.seats
        if each.attended and each.seat != held.seat and each.seat not in away
    )
    if not needs:
        return "vacate", vacated(match, action.seat)
    return "propose", [propose(match, held.seat, "replace", needs, seat=action.seat)]


def vacated(match: Match, seat: int) -> list[Effect]:
    """The seat is free; the care of the match passes on if its creator sat there."""
    effects: list[Effect] = [SeatVacated(rule="match.14", seat=seat)]
    remaining = [each.player for each in match.seats if each.attended and each.seat != seat]
    if match.seats[seat].player == match.creator and remaining and match.creator not in remaining:
        assert remaining[0] is not None
        effects.append(OwnerChanged(rule="match.14", creator=remaining[0]))
    return effects


def opened(match: Match, name: str) -> Proposal:
    """The open proposal of that name."""
    for each in match.proposals:
        if each.id == name:
            return each
    raise ProposalVoid(
        f"the proposal {name} is not open; the match is at version {match.head}", rule="match.9"
    )


def consent(match: Match, proposal: Proposal, seat: int) -> list[Effect]:
    """The seat agrees; what was proposed is done if it was the last."""
    _require_needed(proposal, seat)
    if seat in proposal.given:
        raise Forbidden(f"seat {seat} has agreed already", rule="match.9", seat=seat)
    given: list[Effect] = [ConsentGiven(rule="match.9", proposal=proposal.id, seat=seat)]
    if {*proposal.given, seat} == {*proposal.needs}:
        given += _carried_out(match, proposal)
    return given


def _carried_out(match: Match, proposal: Proposal) -> list[Effect]:
    match proposal:
        case Proposal(kind="abandon"):
            return [MatchAbandoned(rule="match.15")]
        case Proposal(kind="replace", seat=int(seat)):
            return vacated(match, seat)
        case Proposal(head=head, to=int(to)):
            return [HeadMoved(rule="match.7", left=head, to=to)]
    raise AssertionError(f"a proposal of nothing: {proposal}")


def refuse(proposal: Proposal, seat: int) -> list[Effect]:
    """The seat says no."""
    _require_needed(proposal, seat)
    return [_closed(proposal, seat, "refused")]


def withdraw(proposal: Proposal, seat: int) -> list[Effect]:
    """Whoever proposed thinks better of it."""
    if seat != proposal.by:
        raise Forbidden(f"seat {proposal.by} made the proposal", rule="match.9", seat=seat)
    return [_closed(proposal, seat, "withdrawn")]


def _closed(proposal: Proposal, seat: int, reason: Literal["refused", "withdrawn"]) -> ProposalClosed:
    return ProposalClosed(rule="match.9", proposal=proposal.id, seat=seat, reason=reason)


def _require_needed(proposal: Proposal, seat: int) -> None:
    if seat not in proposal.needs:
        asked = ", ".join(map(str, proposal.needs))
        raise Forbidden(f"it is not for seat {seat} to say; asked are: {asked}", rule="match.9", seat=seat)
