"""The games that are installed, found by the entry point group ``kleos.games``.

An installed package adds a game without touching this one::

    [project.entry-points."kleos.games"]
    hnefatafl = "my_package.hnefatafl:GAME"

An entry point names a ``Game`` value, or a list of them when several versions of the rules are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

from kleos.core.kernel.errors import Malformed
from kleos.core.kernel.game import Game

GROUP = "kleos.games"


@cache
def games() -> Mapping[str, Game[Any, Any, Any]]:
    """Every installed set of rules by its version (``iliad/1``), in order."""
    found: dict[str, Game[Any, Any, Any]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        loaded = point.load()
        for game in loaded if isinstance(loaded, list) else [loaded]:
            if game.rules in found:
                raise RuntimeError(f"two installed packages provide the rules {game.rules}")
            found[game.rules] = game
    return MappingProxyType(found)


def current(name: str) -> Game[Any, Any, Any]:
    """The newest rules of the game ``name``; ``Malformed`` lists the games there are."""
    versions = [game for game in games().values() if game.name == name]
    if not versions:
        known = ", ".join(sorted({game.name for game in games().values()}))
        raise Malformed(f"there is no game {name!r}; installed: {known}")
    return max(versions, key=lambda game: int(game.rules.rpartition("/")[2]))


def pinned(rules: str) -> Game[Any, Any, Any]:
    """Exactly the rules a match is pinned to; ``LookupError`` if they are not installed."""
    try:
        return games()[rules]
    except KeyError:
        raise LookupError(f"the rules {rules} are not installed; installed: {', '.join(games())}") from None
