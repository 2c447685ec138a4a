"""What the conformance kit found: how much was tried, how large the game is, which laws were broken where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

import msgspec
from msgspec import Struct

from kleos.core.kernel.visibility import Builtin


class Spread(Struct, frozen=True):
    """The middle and the largest of a list of numbers."""

    median: float
    max: int

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Spread:
        return cls(median(numbers), max(numbers))

    def __str__(self) -> str:
        return f"median {self.median:g}, at most {self.max}"


class Failure(Struct, frozen=True):
    """A law that was broken: in which match, after which decisions, and how.

    ``seed``, ``seats``, ``options`` and ``match`` name the match: ``check`` with the same seed, these seats
    and options, and ``first=match, matches=1`` plays it again. Of all matches that broke the law, the one
    with the fewest decisions is kept.
    """

    law: str
    complaint: str
    seed: str
    seats: int
    options: Builtin
    match: int
    trace: tuple[str, ...]

    def __str__(self) -> str:
        where = f"seats={self.seats} options={msgspec.json.encode(self.options).decode()} match={self.match}"
        steps = "".join(f"\n    {number}. {step}" for number, step in enumerate(self.trace, start=1))
        return f"{self.law}: {self.complaint}\n  seed={self.seed!r} {where}\n  after{steps or ' the opening'}"


class Report(Struct):
    """Grows while the battery runs; ``demand`` turns it into the verdict of a test."""

    rules: str
    matches: int = 0
    decisions: int = 0
    effects: int = 0
    checks: Counter[str] = msgspec.field(default_factory=Counter)
    """How often each law was put to the test: positions, moves or pairs, as the law counts."""
    endings: Counter[str] = msgspec.field(default_factory=Counter)
    lengths: dict[int, list[int]] = msgspec.field(default_factory=dict)
    """Decisions a match, by number of seats."""
    choices: dict[str, list[int]] = msgspec.field(default_factory=dict)
    """Listed moves a position: all together under ``all``, and by type."""
    failures: dict[str, Failure] = msgspec.field(default_factory=dict)
    """At most one a law."""

    def add(self, failure: Failure) -> None:
        known = self.failures.get(failure.law)
        if known is None or len(failure.trace) < len(known.trace):
            self.failures[failure.law] = failure

    def count(self, kinds: Sequence[str]) -> None:
        """Record the types of the moves listed in one position."""
        for kind, times in (("all", len(kinds)), *Counter(kinds).items()):
            self.choices.setdefault(kind, []).append(times)

    @property
    def ok(self) -> bool:
        return not self.failures

    def demand(self, *laws: str) -> Report:
        """Raise ``AssertionError`` if a law was broken, or one of ``laws`` was never put to the test."""
        untried = [law for law in laws if not self.checks[law]]
        if self.failures or untried:
            raise AssertionError(f"{self}\nnever tried: {', '.join(untried) or 'none'}")
        return self

    def __str__(self) -> str:
        lines = [
            f"{self.rules}: {self.matches} matches, {self.decisions} decisions, {self.effects} effects",
            *(f"  decisions with {seats} seats: {Spread.of(n)}" for seats, n in sorted(self.lengths.items())),
            *(f"  listed moves, {kind}: {Spread.of(n)}" for kind, n in sorted(self.choices.items())),
            f"  endings: {', '.join(f'{why} {n}' for why, n in self.endings.most_common())}",
            f"  checks: {', '.join(f'{law} {n}' for law, n in sorted(self.checks.items()))}",
            *(str(failure) for failure in self.failures.values()),
        ]
        return "\n".join(lines)
