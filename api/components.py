"""The components of the OpenAPI document: every type once, those of each game under its name.

The API's own types say "any" where a game's belong (a state, a move); here the games' types are put in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from kleos.api import forms
from kleos.api.schemas import game_types
from kleos.core.kernel import Game
from kleos.core.kernel.visibility import viewed
from kleos.core.match.actions import MatchAction, MatchFact, PositionTaken

AnyGame = Game[Any, Any, Any]
Schema = dict[str, Any]

REF: Final = "#/components/schemas/"
_FORMS: Final[dict[Any, str]] = {forms.play_form: "play", forms.question_form: "question"}
"""Bodies that hold a move of the game."""


class Components:
    """The components: every type once, by name."""

    def __init__(self, games: Sequence[AnyGame]) -> None:
        self.components: dict[str, Schema] = {}
        self.games = games
        self.played: dict[str, list[Schema]] = {}
        for game in games:
            self._add_game(game)

    def _add_game(self, game: AnyGame) -> None:
        prefix = game.name.title().replace("_", "")
        types = {**game_types(game), **{part: form(game.rules) for form, part in _FORMS.items()}}
        schemas, components = msgspec.json.schema_components(
            list(types.values()), ref_template=f"{REF}{prefix}{{name}}"
        )
        self.components |= {prefix + name: _tidy(schema) for name, schema in components.items()}
        for part, schema in zip(types, schemas, strict=True):
            named = (
                schema
                if "$ref" in schema
                else self._name(prefix + part.title().replace("_", ""), _tidy(schema))
            )
            self.played.setdefault(part, []).append(named)

    def _name(self, name: str, schema: Schema) -> Schema:
        self.components[name] = schema
        return {"$ref": REF + name}

    def of(self, kind: Any) -> Schema:
        """The schema of a type, its components added."""
        if kind in _FORMS:
            return {"anyOf": self.played[_FORMS[kind]]}
        (schema,), components = msgspec.json.schema_components([kind], ref_template=REF + "{name}")
        self.components |= {
            name: _tidy(found) for name, found in components.items() if name not in self.components
        }
        tidy: Schema = _tidy(schema)
        return tidy

    def fill_in(self) -> None:
        """Put the games' own types where the general ones say "any"."""
        played = {part: {"anyOf": schemas} for part, schemas in self.played.items()}
        (action, effect, taken), more = msgspec.json.schema_components(
            [viewed(MatchAction), viewed(MatchFact), viewed(PositionTaken)], ref_template=REF + "{name}"
        )
        self.components |= {name: _tidy(schema) for name, schema in more.items()}
        seen_move = {"anyOf": [_tidy(action), *played["seen_move"]["anyOf"]]}
        seen_effect = {"anyOf": [_tidy(effect), _tidy(taken), *played["effect"]["anyOf"]]}
        places = {
            ("View", "state"): {"anyOf": [*played["state"]["anyOf"], {"type": "null"}]},
            ("ListedMove", "move"): played["move"],
            ("PublicEvent", "action"): seen_move,
            ("PublicEvent", "effects"): {"type": "array", "items": seen_effect},
            ("NewMatch", "options"): played["options"],
        }
        for (holder, field), schema in places.items():
            if holder in self.components and self.games:
                self.components[holder]["properties"][field] = schema


def _tidy(schema: Any) -> Any:
    """Docstrings as prose on one line; tagged unions without msgspec's redundant outer keys."""
    if isinstance(schema, list):
        return [_tidy(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _tidy(value) for key, value in schema.items()}
    if isinstance(out.get("description"), str):
        out["description"] = " ".join(out["description"].replace("``", "`").split())
    return out
