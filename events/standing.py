"""How a match stands, without its game's state: what lists of matches show, and what the feed tells.

Times are integer milliseconds since the epoch. Names of people are not in it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kleos.core.kernel import Outcome
from kleos.core.kernel.registry import pinned
from kleos.core.match import Due, Match, dues, seats_to_act
from kleos.core.match.actions import Deadline, Parent, UndoPolicy, Visibility
from kleos.core.match.event import Kind
from kleos.core.match.state import Status


class SeatStanding(Struct, frozen=True):
    """Who sits where."""

    seat: int
    player: str | None
    bot: str | None
    resigned: bool


class Standing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match after its event ``version``, which was a ``kind`` at the time ``at``."""

    match: str
    version: int
    head: int
    kind: Kind | None
    at: int
    game: str
    rules: str
    status: Status
    seats: tuple[SeatStanding, ...]
    to_act: tuple[int, ...]
    visibility: Visibility
    undo: UndoPolicy
    creator: str
    created_at: int
    updated_at: int
    options: dict[str, Any]
    outcome: Outcome | None
    parent: Parent | None = None
    deadline: Deadline | None = None
    due: tuple[Due, ...] = ()
    """When the time of those who are to act is over, the earliest first."""
    rated: bool = True
    """Never a casual match, whatever was asked for."""
    rematch_of: str | None = None
    referee: str | None = None
    invited: tuple[str, ...] = ()
    """Players for whom a seat is kept."""
    kept: tuple[int | None, ...] = ()
    """Which one, in the same order; None for any."""
    adjourned: bool = False
    sides: tuple[tuple[int, ...], ...] = ()
    """Once it is finished, the seats that played together."""
    house_due: int | None = None
    """When the house will have to act on that."""
    signed: bool = False
    asked: tuple[int, ...] = ()
    """Seats for whose consent a proposal waits."""
    imported: bool = False
    """Brought in, under way or from another server: it is read here, and not gone on with."""

    @classmethod
    def of(cls, match: Match, kind: Kind | None = None) -> Standing:
        """The standing of a match, ``kind`` being that of its latest event where it matters."""
        due = dues(match)
        left_to_players = match.deadline is None or match.deadline.policy == "wait"
        return cls(
            match=match.id,
            version=match.version,
            head=match.head,
            kind=kind,
            at=match.updated_at,
            game=match.game,
            rules=match.rules,
            status=match.status,
            seats=tuple(
                SeatStanding(each.seat, each.player, each.bot, each.resigned) for each in match.seats
            ),
            to_act=seats_to_act(match),
            visibility=match.visibility,
            undo=match.undo,
            creator=match.creator,
            created_at=match.created_at,
            updated_at=match.updated_at,
            options=match.options,
            outcome=match.outcome,
            parent=match.parent,
            deadline=match.deadline,
            due=due,
            rated=match.rated and match.undo != "casual",
            sides=pinned(match.rules).sides(match.state) if match.status == "finished" else (),
            rematch_of=match.rematch_of,
            referee=match.referee,
            invited=tuple(each.player for each in match.invitations if each.player is not None),
            kept=tuple(each.seat for each in match.invitations if each.player is not None),
            adjourned=match.adjourned,
            house_due=None if left_to_players or not due else due[0].at,
            signed=match.signed,
            asked=tuple(
                sorted({seat for each in match.proposals for seat in each.needs if seat not in each.given})
            ),
        )

    @classmethod
    def read(cls, notice: bytes) -> Standing:
        """The standing that a notice of the feed tells."""
        return msgspec.json.decode(notice, type=cls)

    @property
    def members(self) -> frozenset[str]:
        """Whoever made the match, sits in it, rules on it, or is invited to it."""
        seated = (each.player for each in self.seats)
        named = (self.creator, self.referee, *seated, *self.invited)
        return frozenset(each for each in named if each is not None)

    @property
    def brought_in(self) -> Standing:
        """As it stands where it is only read: nobody is waited for, and nobody's rating changes."""
        return replace(self, imported=True, rated=False, to_act=(), due=(), house_due=None)

    @property
    def notice(self) -> bytes:
        """The standing as the feed carries it."""
        return _SORTED.encode(self)


_SORTED = msgspec.json.Encoder(order="sorted")
