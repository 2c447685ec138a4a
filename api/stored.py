"""What is stored, opened: the archive, and the store for a command that looks through all of it."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from kleos.api.settings import KEY_FILE, Settings, SettingsError, read_settings
from kleos.events.archive import Archive
from kleos.events.embedded import Embedded, FolderInUse, NoServer
from kleos.events.keys import KeyUnusable
from kleos.events.objects import objects_at
from kleos.events.store import Store, StoreUnavailable, UnsafeStore

WHERE: Final = ("data", "redis_url", "archive", "allow_unsafe")
"""The settings that say what is stored where."""


def add_where(parser: argparse.ArgumentParser, *also: str) -> None:
    """The flags for ``WHERE``; ``also`` are other names of the one for the archive."""
    parser.add_argument("--data", metavar="DIR", help="the data folder: store, signing key, signed heads")
    parser.add_argument("--redis", metavar="URL", dest="redis_url", help="the outside store, if it is one")
    parser.add_argument("--archive", *also, metavar="PLACE", help="as for `kleos serve`")
    parser.add_argument("--allow-unsafe", action="store_const", const=True, help="as for `kleos serve`")


def where(chosen: argparse.Namespace) -> Settings:
    """The settings that those flags and the environment give; raises ``SettingsError``."""
    return read_settings(os.environ, **{name: getattr(chosen, name) for name in WHERE})


def over_the_store(
    command: str,
    chosen: argparse.Namespace,
    work: Callable[[Settings], Coroutine[Any, Any, int]],
    *,
    signed: bool = True,
) -> int:
    """Do the work of a command that looks through all that is stored: its exit code.

    What it cannot be done with is told in a line: 2 where the settings are to blame, or where there is no
    key of a server whose matches are ``signed``; 1 where the store is.
    """
    try:
        settings = where(chosen)
        if signed and not (settings.data / KEY_FILE).exists():
            raise SettingsError(f"there is no signing key in {settings.data}")
        return asyncio.run(work(settings))
    except SettingsError as error:
        print(f"kleos {command}: {error}", file=sys.stderr)
        return 2
    except (NoServer, KeyUnusable, StoreUnavailable, UnsafeStore, ValueError) as error:
        print(f"kleos {command}: {error}", file=sys.stderr)
        return 1


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
