"""How long a server that has gone silent is tried again by somebody who sits at its table. Knows no HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable

from kleos.api.wording import in_plain_words


class Outage:
    """Silence of one server, which is borne for ``seconds``; ``tell`` hears when it begins and when it ends.

    Without arguments it is not borne at all.
    """

    def __init__(self, seconds: float = 0, tell: Callable[[str], None] | None = None) -> None:
        self._seconds = seconds
        self._tell = tell
        self._since: float | None = None

    def borne(self, silence: str) -> bool:
        """Whether to try again, as the server is silent still; ``silence`` says what was seen of it."""
        now = time.monotonic()
        if self._tell is None:
            return False
        if self._since is None:
            self._since = now
            self._tell(f"{silence}. Trying again for {self._seconds:g} seconds …")
        return now - self._since < self._seconds

    def over(self) -> None:
        """The server has answered."""
        if self._since is not None and self._tell is not None:
            self._since = None
            self._tell("The server answers again.")


def reason_of(error: Exception) -> str:
    """Why a connection failed, in plain words."""
    reason = getattr(error, "reason", None) or error
    return in_plain_words(reason) if isinstance(reason, Exception) else str(reason)
