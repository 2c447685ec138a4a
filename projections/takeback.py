"""Taking back: which line is in force, where a seat could move the head, and what that would cost.

Pure functions of the match at its versions; nothing here moves anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kleos.core.kernel import Malformed
from kleos.core.match import Cost, Match, Past, Proposal, Target, line, returns, targets


class Reachable(Struct, frozen=True):
    """A version that the head could be moved to; ``undo`` is what that takes."""

    version: int
    undo: Cost


class Takeback(Struct, frozen=True, kw_only=True):
    """What can be taken back, and forward again, by ``seat`` (null: a spectator, who can do neither).

    ``line`` are the decisions in force as ranges of versions, first and last, ascending; versions since the
    start of play that it leaves out were undone, or were no decisions. ``targets`` has the latest first,
    ``redo`` the nearest.
    """

    match: str
    seat: int | None
    version: int
    head: int
    line: tuple[tuple[int, int], ...]
    targets: tuple[Reachable, ...]
    redo: tuple[Reachable, ...]
    proposals: tuple[Proposal, ...]


def takeback(match: Match, seat: int | None, past: Past) -> Takeback:
    """All that concerns undo and redo of a match as it stands; ``Malformed`` for a seat that it lacks."""
    if seat is not None and not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, or spectator, not {seat}")
    on_line = [each.head for each in line(match, past)] if match.state is not None else []
    able = seat is not None and match.status == "playing" and not match.seats[seat].mechanical
    return Takeback(
        match=match.id,
        seat=seat,
        version=match.version,
        head=match.head,
        line=ranges(reversed(on_line)),
        targets=_reachable(targets(match, seat, past)) if seat is not None and able else (),
        redo=_reachable(returns(match, seat, past)) if seat is not None and able else (),
        proposals=match.proposals,
    )


def _reachable(found: Iterable[Target]) -> tuple[Reachable, ...]:
    return tuple(Reachable(each.version, each.cost) for each in found)


def ranges(ascending: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Ascending numbers as runs without a gap."""
    runs: list[tuple[int, int]] = []
    for each in ascending:
        if runs and runs[-1][1] == each - 1:
            runs[-1] = (runs[-1][0], each)
        else:
            runs.append((each, each))
    return tuple(runs)
