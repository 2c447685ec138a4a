"""The state of a match: who sits where, how it stands, and the state of its game."""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import Struct

from kleos.core.kernel.game import Outcome
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Public, Secret
from kleos.core.match.actions import Parent, StartMode, UndoPolicy, Visibility

HOUSE: Final = None
"""The actor of moves that the server makes for bots and absent seats; people are player ids."""

Status = Literal["open", "playing", "finished", "abandoned"]


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


class Step(Struct, frozen=True):
    """The decision that led to a state: whose, whether it brought news, and the head it was made at."""

    seat: Public[int]
    news: Public[bool]
    before: Public[int]


class Proposal(Struct, frozen=True):
    """A wish of seat ``by`` to move the head from ``head`` to ``to``, open until all in ``needs`` agreed."""

    id: Public[str]
    kind: Public[Literal["undo", "redo"]]
    by: Public[int]
    to: Public[int]
    head: Public[int]
    needs: Public[tuple[int, ...]]
    given: Public[tuple[int, ...]] = ()


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

    @property
    def opened(self) -> bool:
        """Whether the match is over, so that everything hidden may be shown."""
        return self.status in ("finished", "abandoned")

    def seats_of(self, player: str | None) -> tuple[int, ...]:
        """The seats that the player holds, resigned ones included."""
        return tuple(each.seat for each in self.seats if player is not None and each.player == player)


def seats_to_act(match: Match) -> tuple[int, ...]:
    """The seats with a decision to make now, in order; none unless the match is being played."""
    if match.status != "playing":
        return ()
    return tuple(sorted(pinned(match.rules).to_act(match.state)))
