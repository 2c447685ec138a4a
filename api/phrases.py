"""What may be typed at the table: words and their short forms, and the numbers of moves; whose turn it is."""

from __future__ import annotations

from typing import Final

from kleos.api.client import JSON

WATCHING: Final = """t  the table again           n  the latest news
?  this help                 q  leave"""
HELP: Final = """a number plays that move (12), a move with a range takes its number after it (12 5)
t  the table again           n  what happened since your last move
u  undo: what could be taken back, and at what cost; u 2 takes back two decisions
r  redo: the same, forward   yes, no, withdraw  answer a proposal, take back your own
resign  give up the seat     ?  this help                q  leave; the match waits"""
SHORT: Final[dict[str, str]] = {
    "?": "help",
    "h": "help",
    "t": "table",
    "n": "news",
    "u": "undo",
    "r": "redo",
    "y": "yes",
    "consent": "yes",
    "agree": "yes",
    "refuse": "no",
    "w": "withdraw",
    "q": "quit",
    "exit": "quit",
}
"""Other words for the same."""
RESIGNING: Final = "yes gives up the seat: the house moves on for it; anything else goes on playing"


def chosen(moves: list[JSON], answer: str) -> JSON:
    """The move that an answer such as ``3`` or ``3 12`` means. ``ValueError`` says what would be right."""
    number, _, amount = answer.partition(" ")
    if not number.isdecimal() or not 1 <= int(number) <= len(moves):
        raise ValueError(f"a number from 1 to {len(moves)}, please; ? for help")
    listed = moves[int(number) - 1]
    move: JSON = listed["move"]
    if not listed.get("range"):
        if amount:
            raise ValueError(f"move {number} takes no further number")
        return move
    ((field, (low, high)),) = listed["range"].items()
    if low == high and not amount:
        return move
    if not amount.strip().isdecimal() or not low <= int(amount) <= high:
        raise ValueError(f"move {number} takes a number from {low} to {high}, for example: {number} {high}")
    return {**move, field: int(amount)}


def awaited(view: JSON) -> str:
    """Who it takes to go on."""
    if view["adjourned"]:
        return "the referee, who has adjourned the match"
    return ", ".join(f"seat {seat}" for seat in view["to_act"]) or "the other players to sit down"
