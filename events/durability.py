"""What a server must promise before a match is entrusted to it.

An acknowledged event must be on disk (``appendfsync always``), a damaged log must be an error instead of a
shorter log (``aof-load-truncated no``), and nothing may be evicted (``noeviction``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from redis.exceptions import ResponseError

from kleos.events.connection import Connection

SETTINGS: Final[Mapping[str, str]] = {
    "appendonly": "yes",
    "appendfsync": "always",
    "aof-load-truncated": "no",
    "maxmemory-policy": "noeviction",
}
OLDEST: Final = (7, 2)
"""The first release with WAITAOF, of Redis and of Valkey alike."""


class UnsafeStore(Exception):
    """The server's settings would lose acknowledged events; the message names each and its cure."""


async def objections(connection: Connection) -> list[str]:
    """What is wrong with the servers behind the connection, one line each; empty if nothing is."""
    found: dict[str, None] = {}
    for server, reported in (await connection.everywhere("INFO")).items():
        if isinstance(reported, ResponseError):
            found[f"{server} does not answer INFO: {reported}"] = None
            continue
        version = tuple(int(part) for part in _version(reported).split(".")[:2])
        if version < OLDEST:
            found[f"{server} is version {_version(reported)}; Redis or Valkey 7.2 is the oldest"] = None
    for server, actual in (await connection.everywhere("CONFIG GET", *SETTINGS)).items():
        if isinstance(actual, ResponseError):
            found[
                f"{server} does not let its settings be read ({actual}); allow CONFIG GET, "
                "or accept what it is set to with --allow-unsafe"
            ] = None
            continue
        for name, wanted in SETTINGS.items():
            if actual.get(name) != wanted:
                found[f"{name} is {actual.get(name)}: CONFIG SET {name} {wanted}"] = None
    return list(found)


def _version(reported: Mapping[str, object]) -> str:
    """Valkey keeps saying ``redis_version:7.2.4`` for old clients; its own version is beside it."""
    return str(reported.get("valkey_version") or reported.get("redis_version", "0.0"))
