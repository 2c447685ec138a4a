"""The laws of a single position: each is a generator of complaints, its docstring the law.

What every position must satisfy stands first, then what is tried by making moves in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import msgspec

from kleos.core.kernel.conform.position import (
    CANONICAL,
    Position,
    admitted,
    attempt,
    members,
    mutations,
    text,
)
from kleos.core.kernel.errors import Illegal, NotYourTurn
from kleos.core.kernel.game import Pictured
from kleos.core.kernel.visibility import EVERYTHING, SPECTATOR, merge, redact, split, viewed

Law = Callable[[Position], Iterator[str | None]]
"""Yields a complaint, or None for each thing tried and found right."""

MOST_MOVES = 500


def turns(here: Position) -> Iterator[str | None]:
    """Somebody is to act exactly as long as there is no outcome, and only who is to act has moves."""
    outcome, acting = here.game.outcome(here.state), here.acting
    yield None
    if (outcome is None) != bool(acting):
        yield f"to act: {acting}, while the outcome is {outcome}"
    if not set(acting) <= set(range(here.seats)):
        yield f"seats to act that do not exist: {acting}"
    for seat in range(here.seats):
        legal = here.listed(seat)
        if bool(legal) != (seat in acting):
            yield f"seat {seat} has {len(legal)} moves while {acting} are to act"


def lists(here: Position) -> Iterator[str | None]:
    """Lists are short, the same each time, without repetition; a range is one and holds its move.

    Moves survive being taken apart by who may see what, and being stored.
    """
    for seat in here.acting:
        yield None
        legal = here.listed(seat)
        if legal != here.listed(seat):
            yield f"two lists for seat {seat} in one position"
        if len(legal) > MOST_MOVES:
            yield f"{len(legal)} moves for seat {seat}; the bound is {MOST_MOVES}"
        named = [each.move for each in legal]
        if len({text(move) for move in named}) != len(named):
            yield f"seat {seat} is offered a move twice"
        for each in legal:
            yield from _range_faults(each)
            yield from _move_faults(here, seat, each.move)


def _range_faults(each: Any) -> Iterator[str | None]:
    if each.range is None:
        return
    if len(each.range) != 1:
        yield f"{text(each)} has {len(each.range)} ranges instead of one"
    for field, (low, high) in each.range.items():
        if not low <= getattr(each.move, field) <= high:
            yield f"{text(each)} lies outside its own range"


def _move_faults(here: Position, seat: int, move: Any) -> Iterator[str | None]:
    public, parts = split(move, kind=here.game.Move, owner=seat)
    if msgspec.convert(merge(public, list(parts.values())), here.game.Move) != move:
        yield f"{text(move)} is read back as another move"


def fallbacks(here: Position) -> Iterator[str | None]:
    """The safe default of a seat to act is one of its legal moves."""
    for seat in here.acting:
        yield None
        move = here.game.fallback(here.state, seat)
        if not admitted(here.listed(seat), move):
            yield f"the fallback of seat {seat} is not legal: {text(move)}"


def sides(here: Position) -> Iterator[str | None]:
    """Every seat belongs to exactly one side."""
    yield None
    seats = sorted(seat for side in here.game.sides(here.state) for seat in side)
    if seats != list(range(here.seats)):
        yield f"the sides hold the seats {seats}"


def outcomes(here: Position) -> Iterator[str | None]:
    """The ranking places every seat once, the winners are of its first group, and a reason is given."""
    outcome = here.game.outcome(here.state)
    if outcome is None:
        return
    yield None
    if sorted(seat for group in outcome.ranking for seat in group) != list(range(here.seats)):
        yield f"the ranking {outcome.ranking} does not place every seat once"
    if not set(outcome.winners) <= set(outcome.ranking[0]):
        yield f"the winners {outcome.winners} are not ranked first: {outcome.ranking}"
    if not set(outcome.scores) <= {str(seat) for seat in range(here.seats)}:
        yield f"scores of seats that do not exist: {outcome.scores}"
    if not outcome.reason:
        yield "no reason is given"


def encodings(here: Position) -> Iterator[str | None]:
    """A state survives its bytes, and its public part and all sealed parts together are the whole."""
    yield None
    stored = CANONICAL.encode(here.state)
    restored = msgspec.json.decode(stored, type=here.game.State)
    if restored != here.state or CANONICAL.encode(restored) != stored:
        yield "the state read back from its bytes is another"
    whole = msgspec.json.decode(stored)
    public, parts = split(here.state)
    if merge(public, list(parts.values())) != whole or redact(here.state, EVERYTHING) != whole:
        yield "the parts of the state together are not the state"
    if public != redact(here.state, SPECTATOR):
        yield "the public part of the state is not what a spectator sees"
    yield from _foreign(here.state, "state")


def _foreign(value: Any, at: str) -> Iterator[str]:
    """Values that are not frozen, or have no canonical form: whole numbers up to 2^53 - 1 and no floats."""
    if isinstance(value, msgspec.Struct):
        if not value.__struct_config__.frozen or hasattr(value, "__dict__"):
            yield f"{at}: {type(value).__name__} is not frozen, or has attributes beside its fields"
        for name in value.__struct_fields__:
            yield from _foreign(getattr(value, name), f"{at}.{name}")
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            yield from _foreign(item, f"{at}[{place}]")
    elif isinstance(value, list | set | bytearray | float):
        yield f"{at}: a {type(value).__name__} in a state"
    elif isinstance(value, int) and abs(value) >= 1 << 53:
        yield f"{at}: {value} has no exact form in JSON"


def views(here: Position) -> Iterator[str | None]:
    """Every view is of the type published for views, and can be drawn: as text, and as SVG if offered."""
    state_type: Any = here.game.State
    seen_type = viewed(state_type)
    for viewer in here.viewers:
        yield None
        view = redact(here.state, viewer)
        msgspec.convert(view, seen_type)
        for over in (False, True):
            if not here.game.table(view, viewer.seat, over=over).strip():
                yield f"nothing is drawn for {viewer}"
    if isinstance(here.game, Pictured):  # for one alone, who sees least: it takes as long as all the rest
        yield None
        if not _is_svg(here.game.picture(redact(here.state, SPECTATOR), None, over=True)):
            yield "the picture for a spectator is not an SVG document"


def _is_svg(picture: str) -> bool:
    try:
        return str(ElementTree.fromstring(picture).tag) == "{http://www.w3.org/2000/svg}svg"
    except ElementTree.ParseError:
        return False


def words(here: Position) -> Iterator[str | None]:
    """A listed move can be said as its own seat sees it and as everybody else does."""
    for seat in here.acting:
        for each in here.listed(seat):
            yield None
            for viewer in here.viewers:
                if not here.game.say(redact(each.move, viewer, owner=seat)).strip():
                    yield f"no words for {text(each.move)} as {viewer} sees it"


def acceptance(here: Position) -> Iterator[str | None]:
    """Every listed move is accepted, ends and middle of ranges included; the state before is left as it was.

    What followed is the same when tried again with the same chance, and is the effects folded.
    """
    before = CANONICAL.encode(here.state)
    for seat in here.acting:
        for listed in here.listed(seat):
            for move in members(listed):
                yield None
                refusal, followed = attempt(here, seat, move)
                if refusal is not None:
                    yield f"seat {seat} is offered {text(move)} and refused it: {refusal}"
                    continue
                if attempt(here, seat, move)[1] != followed:
                    yield f"{text(move)} had two results with the same chance"
                if not followed.effects:
                    yield f"nothing followed from {text(move)}"
                folded = here.state
                for effect in followed.effects:
                    folded = here.game.evolve(folded, effect)
                if folded != followed.state:
                    yield f"the effects of {text(move)} do not fold into the state it led to"
    if CANONICAL.encode(here.state) != before:
        yield "a move changed the state it was tried in"


def refusals(here: Position) -> Iterator[str | None]:
    """A move that is not listed is refused as illegal, by a rule of the game."""
    for seat in here.acting:
        for move in mutations(here, seat, 24):
            yield None
            refusal, _ = attempt(here, seat, move)
            if refusal is None:
                yield f"seat {seat} was not offered {text(move)}, and yet it was accepted"
            elif not isinstance(refusal, Illegal):
                yield f"{text(move)} was refused by {type(refusal).__name__}, not as illegal: {refusal}"
            elif not (refusal.rule or "").startswith(f"{here.game.name}.") or not refusal.reason:
                yield f"{text(move)} was refused by the rule {refusal.rule!r}: {refusal.reason!r}"


def out_of_turn(here: Position) -> Iterator[str | None]:
    """A seat that is not to act is told so, whatever it asks for."""
    moves = [each.move for seat in here.acting for each in here.listed(seat)] + list(here.pool[-3:])
    for seat in set(range(here.seats)) - set(here.acting):
        for move in moves[:3]:
            yield None
            refusal, _ = attempt(here, seat, move)
            if not isinstance(refusal, NotYourTurn):
                yield f"seat {seat} is not to act and got {refusal!r} for {text(move)}"


def commuting(here: Position) -> Iterator[str | None]:
    """Decisions that are made at the same time lead to the same state in either order."""
    whim = here.whim()
    for one, other in combinations(here.acting, 2):
        pair = []
        for seat in (one, other):
            legal = here.listed(seat)
            pair.append((seat, legal[whim.pick(len(legal))].move))
        ends = [end for order in (pair, pair[::-1]) if (end := _in_turn(here, order)) is not None]
        if len(ends) == 2:
            yield None
            if ends[0] != ends[1]:
                yield f"the order matters: {', '.join(f'seat {seat} {text(move)}' for seat, move in pair)}"


def _in_turn(here: Position, order: list[tuple[int, Any]]) -> Any:
    """The state after both, each with the chance of the position; None if the first shuts out the second."""
    state = here.state
    for seat, move in order:
        there = here.with_state(state)
        if seat not in there.acting or not admitted(there.listed(seat), move):
            return None
        state = here.game.decide(state, seat, move, here.chance()).state
    return state
