"""The bodies of requests, as types: they are decoded into these, and the document shows them.

What is answered is in ``replies`` and ``records``.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from kleos.core.kernel.registry import pinned
from kleos.core.match import Signature, TidingKind
from kleos.core.match.actions import (
    Deadline,
    Entropy,
    Place,
    PlayerId,
    SeatNumber,
    StartMode,
    Text,
    UndoPolicy,
    Visibility,
)
from kleos.events.accounts import ScopeKind

_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="How the others see you: 1 to 64 characters, at least one that can be seen, no control "
        "characters, no space at either end.",
        examples=["Ariadne"],
        extra_json_schema={"pattern": rf"^[^\s{_CONTROLS}]([^{_CONTROLS}]*[^\s{_CONTROLS}])?\Z"},
    ),
]
"""The pattern is for the document: ``accounts`` checks the same, and says what is wrong."""
NO_NUL = r"^[^\x00]*\Z"
Short = Annotated[str, Meta(max_length=64, pattern=NO_NUL)]
PublicKey = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9+/]{43}=\Z",
        description="An Ed25519 public key in base64: the player may then sign moves.",
    ),
]
Version = Annotated[int, Meta(ge=0, description="How many events the match has.")]


AtVersion = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Form(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of request bodies: nothing that is not documented is accepted."""


class NewPlayer(Form, frozen=True, kw_only=True):
    """Who registers."""

    name: Name
    key: PublicKey | None = None


class NewToken(Form, frozen=True, kw_only=True):
    """What the new token shall be good for."""

    scope: Annotated[ScopeKind, Meta(description="`full` is as good as the one you use now.")]
    match: Annotated[Short | None, Meta(description="Only in this match.")] = None
    seat: Annotated[SeatNumber | None, Meta(description="For the scope `seat`: one of yours.")] = None
    label: Annotated[Short, Meta(description="For you to tell your tokens apart.")] = ""
    expires_in: Annotated[
        Annotated[int, Meta(ge=1, le=10 * 366 * 24 * 3600)] | None,
        Meta(description="Seconds after which it stops working; null for never."),
    ] = None


class NewWebhook(Form, frozen=True, kw_only=True):
    """Where to be told of what."""

    url: Annotated[
        str, Meta(min_length=1, max_length=2000, pattern=NO_NUL, examples=["https://bot.example/kleos"])
    ]
    events: Annotated[
        Annotated[list[TidingKind], Meta(min_length=1, max_length=8)],
        Meta(description="Of your turn and of the end, if left out."),
    ] = msgspec.field(default_factory=lambda: ["match.your_turn", "match.over"])


class NewMatch(Form, frozen=True, kw_only=True):
    """What to play and how. Only ``game`` and ``seats`` are required."""

    game: Annotated[str, Meta(min_length=1, max_length=64, pattern=NO_NUL, examples=["iliad"])]
    seats: Annotated[int, Meta(ge=1, le=64, description="How many seats the table has.", examples=[2])]
    options: Annotated[
        dict[str, Any],
        Meta(description="The game's own options (see its page); what is left out has its default."),
    ] = msgspec.field(default_factory=dict)
    undo: Annotated[UndoPolicy, Meta(description="Who must agree before decisions are taken back.")] = (
        "consent"
    )
    visibility: Annotated[
        Visibility, Meta(description="A private match is seen and joined by invitation only.")
    ] = "public"
    start: Annotated[
        StartMode,
        Meta(description="`full`: starts when the last seat is taken; `manual`: waits for POST …/start."),
    ] = "full"
    seat: Annotated[SeatNumber | None, Meta(description="Your own seat; null to take none.")] = 0
    entropy: Annotated[
        Entropy, Meta(description="Your part in the match's chance: base64url, up to 64 bytes.")
    ] = ""
    deadline: Annotated[
        Deadline | None,
        Meta(description="How long a seat may take for each decision; null for as long as it likes."),
    ] = None
    rated: Annotated[
        bool, Meta(description="Whether it counts for ratings; a match among friends need not.")
    ] = True
    referee: Annotated[
        PlayerId | None, Meta(description="A player who does not play may rule on the match.")
    ] = None
    signed: Annotated[
        bool, Meta(description="Whether moves must be signed; then every player needs an account with a key.")
    ] = False


class NewInvitation(Form, frozen=True, kw_only=True):
    """For whom to keep which seat."""

    seat: Annotated[SeatNumber | None, Meta(description="Any free seat if left out.")] = None
    player: Annotated[PlayerId | None, Meta(description="Whoever shows the link if left out.")] = None


