"""The law of non-interference: what a seat may not know makes no difference to anything it is shown.

Two states that look the same to a viewer are set side by side. Views, seats to act, the viewer's own moves
and the refusals it gets must be the same to the byte. Then the same decision is made in both, or, for a
decision of somebody else, two that look the same to the viewer; the effects, as the viewer sees them, must be
the same up to the first one that rightly tells something new. Those are named by the game (``reveals``): a
card drawn tells its owner something, cards turned up tell everybody.

What was asked of chance must be the same too, and without that exception: the report of a match that goes on
tells of every event how many dice, picks and shuffles there were and out of how many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kleos.core.kernel.conform.position import Overheard, Position, attempt, mutations, text
from kleos.core.kernel.conform.secrets import rearranged
from kleos.core.kernel.visibility import Builtin, Viewer, audience, redact, split

TRIES = 3


def non_interference(here: Position) -> Iterator[str | None]:
    """States that differ only in what a viewer may not know look, answer and go on the same for it."""
    deal = here.hooks.rearrange or rearranged
    for viewer in here.viewers[:-1]:
        other = here.with_state(deal(here.state, viewer, here.whim()))
        if other.state == here.state:
            continue
        yield None
        complaints = list(_told_apart(here, other, viewer))
        for complaint in complaints:
            yield f"{_who(viewer)} can tell two states apart: {complaint}"


def _who(viewer: Viewer) -> str:
    return "a spectator" if viewer.seat is None else f"seat {viewer.seat}"


def _told_apart(one: Position, other: Position, viewer: Viewer) -> Iterator[str]:
    if redact(one.state, viewer) != redact(other.state, viewer):
        yield "the views differ (if rearrange is the game's own, it changed what can be seen)"
        return
    if one.acting != other.acting:
        yield f"to act: {one.acting} or {other.acting}"
        return
    if one.game.outcome(one.state) != other.game.outcome(other.state):
        yield "the outcomes differ"
    for seat in one.acting:
        if seat == viewer.seat:
            yield from _own_turn(one, other, viewer, seat)
        else:
            yield from _turn_of_another(one, other, viewer, seat)


def _own_turn(one: Position, other: Position, viewer: Viewer, seat: int) -> Iterator[str]:
    legal = one.listed(seat)
    if legal != other.listed(seat):
        yield "its moves differ"
        return
    for listed in one.whim().shuffle(legal)[:TRIES]:
        yield from _same_effects(one, other, viewer, seat, (listed.move, listed.move))
    for move in mutations(one, seat, TRIES):
        answers = [_answer(attempt(there, seat, move)[0]) for there in (one, other)]
        if answers[0] != answers[1]:
            yield f"{text(move)} is answered {answers[0]} or {answers[1]}"


def _answer(refusal: Any) -> tuple[str, str | None, str] | None:
    return refusal and (type(refusal).__name__, refusal.rule, refusal.reason)


def _turn_of_another(one: Position, other: Position, viewer: Viewer, seat: int) -> Iterator[str]:
    """Decisions in the two states that the viewer sees as one and the same action."""
    twins: dict[str, Any] = {}
    for listed in other.whim().shuffle(other.listed(seat)):
        twins.setdefault(text(redact(listed.move, viewer, owner=seat)), listed.move)
    for listed in one.whim().shuffle(one.listed(seat))[:TRIES]:
        twin = twins.get(text(redact(listed.move, viewer, owner=seat)))
        if twin is not None:
            yield from _same_effects(one, other, viewer, seat, (listed.move, twin))


def _same_effects(
    one: Position, other: Position, viewer: Viewer, seat: int, moves: tuple[Any, Any]
) -> Iterator[str]:
    chances = [Overheard(there.chance()) for there in (one, other)]
    trials = zip((one, other), moves, chances, strict=True)
    followed = [attempt(there, seat, move, chance)[1] for there, move, chance in trials]
    if None in followed:
        yield f"{text(moves[0])} and {text(moves[1])}: one was accepted, the other refused"
        return
    seen = [_until_told(one, each.effects, viewer, seat) for each in followed]
    if seen[0] != seen[1]:
        yield f"{text(moves[0])} and {text(moves[1])} were followed by {text(seen[0])} and {text(seen[1])}"
    asked = [each.asked for each in chances]
    if asked[0] != asked[1]:
        yield f"{text(moves[0])} and {text(moves[1])} asked chance for {text(asked[0])} and {text(asked[1])}"


def _until_told(here: Position, effects: tuple[Any, ...], viewer: Viewer, seat: int) -> list[Builtin]:
    """The effects as the viewer sees them; of the first that tells it something new only the type."""
    seen: list[Builtin] = []
    for effect in effects:
        kind = effect.__struct_config__.tag
        if kind in here.hooks.reveals and _addressed(effect, viewer, seat):
            return [*seen, kind]
        seen.append(redact(effect, viewer, owner=seat))
    return seen


def _addressed(effect: Any, viewer: Viewer, seat: int) -> bool:
    """Whether a revealing effect tells this viewer: its owner if parts are hidden, else everybody."""
    _, parts = split(effect, owner=seat)
    return not parts or (viewer.seat is not None and audience(viewer.seat) in parts)
