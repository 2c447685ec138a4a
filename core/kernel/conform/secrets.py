"""States that a viewer cannot tell apart: the same table, with what is hidden from the viewer dealt anew.

``hidden`` finds the places a viewer may not look into; ``rearranged`` shuffles their contents among places of
the same type (hidden cards among the hands of others and the deck), so that every count stays as it was. A
game whose hidden parts are bound by more than their type gives the kit a ``rearrange`` of its own.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Annotated, Any, NamedTuple, Union

import msgspec
from msgspec import Struct

from kleos.core.kernel.chance import Chance
from kleos.core.kernel.visibility import Builtin, Sight, Viewer, merge


class Place(NamedTuple):
    """A hidden value: where it is (JSON Pointer), what may stand there, and what does."""

    pointer: str
    kind: Hashable
    value: Builtin


def rearranged(state: Any, viewer: Viewer, chance: Chance) -> Any:
    """Another state that looks the same to ``viewer``; equal to ``state`` if there is nothing to exchange."""
    pools: dict[Hashable, list[Place]] = {}
    for place in hidden(type(state), state, viewer):
        pools.setdefault(place.kind, []).append(place)
    changed: dict[str, Builtin] = {}
    for places in pools.values():
        values = chance.shuffle([place.value for place in places])
        changed |= {place.pointer: value for place, value in zip(places, values, strict=True)}
    whole = merge(msgspec.to_builtins(state), [changed])
    return msgspec.convert(_in_order(msgspec.to_builtins(state), whole), type(state))


def hidden(
    annotation: Any,
    value: Any,
    viewer: Viewer,
    *,
    owner: int | None = None,
    sealed: bool = False,
    at: str = "",
) -> Iterator[Place]:
    """The outermost values below ``value`` that ``viewer`` may not see, sequences by their items.

    ``sealed`` is set below a field that is hidden from the viewer.
    """
    kind, _sight, _meta = _bare(annotation)
    if isinstance(value, Struct):
        owner = getattr(value, "seat", None) if getattr(value, "seat", None) is not None else owner
        hints = typing.get_type_hints(type(value), include_extras=True)
        for name, key in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
            _, sight, _ = _bare(hints[name])
            mine = sight is Sight.OWNED and owner is not None and owner == viewer.seat
            closed = sealed or not (sight is Sight.PUBLIC or mine)
            item = getattr(value, name)
            if closed and item is not None and not (isinstance(item, tuple) and _item(hints[name])):
                yield Place(f"{at}/{key}", (name, *_key(hints[name])), msgspec.to_builtins(item))
            else:
                yield from hidden(hints[name], item, viewer, owner=owner, sealed=closed, at=f"{at}/{key}")
    elif isinstance(value, tuple):
        declared = _item(kind)
        for place, item in enumerate(value):
            if sealed:
                yield Place(f"{at}/{place}", _key(declared), msgspec.to_builtins(item))
            else:
                yield from hidden(declared, item, viewer, owner=owner, at=f"{at}/{place}")


def _bare(annotation: Any) -> tuple[Any, Sight | None, tuple[Any, ...]]:
    """The type, its sight, and what else it is annotated with (bounds of numbers tell types apart)."""
    if typing.get_origin(annotation) is not Annotated:
        return annotation, None, ()
    kind, *marks = typing.get_args(annotation)
    sight = next((mark for mark in reversed(marks) if isinstance(mark, Sight)), None)
    return kind, sight, tuple(mark for mark in marks if not isinstance(mark, Enum))


def _key(annotation: Any) -> tuple[Hashable, ...]:
    kind, _, meta = _bare(annotation)
    return (kind, *(repr(each) for each in meta))


def _item(annotation: Any) -> Any:
    """The declared type of the items of a ``tuple[X, ...]``, perhaps a member of a union; else None."""
    kind, _, _ = _bare(annotation)
    if typing.get_origin(kind) in (Union, types.UnionType):
        kind = next((each for each in typing.get_args(kind) if typing.get_origin(each) is tuple), None)
    arguments = typing.get_args(kind)
    return arguments[0] if len(arguments) == 2 and arguments[1] is Ellipsis else None


def _in_order(before: Builtin, after: Builtin) -> Builtin:
    """``after``, every sequence of scalars sorted that was sorted in ``before``: hands are often kept so."""
    if isinstance(before, dict):
        return {key: _in_order(before[key], after[key]) for key in before}
    if not isinstance(before, list | tuple):
        return after
    if {type(each) for each in after} in ({int}, {str}):
        return sorted(after) if list(before) == sorted(before) else after
    return [_in_order(*each) for each in zip(before, after, strict=True)]
