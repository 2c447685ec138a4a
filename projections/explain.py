"""Explaining: what an event followed from, what chance had a part in it, and why another move was illegal.

An explanation is made by letting the rules decide once more, with the chance of that version. It shows no
more than its viewer could see.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from kleos.core.kernel import Builtin, Chance, Legal, Refused, Viewer, choices, redact
from kleos.core.kernel.registry import pinned
from kleos.core.match import Event, Match, chance_for, codec, decide
from kleos.core.match.actions import MatchAction, MatchEffect, MatchStarted, SeatFilled
from kleos.core.match.event import Kind
from kleos.core.match.folding import seated
from kleos.projections.differences import in_words

T = TypeVar("T")


class Draw(Struct, frozen=True):
    """One use of chance: a ``die`` of so many faces, a ``pick`` out of so many, a ``shuffle`` of so many.

    ``value`` is what came out of a die or a pick, once the match is over; before, only the effects say what
    everybody may know.
    """

    kind: Literal["die", "pick", "shuffle"]
    of: int
    value: int | UnsetType = UNSET


class Cited(Struct, frozen=True):
    """An effect in words, and the paragraph of the rules it follows from."""

    rule: str
    words: str


class Explanation(Struct, frozen=True, kw_only=True):
    """Why an event did what it did, as a viewer may know it.

    ``action`` is what was asked for, in words where the game has some; ``legal`` are the moves that its seat
    could have made instead, for those who may see that seat's moves; ``again`` tells whether the rules, asked
    once more, come to the same effects.
    """

    version: int
    kind: Kind
    seat: int | None
    player: str | None
    action: Builtin
    words: str
    effects: tuple[Cited, ...]
    chance: tuple[Draw, ...]
    legal: tuple[Builtin, ...] | None
    again: bool


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a move could be made at a version; if not, the refusal it would have got."""

    version: int
    legal: bool
    code: str | UnsetType = UNSET
    rule: str | UnsetType | None = UNSET
    reason: str | UnsetType = UNSET


class _Witness:
    """Chance that writes down how it was used."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.draws: list[Draw] = []

    def die(self, faces: int) -> int:
        value = self._chance.die(faces)
        self.draws.append(Draw("die", faces, value))
        return value

    def pick(self, n: int) -> int:
        value = self._chance.pick(n)
        self.draws.append(Draw("pick", n, value))
        return value

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        self.draws.append(Draw("shuffle", len(items)))
        return self._chance.shuffle(items)


def explain(before: Match | None, event: Event, viewer: Viewer) -> Explanation:
    """The explanation of ``event``, which led on from ``before``."""
    draws, effects = _again(before, event)
    told = in_words(event, viewer)
    action = redact(event.action, viewer, kind=codec(event.rules).action, owner=event.seat)
    shown = draws if viewer.open else tuple(Draw(each.kind, each.of) for each in draws)
    return Explanation(
        version=event.version,
        kind=event.kind,
        seat=event.seat,
        player=event.player,
        action=action,
        words=event.kind if isinstance(event.action, MatchAction) else pinned(event.rules).say(action),
        effects=tuple(
            Cited(effect.rule, words) for effect, words in zip(event.effects, told.words, strict=True)
        ),
        chance=shown,
        legal=_alternatives(before, event, viewer),
        again=effects is None or effects == _of_game(event),
    )


def _of_game(event: Event) -> tuple[Any, ...]:
    return tuple(each for each in event.effects if not isinstance(each, MatchEffect))


def _again(before: Match | None, event: Event) -> tuple[tuple[Draw, ...], tuple[Any, ...] | None]:
    """How chance was used, and the game's effects; None where the game had no part in it."""
    if before is None:
        return (), None
    game = pinned(event.rules)
    if event.kind == "move" and event.seat is not None:
        witness = _Witness(chance_for(before, event.version))
        effects = game.decide(before.state, event.seat, event.action, witness).effects
        return tuple(witness.draws), effects
    if before.parent is None and any(isinstance(each, MatchStarted) for each in event.effects):
        witness = _Witness(chance_for(_seated(before, event), event.version))
        opened = game.open(msgspec.convert(before.options, game.Options), len(before.seats), witness)
        return tuple(witness.draws), opened.effects
    return (), None


def _seated(before: Match, event: Event) -> Match:
    """The match with whoever sat down in this very event: their entropy was part of the chance."""
    filled = [each for each in event.effects if isinstance(each, SeatFilled)]
    return replace(before, seats=tuple(reduce(seated, filled, each) for each in before.seats))


def _alternatives(before: Match | None, event: Event, viewer: Viewer) -> tuple[Builtin, ...] | None:
    """What else could have been done; None if that is not the viewer's to know, or was nobody's turn."""
    if before is None or event.kind != "move" or event.seat is None:
        return None
    if not viewer.open and viewer.seat != event.seat:
        return None
    legal: tuple[Legal[Any], ...] = choices(pinned(event.rules), before.state, event.seat)
    return tuple(msgspec.to_builtins(each) for each in legal)


def verdict(match: Match, seat: int, move: Any) -> Verdict:
    """Whether whoever plays ``seat`` could make ``move`` in ``match``; what would follow is not told."""
    player = match.seats[seat].player if not match.seats[seat].mechanical else None
    try:
        decide(match, player, seat, move, at=match.updated_at)
    except Refused as refusal:
        return Verdict(
            version=match.version, legal=False, code=refusal.code, rule=refusal.rule, reason=refusal.reason
        )
    return Verdict(version=match.version, legal=True)
