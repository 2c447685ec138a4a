"""Where the text of a cited rule stands."""

from __future__ import annotations

from kleos.core.kernel.registry import provider


def place(rule: str) -> str:
    """The page and paragraph of a rule (``match.7``, ``iliad.4.1``)."""
    game, _, paragraph = rule.partition(".")
    if game == "match":
        return f"docs/match.md, {rule}"
    if provider(game) == "kleos":
        return f"docs/rules/{game}.md, {paragraph}"
    return f"the rules of {game}, {paragraph}"
