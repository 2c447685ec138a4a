"""The bodies of requests and answers, as types: what is decoded, and what the document shows.

Requests are decoded into these. Answers are written by the projections as ready bytes; their types here are
their description, and the tests hold every answer against it.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from kleos.core.kernel.registry import pinned
from kleos.core.match import Proposal, Signature
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
from kleos.core.match.event import Kind
from kleos.events.accounts import Scope, ScopeKind
from kleos.events.bookmarks import Bookmark
from kleos.events.webhooks import HookEvent
from kleos.projections.timeline import ListedMove, Person, Summary, View

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
        Annotated[list[HookEvent], Meta(min_length=1, max_length=8)],
        Meta(description="Of all there is, if left out."),
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


class Invitation(Struct, frozen=True):
    """An open invitation. ``invite`` is to be shown on joining; null if the invitation names a player."""

    id: str
    seat: int | None
    player: str | None
    invite: str | None


class InvitationList(Struct, frozen=True):
    """The open invitations of a match."""

    items: list[Invitation]


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


class BookmarkList(Struct, frozen=True):
    """Your bookmarks in a match, by version."""

    items: list[Bookmark]


class ProposalAnswer(Struct, frozen=True):
    """A proposal as it stands, or as it was when it was closed."""

    proposal: Proposal
    closed: Literal["refused", "withdrawn"] | None = None


class Player(Struct, frozen=True):
    """A player as everybody may see one."""

    id: str
    name: str


class Registered(Struct, frozen=True):
    """The new player and the token that speaks for it, which is shown this once."""

    player: Player
    token: Annotated[str, Meta(examples=["kleos_…"])]


class Rated(Struct, frozen=True, kw_only=True):
    """How strong a player is at a game: `mu` give or take `sigma`; `rating`, mu - 3 sigma, is what it is at
    least.
    """

    rank: int
    player: Person
    rating: float
    mu: float
    sigma: float
    matches: int
    wins: int


class Leaderboard(Struct, frozen=True):
    """The players of a game, the strongest first. ``next`` is the cursor of the next page."""

    game: str
    items: list[Rated]
    next: str | None


class RatedMatch(Struct, frozen=True):
    """A match that counted: the place (0 is the first) and the rating after it."""

    match: str
    at: str
    place: int
    rating: float


class GameRecord(Struct, frozen=True):
    """A player's rating at a game, and the matches that made it, the latest first."""

    rating: Rated
    history: list[RatedMatch]


class PlayerPage(Struct, frozen=True):
    """A player: ratings by game, and the newest matches that you may see."""

    player: Player
    ratings: dict[str, GameRecord]
    matches: list[Summary]


class Webhook(Struct, frozen=True, kw_only=True):
    """Where you are told of which events."""

    id: str
    url: str
    events: tuple[HookEvent, ...]
    created_at: str


class NewlyHooked(Webhook, frozen=True, kw_only=True):
    """A new webhook with the secret that its messages are signed with, which is shown this once."""

    secret: Annotated[str, Meta(examples=["whsec_…"])]


class WebhookList(Struct, frozen=True):
    """Your webhooks, the oldest first."""

    items: list[Webhook]


class AttemptAnswer(Struct, frozen=True):
    """An attempt: the status of the answer, or why there was none."""

    at: str
    status: int | None
    error: str | None


class DeliveryAnswer(Struct, frozen=True, kw_only=True):
    """A message to a webhook."""

    id: str
    type: str
    state: Literal["pending", "delivered", "failed"]
    created_at: str
    attempts: list[AttemptAnswer]


class DeliveryList(Struct, frozen=True):
    """Messages to a webhook, the newest first."""

    items: list[DeliveryAnswer]


class TokenScope(Struct, frozen=True):
    """What a token is good for; in one match and for one seat if they are named."""

    kind: ScopeKind
    match: str | None
    seat: int | None

    @classmethod
    def of(cls, scope: Scope) -> Self:
        return cls(scope.kind, scope.match, scope.seat)


class Me(Struct, frozen=True):
    """Who the token speaks for, and what it is good for."""

    player: Player
    scope: TokenScope


class IssuedToken(Struct, frozen=True, kw_only=True):
    """A token of yours, without the token."""

    id: str
    label: str
    scope: TokenScope
    created_at: str
    expires_at: str | None


class NewlyIssued(IssuedToken, frozen=True, kw_only=True):
    """A new token, which is shown this once."""

    token: Annotated[str, Meta(examples=["kleos_…"])]


