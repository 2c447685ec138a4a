"""Undo and redo: where the head may go, what that costs, and how it is proposed (match.7 to match.10). Pure.

The *line* is the chain of decisions that led to the state in force. What an undo costs follows from the
decisions it passes over: whose they were, and whether anybody learned something from them. All functions
that look back are given ``past``, the match at each of its earlier versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct

from kleos.core.kernel.errors import Forbidden, Malformed, ProposalVoid, UndoNotAllowed, WrongPhase
from kleos.core.kernel.game import Effect, Foreseeing
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Public
from kleos.core.match.actions import (
    Consent,
    ConsentGiven,
    HeadMoved,
    ProposalClosed,
    Proposed,
    Redo,
    Refuse,
    TimeAction,
    Undo,
    Withdraw,
)
from kleos.core.match.event import Kind
from kleos.core.match.folding import Past
from kleos.core.match.state import Match, Proposal, Seat

PROPOSALS: Final = 3
"""How many proposals a seat may make while the same version is in force."""


class Agreed(Struct, frozen=True):
    """A cost: every seat of ``consent`` has to agree."""

    consent: Public[tuple[int, ...]]


Cost = Literal["free", "never"] | Agreed
"""What an undo or redo takes: nothing, the consent of seats, or it cannot be had."""


class Target(NamedTuple):
    """A version that the head may go to, and what that costs."""

    version: int
    cost: Cost


# The cost


def price(match: Match, seat: int, touched: frozenset[int], *, news: bool) -> Cost:
    """What ``seat`` has to pay for passing over decisions of the seats ``touched`` (match.8)."""
    if match.status != "playing" or match.undo == "off":
        return "never"
    if match.undo == "casual":
        return "free"
    everybody = frozenset(range(len(match.seats)))
    needed = sorted((everybody if news else touched) - {seat})
    if not needed:
        return "free"
    if match.undo == "strict" or any(match.seats[each].mechanical for each in needed):
        return "never"
    return Agreed(tuple(needed))


def foreseen(match: Match, seat: int) -> Callable[[Any], Cost]:
    """What it would cost ``seat`` to take a legal move back right after making it, as a function of the move.

    ``free`` is a promise. Where chance or secrets have a say, the answer is the dear one, so that nobody
    looks through it into the future.
    """
    game, state, own = pinned(match.rules), match.state, frozenset((seat,))
    quiet, loud = (price(match, seat, own, news=news) for news in (False, True))
    if quiet == loud or not isinstance(game, Foreseeing):
        return lambda _move: loud
    return lambda move: quiet if game.quiet(state, seat, move) else loud


# The line


def line(match: Match, past: Past) -> Iterator[Match]:
    """The match at each version of the line, from its head back to where play began."""
    while match.step is not None:
        yield match
        match = past(match.step.before)
    yield match


def targets(match: Match, seat: int, past: Past) -> list[Target]:
    """Where ``seat`` could take the match back to, the latest version first."""
    found: list[Target] = []
    touched: frozenset[int] = frozenset()
    news = False
    for each in line(match, past):
        if each.head != match.head:
            found.append(Target(each.head, price(match, seat, touched, news=news)))
        if each.step is not None:
            touched |= {each.step.seat}
            news = news or each.step.news
    return found


def returns(match: Match, seat: int, past: Past) -> list[Target]:
    """Where ``seat`` could go forward to, along the line last left, the nearest version first."""
    if not match.undone:
        return []
    ahead = []
    for each in line(past(match.undone[0]), past):
        if each.head == match.head:
            break
        ahead.append(each)
    found: list[Target] = []
    touched: frozenset[int] = frozenset()
    news = False
    for each in reversed(ahead):
        assert each.step is not None, "play began before the head"
        touched |= {each.step.seat}
        news = news or each.step.news
        found.append(Target(each.head, price(match, seat, touched, news=news)))
    return found


# Deciding


def decide_time(
    match: Match, actor: str | None, seat: int | None, action: TimeAction, past: Past
) -> tuple[Kind, list[Effect]]:
    """What follows, and as what kind of event; ``Refused`` if nothing may."""
    if match.status != "playing":
        raise WrongPhase("the match has not started: there is nothing to take back", rule="match.7")
    held = _held(match, actor, seat)
    match action:
        case Undo(to=to):
            return _move_head(match, held.seat, "undo", _aim(targets(match, held.seat, past), to, "back"))
        case Redo(to=to):
            ahead = returns(match, held.seat, past)
            aim = _aim(ahead, match.undone[-1] if to is None and match.undone else to, "forward")
            return _move_head(match, held.seat, "redo", aim)
        case Consent(proposal=name):
            return "consent", _consent(_open(match, name), held.seat)
        case Refuse(proposal=name):
            return "refuse", _refuse(_open(match, name), held.seat)
        case Withdraw(proposal=name):
            return "withdraw", _withdraw(_open(match, name), held.seat)


def _held(match: Match, actor: str | None, seat: int | None) -> Seat:
    if seat is None or not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {seat}", rule="match.7")
    held = match.seats[seat]
    if held.player != actor or held.mechanical:
        raise Forbidden(f"seat {seat} is not yours to speak for", rule="match.7", seat=seat)
    return held


def _aim(allowed: list[Target], to: int | None, way: str) -> Target:
    for each in allowed:
        if each.version == to:
            return each
    if not allowed:
        raise UndoNotAllowed(f"there is nothing to go {way} to", rule="match.7")
    low, high = sorted((allowed[0].version, allowed[-1].version))
    raise UndoNotAllowed(
        f"version {to} is not on the line; one can go {way} to versions of it from {low} to {high}",
        rule="match.7",
    )


def _move_head(
    match: Match, seat: int, kind: Literal["undo", "redo"], aim: Target
) -> tuple[Kind, list[Effect]]:
    match aim.cost:
        case "never":
            raise UndoNotAllowed(_why_never(match), rule="match.8", seat=seat)
        case "free":
            return kind, [HeadMoved(rule="match.7", left=match.head, to=aim.version)]
        case Agreed(consent=needs):
            return "propose", [_proposed(match, seat, kind, aim.version, needs)]


def _why_never(match: Match) -> str:
    if match.undo == "off":
        return "nothing is taken back in this match"
    if match.undo == "strict":
        return "only decisions of one's own that told nobody anything new are taken back in this match"
    return "a seat that the house moves for would have to agree, and the house agrees to nothing"


def _proposed(
    match: Match, seat: int, kind: Literal["undo", "redo"], to: int, needs: tuple[int, ...]
) -> Proposed:
    if any(each.by == seat for each in match.proposals):
        raise UndoNotAllowed(
            f"seat {seat} has an open proposal; withdraw it first", rule="match.9", seat=seat
        )
    if match.asked.count(seat) >= PROPOSALS:
        raise UndoNotAllowed(
            f"seat {seat} has proposed {PROPOSALS} times at version {match.head}; somebody has to move first",
            rule="match.9",
            seat=seat,
        )
    name = f"p{match.version + 1}"
    return Proposed(rule="match.9", id=name, kind=kind, by=seat, to=to, head=match.head, needs=needs)


def _open(match: Match, name: str) -> Proposal:
    for each in match.proposals:
        if each.id == name:
            return each
    raise ProposalVoid(
        f"the proposal {name} is not open; the match is at version {match.head}", rule="match.9"
    )


def _consent(proposal: Proposal, seat: int) -> list[Effect]:
    _require_needed(proposal, seat)
    if seat in proposal.given:
        raise Forbidden(f"seat {seat} has agreed already", rule="match.9", seat=seat)
    given: list[Effect] = [ConsentGiven(rule="match.9", proposal=proposal.id, seat=seat)]
    if {*proposal.given, seat} == {*proposal.needs}:
        given.append(HeadMoved(rule="match.7", left=proposal.head, to=proposal.to))
    return given


def _refuse(proposal: Proposal, seat: int) -> list[Effect]:
    _require_needed(proposal, seat)
    return [ProposalClosed(rule="match.9", proposal=proposal.id, seat=seat, reason="refused")]


def _withdraw(proposal: Proposal, seat: int) -> list[Effect]:
    if seat != proposal.by:
        raise Forbidden(f"seat {proposal.by} made the proposal", rule="match.9", seat=seat)
    return [ProposalClosed(rule="match.9", proposal=proposal.id, seat=seat, reason="withdrawn")]


def _require_needed(proposal: Proposal, seat: int) -> None:
    if seat not in proposal.needs:
        asked = ", ".join(map(str, proposal.needs))
        raise Forbidden(f"it is not for seat {seat} to say; asked are: {asked}", rule="match.9", seat=seat)
