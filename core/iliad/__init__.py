"""Iliad, by Dominique Ehrhard: two to six players, alone or in teams, besiege Troy.

The paragraphs that effects and refusals cite (``iliad.4.2``) are those of ``docs/rules/iliad.md``.
"""

from kleos.core.iliad.game import GAME

__all__ = ["GAME"]
