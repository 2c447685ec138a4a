"""Explaining: what an event followed from, what chance had a part in it, and why another move was illegal.

An explanation is made by letting the rules decide once more, with the chance of that version. It shows no
more than its viewer could see.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from kleos.core.kernel import Builtin, Legal, Refused, Viewer, choices, redact
from kleos.core.kernel.registry import pinned
from kleos.core.match import Event, Match, codec, decide
from kleos.core.match.actions import MatchAction
from kleos.core.match.event import Kind
from kleos.core.match.facts import MatchEffect, Proposed, TimeRanOut
from kleos.core.match.words import say
from kleos.projections.differences import in_words
from kleos.projections.draws import Draw, Stream, decided_again, shown
from kleos.projections.history import Doer, doer
from kleos.projections.rulebook import place
from kleos.projections.sight import Sight, eyes_of, table


class Cited(Struct, frozen=True):
    """An effect in words, the paragraph of the rules it follows from, and where that is written."""

    rule: str
    words: str
    place: str


class Explanation(Struct, frozen=True, kw_only=True):
    """Why an event did what it did, as a viewer may know it.

    ``action`` is what was asked for, ``words`` the same in words; ``legal`` are the moves that its seat
    could have made instead, for those who may see that seat's moves; ``again`` tells whether the rules, asked
    once more, come to the same effects. ``head`` is the version that was in force before, ``streams`` tell
    how the draws of ``chance`` came about, and ``seen`` what the viewer saw; every seat, once all is over.
    """

    match: str
    rules: str
    version: int
    at: int
    kind: Kind
    head: int | None
    seat: int | None
    player: str | None
    doer: Doer
    action: Builtin
    words: str
    effects: tuple[Cited, ...]
    chance: tuple[Draw, ...]
    streams: tuple[Stream, ...]
    seen: tuple[Sight, ...]
    legal: tuple[Builtin, ...] | None
    again: bool


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a move could be made at a version; if not, the refusal it would have got."""

    version: int
    legal: bool
    code: str | UnsetType = UNSET
    rule: str | UnsetType | None = UNSET
    reason: str | UnsetType = UNSET
    place: str | UnsetType = UNSET


def explain(before: Match | None, event: Event, after: Match, viewer: Viewer) -> Explanation:
    """The explanation of ``event``, which led on from ``before`` to ``after``."""
    witness, effects = decided_again(before, event)
    draws, streams = shown(witness, opened=viewer.open)
    told = in_words(event, viewer)
    action = redact(event.action, viewer, kind=codec(event.rules).action, owner=event.seat)
    return Explanation(
        match=event.match,
        rules=event.rules,
        version=event.version,
        at=event.at,
        kind=event.kind,
        head=None if before is None else before.head,
        seat=event.seat,
        player=event.player,
        doer=_doer(before, event, after),
        action=action,
        words=_said(event, action),
        effects=tuple(
            Cited(effect.rule, words, place(effect.rule))
            for effect, words in zip(event.effects, told.words, strict=True)
        ),
        chance=draws,
        streams=streams,
        seen=_seen(before, after, viewer),
        legal=_alternatives(before, event, viewer),
        again=effects is None or effects == _of_game(event),
    )


def _said(event: Event, action: Builtin) -> str:
    """What was asked for, in words; ``action`` is that as the viewer may see it."""
    if isinstance(event.action, MatchAction):
        return say(action, proposed=any(isinstance(each, Proposed) for each in event.effects))
    return pinned(event.rules).say(action)


def _doer(before: Match | None, event: Event, after: Match) -> Doer:
    seat = event.seat
    held = None if before is None or seat is None else before.seats[seat]
    own = event.player is not None and any(
        seat in each.seats_of(event.player) for each in (before, after) if each
    )
    return doer(
        event.kind,
        seat,
        event.player,
        bot=None if held is None else held.bot,
        own=own,
        late=any(isinstance(each, TimeRanOut) for each in event.effects),
    )


def _of_game(event: Event) -> tuple[Any, ...]:
    return tuple(each for each in event.effects if not isinstance(each, MatchEffect))


def _seen(before: Match | None, after: Match, viewer: Viewer) -> tuple[Sight, ...]:
    if after.state is None:
        return ()
    return tuple(Sight(each.seat, table(before, each), table(after, each)) for each in eyes_of(after, viewer))


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
            version=match.version,
            legal=False,
            code=refusal.code,
            rule=refusal.rule,
            reason=refusal.reason,
            place=UNSET if refusal.rule is None else place(refusal.rule),
        )
    return Verdict(version=match.version, legal=True)
