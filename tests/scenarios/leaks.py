"""A scan for leaks: every byte that somebody was sent, against what that somebody may know.

Secrets are strings that nobody can guess, so finding one is proof. They are looked for as they are, and in
hexadecimal and base64, whatever stands before and after them.
"""

import base64
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.scenarios.client import Answer

CORE = 16
"""How much of a secret is looked for: so many characters of it are still beyond guessing."""


class Heard(NamedTuple):
    """One answer that a reader got, to what it ``asked``, while the log had ``version`` events."""

    reader: str
    version: int
    answer: Answer
    asked: str = ""

    @property
    def bytes(self) -> bytes:
        headers = "\n".join(f"{name}: {value}" for name, value in self.answer.headers.items())
        return headers.encode() + b"\n\n" + self.answer.body


class Leak(NamedTuple):
    """``secret`` was in an answer to ``reader`` when the log had ``version`` events."""

    reader: str
    version: int
    secret: str
    asked: str = ""


class Knowledge:
    """Who may know which secret, and from which version on.

    ``audiences`` are names for several readers at once: all that look through one seat.
    """

    def __init__(self, readers: Iterable[str], audiences: Mapping[str, Iterable[str]] | None = None) -> None:
        self.since: dict[str, dict[str, int]] = {}
        self._audiences = {each: (each,) for each in readers} | dict(audiences or {})

    def add(self, secret: str, *readers: str, since: int = 0) -> None:
        """``secret`` exists, and ``readers`` may know it from version ``since`` on; others never."""
        held = self.since.setdefault(secret, {})
        for reader in {one for each in readers for one in self._audiences.get(each, ())}:
            held[reader] = min(since, held.get(reader, since))

    def may(self, reader: str, secret: str, version: int) -> bool:
        return self.since[secret].get(reader, version + 1) <= version


def disguises(secret: str) -> set[bytes]:
    """The byte strings that betray a secret."""
    core = secret[:CORE].encode()
    found = {core, core.hex().encode(), core.hex().upper().encode()}
    for before in range(3):  # base64 looks different at each offset; the groups that depend on neighbours go
        padded = base64.b64encode(b"\0" * before + core)[4 if before else 0 :]
        whole = padded[: len(padded) - 4]
        found |= {whole, whole.replace(b"+", b"-").replace(b"/", b"_")}
    return found


def scan(heard: Iterable[Heard], knowledge: Knowledge) -> list[Leak]:
    """Every secret in an answer to a reader who could not know it yet."""
    shapes = {secret: disguises(secret) for secret in knowledge.since}
    return [
        Leak(each.reader, each.version, secret, each.asked)
        for each in heard
        for secret, betraying in shapes.items()
        if not knowledge.may(each.reader, secret, each.version)
        and any(shape in each.bytes for shape in betraying)
    ]
