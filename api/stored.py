"""What is stored, opened: the archive, and the store for a command that looks through all of it."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from kleos.api.settings import Settings
from kleos.events.archive import Archive
from kleos.events.embedded import Embedded, FolderInUse, NoServer
from kleos.events.objects import objects_at
from kleos.events.store import Store

WHERE: Final = ("data", "redis_url", "archive", "allow_unsafe")
"""The settings that say what is stored where."""


def add_where(parser: argparse.ArgumentParser, *also: str) -> None:
    """The flags for ``WHERE``; ``also`` are other names of the one for the archive."""
    parser.add_argument("--data", metavar="DIR", help="the data folder: store, signing key, signed heads")
    parser.add_argument("--redis", metavar="URL", dest="redis_url", help="the outside store, if it is one")
    parser.add_argument("--archive", *also, metavar="PLACE", help="as for `kleos serve`")
    parser.add_argument("--allow-unsafe", action="store_const", const=True, help="as for `kleos serve`")


def archive_of(settings: Settings) -> Archive:
    """The archive of the service."""
    return Archive(objects_at(settings.archive or settings.data / "archive"))


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncIterator[Store]:
    """The outside store, or the embedded one, started. Raises as ``Embedded.start`` and ``Store.connect``.

    Of a folder that is in use it is said how to go beside its server.
    """
    async with AsyncExitStack() as stack:
        url = settings.redis_url
        if url is None:
            url = (await stack.enter_async_context(await _embedded(settings))).url
        store = await Store.connect(
            url,
            allow_unsafe=settings.allow_unsafe,
            prefix=settings.prefix,
            archive=archive_of(settings),
        )
        stack.push_async_callback(store.close)
        yield store


async def _embedded(settings: Settings) -> Embedded:
    try:
        return await Embedded.start(settings.data)
    except FolderInUse as found:
        if found.socket is None:
            raise
        raise NoServer(f"{found}, or go beside it with --redis unix://{found.socket.resolve()}") from None
