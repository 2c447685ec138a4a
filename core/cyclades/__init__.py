"""Cyclades, complete, for two to five players; the rules are restated in ``docs/rules/cyclades.md``."""

from kleos.core.cyclades.game import GAME

__all__ = ["GAME"]
