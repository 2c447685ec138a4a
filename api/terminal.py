"""The terminal, to be read and to answer in: colours where they are wanted, never control codes of others."""

from __future__ import annotations

import os
import sys
from typing import TextIO


class Terminal:
    """Writes to ``out`` and reads lines from ``source``. Colours need a terminal and no ``NO_COLOR``."""

    def __init__(self, source: TextIO | None = None, out: TextIO | None = None) -> None:
        self._source = source or sys.stdin
        self._out = out or sys.stdout
        self.coloured = (
            self._out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )

    def plain(self, text: str = "") -> None:
        self._write(printable(text))

    def heading(self, text: str) -> None:
        self._styled(text, "1")

    def news(self, text: str) -> None:
        self._styled(text, "2")

    def warning(self, text: str) -> None:
        self._styled(text, "31")

    def choice(self, number: int, text: str) -> None:
        label = f"{number:>3}"
        print(f"\x1b[36m{label}\x1b[0m" if self.coloured else label, printable(text), file=self._out)

    def ask(self, prompt: str) -> str:
        """A line without blanks around it; ``EOFError`` when there are no more."""
        self._out.write(f"\x1b[1m{prompt}\x1b[0m " if self.coloured else f"{prompt} ")
        self._out.flush()
        line = self._source.readline()
        if not line:
            self._out.write("\n")
            raise EOFError
        return line.strip()

    def _styled(self, text: str, style: str) -> None:
        self._write(f"\x1b[{style}m{printable(text)}\x1b[0m" if self.coloured else printable(text))

    def _write(self, text: str) -> None:
        print(text, file=self._out, flush=True)


def printable(text: str) -> str:
    """The text without control characters: names and texts come from elsewhere."""
    return "".join(each for each in text if each.isprintable() or each == "\n")
