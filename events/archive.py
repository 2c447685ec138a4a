"""The archive: bundles of matches that are no longer in the store, read as if they were.

What the store keeps of such a match is its head, with a *stub* that names the bundle by its digest. So an
object that is missing, damaged or another match's is noticed before anything is read from it. Knows bundles
and digests. Must not know Redis.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from typing import Final
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

from kleos.events.bundle import Bundle, NotABundle, unpack
from kleos.events.objects import NoObject, Objects, ObjectsUnavailable

_OPEN: Final = 16
"""Bundles that stay in memory."""
_AWAY: Final = "is in the archive, which cannot be reached"
_DAMAGED: Final = "is damaged in the archive"


class ArchiveFault(Exception):
    """A match cannot be had from the archive; the text names it and says why, for the operator.

    ``told`` is for everybody: it does not say where the archive is.
    """

    def __init__(self, match: str, what: str, why: str) -> None:
        self.told = f"match {match} {what}"
        super().__init__(f"{self.told}: {why}")


class ArchiveUnavailable(ArchiveFault):
    """The archive cannot be reached now."""


class ArchiveDamaged(ArchiveFault):
    """What the archive has of the match is not what was put there."""


class Stub(Struct, frozen=True):
    """What the store keeps of a match in the archive: SHA-256 of its bundle and of its commands, in hex.

    A match that was brought in from elsewhere has no ``commands``: nobody asked for it here.
    """

    bundle: str
    commands: str | None

    @classmethod
    def of(cls, stored: bytes) -> Stub:
        return msgspec.json.decode(stored, type=cls)

    @property
    def stored(self) -> bytes:
        """The stub as the store keeps it."""
        return msgspec.json.encode(self)


class Archive:
    """The archive over some objects; without any it can only say that there is none."""

    def __init__(self, objects: Objects | None = None) -> None:
        self._objects = objects
        self._open: OrderedDict[str, Bundle] = OrderedDict()
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def put(self, match: str, bundle: bytes, commands: bytes | None) -> Stub:
        """Keep a match, and read back what was written; raises as ``bundle`` does.

        The names follow from the content: doing it again changes nothing.
        """
        stub = Stub(_sha256(bundle), None if commands is None else _sha256(commands))
        await self._put(match, bundle_name(match, stub), bundle)
        await self._get(match, bundle_name(match, stub), stub.bundle)
        if commands is not None and stub.commands is not None:
            await self._put(match, commands_name(match, stub), commands)
            await self._get(match, commands_name(match, stub), stub.commands)
        return stub

    async def bundle(self, match: str, stub: Stub) -> Bundle:
        """The bundle of a match. Raises ``ArchiveUnavailable`` or ``ArchiveDamaged``.

        All who ask for one while it is fetched wait for it together.
        """
        lock = self._opening.setdefault(stub.bundle, asyncio.Lock())
        async with lock:
            kept = self._open.get(stub.bundle)
            if kept is None:
                content = await self._get(match, bundle_name(match, stub), stub.bundle)
                kept = self._open[stub.bundle] = await asyncio.to_thread(_unpacked, match, content)
                if len(self._open) > _OPEN:
                    self._open.popitem(last=False)
        self._open.move_to_end(stub.bundle)
        if kept.manifest.match != match:
            raise ArchiveDamaged(match, _DAMAGED, f"match {kept.manifest.match} is in its place")
        return kept

    async def commands(self, match: str, stub: Stub) -> dict[bytes, bytes]:
        """The commands of a match as they were in the store; none if it came from elsewhere."""
        if stub.commands is None:
            return {}
        return commands_in(await self._get(match, commands_name(match, stub), stub.commands))

    async def _put(self, match: str, name: str, content: bytes) -> None:
        try:
            await self._there(match).put(name, content)
        except ObjectsUnavailable as error:
            raise ArchiveUnavailable(match, "cannot be put into the archive", str(error)) from error

    async def _get(self, match: str, name: str, digest: str) -> bytes:
        try:
            content = await self._there(match).get(name)
        except ObjectsUnavailable as error:
            raise ArchiveUnavailable(match, _AWAY, str(error)) from error
        except NoObject as error:
            raise ArchiveDamaged(match, "is missing from the archive", str(error)) from error
        if await asyncio.to_thread(_sha256, content) != digest:
            raise ArchiveDamaged(match, _DAMAGED, f"{name} has another digest")
        return content

    def _there(self, match: str) -> Objects:
        if self._objects is None:
            raise ArchiveUnavailable(match, _AWAY, "no archive is set up here")
        return self._objects


def bundle_name(match: str, stub: Stub) -> str:
    """The object that is the bundle: ``kleos verify`` reads it as it is."""
    return f"{match[:2]}/{match}-{stub.bundle}.kleos"


def commands_name(match: str, stub: Stub) -> str:
    """The object that holds the commands."""
    return f"{match[:2]}/{match}-{stub.commands}.commands"


def commands_object(commands: dict[bytes, bytes]) -> bytes:
    """The fields of a match's commands as one JSON array of pairs, by field, all in Base 64."""
    return msgspec.json.encode(sorted(commands.items()))


def commands_in(content: bytes) -> dict[bytes, bytes]:
    """The inverse of ``commands_object``."""
    return dict(msgspec.json.decode(content, type=list[tuple[bytes, bytes]]))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _unpacked(match: str, content: bytes) -> Bundle:
    try:
        return unpack(content)
    except NotABundle as error:  # only if a stub was changed together with its object
        raise ArchiveDamaged(match, _DAMAGED, str(error)) from error