class TokenList(Struct, frozen=True):
    """Your tokens, the oldest first."""

    items: list[IssuedToken]


class SeenMatch(Summary, frozen=True, kw_only=True):
    """A match without its game's state. Times are RFC 3339 in UTC."""

    invite: (
        Annotated[str, Meta(description="A private match, to its creator: whoever shows it may join.")]
        | UnsetType
    ) = UNSET


class MatchPage(Struct, frozen=True):
    """Matches, newest first. ``next`` is the cursor of the next page, null on the last."""

    items: list[Summary]
    next: str | None


class Opening(Struct, frozen=True):
    """A sealed part: ``payload`` maps JSON Pointers into the event to what belongs there."""

    payload: dict[str, Any]
    salt: str


class PublicEvent(Struct, frozen=True):
    """The public part of an event; re-encoded by RFC 8785 it gives the hashed bytes."""

    v: int
    match: str
    version: Annotated[int, Meta(ge=1)]
    at: Annotated[int, Meta(description="Milliseconds since the epoch.")]
    kind: Kind
    seat: int | None
    player: str | None
    command: Annotated[
        str | None, Meta(description="128 bits that name the request; null if it was sent without a key.")
    ]
    action: dict[str, Any]
    effects: list[dict[str, Any]]
    sealed: Annotated[
        dict[str, str], Meta(description="Salted digests of what only some may see, by audience.")
    ]
    state: Annotated[str, Meta(description="Keyed digest of the state after the event.")]
    rules: str


class Item(Struct, frozen=True):
    """An event, with the sealed parts that the caller may have."""

    event: PublicEvent
    opened: dict[str, Opening]


class EventPage(Struct, frozen=True):
    """Events in order. ``next`` is what to send as ``after``; null when there is no more for now."""

    items: list[Item]
    next: str | None


class Moves(Struct, frozen=True):
    """The legal moves of a seat at the head."""

    match: str
    seat: int | None
    version: Version
    moves: tuple[ListedMove, ...]


class Played(Struct, frozen=True):
    """What an accepted command led to, with its proof."""

    event: PublicEvent
    receipt: Annotated[str, Meta(description="A C2SP tlog-proof.")]
    durability: Annotated[str, Meta(pattern=r"^(fsync|memory|replicated:[0-9]+)\Z")]
    view: View


class Checked(Struct, frozen=True):
    """What would follow, as everybody would see it. Nothing happened."""

    legal: Literal[True]
    version: Version


class GameSummary(Struct, frozen=True):
    """A set of rules that can be played."""

    game: str
    title: str
    rules: str
    seats: list[int]
    bots: list[str]
    links: dict[str, str]


class Games(Struct, frozen=True):
    """The games that are installed."""

    items: list[GameSummary]


class GameManifest(Struct, frozen=True):
    """All that a frontend needs to know of a game; ``schemas`` are JSON Schemas (2020-12)."""

    game: str
    title: str
    rules: str
    seats: list[int]
    bots: list[str]
    options: dict[str, Any]
    manifest: dict[str, Any]
    schemas: dict[str, Any]
    links: dict[str, str]


class Keys(Struct, frozen=True):
    """The keys under which checkpoints are and were signed, as C2SP verifier keys, the newest first.

    `rotations` are the signed notes by which each follows from the one before, the oldest first.
    """

    keys: list[str]
    rotations: list[str]


class CosignatureRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A witness's word for the head of `size` events, as a C2SP tlog-cosignature (Ed25519)."""

    size: Version
    cosignature: Annotated[str, Meta(pattern=r"^— [!-*,-~]{1,200} [A-Za-z0-9+/=]{8,128}\Z")]


class Cosignature(Struct, frozen=True):
    """What is kept of a witness: the newest cosignature, and the `key` that it holds under."""

    size: Version
    key: str
    cosignature: str


class Health(Struct, frozen=True):
    """How the service is."""

    status: Literal["ok"]


class Service(Struct, frozen=True):
    """Where everything is."""

    name: Literal["kleos"]
    links: dict[str, str]


class ProblemPage(Struct, frozen=True):
    """A kind of problem: what it means, and what to do about it."""

    code: str
    status: int
    title: str
    meaning: str
    remedy: str


class Problems(Struct, frozen=True):
    """Every kind of problem there is."""

    items: list[ProblemPage]


class ProblemBody(Struct, frozen=True):
    """A problem (RFC 9457). ``code`` is stable; ``type`` is its page."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    rule: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    version: int | UnsetType = UNSET
    current: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    links: dict[str, str] | UnsetType = UNSET
