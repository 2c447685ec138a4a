"""How a match ends without the rules of its game: by resignation (match.6). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from kleos.core.kernel.game import Effect, Outcome
from kleos.core.kernel.registry import pinned
from kleos.core.match.facts import MatchAbandoned, MatchEnded, SeatResigned
from kleos.core.match.state import Match


def resignation(match: Match, leaving: Collection[int]) -> Iterator[Effect]:
    """The seats resign at the same moment, and what follows from that."""
    for seat in leaving:
        yield SeatResigned(rule="match.6", seat=seat)
    seats = tuple(replace(each, resigned=True) if each.seat in leaving else each for each in match.seats)
    sides = pinned(match.rules).sides(match.state)
    standing = [side for side in sides if not all(seats[each].resigned or seats[each].free for each in side)]
    if len(standing) == 1:
        lost = [side for side in sides if side not in standing]
        yield MatchEnded(
            rule="match.6",
            outcome=Outcome(
                winners=standing[0],
                ranking=(standing[0], tuple(sorted(each for side in lost for each in side))),
                scores={},
                reason="resignation",
            ),
        )
    elif not any(each.player is not None and not each.resigned for each in seats):
        yield MatchAbandoned(rule="match.6")
