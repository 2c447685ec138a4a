"""Fork: a new match that begins with the state of a version of another one (match.10). Pure.

The child has a seed of its own, so it tells nothing of the parent's dice to come. While the parent is being
played, everything that the asker cannot see is dealt anew: the child's secrets are not the parent's.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from kleos.core.kernel.errors import Forbidden, Malformed, UndoNotAllowed, WrongPhase
from kleos.core.kernel.game import Effect, Redealing
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Sight
from kleos.core.match.actions import Fork, Parent
from kleos.core.match.chance import chance_for
from kleos.core.match.event import Event
from kleos.core.match.facts import PositionTaken, SeatFilled
from kleos.core.match.layout import laid_out, like
from kleos.core.match.state import Match


def fork(
    match_id: str, player: str, parent: Match, base: Match, action: Fork, *, root: str, seed: str, at: int
) -> Event:
    """The first event of a fork of ``parent``; ``base`` is the parent at version ``action.at``.

    ``root`` is the root of the parent's tree at that version, in base64.
    """
    if base.state is None:
        raise WrongPhase("a fork begins at a version at which the game was on", rule="match.10")
    if action.seat is not None and action.seat >= len(base.seats):
        raise Malformed(f"seat is one of 0 to {len(base.seats) - 1}, not {action.seat}", rule="match.10")
    order = replace(
        like(base),
        undo=action.undo,
        visibility=action.visibility,
        start=action.start,
        deadline=None,
        rated=False,
        referee=None,
        signed=False,
    )

    def then(child: Match) -> list[Effect]:
        state = _state(parent, base, player, child)
        taken = position_taken(base.rules)(rule="match.10", state=state)
        return [taken, *_seats(action, player, len(base.seats))]

    return laid_out(
        match_id,
        player,
        action,
        order,
        then,
        rule="match.10",
        seed=seed,
        at=at,
        seat=None if action.undo == "casual" else action.seat,
        parent=Parent(base.id, base.version, root),
    )


def _state(parent: Match, base: Match, player: str, child: Match) -> Any:
    """The state that the fork begins with: as it was, or with other secrets while the parent is played."""
    if parent.opened:
        return base.state
    players = {each.player for each in parent.seats if each.player is not None}
    if players != {player}:
        raise Forbidden(
            "while a match is being played only its one player may fork it; afterwards everybody",
            rule="match.10",
        )
    game = pinned(parent.rules)
    if not isinstance(game, Redealing):
        raise UndoNotAllowed(f"{game.title} cannot be forked before the match is over", rule="match.10")
    return game.redeal(base.state, frozenset(parent.seats_of(player)), chance_for(child, 1))


def _seats(action: Fork, player: str, seats: int) -> list[Effect]:
    mine = range(seats) if action.undo == "casual" else [] if action.seat is None else [action.seat]
    return [
        SeatFilled(rule="match.10", seat=seat, player=player, bot=None, entropy=action.entropy)
        for seat in mine
    ]


@cache
def position_taken(rules: str) -> Any:
    """The effect ``PositionTaken`` of a game: with the type, and so the visibility, of its state."""
    state: Any = Annotated[pinned(rules).State, Sight.PUBLIC]
    made = msgspec.defstruct(
        "PositionTaken",
        [("state", state)],
        bases=(PositionTaken,),
        module=__name__,
        frozen=True,
        kw_only=True,
        tag="position_taken",
    )
    made.__doc__ = PositionTaken.__doc__
    return made
