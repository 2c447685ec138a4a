"""The bodies of answers about players, as types: accounts, tokens, webhooks, ratings."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from msgspec import Meta, Struct

from kleos.core.match import TidingKind
from kleos.events.accounts import Scope, ScopeKind
from kleos.projections.timeline import Person, Summary


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
    events: tuple[TidingKind, ...]
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
