"""The facts of a match besides the effects of its game: what its events carry, told apart by ``type``.

Their rules are the paragraphs of ``docs/match.md``. Players are opaque ids and names appear
nowhere, so that forgetting a person breaks no hash.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from kleos.core.kernel.game import Effect, Known, Outcome
from kleos.core.kernel.visibility import Public, Secret
from kleos.core.match.actions import Deadline, Parent, ProposalKind, StartMode, UndoPolicy, Visibility


class MatchEffect(Effect, frozen=True, kw_only=True):
    """Base of the match's own effects; their rules are the paragraphs of ``docs/match.md``."""


class MatchCreated(MatchEffect, frozen=True, kw_only=True):
    """The first fact of every match. ``seed`` is the root of its chance, known to the server alone.

    ``dice`` is the anchor of the chain that the dice hang on (match.11).
    """

    game: Public[str]
    rules: Public[str]
    seats: Public[int]
    options: Public[dict[str, Any]]
    undo: Public[UndoPolicy]
    visibility: Public[Visibility]
    start: Public[StartMode]
    creator: Public[str]
    parent: Public[Parent | None] = None
    deadline: Public[Deadline | None] = None
    rated: Public[bool] = True
    referee: Public[str | None] = None
    rematch_of: Public[str | None] = None
    signed: Public[bool] = False
    dice: Public[str]
    seed: Secret[str]


class SeatFilled(MatchEffect, frozen=True, kw_only=True):
    """``player`` (an account) or ``bot`` (a name in the game's list) sits at ``seat``.

    ``key`` is the Ed25519 key, in base64, that the player signs moves with, if there is one.
    """

    seat: Public[int]
    player: Public[str | None]
    bot: Public[str | None]
    entropy: Public[str]
    key: Public[str | None] = None


class SeatVacated(MatchEffect, frozen=True, kw_only=True):
    """Nobody sits at ``seat`` any more."""

    seat: Public[int]


class Invited(MatchEffect, frozen=True, kw_only=True):
    """``seat`` (null: any) is kept for ``player`` (null: whoever shows the link of this invitation)."""

    id: Public[str]
    seat: Public[int | None]
    player: Public[str | None]


class InvitationTaken(MatchEffect, frozen=True, kw_only=True):
    """Somebody came by this invitation; nobody else can."""

    id: Public[str]


class InvitationRevoked(MatchEffect, frozen=True, kw_only=True):
    """The invitation is worth nothing any more."""

    id: Public[str]


class RefereeAppointed(MatchEffect, frozen=True, kw_only=True):
    """``referee`` rules on this match; null: nobody."""

    referee: Public[str | None]


class AnnotationMade(MatchEffect, frozen=True, kw_only=True):
    """The referee said ``text``, about ``version`` if one is given."""

    text: Public[str]
    version: Public[int | None]


class Adjourned(MatchEffect, frozen=True, kw_only=True):
    """Play and all clocks stand still."""

    text: Public[str]


class Resumed(MatchEffect, frozen=True, kw_only=True):
    """Play goes on, and all clocks begin anew."""

    text: Public[str]


class Adjudicated(MatchEffect, frozen=True, kw_only=True):
    """The referee ends the match, and says why."""

    text: Public[str]


class OwnerChanged(MatchEffect, frozen=True, kw_only=True):
    """The creator left an open match; its care passes on."""

    creator: Public[str]


class MatchStarted(MatchEffect, frozen=True, kw_only=True):
    """The game is laid out; its own effects follow in the same event."""


class TimeRanOut(MatchEffect, frozen=True, kw_only=True):
    """``seat`` did not decide before ``due`` (milliseconds since the epoch)."""

    seat: Public[int]
    due: Public[int]


class SeatResigned(MatchEffect, frozen=True, kw_only=True):
    """The player of ``seat`` gave up; the house plays on for it where others still play."""

    seat: Public[int]


class MatchEnded(MatchEffect, frozen=True, kw_only=True):
    """The match is decided."""

    outcome: Public[Outcome]


class MatchAbandoned(MatchEffect, frozen=True, kw_only=True):
    """Nobody is left who could go on."""


class PositionTaken(MatchEffect, frozen=True, kw_only=True):
    """A fork begins with this state. Base of one class a game, whose ``state`` is of the game's type."""

    state: Public[Any]


class HeadMoved(MatchEffect, frozen=True, kw_only=True):
    """The state of version ``to`` is in force again; before, it was that of ``from``."""

    left: Public[int] = field(name="from")
    to: Public[int]


class Proposed(MatchEffect, frozen=True, kw_only=True):
    """Seat ``by`` makes a proposal; the seats in ``needs`` have to agree.

    ``undo`` and ``redo`` would move the head to ``to``, ``replace`` would free ``seat``, ``abandon`` would
    end the match.
    """

    id: Public[str]
    kind: Public[ProposalKind]
    by: Public[int]
    to: Public[int | None]
    seat: Public[int | None] = None
    head: Public[int]
    needs: Public[tuple[int, ...]]


class ConsentGiven(MatchEffect, frozen=True, kw_only=True):
    """``seat`` agreed to a proposal; the last one to do so moves the head in the same event."""

    proposal: Public[str]
    seat: Public[int]


class ProposalClosed(MatchEffect, frozen=True, kw_only=True):
    """``seat`` refused a proposal, or withdrew its own."""

    proposal: Public[str]
    seat: Public[int]
    reason: Public[Literal["refused", "withdrawn"]]


class DiceOpened(MatchEffect, frozen=True, kw_only=True):
    """Dice were thrown in this event, and this is the link of the chain that they hang on."""

    link: Public[str]


class DiceAnchored(Known, MatchEffect, frozen=True, kw_only=True):
    """The dice of the following versions hang on a new chain with this anchor."""

    anchor: Public[str]


MatchFact = (
    MatchCreated
    | SeatFilled
    | SeatVacated
    | Invited
    | InvitationTaken
    | InvitationRevoked
    | RefereeAppointed
    | AnnotationMade
    | Adjourned
    | Resumed
    | Adjudicated
    | OwnerChanged
    | MatchStarted
    | TimeRanOut
    | SeatResigned
    | MatchEnded
    | MatchAbandoned
    | HeadMoved
    | Proposed
    | ConsentGiven
    | ProposalClosed
    | DiceOpened
    | DiceAnchored
)
