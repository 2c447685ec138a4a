"""Decide: what an action on a match leads to, or why it is refused. Pure.

``decide`` is given the match as it stands, who asks, and what. Taking back and going forward is told in
``undo``, what an event makes of a match in ``folding``. The paragraphs cited as ``match.N`` are those of
``docs/match.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from kleos.core.kernel.errors import (
    Forbidden,
    Malformed,
    MatchFinished,
    NotYourTurn,
    WrongPhase,
)
from kleos.core.kernel.game import Effect, require_turn
from kleos.core.kernel.registry import pinned
from kleos.core.match.actions import (
    Abandon,
    Adjourn,
    Adjudicate,
    Annotate,
    Appoint,
    Claim,
    Consent,
    Create,
    Expire,
    Fork,
    Invite,
    Join,
    Leave,
    MatchAction,
    Redo,
    RefereeAction,
    Refuse,
    Rematch,
    Resume,
    Revoke,
    Start,
    Undo,
    Vacate,
    Withdraw,
)
from kleos.core.match.agreement import abandon, vacate
from kleos.core.match.chance import LINKS, anchor, chance_for
from kleos.core.match.clock import claim, expire, overdue
from kleos.core.match.ending import resignation
from kleos.core.match.event import Event, Kind
from kleos.core.match.facts import DiceAnchored, MatchEnded, TimeRanOut
from kleos.core.match.layout import laid_out
from kleos.core.match.opening import dice_opened, opening
from kleos.core.match.referee import appoint, decide_as_referee
from kleos.core.match.seating import filled, invite, join, leave, place, require_key, revoke, seat_of
from kleos.core.match.state import HOUSE, Match, Past, forgotten
from kleos.core.match.undo import decide_time


def create(match_id: str, player: str, action: Create, *, seed: str, at: int) -> Event:
    """The first event of a match (match.1). ``seed`` is 32 fresh random bytes in hexadecimal."""
    game = pinned(action.rules)
    if action.seats not in game.seats:
        allowed = f"{game.seats[0]} to {game.seats[-1]}"
        raise Malformed(f"{game.title} has {allowed} seats, not {action.seats}", rule="match.1")
    try:
        chosen = msgspec.convert(action.options, game.Options)
    except msgspec.ValidationError as error:
        raise Malformed(f"options: {error}", rule="match.1") from None
    settled = game.settle(chosen, action.seats)
    options = msgspec.to_builtins(settled, order="sorted")  # the order in which they are stored
    action = replace(action, game=game.name, options=options)
    return laid_out(
        match_id,
        player,
        action,
        action,
        lambda _: _seat_of_creator(player, action),
        rule="match.1",
        seed=seed,
        at=at,
        seat=action.seat,
    )


def _seat_of_creator(player: str, order: Create) -> Iterator[Effect]:
    if order.seat is None:
        return
    if order.referee == player:
        raise Forbidden("who plays is no referee", rule="match.18")
    if order.seat >= order.seats:
        raise Malformed(f"seat is one of 0 to {order.seats - 1}, not {order.seat}", rule="match.1")
    require_key(order.key, signed=order.signed)
    yield filled(order.seat, player=player, entropy=order.entropy, key=order.key)


def decide(
    match: Match, actor: str | None, seat: int | None, action: Any, *, at: int, past: Past = forgotten
) -> Event:
    """What ``actor`` (a player id, or ``HOUSE``) asking for ``action`` at ``seat`` leads to.

    ``action`` is one of the match's own actions or a move of its game; ``seat`` is read for moves and for
    undo, redo and proposals, ``past`` for these last alone. Raises a ``Refused``, or ``Forgotten`` if
    ``past`` does not reach back; returns the event that makes version ``match.version + 1``.
    """
    if match.opened:
        raise MatchFinished(f"the match is {match.status}", rule="match.6")
    if isinstance(action, MatchAction) and (actor is HOUSE) != isinstance(action, Expire):
        raise Forbidden(
            "the house moves for bots and absent seats and ends waiting, nothing else", rule="match.5"
        )
    if match.adjourned and not isinstance(action, Leave | Invite | Revoke | RefereeAction):
        raise WrongPhase("the referee has adjourned the match", rule="match.18")
    if isinstance(action, Join):
        seat = place(match, actor, action)
        action = replace(action, seat=seat)
    if isinstance(action, MatchAction):
        kind, effects = _of_match(match, actor, seat, action, at=at, past=past)
    else:
        kind, effects = "move", _play(match, actor, seat, action, at)
    version = match.version + 1
    if version % LINKS == 0:
        effects = (
            *effects,
            DiceAnchored(rule="match.11", anchor=anchor(match.seed, match.id, version // LINKS)),
        )
    return Event(
        match=match.id,
        version=version,
        at=at,
        kind=kind,
        seat=_whose(action, seat),
        player=actor,
        rules=match.rules,
        action=action,
        effects=tuple(effects),
    )


def _of_match(
    match: Match, actor: str | None, seat: int | None, action: MatchAction, *, at: int, past: Past
) -> tuple[Kind, Iterable[Effect]]:
    """What follows from an action of the match's own, and as what kind of event."""
    match action:
        case Create() | Fork() | Rematch():
            raise Forbidden("a match is laid out once", rule="match.1")
        case Join() | Leave() | Invite() | Revoke() | Start() | Appoint():
            return _of_people(match, actor, action)
        case Vacate():
            return vacate(match, actor, seat, action, at)
        case Abandon():
            return abandon(match, actor, seat, at)
        case Expire():
            return "resign", expire(match, at)
        case Claim():
            return "resign", claim(match, actor, action, at)
        case Annotate() | Adjourn() | Resume() | Adjudicate():
            return decide_as_referee(match, actor, action)
        case Undo() | Redo() | Consent() | Refuse() | Withdraw():
            return decide_time(match, actor, seat, action, past)