class Speaking(Form, frozen=True, kw_only=True):
    """For which of your seats you speak; the creator of a match need not sit in it."""

    by: Annotated[SeatNumber | None, Meta(description="One of yours.")] = None


class NewReferee(Form, frozen=True, kw_only=True):
    """Who rules on the match."""

    player: Annotated[PlayerId | None, Meta(description="The id of a player; null for nobody.")]


class Ruling(Form, frozen=True, kw_only=True):
    """What the referee says."""

    text: Annotated[Text, Meta(description="Everybody reads it; it stands in the log for ever.")]


class NewAnnotation(Ruling, frozen=True, kw_only=True):
    """What the referee says, and about which version."""

    version: Annotated[AtVersion | None, Meta(description="In general if left out.")] = None


class NewAdjudication(Ruling, frozen=True, kw_only=True):
    """How the referee ends the match."""

    ranking: Annotated[
        Annotated[tuple[Place, ...], Meta(max_length=64)] | None,
        Meta(
            description="Every seat in its place, the first place first; left out: nobody has won.",
            examples=[[[1], [0, 2]]],
        ),
    ] = None


class NewSeat(Form, frozen=True, kw_only=True):
    """Which seat to take, or which bot to put there (its creator only)."""

    seat: Annotated[SeatNumber | None, Meta(description="The lowest free one if left out.")] = None
    bot: Annotated[Short | None, Meta(description="A mechanical player of the game: `random`, …")] = None
    entropy: Annotated[
        Entropy, Meta(description="Your part in the match's chance: base64url, up to 64 bytes.")
    ] = ""
    invite: Annotated[Short | None, Meta(description="The invitation to the match or to a seat.")] = None


class Nothing(Form, frozen=True, kw_only=True):
    """An empty object; the body may be left out."""


@cache
def question_form(rules: str) -> Any:
    """The body of POST …/explain under one set of rules."""
    form = msgspec.defstruct(
        "Question",
        [
            ("seat", Annotated[SeatNumber, Meta(description="A seat that you may look through.")]),
            ("move", pinned(rules).Move),
            (
                "at",
                Annotated[AtVersion | None, Meta(description="At which version; now, if left out.")],
                None,
            ),
        ],
        forbid_unknown_fields=True,
        frozen=True,
        kw_only=True,
    )
    form.__doc__ = "A move that might have been made."
    return form


@cache
def play_form(rules: str) -> Any:
    """The body of POST …/moves under one set of rules, so that a wrong field is named by its full path."""
    game = pinned(rules)
    form = msgspec.defstruct(
        "Play",
        [
            ("seat", Annotated[SeatNumber, Meta(description="The seat that moves: one of yours.")]),
            ("move", game.Move),
            (
                "signature",
                Annotated[Signature | None, Meta(description="Yours, over the move and the head you saw.")],
                None,
            ),
        ],
        forbid_unknown_fields=True,
        frozen=True,
        kw_only=True,
    )
    form.__doc__ = f"A move of {game.title}."
    return form


class AtSeat(Form, frozen=True, kw_only=True):
    """For which of your seats."""

    seat: Annotated[SeatNumber, Meta(description="One of yours.")]


class NewUndo(Form, frozen=True, kw_only=True):
    """Where to take the match back to."""

    seat: Annotated[SeatNumber, Meta(description="One of yours.")]
    to: Annotated[AtVersion, Meta(description="A version of the line; GET …/undo lists them.")]


class NewRedo(Form, frozen=True, kw_only=True):
    """How far to go forward again."""

    seat: Annotated[SeatNumber, Meta(description="One of yours.")]
    to: Annotated[AtVersion | None, Meta(description="Where the last undo left, if left out.")] = None


class NewFork(Form, frozen=True, kw_only=True):
    """From where to start a match of your own, and how to play it."""

    at: Annotated[AtVersion, Meta(description="A version of the match, from the start of play on.")]
    undo: Annotated[
        UndoPolicy, Meta(description="`casual` is for analysis: you hold every seat, undo is free.")
    ] = "casual"
    visibility: Visibility = "public"
    start: StartMode = "full"
    seat: Annotated[SeatNumber | None, Meta(description="Your own seat, where you do not hold all.")] = 0
    entropy: Entropy = ""


class NewBookmark(Form, frozen=True, kw_only=True):
    """Which version to remember."""

    version: AtVersion


class CosignatureRequest(Form, frozen=True, kw_only=True):
    """A witness's word for the head of `size` events, as a C2SP tlog-cosignature (Ed25519)."""

    size: Version
    cosignature: Annotated[str, Meta(pattern=r"^— [!-*,-~]{1,200} [A-Za-z0-9+/=]{8,128}\Z")]
