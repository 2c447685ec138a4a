"""Tidings: what an event means to whom. A turn that begins, an end, an invitation, a proposal. Pure.

They follow from the match before and after the event, so they are found once, when it is made, and kept
beside it. Must not know how anybody is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from kleos.core.match.state import Match, Status, seats_to_act

TidingKind = Literal["match.started", "match.invited", "match.proposal", "match.your_turn", "match.over"]


class Tiding(Struct, frozen=True, array_like=True):
    """Something that ``player`` would want to be told; ``seat`` is theirs that it is about, if one is.

    * ``match.started``: play has begun.
    * ``match.invited``: a seat is kept for the player.
    * ``match.proposal``: a proposal waits for the seat's consent.
    * ``match.your_turn``: the seat has something to decide, and had not, or had another player.
    * ``match.over``: the match has ended, in whatever way; also for its creator and its referee.
    """

    kind: TidingKind
    seat: int | None
    player: str


class News(Struct, frozen=True, array_like=True):
    """What an event of a match has to tell, as it is kept beside it. ``status`` is that after the event."""

    game: str
    status: Status
    tidings: tuple[Tiding, ...]

    @classmethod
    def read(cls, kept: bytes) -> News:
        """The news that were kept in these bytes."""
        return msgspec.json.decode(kept, type=cls)

    @property
    def kept(self) -> bytes:
        """The news in bytes; none where there are none."""
        return msgspec.json.encode(self) if self.tidings else b""


def tidings(before: Match | None, after: Match) -> tuple[Tiding, ...]:
    """What the event between two versions means to whom; ``before`` is None for the first event."""
    if after.opened:
        over = before is None or not before.opened
        return tuple(_over(after)) if over else ()
    return (
        *_started(before, after),
        *_invited(before, after),
        *_asked(before, after),
        *_turns(before, after),
    )


def _over(match: Match) -> Iterator[Tiding]:
    """Everybody once, for the first of their seats."""
    told: dict[str, int | None] = {}
    for seat in match.seats:
        if seat.player is not None:
            told.setdefault(seat.player, seat.seat)
    for player in (match.creator, match.referee):
        if player is not None:
            told.setdefault(player, None)
    return (Tiding("match.over", seat, player) for player, seat in told.items())


def _started(before: Match | None, after: Match) -> Iterator[Tiding]:
    if after.status == "playing" and (before is None or before.status != "playing"):
        yield from _to("match.started", after, (each.seat for each in after.seats))


def _invited(before: Match | None, after: Match) -> Iterator[Tiding]:
    known = set() if before is None else {each.id for each in before.invitations}
    for each in after.invitations:
        if each.player is not None and each.id not in known:
            yield Tiding("match.invited", each.seat, each.player)


def _asked(before: Match | None, after: Match) -> Iterator[Tiding]:
    known = set() if before is None else {each.id for each in before.proposals}
    for each in after.proposals:
        if each.id not in known:
            yield from _to("match.proposal", after, (seat for seat in each.needs if seat not in each.given))


def _turns(before: Match | None, after: Match) -> Iterator[Tiding]:
    waited = {} if before is None else {seat: _attendant(before, seat) for seat in seats_to_act(before)}
    begun = (each for each in seats_to_act(after) if waited.get(each) != _attendant(after, each))
    yield from _to("match.your_turn", after, begun)


def _attendant(match: Match, seat: int) -> str | None:
    """Who decides for a seat; None if nobody does."""
    held = match.seats[seat]
    return None if held.resigned else held.player


def _to(kind: TidingKind, match: Match, seats: Iterator[int]) -> Iterator[Tiding]:
    """The same to the players of some seats: nobody is told for a bot, or for a seat that was given up."""
    for seat in seats:
        player = _attendant(match, seat)
        if player is not None:
            yield Tiding(kind, seat, player)
