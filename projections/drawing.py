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


def picture(match: Match, viewer: Viewer) -> str | None:
    """The table as SVG, as the viewer may see it; None before the start, and where the game draws none."""
    game = painter(match.rules)
    if game is None or match.state is None:
        return None
    return game.picture(codec(match.rules).view(match.state, viewer), viewer.seat)
