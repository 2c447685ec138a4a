"""The components of the OpenAPI document: every type once, those of each game under its name.

The API's own types say "any" where a game's belong (a state, a move); here the games' types are put in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from kleos.api import examples, forms
from kleos.api.bodies import LARGEST
from kleos.api.field_words import describe
from kleos.api.schemas import ended, game_types
from kleos.core.kernel import Game
from kleos.core.kernel.visibility import viewed
from kleos.core.match.actions import MatchAction
from kleos.core.match.facts import MatchFact, PositionTaken

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
        types = game_types(game)
        forms_of_game = {part: form(game.rules) for form, part in _FORMS.items()}
        sent = {part: types.pop(part) for part in ("options", "move")} | forms_of_game
        parts, known = _schemas(sent, prefix)
        shown, seen = _schemas(types, prefix)
        names = {prefix + name: f"{prefix}Seen{name}" for name in _differing(seen, known, prefix)}
        self.components |= known | {names.get(name, name): _renamed(seen[name], names) for name in seen}
        for part, schema in (parts | _renamed(shown, names)).items():
            name = prefix + part.title().replace("_", "")
            self.played.setdefault(part, []).append(schema if "$ref" in schema else self._name(name, schema))
        self._say_once(prefix)
        describe(self.components, sent | types, (prefix, f"{prefix}Seen"))
        self._show(prefix, examples.of(game))

    def _say_once(self, prefix: str) -> None:
        """Where the fields of a game's types hold a union that has a name, refer to it."""
        unions = {
            name: schema
            for name, schema in self.components.items()
            if name.startswith(prefix) and "discriminator" in schema
        }
        for component in self.components.values():
            for field, schema in component.get("properties", {}).items():
                for name, union in unions.items():
                    if schema == union:
                        component["properties"][field] = {"$ref": REF + name}

    def _show(self, prefix: str, found: examples.Examples | None) -> None:
        """Put the recorded examples beside the types they are of."""
        if found is None:
            return
        for union, values in (("Move", found.moves), ("Effect", found.effects)):
            mapping = self.components[prefix + union]["discriminator"]["mapping"]
            for tag, value in values.items():
                self.components[mapping[tag].removeprefix(REF)]["examples"] = [value]
        self.components[prefix + "State"]["examples"] = [found.state]

    def _name(self, name: str, schema: Schema) -> Schema:
        self.components[name] = schema
        return {"$ref": REF + name}

    def of(self, kind: Any) -> Schema:
        """The schema of a type, its components added."""
        if kind in _FORMS:
            return {"anyOf": self.played[_FORMS[kind]]}
        (schema,), components = msgspec.json.schema_components([kind], ref_template=REF + "{name}")
        self.components |= {
            name: tidy(each) for name, each in components.items() if name not in self.components
        }
        found: Schema = tidy(schema)
        return found

    def fill_in(self) -> None:
        """Put the games' own types where the general ones say "any"."""
        played = {part: {"anyOf": schemas} for part, schemas in self.played.items()}
        parts, more = _schemas({"action": viewed(MatchAction), "fact": viewed(MatchFact | PositionTaken)}, "")
        self.components |= more
        action = self._name("MatchAction", parts["action"])
        fact = self._name("MatchFact", parts["fact"])
        seen_move = {"anyOf": [action, *played["seen_move"]["anyOf"]]}
        seen_effect = {"anyOf": [fact, *played["effect"]["anyOf"]]}
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


def _schemas(types: dict[str, Any], prefix: str) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The schema of each type, and the components they refer to by their names with the prefix."""
    schemas, components = msgspec.json.schema_components(
        list(types.values()), ref_template=f"{REF}{prefix}{{name}}"
    )
    named = dict(zip(types, map(tidy, schemas), strict=True))
    return named, {prefix + name: tidy(schema) for name, schema in components.items()}


def _differing(seen: dict[str, Schema], sent: dict[str, Schema], prefix: str) -> set[str]:
    """The names (without the prefix) of what looks otherwise when seen: with holes, or made of such."""
    found: set[str] = set()
    while more := {
        name
        for name in seen.keys() & sent.keys() - found
        if seen[name] != sent[name] or found & {each.removeprefix(REF) for each in references(seen[name])}
    }:
        found |= more
    return {name.removeprefix(prefix) for name in found}


def references(schema: Any) -> set[str]:
    """Every ``$ref`` and discriminator target in a schema."""
    if isinstance(schema, str):
        return {schema} if schema.startswith("#/") else set()
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return set().union(*map(references, inner))


def _renamed(schema: Any, names: dict[str, str]) -> Any:
    if isinstance(schema, list):
        return [_renamed(each, names) for each in schema]
    if isinstance(schema, dict):
        return {key: _renamed(value, names) for key, value in schema.items()}
    if isinstance(schema, str) and schema.startswith(REF):
        name = schema.removeprefix(REF)
        return REF + names.get(name, name)
    return schema


def tidy(schema: Any) -> Any:
    """Docstrings as prose on one line; every integer with the limits that all integers here have (RFC 8785);
    what is the common form, where msgspec has a rarer one: arrays for tuples of like members, constants for
    enumerations of one.
    """
    if isinstance(schema, list):
        return [tidy(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: tidy(value) for key, value in schema.items()}
    if isinstance(out.get("description"), str):
        out["description"] = " ".join(out["description"].replace("``", "`").split())
    if isinstance(out.get("pattern"), str):
        out["pattern"] = ended(out["pattern"])
    if out.get("type") == "integer":
        out = {"minimum": -LARGEST, "maximum": LARGEST, **out, "format": "int64"}
    if len(out.get("enum", ())) == 1:
        (out["const"],) = out.pop("enum")
    if out.get("type") == "array":
        out.setdefault("items", {})
    members = out.get("prefixItems")
    if members and out.get("items") is False and all(each == members[0] for each in members):
        del out["prefixItems"]
        out["items"] = members[0]
    return out
