"""Request bodies: strict JSON (RFC 8259, and of RFC 7493 what decides meaning) into typed structs.

One rule everywhere: what is not of the documented form is ``malformed`` and says where; what is of that
form but not allowed by the rules of the game is theirs to refuse. So a number with a fraction, a string for
a number, an unknown field, a field given twice, a NUL, a byte order mark, bytes that are not UTF-8 and
nesting beyond reason are refused here, before any rule has run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from functools import cache
from typing import Any, Final, NoReturn, TypeVar, cast

import msgspec

from kleos.api.problems import Problem
from kleos.api.rightly import words_at
from kleos.api.wording import in_json_words

T = TypeVar("T")

LARGEST: Final = 2**53 - 1
"""Integers are exact in every language up to here."""
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Problem("malformed", f"the field {twice!r} is given twice")
    return found


def _whole(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > LARGEST:
        raise Problem("malformed", f"integers lie within ±{LARGEST}")
    return int(text)


def _no_fraction(text: str) -> NoReturn:
    raise Problem("malformed", f"{text[:40]}: numbers are integers here")


def _no_constant(text: str) -> NoReturn:
    raise Problem("malformed", f"{text} is not JSON")


_CHECK = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_whole, parse_float=_no_fraction, parse_constant=_no_constant
)


@cache
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def decode(body: bytes, kind: type[T]) -> T:
    """``body`` as a value of ``kind``. Raises the problem ``malformed``, with the place in its detail."""
    try:
        text = body.decode("utf-8", errors="strict")
        if _NUL.search(text):
            raise Problem("malformed", "a string contains U+0000")
        _CHECK.decode(text)
        value: T = _decoder(cast(Hashable, kind)).decode(body)
    except UnicodeDecodeError as error:
        raise Problem("malformed", f"the body is not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise Problem("malformed", "the body is nested too deeply") from error
    except msgspec.ValidationError as error:
        right = words_at(str(error), kind, json.loads(body))
        which = f": one of {', '.join(right)}" if right else ""
        raise Problem("malformed", in_json_words(str(error)) + which) from error
    except (json.JSONDecodeError, msgspec.DecodeError) as error:
        raise Problem("malformed", f"the body is not JSON: {error}") from error
    return value
