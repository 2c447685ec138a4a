"""The bodies of answers about games, matches and the service, as types that the document shows.

Most are written by the projections as ready bytes; these types are their description, and the tests hold
every answer against it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kleos.api.forms import Version
from kleos.api.news import NewsReset
from kleos.core.match import Proposal
from kleos.core.match.event import Kind
from kleos.events.bookmarks import Bookmark
from kleos.projections.news import NewsItem, Waiting
from kleos.projections.timeline import ListedMove, Summary, View


class Invitation(Struct, frozen=True):
    """An open invitation. ``invite`` is to be shown on joining; null if the invitation names a player."""

    id: str
    seat: int | None
    player: str | None
    invite: str | None


class InvitationList(Struct, frozen=True):
    """The open invitations of a match."""

    items: list[Invitation]


class BookmarkList(Struct, frozen=True):
    """Your bookmarks in a match, by version."""

    items: list[Bookmark]


class ProposalAnswer(Struct, frozen=True):
    """A proposal as it stands, or as it was when it was closed."""

    proposal: Proposal
    closed: Literal["refused", "withdrawn"] | None = None


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
    action: dict[str, Any]
    effects: list[dict[str, Any]]
    sealed: Annotated[
        dict[str, str], Meta(description="Salted digests of what only some may see, by audience.")
    ]
    state: Annotated[str, Meta(description="Keyed digest of the state after the event.")]
    rules: str
    command: (
        Annotated[str, Meta(description="128 bits that name the request, if it was sent with a key.")]
        | UnsetType
    ) = UNSET


class Item(Struct, frozen=True):
    """An event, with the sealed parts that the caller may have."""

    event: PublicEvent
    opened: dict[str, Opening]


class EventPage(Struct, frozen=True):
    """Events in order. ``next`` is what to send as ``after``; null when there is no more for now."""

    items: list[Item]
    next: str | None


class NewsPage(Struct, frozen=True):
    """What you were told since your cursor, the oldest first; ask again with ``cursor``.

    ``present`` is all that waits for you now, if you sent no cursor, or one that cannot be served: then
    ``reset`` says why.
    """

    items: list[NewsItem]
    cursor: str
    reset: NewsReset | None
    present: tuple[Waiting, ...] | None


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
