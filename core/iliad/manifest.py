"""What a frontend needs to draw Iliad: components, set-up table, attack table, options and their help.

Constant and JSON-ready; made from ``cards`` and the tables of the rules, so that it cannot differ from them.
"""

from __future__ import annotations

from functools import cache

import msgspec

from kleos.core.iliad.attacking import MAY_DESTROY
from kleos.core.iliad.cards import COMPONENTS
from kleos.core.iliad.setup import Options
from kleos.core.kernel.visibility import Builtin

HELP = (
    "Two to six players besiege Troy over several sieges. On your turn place one card, attack with one, or "
    "pass; the strongest army takes victory cards. With oracles a match lasts eight sieges at most: among "
    "three players more than half of all matches end that way, and then the highest score wins, even below "
    "the target, at zero or negative."
)


@cache
def _made() -> bytes:
    return msgspec.json.encode(
        {
            "game": "iliad",
            "title": "Iliad",
            "help": HELP,
            "components": COMPONENTS,
            "attacks": MAY_DESTROY,
            "options": {"defaults": Options(), "schema": msgspec.json.schema(Options)},
        }
    )


def manifest() -> Builtin:
    """A fresh copy of the manifest."""
    return msgspec.json.decode(_made())
