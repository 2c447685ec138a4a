"""The state of a match: who sits where, how it stands, and the state of its game."""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import Struct

from kleos.core.kernel.game import Outcome
from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Public, Secret
from kleos.core.match.actions import StartMode, UndoPolicy, Visibility

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

    @property
    def free(self) -> bool:
        return self.player is None and self.bot is None

    @property
    def mechanical(self) -> bool:
        """Whether the house moves for this seat."""
        return self.bot is not None or self.resigned


class Match(Struct, frozen=True):
    """A match at one version. Times are integer milliseconds since the epoch."""

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
