"""What people ask of a match besides the moves of its game; what follows is told in ``facts``.

An action is the ``action`` of an event, told apart from others by ``type``.
Names of people appear nowhere: players are opaque ids, so that forgetting a person breaks no hash.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kleos.core.kernel.game import snake
from kleos.core.kernel.visibility import Public

ProposalKind = Literal["undo", "redo", "replace", "abandon"]
UndoPolicy = Literal["off", "strict", "consent", "casual"]
Visibility = Literal["public", "private"]
StartMode = Literal["full", "manual"]
Entropy = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{0,86}\Z")]
"""What a seat adds to the match's chance: up to 64 bytes in base64url."""
PlayerKey = Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{43}=\Z")]
"""The 32 bytes of a player's Ed25519 public key, in base64."""
SeatNumber = Annotated[int, Meta(ge=0, le=63)]


ProposalId = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,15}\Z")]
"""``p`` and the version that the proposal made."""
InvitationId = Annotated[str, Meta(pattern=r"^i[1-9][0-9]{0,15}(-[0-9]{1,2})?\Z")]
"""``i`` and the version that the invitation made, in a rematch also its seat."""
PlayerId = Annotated[str, Meta(min_length=1, max_length=64)]
Text = Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]+\Z")]
"""What a referee says: no control characters but line breaks and tabs."""
Place = Annotated[tuple[SeatNumber, ...], Meta(max_length=64)]
AtVersion = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Deadline(Struct, frozen=True, forbid_unknown_fields=True):
    """How long a seat may take for each of its decisions, and what follows when that is over.

    ``bot``: the house makes this one decision, with the game's safe default. ``resign``: the seat resigns.
    ``wait``: nothing by itself; the others may claim the match or have the seat filled anew.
    """

    seconds: Public[Annotated[int, Meta(ge=1, le=31 * 24 * 3600)]]
    policy: Public[Literal["bot", "resign", "wait"]] = "bot"


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
    deadline: Public[Deadline | None] = None
    rated: Public[bool] = True
    referee: Public[PlayerId | None] = None
    signed: Public[bool] = False
    key: Public[PlayerKey | None] = None


class Rematch(Action, frozen=True):
    """Lay out a match like ``of``, which is over, with everybody's seat kept for them."""

    of: Public[str]


class Join(Action, frozen=True):
    """Take a seat (the lowest free one if none is named), or put a mechanical player there."""

    seat: Public[SeatNumber | None] = None
    bot: Public[str | None] = None
    entropy: Public[Entropy] = ""
    invitation: Public[InvitationId | None] = None
    key: Public[PlayerKey | None] = None


class Invite(Action, frozen=True):
    """Keep a free seat (any, if none is named) for a player, or for whoever shows the link."""

    seat: Public[SeatNumber | None] = None
    player: Public[PlayerId | None] = None


class Revoke(Action, frozen=True):
    """Take back an invitation."""

    invitation: Public[InvitationId]


class Vacate(Action, frozen=True):
    """Free a seat while the match is played, or propose to, so that somebody else can take it."""

    seat: Public[SeatNumber]


class Abandon(Action, frozen=True):
    """End the match without an outcome, or propose to."""


class Leave(Action, frozen=True):
    """Give up a seat: before the start it is free again, afterwards this is a resignation."""

    seat: Public[SeatNumber]


class Expire(Action, frozen=True):
    """Of the house alone: those whose time ran out first, in a match where that is a resignation."""


class Claim(Action, frozen=True):
    """Of the others, where time is waited for: ``seat`` has been absent for too long, let it resign."""

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


class Appoint(Action, frozen=True):
    """Name the referee, or nobody, before the start."""

    player: Public[PlayerId | None]


class Annotate(Action, frozen=True):
    """The referee says something, about a version if one is named."""

    text: Public[Text]
    version: Public[AtVersion | None] = None


class Adjourn(Action, frozen=True):
    """The referee stops play and all clocks."""

    text: Public[Text]


class Resume(Action, frozen=True):
    """The referee lets play go on; all clocks begin anew."""

    text: Public[Text]


class Adjudicate(Action, frozen=True):
    """The referee ends the match: places from the first to the last, or no outcome."""

    text: Public[Text]
    ranking: Public[Annotated[tuple[Place, ...], Meta(min_length=1, max_length=64)] | None] = None


RefereeAction = Annotate | Adjourn | Resume | Adjudicate
MatchAction = (
    Create
    | Rematch
    | Join
    | Invite
    | Revoke
    | Vacate
    | Abandon
    | Leave
    | Expire
    | Claim
    | Start
    | Fork
    | Undo
    | Redo
    | Consent
    | Refuse
    | Withdraw
    | Appoint
    | RefereeAction
)
TimeAction = Undo | Redo | Consent | Refuse | Withdraw
"""The actions that are judged by the whole line, not by the state in force alone."""
