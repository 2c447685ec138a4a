"""The table of a match as a picture, where its game offers one; made from a redacted state alone."""

from __future__ import annotations

from kleos.core.kernel import Pictured, Viewer
from kleos.core.kernel.registry import pinned
from kleos.core.match import Match, codec


def painter(rules: str) -> Pictured | None:
    """The game of these rules, if it is installed and draws its table."""
    try:
        game = pinned(rules)
    except LookupError:
        return None
    return game if isinstance(game, Pictured) else None


def painter_of(match: Match) -> Pictured | None:
    """Who draws the table of a match; None before the start, and where its game draws none."""
    return None if match.state is None else painter(match.rules)


def picture(game: Pictured, match: Match, viewer: Viewer) -> str:
    """The table as SVG, as the viewer may see it."""
    return game.picture(codec(match.rules).view(match.state, viewer), viewer.seat, over=match.opened)
