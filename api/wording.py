"""What libraries and systems say went wrong, in words for whoever uses the API or a command.

Types are named as in JSON, whatever this program is written in, and system errors without their numbers.
"""

from __future__ import annotations

import re
from typing import Final

_NAMED: Final = re.compile(r"(Expected|got) `([a-z]+(?: \| [a-z]+)*)`")
_IN_JSON: Final = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
}


def in_json_words(said: str) -> str:
    """``Expected `int | null`, got `str``` becomes ``Expected an integer or null, got a string``."""

    def named(found: re.Match[str]) -> str:
        kinds = (_IN_JSON.get(kind, kind) for kind in found[2].split(" | "))
        return f"{found[1]} {' or '.join(kinds)}"

    return _NAMED.sub(named, said)


def in_plain_words(error: BaseException) -> str:
    """What an error says, of an error of the system its sentence and the file that it is about."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    about = "" if error.filename is None else f"{error.filename}: "
    return f"{about}{error.strerror.lower()}"


def no_source(source: str) -> str:
    """What is to be said where the name of a file or the id of a match was to be given, and neither was."""
    return f"{source}: no such file, and no such match (the id of a match has 26 characters)"
