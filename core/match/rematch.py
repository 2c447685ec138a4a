"""Rematch: the same game once more, with everybody's old seat kept for them (match.17). Pure."""

from __future__ import annotations

from kleos.core.kernel.errors import Forbidden, WrongPhase
from kleos.core.kernel.game import Effect
from kleos.core.match.actions import Rematch
from kleos.core.match.event import Event
from kleos.core.match.facts import Invited
from kleos.core.match.layout import laid_out, like
from kleos.core.match.seating import filled
from kleos.core.match.state import Match


def rematch(match_id: str, player: str, parent: Match, *, seed: str, at: int) -> Event:
    """The first event of the match that follows ``parent``, asked for by one of those who took part."""
    if not parent.opened:
        raise WrongPhase("a rematch follows the end of a match", rule="match.17")
    if player != parent.creator and not parent.seats_of(player):
        raise Forbidden("a rematch is for those who played", rule="match.17")
    return laid_out(
        match_id,
        player,
        Rematch(of=parent.id),
        like(parent),
        lambda _: _seats(parent, player),
        rule="match.17",
        seed=seed,
        at=at,
        rematch_of=parent.id,
    )


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
