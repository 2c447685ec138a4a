"""What would have been right where a body is wrong: the words of which one was to be given.

msgspec names the place of what is wrong. The type that belongs there is looked up in the type of the whole
body and in what was sent, since of several kinds of moves each has fields of its own. Knows no request.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec import inspect

_WORD: Final = re.compile(r"^Invalid (?:enum )?value '.*' - at `\$(.*)`$", re.DOTALL)
_TAG: Final = re.compile(r"^Object missing required field `([^`]*)`(?: - at `\$(.*)`)?$")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


def words_at(said: str, kind: Any, sent: Any) -> list[str]:
    """The words that may stand where msgspec ``said`` that ``sent``, as JSON has it, is no ``kind``.

    Empty where what is wrong is not a word out of a few.
    """
    if found := _WORD.match(said):
        path = found[1]
    elif found := _TAG.match(said):
        path = f"{found[2] or ''}.{found[1]}"
    else:
        return []
    steps = [name or int(place) for name, place in _STEP.findall(path)]
    types: list[inspect.Type] = [inspect.type_info(kind)]
    for step in steps:
        types = [more for each in types for more in _inside(each, step, sent)]
        sent = _part(sent, step)
    return list(dict.fromkeys(word for each in types for word in _words(each)))


def _part(sent: Any, step: str | int) -> Any:
    try:
        return sent[step]
    except (LookupError, TypeError):
        return None


def _inside(kind: inspect.Type, step: str | int, sent: Any) -> list[inspect.Type]:
    """The types that may lie one step inside."""
    match kind:
        case inspect.Metadata(type=inner):
            return _inside(inner, step, sent)
        case inspect.UnionType(types=types):
            return [more for each in types for more in _inside(each, step, sent)]
        case inspect.StructType(tag_field=tag_field, tag=tag) if tag_field == step and isinstance(tag, str):
            return [inspect.LiteralType((tag,))]
        case inspect.StructType(tag_field=tag_field, tag=tag, fields=fields):
            meant = tag_field is None or _part(sent, tag_field) == tag
            return [each.type for each in fields if meant and each.encode_name == step]
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [item]
    return []


def _words(kind: inspect.Type) -> list[str]:
    match kind:
        case inspect.Metadata(type=inner):
            return _words(inner)
        case inspect.UnionType(types=types):
            return [word for each in types for word in _words(each)]
        case inspect.LiteralType(values=values):
            return [msgspec.json.encode(each).decode() for each in values]
    return []
