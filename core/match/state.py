"""The state of a match: who sits where, how it stands, and the state of its game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from kleos.core.kernel.game import Outcome
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Public, Secret
from kleos.core.match.actions import Deadline, Parent, ProposalKind, StartMode, UndoPolicy, Visibility

HOUSE: Final = None
"""The actor of moves that the server makes for bots and absent seats; people are player ids."""

Status = Literal["open", "playing", "finished", "abandoned"]
OVER: Final[frozenset[Status]] = frozenset({"finished", "abandoned"})
"""Nobody plays on."""
_APART: Final = ("seed", "state")
"""Fields that are no part of the standing."""
_SORTED: Final = msgspec.json.Encoder(order="sorted")


class Seat(Struct, frozen=True):
    """A place at the table. At most one of ``player`` and ``bot`` is set; neither in a free seat."""

    seat: Public[int]
    player: Public[str | None] = None
    bot: Public[str | None] = None
    entropy: Public[str] = ""
    resigned: Public[bool] = False
    key: Public[str | None] = None

    @property
    def free(self) -> bool:
        return self.player is None and self.bot is None

    @property
    def mechanical(self) -> bool:
        """Whether the house moves for this seat."""
        return self.bot is not None or self.resigned

    @property
    def attended(self) -> bool:
        """Whether a person decides for this seat."""
        return self.player is not None and not self.resigned


class Step(Struct, frozen=True):
    """The decision that led to a state: whose, whether it brought news, and the head it was made at."""

    seat: Public[int]
    news: Public[bool]
    before: Public[int]


class Waiting(Struct, frozen=True):
    """A person's seat has had something to decide since a time."""

    seat: Public[int]
    since: Public[int]


class Owed(Struct, frozen=True):
    """A seat took decisions back alone: so many of its next ones get no time but that of the farthest one.

    ``since`` is when that one began to be waited for.
    """

    seat: Public[int]
    decisions: Public[int]
    since: Public[int]


class Clock(Struct, frozen=True):
    """Whose time is running (match.13); ``anew`` is when all times last began anew."""

    waiting: Public[tuple[Waiting, ...]] = ()
    owed: Public[tuple[Owed, ...]] = ()
    anew: Public[int] = 0


class Due(Struct, frozen=True):
    """The time of a seat is over at ``at``."""

    seat: Public[int]
    at: Public[int]


class Proposal(Struct, frozen=True):
    """A wish of seat ``by``, made at ``head`` and open until all in ``needs`` agreed.

    ``undo`` and ``redo`` would move the head to ``to``, ``replace`` would free ``seat``, ``abandon`` would
    end the match.
    """

    id: Public[str]
    kind: Public[ProposalKind]
    by: Public[int]
    to: Public[int | None]
    head: Public[int]
    needs: Public[tuple[int, ...]]
    given: Public[tuple[int, ...]] = ()
    seat: Public[int | None] = None


class Invitation(Struct, frozen=True):
    """A free seat (null: any) is kept for a player (null: whoever shows the link)."""

    id: Public[str]
    seat: Public[int | None]
    player: Public[str | None]


class Match(Struct, frozen=True):
    """A match at one version. Times are integer milliseconds since the epoch.

    ``head`` is the version whose state is in force, and ``step`` how that state came about: None for the
    state that play began with. Following ``before`` from step to step gives the *line*. ``undone`` are the
    heads that undos left and redo can return to, the farthest first. ``asked`` has a seat for every
    proposal made since the head last moved. Since the version ``since`` there was only talk: what somebody
    saw from there on is still in force.
    """

    id: Public[str]
    game: Public[str]
    rules: Public[str]
    options: Public[dict[str, Any]]
    undo: Public[UndoPolicy]
    visibility: Public[Visibility]
    start: Public[StartMode]
    creator: Public[str]
    seats: Public[tuple[Seat, ...]]
    status: Public[Status]
    version: Public[int]
    head: Public[int]
    created_at: Public[int]
    updated_at: Public[int]
    seed: Secret[str]
    state: Secret[Any] = None
    """The game's state once the match has started; it has a visibility of its own."""
    outcome: Public[Outcome | None] = None
    parent: Public[Parent | None] = None
    signed: Public[bool] = False
    since: Public[int] = 0
    step: Public[Step | None] = None
    undone: Public[tuple[int, ...]] = ()
    proposals: Public[tuple[Proposal, ...]] = ()
    asked: Public[tuple[int, ...]] = ()
    deadline: Public[Deadline | None] = None
    clock: Public[Clock] = Clock()
    """Nobody's time is running in a match without a deadline."""
    rated: Public[bool] = True
    rematch_of: Public[str | None] = None
    invitations: Public[tuple[Invitation, ...]] = ()
    referee: Public[str | None] = None
    adjourned: Public[bool] = False

    @property
    def standing(self) -> bytes:
        """How the match stands, in canonical bytes: all that a replay must reproduce beside the game's state.

        That is every field but the seed, which is secret, and the state, which is the game's.
        """
        return _SORTED.encode(
            {field: getattr(self, field) for field in self.__struct_fields__ if field not in _APART}
        )

    @property
    def opened(self) -> bool:
        """Whether the match is over, so that everything hidden may be shown."""
        return self.status in OVER

    def seats_of(self, player: str | None) -> tuple[int, ...]:
        """The seats that the player holds, resigned ones included."""
        return tuple(each.seat for each in self.seats if player is not None and each.player == player)

    def awaits(self, player: str) -> bool:
        """Whether the player is invited by name, or is the referee."""
        return player == self.referee or any(each.player == player for each in self.invitations)


def seats_to_act(match: Match) -> tuple[int, ...]:
    """The seats with a decision to make now, in order; none while the match is not being played."""
    if match.status != "playing" or match.adjourned:
        return ()
    return tuple(sorted(pinned(match.rules).to_act(match.state)))


Past = Callable[[int], Match]
"""The match at an earlier version; ``Forgotten`` if that is not at hand."""


class Forgotten(LookupError):
    """An earlier version is needed that the caller did not keep."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version} is not at hand")


def forgotten(version: int) -> Match:
    """The past of somebody who keeps none."""
    raise Forgotten(version)
