"""Rematch: the same game once more, with everybody's old seat kept for them (match.17). Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.kernel.errors import Forbidden, WrongPhase
from kleos.core.kernel.game import Effect
from kleos.core.match.actions import Invited, MatchCreated, Rematch
from kleos.core.match.chance import anchor
from kleos.core.match.event import Event
from kleos.core.match.folding import evolve
from kleos.core.match.opening import opening
from kleos.core.match.seating import filled
from kleos.core.match.state import Match


def rematch(match_id: str, player: str, parent: Match, *, seed: str, at: int) -> Event:
    """The first event of the match that follows ``parent``, asked for by one of those who took part."""
    if not parent.opened:
        raise WrongPhase("a rematch follows the end of a match", rule="match.17")
    if player != parent.creator and not parent.seats_of(player):
        raise Forbidden("a rematch is for those who played", rule="match.17")
    created = MatchCreated(
        rule="match.17",
        game=parent.game,
        rules=parent.rules,
        seats=len(parent.seats),
        options=parent.options,
        undo=parent.undo,
        visibility=parent.visibility,
        start=parent.start,
        creator=player,
        deadline=parent.deadline,
        rated=parent.rated,
        referee=parent.referee,
        rematch_of=parent.id,
        signed=parent.signed,
        dice=anchor(seed, match_id),
        seed=seed,
    )
    event = Event(
        match=match_id,
        version=1,
        at=at,
        kind="create",
        seat=None,
        player=player,
        rules=parent.rules,
        action=Rematch(of=parent.id),
        effects=(created, *_seats(parent, player)),
    )
    child = evolve(None, event)
    if child.start == "full" and not any(each.free for each in child.seats):
        event = replace(event, effects=(*event.effects, *opening(replace(child, version=0))))
    return event


def _seats(parent: Match, player: str) -> list[Effect]:
    effects: list[Effect] = []
    for each in parent.seats:
        if each.bot is not None:
            effects.append(filled(each.seat, bot=each.bot))
        elif each.player == player:
            effects.append(filled(each.seat, player=player, key=each.key))
        elif each.player is not None:
            effects.append(Invited(rule="match.17", id=f"i1-{each.seat}", seat=each.seat, player=each.player))
    return effects
