"""The published vectors in ``tests/events/vectors``, for the tests of whatever they were published for."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "vectors"


def vectors(name: str) -> list[dict[str, Any]]:
    """Those of one file, as they were published."""
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]
    return found


def hashes(texts: Sequence[str] | None) -> tuple[bytes, ...]:
    """Go writes no list as null."""
    return tuple(base64.b64decode(each) for each in texts or ())
