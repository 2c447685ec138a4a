"""The first event of every match, be it made to order, after another match, or from a version of one. Pure.

What is particular to each is told in ``decider`` (match.1), ``fork`` (match.10) and ``rematch`` (match.17).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from kleos.core.kernel.game import Effect
from kleos.core.match.actions import Create, Parent
from kleos.core.match.chance import anchor
from kleos.core.match.event import Event
from kleos.core.match.facts import MatchCreated
from kleos.core.match.folding import evolve
from kleos.core.match.opening import opening
from kleos.core.match.state import Match


def like(match: Match) -> Create:
    """The order that would lay out the same match once more."""
    return Create(
        game=match.game,
        rules=match.rules,
        seats=len(match.seats),
        options=match.options,
        undo=match.undo,
        visibility=match.visibility,
        start=match.start,
        deadline=match.deadline,
        rated=match.rated,
        referee=match.referee,
        signed=match.signed,
    )


def laid_out(
    match_id: str,
    player: str,
    action: Any,
    order: Create,
    then: Callable[[Match], Iterable[Effect]],
    *,
    rule: str,
    seed: str,
    at: int,
    seat: int | None = None,
    parent: Parent | None = None,
    rematch_of: str | None = None,
) -> Event:
    """The event by which ``action`` of ``player`` lays out what ``order`` says, under ``rule``.

    ``then`` is given the empty match and tells what else is true of it from the first: who sits where, or
    the position. If nobody is missing then, and it is not to wait, play starts at once (match.4).
    """
    created = MatchCreated(
        rule=rule,
        game=order.game,
        rules=order.rules,
        seats=order.seats,
        options=order.options,
        undo=order.undo,
        visibility=order.visibility,
        start=order.start,
        creator=player,
        parent=parent,
        deadline=order.deadline,
        rated=order.rated,
        referee=order.referee,
        rematch_of=rematch_of,
        signed=order.signed,
        dice=anchor(seed, match_id),
        seed=seed,
    )
    event = Event(
        match=match_id,
        version=1,
        at=at,
        kind="create",
        seat=seat,
        player=player,
        rules=order.rules,
        action=action,
        effects=(created,),
    )
    event = replace(event, effects=(created, *then(evolve(None, event))))
    match = evolve(None, event)
    if match.start == "full" and not any(each.free for each in match.seats):
        event = replace(event, effects=(*event.effects, *opening(replace(match, version=0))))
    return event
