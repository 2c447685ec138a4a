"""Whose token it is, remembered for a moment: most requests of a player come close together.

A token that is revoked through this process is forgotten at once; through another one, within ``MEMORY``.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from kleos.events.accounts import Accounts, Player

if TYPE_CHECKING:  # an extra that most do not have
    from kleos.api.oidc import Provider

MEMORY: Final = 1.0
"""Seconds for which an answer of the store is believed."""
_MOST: Final = 10_000


class Identities:
    """Authentication with a short memory, over the accounts of the store."""

    def __init__(self, accounts: Accounts, provider: Provider | None = None) -> None:
        self._accounts = accounts
        self._provider = provider
        self._known: OrderedDict[bytes, tuple[float, Player]] = OrderedDict()

    async def authenticate(self, token: str) -> Player | None:
        """Whose token this is; None if it is nobody's, revoked or expired."""
        key = hashlib.sha256(token.encode()).digest()
        until, player = self._known.get(key, (0.0, None))
        if player is not None and time.monotonic() < until:
            return player
        self._known.pop(key, None)
        asked = time.monotonic()
        if self._provider is not None and token.count(".") == 2:
            player = await self._provider.authenticate(token)
        else:
            player = await self._accounts.authenticate(token)
        if player is not None:
            self._known[key] = (asked + MEMORY, player)
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
        return player

    async def revoke_by_id(self, player: str, token_id: str) -> bool:
        """Make a token worthless of which only the id is known; False if there is none."""
        found = await self._accounts.revoke_by_id(player, token_id)
        self.forget(player)
        return found

    def forget(self, player: str) -> None:
        """Believe nothing any more of a player's tokens."""
        for key in [key for key, (_, known) in self._known.items() if known.id == player]:
            del self._known[key]

    async def revoke(self, token: str) -> None:
        """Make a token worthless."""
        await self._accounts.revoke(token)
        self._known.pop(hashlib.sha256(token.encode()).digest(), None)