def _of_people(
    match: Match, actor: str | None, action: Join | Leave | Invite | Revoke | Start | Appoint
) -> tuple[Kind, Iterable[Effect]]:
    match action:
        case Join():
            return "join", join(match, actor, action)
        case Leave(seat=seat) if match.status == "open":
            return "leave", leave(match, actor, seat)
        case Leave(seat=seat):
            return "resign", _resign(match, actor, seat)
        case Invite():
            return "invite", invite(match, actor, action)
        case Revoke():
            return "revoke", revoke(match, actor, action)
        case Start():
            return "start", _start(match, actor)
        case Appoint():
            return "appoint", appoint(match, actor, action)


def _whose(action: Any, seat: int | None) -> int | None:
    """The seat that an event is about: that of who asked, or the one named; None if it is about none."""
    match action:
        case Leave() | Claim():
            return action.seat
        case (
            Invite()
            | Revoke()
            | Start()
            | Expire()
            | Appoint()
            | Annotate()
            | Adjourn()
            | Resume()
            | Adjudicate()
        ):
            return None
        case _:
            return seat


def _start(match: Match, actor: str | None) -> Iterator[Effect]:
    if match.status != "open":
        raise WrongPhase("the match has started already", rule="match.4")
    if actor != match.creator:
        raise Forbidden("only the creator of the match starts it", rule="match.4")
    free = ", ".join(str(each.seat) for each in match.seats if each.free)
    if free:
        raise WrongPhase(f"every seat must be taken first; free: {free}", rule="match.4")
    yield from opening(match)


# While it is played: match.5 and match.6


def _play(match: Match, actor: str | None, seat: int | None, move: Any, at: int) -> Iterator[Effect]:
    if match.status == "open":
        raise WrongPhase("the match has not started: seats are still free", rule="match.4")
    held = seat_of(match, seat)
    game = pinned(match.rules)
    if actor is HOUSE and held.attended:
        yield _too_late(match, held.seat, move, at)
    elif held.mechanical != (actor is HOUSE) or (actor is not HOUSE and held.player != actor):
        raise Forbidden(f"seat {held.seat} is not yours to move for", rule="match.5", seat=held.seat)
    require_turn(game, match.state, held.seat)
    chance = chance_for(match, match.version + 1)
    played = game.decide(match.state, held.seat, move, chance)
    yield from played.effects
    yield from dice_opened(chance)
    outcome = game.outcome(played.state)
    if outcome is not None:
        yield MatchEnded(rule="match.6", outcome=outcome)


def _too_late(match: Match, seat: int, move: Any, at: int) -> TimeRanOut:
    """Why the house may make this move for a person."""
    late = next((due for due in overdue(match, at) if due.seat == seat), None)
    if late is None or match.deadline is None or match.deadline.policy != "bot":
        raise Forbidden(f"seat {seat} is not yours to move for", rule="match.5", seat=seat)
    if move != pinned(match.rules).fallback(match.state, seat):
        raise Forbidden("for who is absent the house makes the safe default", rule="match.13", seat=seat)
    return TimeRanOut(rule="match.13", seat=seat, due=late.at)


def _resign(match: Match, actor: str | None, seat: int) -> Iterator[Effect]:
    held = seat_of(match, seat)
    if held.player != actor:
        raise Forbidden(f"seat {seat} is not yours to give up", rule="match.6", seat=seat)
    if held.resigned:
        raise NotYourTurn(f"seat {seat} has resigned already", rule="match.6", seat=seat)
    yield from resignation(match, [seat])
