"""Laws of a game's types and constants: what can be seen without playing."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from kleos.core.kernel.game import Game
from kleos.core.kernel.visibility import Sight


def declarations(game: Game[Any, Any, Any]) -> Iterator[str | None]:
    """Types are frozen, each field says who sees it, options are public and have defaults."""
    if not game.rules.startswith(f"{game.name}/") or not game.rules.rpartition("/")[2].isdigit():
        yield f"the rules are called {game.rules!r} instead of {game.name}/<number>"
    if "random" not in game.bots:
        yield "there is no bot called random"
    seen: set[Any] = set()
    for root in (game.State, game.Move, game.Effect, game.Options):
        for struct in _structs(root, seen):
            yield None
            yield from _struct_faults(struct)
    yield from _option_faults(game.Options)
    if msgspec.json.encode(game.manifest()) != msgspec.json.encode(game.manifest()):
        yield "the manifest is not constant"


def _structs(annotation: Any, seen: set[Any]) -> Iterator[type[Struct]]:
    """Every struct type that a value of this type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        if annotation in seen:
            return
        seen.add(annotation)
        yield annotation
        for hint in typing.get_type_hints(annotation, include_extras=True).values():
            yield from _structs(hint, seen)
    for argument in typing.get_args(annotation):
        yield from _structs(argument, seen)


def _struct_faults(struct: type[Struct]) -> Iterator[str]:
    if not struct.__struct_config__.frozen:
        yield f"{struct.__name__} is not frozen"
    hints = typing.get_type_hints(struct, include_extras=True)
    for name in struct.__struct_fields__:
        if not any(isinstance(mark, Sight) for mark in getattr(hints[name], "__metadata__", ())):
            yield f"{struct.__name__}.{name} does not say who sees it"


def _option_faults(options: Any) -> Iterator[str]:
    if not options.__struct_config__.forbid_unknown_fields:
        yield "the options do not forbid unknown fields"
    for field in msgspec.structs.fields(options):
        if field.required:
            yield f"the option {field.name} has no default"
    for name, hint in typing.get_type_hints(options, include_extras=True).items():
        if Sight.PUBLIC not in getattr(hint, "__metadata__", ()):
            yield f"the option {name} is not public"
