"""Players and the tokens by which they are known. Names live here and nowhere in the log.

A token is ``kleos_<player>_<secret>`` with 256 random bits. The store keeps SHA-256 of tokens only, as fields
of their player's hash, so that a token is checked in one round trip and erasing a player erases them all::

    kleos:{b07}:p:<player>  hash  name, key, token:<digest> -> a ``Token`` as JSON

What a token is good for is its ``Scope``; what that allows is for whoever serves requests to enforce.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import re
import secrets
import time
import unicodedata
from collections.abc import Callable, Iterable
from typing import Final, Literal

import msgspec
from msgspec import Struct

from kleos.core.kernel.errors import Forbidden, Malformed
from kleos.events.ed25519 import is_public_key
from kleos.events.store import Store

_TOKEN = re.compile(r"kleos_([a-z2-7]{16})_[A-Za-z0-9_-]{43}")
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
_BLANK = set("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols, to Unicode, that leave their place empty."""
_DIRECTIONS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


ScopeKind = Literal["full", "seat", "bot", "spectate", "organise", "referee"]
TOKENS: Final = 100
"""How many tokens a player may have at once."""


class Scope(Struct, frozen=True, omit_defaults=True):
    """What a token is good for: the whole account, or one part of it, in one match if one is named.

    ``seat``: playing one ``seat`` of one ``match``. ``bot``: playing, joining and leaving. ``spectate``:
    looking on, never through a seat. ``organise``: laying out and running matches. ``referee``: ruling on
    them.
    """

    kind: ScopeKind = "full"
    match: str | None = None
    seat: int | None = None


FULL: Final = Scope()


class Player(Struct, frozen=True):
    """A person with an account. ``key`` is an Ed25519 public key in base64, if one was registered.

    ``scope`` is that of the token by which the player is known, full for who is not known by one.
    """

    id: str
    name: str
    key: str | None = None
    scope: Scope = FULL


class Token(Struct, frozen=True, omit_defaults=True):
    """What is kept of a token. Times are in milliseconds since the epoch."""

    created_at: int
    scope: Scope = FULL
    label: str = ""
    expires_at: int | None = None


class Issued(Struct, frozen=True):
    """A token of a player, by an id that tells nothing of the token itself."""

    id: str
    token: Token


