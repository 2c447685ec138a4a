"""Waiting for news (RFC 7240, ``Prefer: wait=25``): an answer that would tell nothing new is held back.

No connection to the store is held meanwhile: whoever waits listens to the herald.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Final

from kleos.api.access import Asked, backend_of, caller, passage_for, require_visible
from kleos.core.match import Match

LONGEST: Final = 30
"""Seconds that a request is held at most: less than what proxies allow a silent answer."""
_WAIT = re.compile(r"\s*wait\s*=\s*\"?([0-9]{1,9})\"?\s*(?:;.*)?", re.IGNORECASE)


def wished(header: str | None) -> int | None:
    """The seconds that a ``Prefer`` header wishes to wait, at most ``LONGEST``; None if it wishes nothing."""
    for preference in (header or "").split(","):
        found = _WAIT.fullmatch(preference)
        if found:
            return min(int(found[1]), LONGEST)
    return None


async def fresher(
    request: Asked, match: Match, same: Callable[[Match], bool]
) -> tuple[Match, dict[str, str]]:
    """The match once it is no longer the ``same``, or as it is when the wish ends; headers that say so.

    Returns at once if the client does not wish to wait, or there is nothing to wait for. Raises the problem
    of one too many that wait.
    """
    seconds = wished(request.headers.get("prefer"))
    if seconds is None:
        return match, {}
    applied = {"Preference-Applied": f"wait={seconds}"}
    herald, log = backend_of(request).herald, backend_of(request).log
    if not same(match) or not await log.goes_on(match):
        return match, applied
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    with passage_for(request, await caller(request)), herald.listen(match.id) as listener:
        latest = await listener.tail.ready()
        while same(latest) and not latest.opened and not herald.silent:
            if not await listener.wait(deadline - loop.time()):
                break
            latest = listener.tail.match
    require_visible(latest, await caller(request))  # the token may have been revoked meanwhile
    return max(match, latest, key=lambda each: each.version), applied
