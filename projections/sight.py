"""Sight: what each pair of eyes saw of the table, in words, and what changed before them.

A viewer looks through its own eyes; once all is open, through everybody's. Only redacted states are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from kleos.core.kernel import SPECTATOR, Viewer
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match, codec
from kleos.projections.drawing import painter_of, picture


class Sight(Struct, frozen=True):
    """The table in words as ``seat`` (null: a spectator) saw it before an event and after; null: no play."""

    seat: int | None
    before: str | None
    after: str | None


class Change(Struct, frozen=True):
    """Lines of the table that went and came, as ``seat`` saw it; null: as everybody did.

    What a seat saw beside that is only what others did not see.
    """

    seat: int | None
    gone: tuple[str, ...]
    come: tuple[str, ...]


class Picture(Struct, frozen=True):
    """The table after a version, as a seat (null: a spectator) saw it, in words.

    ``svg`` is the same drawn, once for a version: through the eyes that stand first; null also where the game
    draws none.
    """

    version: int
    seat: int | None
    words: str
    svg: str | None


def eyes_of(match: Match, viewer: Viewer) -> tuple[Viewer, ...]:
    """Through whose eyes somebody may look: all, once the match is open, and else the own ones."""
    if not viewer.open:
        return (viewer,)
    return (SPECTATOR, *(Viewer(each.seat) for each in match.seats))


def table(match: Match | None, viewer: Viewer) -> str | None:
    """The table in words, without a "you": beside it stands whose eyes these are. None before the start."""
    seen = None if match is None else codec(match.rules).view(match.state, viewer)
    return (
        None
        if seen is None or match is None
        else pinned(match.rules).table(seen, viewer.seat, over=match.opened)
    )


class Tables:
    """The table at every version that is known, as each pair of eyes saw it; each is told once."""

    def __init__(self, matches: Sequence[Match], viewer: Viewer) -> None:
        self._matches = matches
        self._viewer = viewer
        self._before: dict[int | None, str | None] = {}

    def changes(self, at: int) -> tuple[Change, ...] | None:
        """What changed in an event, by its place in the log; to be asked for one after the other."""
        if at >= len(self._matches):
            return None
        before, after = self._matches[at - 1] if at else None, self._matches[at]
        if after.state is None or (before is not None and before.state is after.state):
            return ()
        seen = []
        for eyes in eyes_of(after, self._viewer):
            words = table(after, eyes)
            seen.append(Sight(eyes.seat, self._before.get(eyes.seat), words))
            self._before[eyes.seat] = words
        return changes_of(seen)


def changes_of(seen: Sequence[Sight]) -> tuple[Change, ...]:
    """What changed on the table; the sight of a spectator, which stands first, is everybody's.

    Of each seat there remains what it alone saw.
    """
    changes: list[Change] = []
    for each in seen:
        gone, come = moved(each.before, each.after)
        if each.seat is not None and changes:
            gone = tuple(line for line in gone if line not in changes[0].gone)
            come = tuple(line for line in come if line not in changes[0].come)
        changes.append(Change(each.seat, gone, come))
    return tuple(each for each in changes if each.gone or each.come)


def moved(before: str | None, after: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of one text that are not in the other, and the other way round."""
    old, new = (before or "").splitlines(), (after or "").splitlines()
    gone: list[str] = []
    come: list[str] = []
    for _, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if old[a:b] != new[c:d]:
            gone += old[a:b]
            come += new[c:d]
    return tuple(gone), tuple(come)


def pictures(matches: Sequence[Match], viewer: Viewer) -> tuple[Picture, ...]:
    """The table as each pair of eyes saw it when play began, and at last."""
    played = [each for each in matches if each.state is not None]
    return tuple(
        Picture(match.version, eyes.seat, table(match, eyes) or "", None if place else _drawn(match, eyes))
        for match in played[:1] + played[-1:] * (len(played) > 1)
        for place, eyes in enumerate(eyes_of(match, viewer))
    )


def _drawn(match: Match, viewer: Viewer) -> str | None:
    game = painter_of(match)
    return None if game is None else picture(game, match, viewer)
