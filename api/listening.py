"""Listening for a match to move on, while somebody sits at a prompt. Knows the client, no terminal.

A thread asks the server (long poll) and writes to a pipe, which the reader of the prompt waits for as well.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading

from kleos.api.client import Client, Problem, Unreachable

_UNTOLD = 64  # rings that are heard as one


class Listener:
    """A bell that rings when a match has moved beyond the version last listened at, or is lost.

    Threads end with the process, or when the match has moved: at most one waits for each version.
    """

    def __init__(self, client: Client, match: str) -> None:
        self._client = client
        self._match = match
        self._heard, self._rings = os.pipe()
        os.set_blocking(self._heard, False)
        self._lost: queue.SimpleQueue[Exception] = queue.SimpleQueue()
        self._version: int | None = None

    def fileno(self) -> int:
        return self._heard

    def listen(self, version: int) -> None:
        """Ring once the match is beyond ``version``."""
        if version != self._version:
            self._version = version
            self._hush()
            threading.Thread(target=self._wait, args=(version,), daemon=True).start()

    def heed(self) -> None:
        """Stop ringing. Raises ``Unreachable`` or ``Problem`` if that is why it rang."""
        self._hush()
        if not self._lost.empty():
            self._version = None
            raise self._lost.get()

    def _hush(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._heard, _UNTOLD)

    def _wait(self, version: int) -> None:
        try:
            while not self._client.wait(self._match, version):
                pass
        except (Unreachable, Problem) as error:
            self._lost.put(error)
        if version == self._version:  # else it is known already
            os.write(self._rings, b".")
