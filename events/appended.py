"""What an append to a match comes to: the event, or why there is none."""

from __future__ import annotations

from msgspec import Struct


class Appended(Struct, frozen=True):
    """The answer to an append that is in the log.

    ``replayed``: the command was there already, and ``version`` is the one it made. That is also the answer
    after a lost reply, when the store asked again. ``durability`` is what the server confirmed: ``fsync``,
    on its disk, ``replicated:k``, also on the disks of k replicas, or ``memory``, where the settings or the
    server do not promise that. Of a replayed append only its own disk is said: what its replicas confirmed
    was told to whoever made it.
    """

    version: int
    replayed: bool
    durability: str


class Conflict(Exception):
    """The match is not at the version at which the writer decided, but at ``current``; 0 is no match."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the match is at version {current}")
        self.current = current


class Archived(Exception):
    """The match is in the archive, with ``size`` events, and nobody goes on with it."""

    def __init__(self, match: str, size: int) -> None:
        super().__init__(f"match {match} is in the archive, where it ends with version {size}")
        self.size = size


class CommandMismatch(Exception):
    """The command's id was used before, for something else, which made ``version``."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the command was used for another request, which made version {version}")
        self.version = version
