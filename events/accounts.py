"""Players and the tokens by which they are known. Names live here and nowhere in the log.

A token is ``kleos_<player>_<secret>`` with 256 random bits. The store keeps SHA-256 of tokens only, as fields
of their player's hash, so that a token is checked in one round trip and erasing a player erases them all::

    kleos:{b07}:p:<player>  hash  name, key, token:<digest> -> when it expires, in milliseconds, or ""
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

from msgspec import Struct

from kleos.core.kernel.errors import Malformed
from kleos.events.store import Store

_TOKEN = re.compile(r"kleos_([a-z2-7]{16})_[A-Za-z0-9_-]{43}")
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTIONS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Player(Struct, frozen=True):
    """A person with an account. ``key`` is an Ed25519 public key in base64, if one was registered."""

    id: str
    name: str
    key: str | None = None


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
        fields = ("name", name, _field(token), _expiry(expires_at)) + (("key", key) if key else ())
        await self._store.connection.call(place, "HSET", place, *fields)
        return player, token

    async def issue(self, player: str, *, expires_at: int | None = None) -> str:
        """One more token for a player, beside those there are. Raises KeyError if there is no such player."""
        if await self.player(player) is None:
            raise KeyError(player)
        token, place = _fresh_token(player), self._key(player)
        await self._store.connection.call(place, "HSET", place, _field(token), _expiry(expires_at))
        return token

    async def authenticate(self, token: str) -> Player | None:
        """Whose token this is; None if it is nobody's, revoked or expired."""
        owner = _owner(token)
        if owner is None:
            return None
        place = self._key(owner)
        name, key, expiry = await self._store.connection.call(
            place, "HMGET", place, "name", "key", _field(token)
        )
        if name is None or expiry is None or (expiry and int(expiry) <= self._clock()):
            return None
        return _player(owner, name, key)

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


def _player(player: str, name: bytes, key: bytes | None) -> Player:
    return Player(player, name.decode(), None if key is None else key.decode())


def _fresh_token(player: str) -> str:
    return f"kleos_{player}_{secrets.token_urlsafe(32)}"


def _owner(token: str) -> str | None:
    match = _TOKEN.fullmatch(token)
    return match[1] if match else None


def _field(token: str) -> str:
    return "token:" + hashlib.sha256(token.encode()).hexdigest()


def _expiry(at: int | None) -> str:
    return "" if at is None else str(at)


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= 64 or not name.strip():
        raise Malformed("a name has 1 to 64 characters")
    if any(unicodedata.category(each) in _UNPRINTABLE or each in _DIRECTIONS for each in name):
        raise Malformed("a name has no control characters")


def _check_key(key: str) -> None:
    try:
        valid = len(base64.b64decode(key, validate=True)) == 32
    except (ValueError, binascii.Error):
        valid = False
    if not valid:
        raise Malformed("a key is the 32 bytes of an Ed25519 public key in base64")
