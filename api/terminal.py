"""The terminal, to be read and to answer in: colours where they are wanted, never control codes of others.

It waits for a line and for a bell at once, so that what happens meanwhile can be told; what rings the bell
it does not know.
"""

from __future__ import annotations

import os
import select
import sys
import textwrap
from contextlib import suppress
from typing import Final, Protocol, TextIO

_PIECE: Final = 4096  # bytes that are read at once
_GLUE: Final = "\N{NO-BREAK SPACE}"


class Bell(Protocol):
    """Something whose file descriptor can be read once there is something to be told."""

    def fileno(self) -> int: ...


class Terminal:
    """Writes to ``out`` and reads lines from the file ``source``, which nobody else reads.

    Colours need a terminal and no ``NO_COLOR``.
    """

    def __init__(self, source: TextIO | None = None, out: TextIO | None = None) -> None:
        self._source = source or sys.stdin
        self._out = out or sys.stdout
        self._typed = b""
        self.interactive = self._source.isatty() and sys.platform != "win32"
        """Whether somebody sits there, who may want to say something while others are waited for."""
        self.coloured = (
            self._out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )

    def plain(self, text: str = "") -> None:
        self._write(self._fitted(printable(text)))

    def heading(self, text: str) -> None:
        self._styled(text, "1")

    def news(self, text: str) -> None:
        self._styled(text, "2")

    def warning(self, text: str) -> None:
        self._styled(text, "31")

    def choice(self, number: int, text: str, note: str = "") -> None:
        """A line that can be chosen by its number, with a remark after it."""
        remark = printable(note).replace(" ", _GLUE)
        line = self._fitted(f"{number:>3} {printable(text)}" + (f"   {remark}" if note else ""))
        if self.coloured:
            line = f"\x1b[36m{line[:3]}\x1b[0m{line[3:]}"
            line = line.replace(remark, f"\x1b[2m{remark}\x1b[0m") if note else line
        print(line.replace(_GLUE, " "), file=self._out)

    def ask(self, prompt: str, explained: str = "") -> str:
        """A line without blanks around it; ``?`` gets ``explained`` and is asked again.

        ``EOFError`` when there are no more lines.
        """
        self._prompt(prompt)
        while (line := self._line(None)) == "?" and explained:
            self.plain(explained)
            self._prompt(prompt)
        assert line is not None, "without a bell it is waited for a line"
        return line

    def ask_or_hear(self, prompt: str, bell: Bell) -> str | None:
        """Like ``ask``, or None as soon as the bell rings."""
        self._prompt(prompt)
        line = self._line(bell)
        if line is None:
            self._out.write("\r\x1b[K" if self.coloured else "\n")
        return line

    def forget_typed(self) -> None:
        """Drop what was typed at a terminal before there was anything to answer."""
        if self.interactive:
            import termios  # noqa: PLC0415 - not on every platform

            self._typed = b""
            termios.tcflush(self._source, termios.TCIFLUSH)

    def _prompt(self, prompt: str) -> None:
        self._out.write(f"\x1b[1m{prompt}\x1b[0m " if self.coloured else f"{prompt} ")
        self._out.flush()

    def _line(self, bell: Bell | None) -> str | None:
        """The next line; None if the bell rings before there is one."""
        while b"\n" not in self._typed:
            if bell is not None and bell in select.select([self._source, bell], [], [])[0]:
                return None
            piece = os.read(self._source.fileno(), _PIECE)
            if not piece:
                self._out.write("\n")
                raise EOFError
            self._typed += piece
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _styled(self, text: str, style: str) -> None:
        said = self._fitted(printable(text))
        self._write(f"\x1b[{style}m{said}\x1b[0m" if self.coloured else said)

    def _fitted(self, text: str) -> str:
        """The text with its lines folded to the width of the terminal, if it is one and says how wide."""
        columns = 0
        with suppress(OSError):  # no terminal
            columns = os.get_terminal_size(self._out.fileno()).columns
        if not columns:
            return text
        return "\n".join(line for each in text.split("\n") for line in folded(each, columns))

    def _write(self, text: str) -> None:
        print(text, file=self._out, flush=True)


def printable(text: str) -> str:
    """The text without control characters: names and texts come from elsewhere."""
    return "".join(each for each in text if each.isprintable() or each == "\n")


def folded(line: str, columns: int) -> list[str]:
    """A line as it fits into so many columns: broken at blanks, and what follows set in further."""
    indent = " " * min(len(line) - len(line.lstrip()) + 4, columns // 2)
    return textwrap.wrap(
        line, max(columns, 2), subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False
    ) or [""]
