"""The cosignatures of a match as they are kept: of each witness the newest, beside the match's log.

::

    kleos:{b07}:m:<id>:cosignatures   hash  player -> "<size>:<cosignature>"
    kleos:{b07}:p:<player>:cosigned   set   the matches that a player has cosigned, to find them again

A cosignature is taken only if it holds for a head of the match and is the player's who brings it. It is no
event: a match goes on whether or not anybody watches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from kleos.core.kernel.errors import Forbidden
from kleos.core.match import Match
from kleos.events.accounts import Player
from kleos.events.cosignature import Cosigned, Witness, player_name
from kleos.events.library import Library
from kleos.events.log import Log
from kleos.events.note import Checkpoint, Unverified, from_b64
from kleos.events.store import Store

FUNCTIONS: Final = Library.read("kleos.events", "cosign")
MOST: Final = 32
"""Witnesses that a match has room for, beside its players. A note has room for 64 signatures."""
AHEAD: Final = 300
"""Seconds that a witness's clock may be ahead of ours."""


class Witnesses:
    """The cosignatures of all matches of a store. ``host`` is that of the service."""

    def __init__(self, store: Store, log: Log, host: str, *, clock: Callable[[], int] | None = None) -> None:
        self._store = store
        self._log = log
        self._host = host
        self._clock = clock or log.now

    async def cosign(self, match: Match, player: Player, size: int, line: str) -> Cosigned:
        """Keep a player's cosignature of the head of ``size`` events; what is kept of that player now.

        Raises ``UnknownVersion``, and ``Forbidden`` if the player has no key, if it is not that player's over
        this head, or if there are too many witnesses already.
        """
        if player.key is None:
            raise Forbidden("a witness needs an account with a key")
        witness = Witness(player_name(self._host, player.id), from_b64(player.key))
        head = await self._head(match.id, size)
        try:
            at = witness.time_of(line, head)
        except Unverified as error:
            raise Forbidden(str(error)) from None
        if at > self._clock() // 1000 + AHEAD:
            raise Forbidden("the cosignature is of a time that has not come yet")
        return await self._keep(match, player, Cosigned(size, witness.vkey, line))

    async def _keep(self, match: Match, player: Player, given: Cosigned) -> Cosigned:
        seated = match.seats_of(player.id)
        mine = _cosigned(self._store, player.id)
        await self._store.connection.call(mine, "SADD", mine, match.id)  # first: none is kept and not found
        kept = await self._store.connection.function(
            FUNCTIONS,
            "cosign",
            [_key(self._store, match.id)],
            *(player.id, given.size, msgspec.json.encode(given), 0 if seated else MOST),
        )
        if kept is None:
            raise Forbidden(f"the match has {MOST} witnesses already")
        return msgspec.json.decode(kept, type=Cosigned)

    async def _head(self, match: str, size: int) -> Checkpoint:
        """A head of the match under the name that its checkpoints have: of whichever server it began on."""
        root = await self._log.root(match, size)
        origin, _, _ = (await self._log.checkpoint(match)).partition("\n")
        return Checkpoint(origin, size, root)

    async def forget(self, player: str) -> None:
        """Forget all that a player has cosigned: the lines tell the account's key.

        Bundles that were made before stay as they are.
        """
        mine = _cosigned(self._store, player)
        for match in await self._store.connection.call(mine, "SMEMBERS", mine):
            key = _key(self._store, match.decode())
            await self._store.connection.call(key, "HDEL", key, player)
        await self._store.connection.call(mine, "DEL", mine)

    async def of(self, match: str) -> tuple[Cosigned, ...]:
        """The cosignatures of a match, each witness's newest, those of the shortest log first."""
        return await kept_in(self._store, match)

    async def below(self, match: str, checkpoint: str) -> str:
        """The signed checkpoint of a match with the cosignatures of just this head below the server's own."""
        size = int(checkpoint.split("\n", 2)[1])
        lines = [each.line for each in await self.of(match) if each.size == size]
        return checkpoint + "".join(f"{line}\n" for line in lines)


async def kept_in(store: Store, match: str) -> tuple[Cosigned, ...]:
    """The cosignatures of a match, as ``Witnesses.of``."""
    key = _key(store, match)
    kept = await store.connection.call(key, "HVALS", key)
    return tuple(sorted(msgspec.json.decode(each.partition(b":")[2], type=Cosigned) for each in kept))


def _key(store: Store, match: str) -> str:
    return store.key(store.bucket(match), f"m:{match}:cosignatures")


async def forgotten(store: Store, match: str) -> list[str]:
    """Players whose cosignature of a match is kept, but not that they have cosigned it."""
    key = _key(store, match)
    players = sorted(each.decode() for each in await store.connection.call(key, "HKEYS", key))
    places = [_cosigned(store, each) for each in players]
    known = [await store.connection.call(place, "SISMEMBER", place, match) for place in places]
    return [player for player, is_known in zip(players, known, strict=True) if not is_known]


def _cosigned(store: Store, player: str) -> str:
    return store.key(store.bucket(player), f"p:{player}:cosigned")
