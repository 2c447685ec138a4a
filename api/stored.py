"""A store opened for a command that looks through all of it: the outside one, or the embedded one started."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from kleos.api.settings import Settings
from kleos.events.embedded import Embedded
from kleos.events.store import Store


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncIterator[Store]:
    """Raises what ``Embedded.start`` and ``Store.connect`` raise."""
    async with AsyncExitStack() as stack:
        url = settings.redis_url
        if url is None:
            url = (await stack.enter_async_context(await Embedded.start(settings.data))).url
        store = await Store.connect(url, allow_unsafe=settings.allow_unsafe, prefix=settings.prefix)
        stack.push_async_callback(store.close)
        yield store