class Accounts:
    """The players of a store. ``clock`` tells the time in milliseconds since the epoch."""

    def __init__(
        self, store: Store, *, clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    ) -> None:
        self._store = store
        self._clock = clock

    async def register(
        self, name: str, key: str | None = None, *, expires_at: int | None = None
    ) -> tuple[Player, str]:
        """A new player, and the token, which is shown this once.

        Raises Malformed for a name that is not of 1 to 64 printable characters, or a key that is not one.
        """
        _check_name(name)
        if key is not None:
            _check_key(key)
        player = Player(base64.b32encode(secrets.token_bytes(10)).decode().lower(), name, key)
        token = _fresh_token(player.id)
        place = self._key(player.id)
        kept = msgspec.json.encode(Token(self._clock(), expires_at=expires_at))
        fields = ("name", name, _field(token), kept) + (("key", key) if key else ())
        await self._store.connection.call(place, "HSET", place, *fields)
        return player, token

    async def admit(self, player: str, name: str) -> Player:
        """A player who is known by somebody else's tokens, under an id that follows from those.

        Raises Malformed for a name as ``register`` does. Whoever comes first gives the name.
        """
        _check_name(name)
        place = self._key(player)
        await self._store.connection.call(place, "HSETNX", place, "name", name)
        return await self.player(player) or Player(player, name)

    async def issue(
        self, player: str, *, scope: Scope = FULL, label: str = "", expires_at: int | None = None
    ) -> tuple[str, Issued]:
        """One more token for a player, beside those there are.

        Raises KeyError if there is no such player, Forbidden if the player has too many.
        """
        if await self.player(player) is None:
            raise KeyError(player)
        if len(await self.tokens(player)) >= TOKENS:
            raise Forbidden(f"a player has at most {TOKENS} tokens; revoke one first")
        token, place = _fresh_token(player), self._key(player)
        kept = Token(self._clock(), scope, label, expires_at)
        await self._store.connection.call(place, "HSET", place, _field(token), msgspec.json.encode(kept))
        return token, Issued(_id(_field(token)), kept)

    async def tokens(self, player: str) -> list[Issued]:
        """The tokens of a player that are still good, the oldest first."""
        found = [Issued(_id(field), kept) for field, kept in (await self._tokens(player)).items()]
        good = [each for each in found if not self._expired(each.token)]
        return sorted(good, key=lambda each: (each.token.created_at, each.id))

    async def _tokens(self, player: str) -> dict[str, Token]:
        place = self._key(player)
        kept = await self._store.connection.call(place, "HGETALL", place)
        return {field.decode(): _kept(value) for field, value in kept.items() if field.startswith(b"token:")}

    def _expired(self, token: Token) -> bool:
        return token.expires_at is not None and token.expires_at <= self._clock()

    async def revoke_by_id(self, player: str, token_id: str) -> bool:
        """Make the token of that id worthless; False if the player has none."""
        place = self._key(player)
        gone = [field for field in await self._tokens(player) if _id(field) == token_id]
        return bool(gone) and bool(await self._store.connection.call(place, "HDEL", place, *gone))

    async def authenticate(self, token: str) -> Player | None:
        """Whose token this is; None if it is nobody's, revoked or expired."""
        owner = _owner(token)
        if owner is None:
            return None
        place = self._key(owner)
        name, key, kept = await self._store.connection.call(
            place, "HMGET", place, "name", "key", _field(token)
        )
        if name is None or kept is None:
            return None
        found = _kept(kept)
        return None if self._expired(found) else _player(owner, name, key, found.scope)

    async def revoke(self, token: str) -> bool:
        """Make a token worthless; False if it was already."""
        owner = _owner(token)
        if owner is None:
            return False
        place = self._key(owner)
        return bool(await self._store.connection.call(place, "HDEL", place, _field(token)))

    async def player(self, player: str) -> Player | None:
        """The player of that id, if there is one."""
        place = self._key(player)
        name, key = await self._store.connection.call(place, "HMGET", place, "name", "key")
        return None if name is None else _player(player, name, key)

    async def names(self, players: Iterable[str]) -> dict[str, str]:
        """The names of those players that exist, by id."""
        asked = list(dict.fromkeys(players))
        found = await asyncio.gather(*(self.player(each) for each in asked))
        return {each.id: each.name for each in found if each is not None}

    async def erase(self, player: str) -> bool:
        """Forget a person: name, key and tokens. Their id stays in the log, where it says nothing."""
        place = self._key(player)
        return bool(await self._store.connection.call(place, "DEL", place))

    def _key(self, player: str) -> str:
        return self._store.key(self._store.bucket(player), f"p:{player}")


def _player(player: str, name: bytes, key: bytes | None, scope: Scope = FULL) -> Player:
    return Player(player, name.decode(), None if key is None else key.decode(), scope)


def _kept(kept: bytes) -> Token:
    """What is kept of a token; before there were scopes it was the time of expiry, or nothing."""
    if kept.startswith(b"{"):
        return msgspec.json.decode(kept, type=Token)
    return Token(0, expires_at=int(kept) if kept else None)


def _id(field: str) -> str:
    """A token's id: the beginning of its digest."""
    return field.removeprefix("token:")[:16]


def _fresh_token(player: str) -> str:
    return f"kleos_{player}_{secrets.token_urlsafe(32)}"


def _owner(token: str) -> str | None:
    match = _TOKEN.fullmatch(token)
    return match[1] if match else None


def _field(token: str) -> str:
    return "token:" + hashlib.sha256(token.encode()).hexdigest()


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= 64 or not any(map(_shows, name)):
        raise Malformed("a name has 1 to 64 characters, and one that can be seen")
    if name != name.strip():
        raise Malformed("a name neither begins nor ends with a space")
    if any(unicodedata.category(each) in _UNPRINTABLE or each in _DIRECTIONS for each in name):
        raise Malformed("a name has no control characters")


def _shows(character: str) -> bool:
    """Whether there is anything to see: marks need a letter to stand on."""
    return unicodedata.category(character)[0] not in "CZM" and character not in _BLANK


def _check_key(key: str) -> None:
    try:
        raw = base64.b64decode(key, validate=True)
    except (ValueError, binascii.Error):
        raw = b""
    if base64.b64encode(raw).decode() != key or not is_public_key(raw):
        raise Malformed("a key is the 32 bytes of an Ed25519 public key in base64")
