"""What people ask of a match besides the moves of its game, and the facts that follow.

An action is the ``action`` of an event, an effect one of its ``effects``; both are told apart by ``type``.
Names of people appear nowhere: players are opaque ids, so that forgetting a person breaks no hash.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from kleos.core.kernel.game import Effect, Known, Outcome, snake
from kleos.core.kernel.visibility import Public, Secret

UndoPolicy = Literal["off", "strict", "consent", "casual"]
Visibility = Literal["public", "private"]
StartMode = Literal["full", "manual"]
Entropy = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{0,86}$")]
"""What a seat adds to the match's chance: up to 64 bytes in base64url."""
PlayerKey = Annotated[str, Meta(pattern="^[A-Za-z0-9+/]{43}=$")]
"""The 32 bytes of a player's Ed25519 public key, in base64."""
SeatNumber = Annotated[int, Meta(ge=0, le=63)]


ProposalId = Annotated[str, Meta(pattern="^p[1-9][0-9]{0,15}$")]
"""``p`` and the version that the proposal made."""
AtVersion = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Parent(Struct, frozen=True):
    """Where a fork began: the ``root`` is that of the parent's tree at that version, in base64."""

    match: Public[str]
    version: Public[int]
    root: Public[str]


class Action(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=snake):
    """Base of the match's own actions."""


class Create(Action, frozen=True):
    """Lay out a match. ``options`` are the game's, settled; ``seat`` is the creator's own, if any.

    ``signed``: players sign their moves, with the ``key`` that they brought along (match.12).
    """

    game: Public[str]
    rules: Public[str]
    seats: Public[int]
    options: Public[dict[str, Any]]
    undo: Public[UndoPolicy] = "consent"
    visibility: Public[Visibility] = "public"
    start: Public[StartMode] = "full"
    seat: Public[SeatNumber | None] = None
    entropy: Public[Entropy] = ""
    signed: Public[bool] = False
    key: Public[PlayerKey | None] = None


class Join(Action, frozen=True):
    """Take a seat (the lowest free one if none is named), or put a mechanical player there."""

    seat: Public[SeatNumber | None] = None
    bot: Public[str | None] = None
    entropy: Public[Entropy] = ""
    key: Public[PlayerKey | None] = None


class Leave(Action, frozen=True):
    """Give up a seat: before the start it is free again, afterwards this is a resignation."""

    seat: Public[SeatNumber]


class Start(Action, frozen=True):
    """Begin to play; every seat must be taken."""


class Fork(Action, frozen=True):
    """Lay out a match that starts from version ``at`` of another. The rest is as in ``Create``.

    In a casual fork, which is made for analysis, the player takes every seat.
    """

    at: Public[AtVersion]
    undo: Public[UndoPolicy] = "casual"
    visibility: Public[Visibility] = "public"
    start: Public[StartMode] = "full"
    seat: Public[SeatNumber | None] = 0
    entropy: Public[Entropy] = ""


class Undo(Action, frozen=True):
    """Put the state of an earlier version of the line back in force, or propose to."""

    to: Public[AtVersion]


class Redo(Action, frozen=True):
    """Go forward again to where the last undo left, or to a version on the way, or propose to."""

    to: Public[AtVersion | None] = None


class Consent(Action, frozen=True):
    """Agree to a proposal."""

    proposal: Public[ProposalId]


class Refuse(Action, frozen=True):
    """Say no to a proposal; that closes it."""

    proposal: Public[ProposalId]


class Withdraw(Action, frozen=True):
    """Take back a proposal of one's own."""

    proposal: Public[ProposalId]


MatchAction = Create | Join | Leave | Start | Fork | Undo | Redo | Consent | Refuse | Withdraw
TimeAction = Undo | Redo | Consent | Refuse | Withdraw
"""The actions that are judged by the whole line, not by the state in force alone."""


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
    """Nobody sits at ``seat`` any more (only before the start)."""

    seat: Public[int]


class OwnerChanged(MatchEffect, frozen=True, kw_only=True):
    """The creator left an open match; its care passes on."""

    creator: Public[str]


class MatchStarted(MatchEffect, frozen=True, kw_only=True):
    """The game is laid out; its own effects follow in the same event."""


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
    """Seat ``by`` proposes to move the head to ``to``; the seats in ``needs`` have to agree."""

    id: Public[str]
    kind: Public[Literal["undo", "redo"]]
    by: Public[int]
    to: Public[int]
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
    | OwnerChanged
    | MatchStarted
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
