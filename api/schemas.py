"""JSON Schemas of a game, made from its types: options, moves, effects, and views as a client sees them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, cast

import msgspec

from kleos.core.kernel import Game
from kleos.core.kernel.visibility import viewed

REF = "#/$defs/{name}"
WHOLE: Final = r"\Z"
"""How the patterns of whole strings end."""


def game_types(game: Game[Any, Any, Any]) -> dict[str, Any]:
    """The types of a game that cross the wire. What a client sends is whole; what it sees may have holes."""
    return {
        "options": game.Options,
        "move": game.Move,
        "seen_move": viewed(game.Move),
        "effect": viewed(game.Effect),
        "state": viewed(cast(Hashable, game.State)),
    }


def portable(schema: Any) -> Any:
    """A schema whose patterns are those of JSON Schema (ECMA-262), where ``$`` is the end of the string.

    In Python ``$`` also comes before a last line feed, so the types say ``\\Z``.
    """
    if isinstance(schema, list):
        return [portable(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: portable(value) for key, value in schema.items()}
    if isinstance(out.get("pattern"), str):
        out["pattern"] = ended(out["pattern"])
    return out


def ended(pattern: str) -> str:
    """A Python pattern of a whole string, in ECMA-262."""
    return f"{pattern.removesuffix(WHOLE)}$" if pattern.endswith(WHOLE) else pattern


def game_schemas(game: Game[Any, Any, Any]) -> dict[str, Any]:
    """One self-contained JSON Schema (2020-12) for each of ``game_types``."""
    out: dict[str, Any] = {}
    for name, kind in game_types(game).items():
        (schema,), components = msgspec.json.schema_components([kind], ref_template=REF)
        out[name] = portable({**schema, "$defs": components})
    return out
