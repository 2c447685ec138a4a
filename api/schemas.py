"""JSON Schemas of a game, made from its types: options, moves, effects, and views as a client sees them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, cast

import msgspec

from kleos.core.kernel import Game
from kleos.core.kernel.visibility import viewed

REF = "#/$defs/{name}"


def game_types(game: Game[Any, Any, Any]) -> dict[str, Any]:
    """The types of a game that cross the wire. What a client sends is whole; what it sees may have holes."""
    return {
        "options": game.Options,
        "move": game.Move,
        "seen_move": viewed(game.Move),
        "effect": viewed(game.Effect),
        "state": viewed(cast(Hashable, game.State)),
    }


def game_schemas(game: Game[Any, Any, Any]) -> dict[str, Any]:
    """One self-contained JSON Schema (2020-12) for each of ``game_types``."""
    out: dict[str, Any] = {}
    for name, kind in game_types(game).items():
        (schema,), components = msgspec.json.schema_components([kind], ref_template=REF)
        out[name] = {**schema, "$defs": components}
    return out
