"""Who may see what: declared on the fields, denied by default, enforced by one redactor.

Every field of a state, move or effect declares its sight::

    class Army(Struct, frozen=True):
        seat: Public[int]
        hand: Owned[Counted[tuple[Card, ...]]]     # the owner sees the cards, the others how many
        chariots: Public[int]

    class Table(Struct, frozen=True):
        deck: Secret[Counted[tuple[Card, ...]]]    # nobody sees it, everybody knows its size

The owner of a field is the ``seat`` of the nearest enclosing struct that has a field of that name. A field
without a declaration is ``Secret``: forgetting one hides too much, never too little. What a viewer may not
see is ``null``; a hidden ``Counted`` sequence is a list of as many ``null``. Sight only narrows on the way
down: inside an owned field nothing is seen by another seat, inside a secret one nothing by anybody.

``redact`` gives what a viewer sees; ``split`` takes a value apart into what everybody may see and one part
per *audience* (``seat:0``, ``server``), each a map from JSON Pointer (RFC 6901) to the missing value;
``merge`` puts parts back. All results are JSON-ready builtins. ``viewed`` is the type of a redacted value.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, TypeGuard, TypeVar, Union

import msgspec
from msgspec import Struct

T = TypeVar("T")


class Sight(Enum):
    """Who sees a field: everybody, the owning seat, or nobody."""

    PUBLIC = "public"
    OWNED = "owned"
    SECRET = "secret"


class _Counted(Enum):
    COUNTED = "counted"


Public = Annotated[T, Sight.PUBLIC]
Owned = Annotated[T, Sight.OWNED]
Secret = Annotated[T, Sight.SECRET]
Counted = Annotated[T, _Counted.COUNTED]
"""Marks a hidden sequence whose length everybody knows."""

Builtin = Any
"""A JSON-ready value: dict, list, str, int, bool or None."""
Parts = dict[str, dict[str, Builtin]]
"""Audience -> JSON Pointer -> the value that belongs there."""

SERVER: Final = "server"
"""The audience of what nobody at the table may see."""


class Viewer(Struct, frozen=True):
    """Somebody who looks: a seat, a spectator (``seat`` is None), or anybody once all is ``open``."""

    seat: int | None = None
    open: bool = False


SPECTATOR: Final = Viewer()
EVERYTHING: Final = Viewer(open=True)


def audience(seat: int) -> str:
    """The name of the audience that consists of one seat."""
    return f"seat:{seat}"


class _Walk:
    """One pass over a value: for a viewer (redact), or for all audiences at once (split).

    ``sees`` is the widest audience that sees the place reached: None for everybody, else an audience name.
    """

    __slots__ = ("parts", "viewer")

    def __init__(self, viewer: Viewer | None) -> None:
        self.viewer = viewer
        self.parts: Parts = {}

    def hides(self, sees: str) -> bool:
        """Whether the value must be replaced here (always, when parts are being collected)."""
        if self.viewer is None:
            return True
        if self.viewer.open:
            return False
        return self.viewer.seat is None or sees != audience(self.viewer.seat)


_SCALARS = frozenset((str, int, bool, type(None)))
_Render = Callable[[Any, _Walk, int | None, str | None, str], Builtin]


def _plain(value: Any, _walk: _Walk, _owner: int | None, _sees: str | None, _at: str) -> Builtin:
    if type(value) in _SCALARS:
        return value
    return msgspec.json.decode(msgspec.json.encode(value))  # lists, not tuples: what a client would read


def _bare(annotation: Any) -> tuple[Any, Sight | None, bool]:
    """The type without its markers, its sight if declared, and whether its length is public."""
    sight: Sight | None = None
    counted = False
    while typing.get_origin(annotation) is Annotated:
        base, *marks = typing.get_args(annotation)
        for mark in marks:
            if isinstance(mark, Sight):
                sight = mark
            elif mark is _Counted.COUNTED:
                counted = True
        annotation = base
    return annotation, sight, counted


def _is_struct(kind: Any) -> TypeGuard[type[Struct]]:
    return isinstance(kind, type) and issubclass(kind, Struct)


@cache
def _hides_something(annotation: Hashable) -> bool:
    """Whether any field below could be hidden: the rest is rendered in one stroke."""
    kind, _, _ = _bare(annotation)
    if _is_struct(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        return any(
            _bare(hint)[1] is not Sight.PUBLIC or _hides_something(hint)
            for name, hint in hints.items()
            if name in kind.__struct_fields__
        )
    return any(_hides_something(arg) for arg in typing.get_args(kind) if arg is not Ellipsis)


@cache
def _renderer(annotation: Hashable) -> _Render:
    kind: Any = _bare(annotation)[0]
    if not _hides_something(kind):
        return _plain
    if _is_struct(kind):
        return _struct_renderer(kind)
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _union_renderer(args)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return _sequence_renderer(args[0])
    raise TypeError(
        f"hidden fields cannot be inside {kind}: use structs, unions of structs and tuple[X, ...]"
    )


def _sequence_renderer(item: Any) -> _Render:
    render = _renderer(item)

    def sequence(value: Any, walk: _Walk, owner: int | None, sees: str | None, at: str) -> Builtin:
        return [render(each, walk, owner, sees, f"{at}/{place}") for place, each in enumerate(value)]

    return sequence


def _union_renderer(members: Sequence[Any]) -> _Render:
    structs: dict[Any, _Render] = {each: _renderer(each) for each in members if _is_struct(each)}
    others = next((_renderer(kind) for kind in members if typing.get_origin(kind) is tuple), _plain)

    def union(value: Any, walk: _Walk, owner: int | None, sees: str | None, at: str) -> Builtin:
        return structs.get(type(value), others)(value, walk, owner, sees, at) if value is not None else None

    return union


def _struct_renderer(kind: type[Struct]) -> _Render:
    hints = typing.get_type_hints(kind, include_extras=True)
    config = kind.__struct_config__
    fields = []
    for name, key in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        _, sight, counted = _bare(hints[name])
        fields.append((name, key, sight or Sight.SECRET, counted, _renderer(hints[name])))
    owns = "seat" in kind.__struct_fields__
    tag = {config.tag_field: config.tag} if config.tag_field is not None else {}

    def struct(value: Any, walk: _Walk, owner: int | None, sees: str | None, at: str) -> Builtin:
        if owns and value.seat is not None:
            owner = value.seat
        out: dict[str, Builtin] = dict(tag)
        for name, key, sight, counted, render in fields:
            item = getattr(value, name)
            if item is msgspec.UNSET:
                continue
            if sight is Sight.PUBLIC:
                out[key] = render(item, walk, owner, sees, f"{at}/{key}")
                continue
            narrowed = _narrow(sees, SERVER if sight is Sight.SECRET or owner is None else audience(owner))
            if not walk.hides(narrowed):
                out[key] = render(item, walk, owner, narrowed, f"{at}/{key}")
                continue
            out[key] = [None] * len(item) if counted and item is not None else None
            if walk.viewer is None:
                place = f"{at}/{key}"
                shown = render(item, walk, owner, narrowed, place)
                walk.parts.setdefault(narrowed, {})[place] = shown
        return out

    return struct


def _narrow(sees: str | None, to: str) -> str:
    return to if sees is None or sees == to else SERVER


def redact(value: Any, viewer: Viewer, *, kind: Any = None, owner: int | None = None) -> Builtin:
    """``value`` as JSON-ready builtins, with everything that ``viewer`` may not see replaced by null.

    ``kind`` is the declared type (default: the value's own); ``owner`` the seat that owns fields outside
    any struct with a ``seat`` (a move belongs to the seat that makes it).
    """
    declared: Any = type(value) if kind is None else kind
    return _renderer(declared)(value, _Walk(viewer), owner, None, "")


def conceals(value: Struct, viewer: Viewer) -> bool:
    """Whether anything in ``value`` is hidden from ``viewer``."""
    kind = type(value)
    return _hides_something(kind) and redact(value, viewer) != redact(value, EVERYTHING)


def split(value: Any, *, kind: Any = None, owner: int | None = None, at: str = "") -> tuple[Builtin, Parts]:
    """What everybody may see of ``value``, and for each audience the parts that only it may see.

    Pointers start with ``at``. ``merge`` of the public part and all parts is the whole value.
    """
    walk = _Walk(None)
    declared: Any = type(value) if kind is None else kind
    public = _renderer(declared)(value, walk, owner, None, at)
    return public, walk.parts


def merge(public: Builtin, parts: Sequence[Mapping[str, Builtin]]) -> Builtin:
    """``public`` with the given parts put in their places (shallow pointers first). Changes nothing given.

    Raises ``ValueError`` when a pointer leads nowhere.
    """
    whole, own = msgspec.json.decode(msgspec.json.encode([public, parts]))  # deeper parts are put into others
    places = [place for part in own for place in part.items()]
    for pointer, value in sorted(places, key=lambda place: place[0].count("/")):
        holder, steps = whole, pointer.split("/")[1:]
        try:
            for step in steps[:-1]:
                holder = holder[int(step) if isinstance(holder, list) else step]
            holder[int(steps[-1]) if isinstance(holder, list) else steps[-1]] = value
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"an opened part points to {pointer!r}, which is not in the event") from error
    return whole


def _with_holes(sequence: Any) -> Any:
    """``tuple[X, ...]`` as ``tuple[X | None, ...]``."""
    item, _ = typing.get_args(sequence)
    return types.GenericAlias(tuple, (item | None, Ellipsis))


@cache
def viewed(annotation: Hashable) -> Any:
    """The type of a redacted value: as ``annotation``, but whatever can be hidden may be null.

    Struct names are kept, so that schemas made from the result read like the originals.
    """
    kind: Any = _bare(annotation)[0]
    if not _hides_something(kind):
        return kind
    if not _is_struct(kind):
        origin, args = typing.get_origin(kind), typing.get_args(kind)
        inner = tuple(arg if arg is Ellipsis else viewed(arg) for arg in args)
        return Union[inner] if origin in (Union, types.UnionType) else origin[inner]  # noqa: UP007 - a value
    hints = typing.get_type_hints(kind, include_extras=True)
    fields: list[tuple[str, Any, Any]] = []
    for field in msgspec.structs.fields(kind):
        bare, sight, counted = _bare(hints[field.name])
        seen = viewed(bare)
        if sight is not Sight.PUBLIC:
            seen = _with_holes(seen) if counted else seen | None
        absent = {"default": msgspec.UNSET} if field.default is msgspec.UNSET else {}
        fields.append((field.name, seen, msgspec.field(name=field.encode_name, **absent)))
    config = kind.__struct_config__
    seen_kind = msgspec.defstruct(
        kind.__name__,
        fields,
        frozen=True,
        kw_only=True,
        tag_field=config.tag_field,
        tag=config.tag,
        module=kind.__module__,
    )
    seen_kind.__doc__ = kind.__doc__
    return seen_kind
