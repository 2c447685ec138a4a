"""Players of an identity provider: bearer tokens that are JWTs (RFC 7519), as OpenID Connect issues them.

For those who have such a provider: with the three settings `oidc_*` its tokens are taken beside our own, each
for a full account that is made when its subject first comes. The player's id follows from issuer and subject,
so neither is stored. Needs the extra `kleos[oidc]`. Must not know requests.
"""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import jwt

from kleos.core.kernel import Malformed
from kleos.events import digest
from kleos.events.accounts import Accounts, Player

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures by a public key only: what a provider publishes is never a secret to sign with."""
LEEWAY: Final = 30
"""Seconds by which clocks may differ."""
REFRESH: Final = 60.0
"""Seconds between two looks at the provider's keys, however many unknown ones are shown."""
_TIMEOUT: Final = 5.0


def player_of(issuer: str, subject: str) -> str:
    """The id of the player that a subject of an issuer is."""
    named = digest.digest("kleos/oidc/v1", issuer.encode(), subject.encode())
    return base64.b32encode(named[:10]).decode().lower()


def read_keys(place: str) -> bytes:
    """The provider's key set (RFC 7517), from a file or by HTTPS. Blocks; raises OSError."""
    if not place.startswith("https://"):
        return Path(place).read_bytes()
    with urllib.request.urlopen(place, timeout=_TIMEOUT, context=ssl.create_default_context()) as answer:
        return bytes(answer.read(1 << 20))


class Provider:
    """An identity provider whose tokens we take."""

    def __init__(
        self,
        accounts: Accounts,
        issuer: str,
        audience: str,
        jwks: str,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._accounts = accounts
        self._issuer = issuer
        self._audience = audience
        self._jwks = jwks
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] = {}
        self._looked: float | None = None
        self._looking = asyncio.Lock()

    async def authenticate(self, token: str) -> Player | None:
        """Whose token this is; None if it is not one of this provider for us, or not good now."""
        try:
            key = await self._key(jwt.get_unverified_header(token).get("kid"))
            if key is None or key.algorithm_name not in ALGORITHMS:
                return None
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                issuer=self._issuer,
                audience=self._audience,
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError):
            return None
        return await self._player(claims)

    async def _player(self, claims: Mapping[str, Any]) -> Player | None:
        subject = claims["sub"]
        if not isinstance(subject, str) or not 1 <= len(subject) <= 255:
            return None
        player = player_of(self._issuer, subject)
        known = await self._accounts.player(player)
        if known is not None:
            return known
        for name in (claims.get("name"), claims.get("preferred_username"), f"Player {player[:4]}"):
            if isinstance(name, str):
                try:
                    return await self._accounts.admit(player, name[:64].strip())
                except Malformed:
                    continue  # a name that we do not show
        return None

    async def _key(self, kid: object) -> jwt.PyJWK | None:
        """The key of that id; for an unknown one the provider's keys are read again, now and then."""
        if not isinstance(kid, str):
            return None
        if kid not in self._keys:
            async with self._looking:
                if kid not in self._keys and (
                    self._looked is None or self._clock() >= self._looked + REFRESH
                ):
                    self._looked = self._clock()
                    await self._look()
        return self._keys.get(kid)

    async def _look(self) -> None:
        try:
            found = json.loads(await asyncio.to_thread(read_keys, self._jwks))
            self._keys = {
                key.key_id: key for key in jwt.PyJWKSet.from_dict(found).keys if key.key_id is not None
            }
        except (OSError, ValueError, jwt.PyJWTError):
            return  # the keys that are known stay good
