"""Canonical JSON: one value, one byte string, so that what is stored, hashed, signed and sent is the same.

This is RFC 8785 narrowed to where it needs no number formatting and no UTF-16 sorting: keys are ASCII,
numbers are integers within ±(2^53 - 1), nesting is at most 64 deep. It knows nothing of events.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

LARGEST: Final = (1 << 53) - 1
"""The largest integer that every JSON implementation reads exactly (RFC 7493, section 2.2)."""
DEEPEST: Final = 64
"""How deeply lists and objects may be nested: a fixed number, so that all readers agree."""

_PLAIN: Final = frozenset((str, bool, type(None)))
_SORTED = msgspec.json.Encoder(order="sorted")


class NotCanonical(ValueError):
    """The value has no canonical form here, or the bytes are not in it."""


def encode(value: Any) -> bytes:
    """The canonical bytes of JSON-ready builtins (dict, list or tuple, str, int, bool, None).

    Raises ``NotCanonical`` for anything else: floats, large integers, keys beyond ASCII, lone surrogates.
    """
    _check(value, DEEPEST)
    try:
        return _SORTED.encode(value)
    except UnicodeEncodeError as error:
        raise NotCanonical(f"text that is not Unicode: {error.reason}") from None


def decode(data: bytes) -> Any:
    """The value of canonical bytes; raises ``NotCanonical`` unless ``encode`` gives exactly these bytes back.

    So white space, another order of keys, a key twice, needless escapes and 1e3 for 1000 are all refused.
    """
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotCanonical(f"not JSON: {error}") from None
    except RecursionError:
        raise NotCanonical(f"nested more than {DEEPEST} deep") from None
    if encode(value) != data:
        raise NotCanonical("JSON, but not in canonical form")
    return value


def _check(value: Any, depth: int) -> None:
    kind = type(value)
    if kind in _PLAIN:
        return
    if kind is int:
        if not -LARGEST <= value <= LARGEST:
            raise NotCanonical(f"{value} is beyond ±(2^53 - 1)")
        return
    if kind is dict:
        for key in value:
            if type(key) is not str or not key.isascii():
                raise NotCanonical(f"the key {key!r} is not ASCII text")
        value = value.values()
    elif kind is not list and kind is not tuple:
        raise NotCanonical(f"{kind.__name__} has no canonical form")
    if depth == 0:
        raise NotCanonical(f"nested more than {DEEPEST} deep")
    for item in value:
        if type(item) not in _PLAIN:
            _check(item, depth - 1)
