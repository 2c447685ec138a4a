"""The games that are installed, found by the entry point group ``kleos.games``.

An installed package adds a game without touching this one::

    [project.entry-points."kleos.games"]
    hnefatafl = "my_package.hnefatafl:GAME"

The entry point has the game's name; it leads to a ``Game`` value, or to a list of them when several
versions of the rules are kept. A game is loaded when it is first asked for, so that a broken package harms
nobody else's matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from kleos.core.kernel.errors import Malformed
from kleos.core.kernel.game import Game

GROUP = "kleos.games"


@cache
def _points() -> Mapping[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if found.setdefault(point.name, point).value != point.value:
            raise RuntimeError(f"two installed packages provide the game {point.name}")
    return {name: found[name] for name in sorted(found)}


def provider(name: str) -> str | None:
    """The name of the distribution that brings the game ``name``; None if none does."""
    point = _points().get(name)
    return None if point is None or point.dist is None else point.dist.name


@cache
def _versions(name: str) -> Mapping[str, Game[Any, Any, Any]]:
    """Every installed version of the rules of one game, oldest first."""
    loaded = _points()[name].load()
    versions = sorted(loaded if isinstance(loaded, list) else [loaded], key=_number)
    for game in versions:
        if game.name != name or not game.rules.startswith(f"{name}/"):
            raise RuntimeError(f"the entry point {name} leads to {game.name!r} with the rules {game.rules!r}")
    return {game.rules: game for game in versions}


def _number(game: Game[Any, Any, Any]) -> int:
    return int(game.rules.rpartition("/")[2])


def games() -> Mapping[str, Game[Any, Any, Any]]:
    """Every installed set of rules by its version (``iliad/1``), in order."""
    return MappingProxyType({rules: game for name in _points() for rules, game in _versions(name).items()})


def current(name: str) -> Game[Any, Any, Any]:
    """The newest rules of the game ``name``; ``Malformed`` lists the games there are."""
    if name not in _points():
        raise Malformed(f"there is no game {name!r}; installed: {', '.join(_points())}")
    return list(_versions(name).values())[-1]


def pinned(rules: str) -> Game[Any, Any, Any]:
    """Exactly the rules a match is pinned to; ``LookupError`` if they are not installed."""
    name = rules.partition("/")[0]
    versions = _versions(name) if name in _points() else {}
    try:
        return versions[rules]
    except KeyError:
        known = ", ".join(versions) or f"the games {', '.join(_points())}"
        raise LookupError(f"the rules {rules} are not installed; installed: {known}") from None
