"""Texts."""

from typing import Any


def table(view: Any) -> str:
    return str(view)


def say(move: Any) -> str:
    return str(move)


def tell(effect: Any) -> str:
    return str(effect)


def manifest() -> Any:
    return {}
