"""A command of ours in a terminal of its own, typed to and read like a person does."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Self

from tests.scenarios.server import GAMES, PATIENCE

PIECE = 65536
SIZE = ("COLUMNS", "LINES")
"""What would overrule the size of the terminal; pytest-xdist sets it."""


class Screen:
    """``kleos WORDS…`` in a terminal of ``columns`` by ``rows``; ``home`` has its keyring."""

    def __init__(self, home: Path, *words: str, columns: int = 100, rows: int = 40) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {
            name: each
            for name, each in os.environ.items()
            if not name.startswith("KLEOS_") and name not in SIZE
        }
        environment |= {
            "PYTHONPATH": str(GAMES),
            "XDG_STATE_HOME": str(home),
            "TERM": "xterm",
            "NO_COLOR": "1",
        }
        self._process = subprocess.Popen(
            [str(Path(sys.executable).with_name("kleos")), *words],
            stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.seen = ""
        """Everything it has shown so far."""
        self._read = 0

    def until(self, text: str) -> str:
        """What it shows up to and with ``text``, since the last look; fails if that does not come."""
        deadline = time.monotonic() + PATIENCE
        while (found := self.seen.find(text, self._read)) < 0:
            assert time.monotonic() < deadline, f"no {text!r} in: {self.seen[self._read :]}"
            if select.select([self._ours], [], [], 1)[0] and not self._more():
                raise AssertionError(f"it ended without {text!r}: {self.seen[self._read :]}")
        began, self._read = self._read, found + len(text)
        return self.seen[began : self._read]

    def _more(self) -> bool:
        try:
            self.seen += os.read(self._ours, PIECE).decode(errors="replace")
        except OSError:  # the other end is closed
            return False
        return True

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def answer(self, prompt: str, line: str) -> str:
        """Wait for a prompt and answer it: what was shown before it."""
        shown = self.until(prompt)
        self.type(f"{line}\n")
        return shown

    def interrupt(self) -> None:
        """What Ctrl-C does to the program of a terminal."""
        self._process.send_signal(signal.SIGINT)

    def ended(self) -> int:
        """Wait until it is over: its exit code."""
        deadline = time.monotonic() + PATIENCE
        while not select.select([self._ours], [], [], 1)[0] or self._more():
            assert time.monotonic() < deadline, f"it goes on: {self.seen[self._read :]}"
        return self._process.wait(timeout=PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        os.close(self._ours)
