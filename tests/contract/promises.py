"""What one version of the published document named and a later one no longer does: operations, parameters,
statuses, media types, fields, values to choose from. Something renamed is something gone.

The tool that judges types does not see a parameter go, so names are looked at here. Knows nothing of types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

JSON = dict[str, Any]


def withdrawn(before: JSON, after: JSON) -> list[str]:
    """Every name that is in ``before`` and not in ``after``, by its place: a path of keys."""
    return [*_operations(before["paths"], after["paths"]), *_schemas(before, after)]


def _operations(before: JSON, after: JSON) -> Iterator[str]:
    for path, methods in before.items():
        for method, operation in methods.items():
            place, kept = f"{method.upper()} {path}", after.get(path, {}).get(method)
            if kept is None:
                yield place
                continue
            gone = _parameters(operation) - _parameters(kept)
            yield from (f"{place}: {where} parameter {name}" for where, name in sorted(gone))
            yield from (f"{place}: {each}" for each in sorted(_answers(operation) - _answers(kept)))


def _parameters(operation: JSON) -> set[tuple[str, str]]:
    return {(each["in"], each["name"]) for each in operation.get("parameters", ())}


def _answers(operation: JSON) -> set[str]:
    """Statuses, and with each the media types and headers that an answer may have."""
    answers = operation["responses"].items()
    return {
        f"status {status} {name}".rstrip()
        for status, answer in answers
        for name in ("", *answer.get("content", ()), *answer.get("headers", ()))
    }


def _schemas(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Fields and values gone from whatever stands at the same place in both."""
    if isinstance(before, list) and isinstance(after, list):
        for each, other in zip(before, after, strict=False):
            yield from _schemas(each, other, place)
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return
    if isinstance(before.get("enum"), list):
        kept = after["enum"] if "enum" in after else before["enum"]
        yield from (f"{place}: value {each}" for each in before["enum"] if each not in kept)
    for name, part in before.items():
        if name in after:
            yield from _schemas(part, after[name], f"{place}/{name}")
        elif place.endswith(("/properties", "/components/schemas")):
            yield f"{place}: field {name}"
