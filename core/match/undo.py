"""Undo and redo: where the head may go, what that costs, and how it is proposed (match.7 to match.10). Pure.

The *line* is the chain of decisions that led to the state in force. What an undo costs follows from the
decisions it passes over: whose they were, and whether anybody learned something from them. All functions
that look back are given ``past``, the match at each of its earlier versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from kleos.core.kernel.errors import UndoNotAllowed, WrongPhase
from kleos.core.kernel.game import Effect, Foreseeing
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Public
from kleos.core.match import agreement
from kleos.core.match.actions import Consent, Redo, Refuse, TimeAction, Undo, Withdraw
from kleos.core.match.agreement import asker, propose
from kleos.core.match.event import Kind
from kleos.core.match.facts import HeadMoved
from kleos.core.match.state import Match, Past


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
    if match.status != "playing" or match.adjourned or match.undo == "off":
        return "never"
    if match.undo == "casual":
        return "free"
    everybody = frozenset(range(len(match.seats)))
    needed = sorted((everybody if news else touched) - {seat})
    if not needed:
        return "free"
    if match.undo == "strict" or any(not match.seats[each].attended for each in needed):
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
    walked = list(line(match, past))
    costs = _costs(match, seat, walked[:-1])
    return [Target(each.head, cost) for each, cost in zip(walked[1:], costs, strict=True)]


def returns(match: Match, seat: int, past: Past) -> list[Target]:
    """Where ``seat`` could go forward to, along the line last left, the nearest version first."""
    if not match.undone:
        return []
    left = line(past(match.undone[0]), past)
    ahead = [*takewhile(lambda each: each.head != match.head, left)][::-1]
    costs = _costs(match, seat, ahead)
    return [Target(each.head, cost) for each, cost in zip(ahead, costs, strict=True)]


def _costs(match: Match, seat: int, decided: list[Match]) -> Iterator[Cost]:
    """What it takes to pass over the decisions that led to these, one decision more each time."""
    touched: frozenset[int] = frozenset()
    news = False
    cost: Cost = "free"
    for each in decided:
        assert each.step is not None, "play began before"
        if each.step.seat not in touched or each.step.news > news:
            touched |= {each.step.seat}
            news = news or each.step.news
            cost = price(match, seat, touched, news=news)
        yield cost


# Deciding


def decide_time(
    match: Match, actor: str | None, seat: int | None, action: TimeAction, past: Past
) -> tuple[Kind, list[Effect]]:
    """What follows, and as what kind of event; ``Refused`` if nothing may."""
    if match.status != "playing":
        raise WrongPhase("the match has not started: there is nothing to take back", rule="match.7")
    held = asker(match, actor, seat, "match.7")
    match action:
        case Undo(to=to):
            return _move_head(match, held.seat, "undo", _aim(targets(match, held.seat, past), to, "back"))
        case Redo(to=to):
            ahead = returns(match, held.seat, past)
            aim = _aim(ahead, match.undone[-1] if to is None and match.undone else to, "forward")
            return _move_head(match, held.seat, "redo", aim)
        case Consent(proposal=name):
            return "consent", agreement.consent(match, agreement.opened(match, name), held.seat)
        case Refuse(proposal=name):
            return "refuse", agreement.refuse(agreement.opened(match, name), held.seat)
        case Withdraw(proposal=name):
            return "withdraw", agreement.withdraw(agreement.opened(match, name), held.seat)


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
            return "propose", [propose(match, seat, kind, needs, to=aim.version)]


def _why_never(match: Match) -> str:
    if match.undo == "off":
        return "nothing is taken back in this match"
    if match.undo == "strict":
        return "only decisions of one's own that told nobody anything new are taken back in this match"
    return (
        "a seat that the house moves for, a bot or one given up, would have to agree: "
        "bots agree to nothing that touches their decisions or what they have learned"
    )
