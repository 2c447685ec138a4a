"""What the fields of a game's types mean, in the words that stand below them in the code.

A sentence in quotes below a field describes it, as with ``Options.preset`` of Cyclades. Python forgets these,
so they are read from the source. A game whose source is not there is described without them.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec.inspect import StructType, Type, multi_type_info

Schema = dict[str, Any]


def describe(components: dict[str, Schema], kinds: dict[str, Any], prefixes: tuple[str, ...]) -> None:
    """Put the words of fields into the components that ``kinds`` refer to, named with one of ``prefixes``."""
    for kind in structs(kinds.values()):
        said = words_of(_original(kind))
        for field in msgspec.structs.fields(kind):
            for prefix in prefixes:
                about = components.get(prefix + kind.__name__, {}).get("properties", {})
                if field.name in said and field.encode_name in about:
                    about[field.encode_name].setdefault("description", said[field.name])


def words_of(kind: type) -> dict[str, str]:
    """The words below the fields of a struct and of its bases, by field, as prose on one line."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        found |= _below(each.__module__).get(each.__name__, {})
    return found


def structs(kinds: Any) -> Iterator[type[msgspec.Struct]]:
    """Every struct type in ``kinds``, once, those inside others too."""
    seen: set[type] = set()
    waiting: list[Any] = list(multi_type_info(kinds))
    while waiting:
        each = waiting.pop()
        if isinstance(each, StructType):
            if each.cls in seen:
                continue
            seen.add(each.cls)
            yield each.cls
            waiting += [field.type for field in each.fields]
        elif isinstance(each, Type):
            parts = (getattr(each, name) for name in each.__struct_fields__)
            waiting += [
                inner
                for part in parts
                for inner in (part if isinstance(part, tuple) else (part,))
                if isinstance(inner, Type)
            ]


def _original(kind: type) -> type:
    """The type that a redacted one was made from: it has kept its name and module."""
    found = getattr(sys.modules.get(kind.__module__), kind.__name__, kind)
    return found if isinstance(found, type) else kind


@cache
def _below(module: str) -> dict[str, dict[str, str]]:
    """The words below the fields of every class of a module, by class and field."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return {}
    return {each.name: dict(_fields(each)) for each in tree.body if isinstance(each, ast.ClassDef)}


def _fields(struct: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(struct.body, struct.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            yield field.target.id, " ".join(below.value.value.replace("``", "`").split())
