"""A match as text, one JSON object a line: what was decided and all that followed, nothing hidden.

    {"rules":"tiny/1","seats":2,"options":{…},"players":["random","greedy"],"seed":"…"}
    {"effects":[…]}                                   the opening
    {"seat":1,"move":{…},"effects":[…]}               one line a decision
    {"outcome":{…}}

The effects alone rebuild every state; ``states`` does so, and so can anybody with the rules. Keys are sorted,
so that equal matches are equal texts. Pure: lines in, lines out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from kleos.core.kernel.game import Outcome
from kleos.core.kernel.playout import Step
from kleos.core.kernel.registry import pinned

_LINE = msgspec.json.Encoder(order="sorted")


def heading(rules: str, seats: int, options: Any, players: Iterable[str], seed: str) -> bytes:
    """The first line; ``options`` are settled, ``players`` are names of bots by seat."""
    return _LINE.encode(
        {"rules": rules, "seats": seats, "options": options, "players": list(players), "seed": seed}
    )


def opening(effects: Iterable[Any]) -> bytes:
    return _LINE.encode({"effects": list(effects)})


def decision(step: Step) -> bytes:
    return _LINE.encode({"seat": step.seat, "move": step.move, "effects": step.effects})


def ending(outcome: Outcome) -> bytes:
    return _LINE.encode({"outcome": outcome})


def states(lines: Iterable[bytes | str]) -> Iterator[Any]:
    """Every state of the match in turn: after the opening, and after each decision.

    Raises ``LookupError`` if the rules are not installed, ``ValueError`` if lines do not belong together.
    """
    written = (msgspec.json.decode(line) for line in lines)
    head = next(written, None)
    if not isinstance(head, dict) or "rules" not in head:
        raise ValueError("a transcript begins with the rules, the seats and the options")
    game = pinned(head["rules"])
    state = game.blank(msgspec.convert(head["options"], game.Options), head["seats"])
    for line in written:
        if "outcome" in line:
            if msgspec.convert(line["outcome"], Outcome) != game.outcome(state):
                raise ValueError("the outcome is not the one that the effects lead to")
            return
        for effect in line["effects"]:
            state = game.evolve(state, msgspec.convert(effect, game.Effect))
        yield state
