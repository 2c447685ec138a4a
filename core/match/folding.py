"""Folding: what an event makes of a match. Nothing is refused here: whatever is in the log has happened.

An undo puts an earlier state back in force, so folding one in needs a look-up of the match at earlier
versions; no other event does.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import Viewer, conceals
from kleos.core.match.clock import clock_after
from kleos.core.match.event import Event
from kleos.core.match.facts import (
    Adjourned,
    Adjudicated,
    AnnotationMade,
    ConsentGiven,
    DiceAnchored,
    DiceOpened,
    HeadMoved,
    InvitationRevoked,
    InvitationTaken,
    Invited,
    MatchAbandoned,
    MatchCreated,
    MatchEffect,
    MatchEnded,
    MatchStarted,
    OwnerChanged,
    PositionTaken,
    ProposalClosed,
    Proposed,
    RefereeAppointed,
    Resumed,
    SeatFilled,
    SeatResigned,
    SeatVacated,
    TimeRanOut,
)
from kleos.core.match.state import Invitation, Match, Past, Proposal, Seat, Step, forgotten


def evolve(match: Match | None, event: Event, past: Past = forgotten) -> Match:
    """The match after ``event``: its effects in order, then its version, head and time.

    Raises ``Forgotten`` if the event moves the head, and ``past`` lacks a version of the way.
    """
    before = match
    for effect in event.effects:
        if isinstance(effect, MatchCreated):
            match = _created(event, effect)
        else:
            assert match is not None, "the first event of a match creates it"
            match = _evolve(match, effect, past)
    assert match is not None
    match = replace(_settled(before, match, event), version=event.version, updated_at=event.at)
    clock = clock_after(before, match, event, past)
    return match if clock == match.clock else replace(match, clock=clock)


def _settled(before: Match | None, match: Match, event: Event) -> Match:
    """The match with its head, and with what hangs on the head."""
    if before is None or before.status == "open":
        return _at(match, event.version, event.version)
    match event.kind:
        case "move":
            assert event.seat is not None
            step = Step(event.seat, any(brings_news(each, event.seat) for each in event.effects), before.head)
            return _at(replace(match, step=step, undone=()), event.version, event.version)
        case "resign" | "join" | "vacate" | "abandon" | "adjudicate":
            return _at(match, match.head, event.version)
        case _:
            agreed = any({*each.needs} == {*each.given} for each in match.proposals)
            return _at(match, match.head, event.version) if agreed or match.head != before.head else match


def _at(match: Match, head: int, since: int) -> Match:
    """No proposal outlives what it was made for."""
    return replace(match, head=head, since=since, proposals=(), asked=())


def brings_news(effect: Any, seat: int) -> bool:
    """Whether an effect of a decision of ``seat`` told somebody something new; in doubt it did."""
    return effect.news or conceals(effect, Viewer(seat))


def _created(event: Event, effect: MatchCreated) -> Match:
    return Match(
        id=event.match,
        game=effect.game,
        rules=effect.rules,
        options=effect.options,
        undo=effect.undo,
        visibility=effect.visibility,
        start=effect.start,
        creator=effect.creator,
        seats=tuple(Seat(seat=seat) for seat in range(effect.seats)),
        status="open",
        version=0,
        head=0,
        created_at=event.at,
        updated_at=event.at,
        seed=effect.seed,
        parent=effect.parent,
        deadline=effect.deadline,
        rated=effect.rated,
        referee=effect.referee,
        rematch_of=effect.rematch_of,
        signed=effect.signed,
    )


def _evolve(match: Match, effect: Any, past: Past) -> Match:
    match effect:
        case MatchEffect():
            return _of_people(match, effect) or _of_match(match, effect, past)
        case _:
            return replace(match, state=pinned(match.rules).evolve(match.state, effect))


def _of_people(match: Match, effect: Any) -> Match | None:
    """What concerns who takes part; None for all else."""
    match effect:
        case SeatFilled():
            return replace(match, seats=tuple(seated(each, effect) for each in match.seats))
        case SeatVacated(seat=seat):
            return replace(match, seats=_with(match.seats, Seat(seat=seat)))
        case SeatResigned(seat=seat):
            return replace(match, seats=_with(match.seats, replace(match.seats[seat], resigned=True)))
        case Invited() | InvitationTaken() | InvitationRevoked():
            return replace(match, invitations=_invited(match, effect))
        case OwnerChanged(creator=creator):
            return replace(match, creator=creator)
        case RefereeAppointed(referee=referee):
            return replace(match, referee=referee)
    return None


def _of_match(match: Match, effect: Any, past: Past) -> Match:
    """What concerns how the match stands."""
    match effect:
        case PositionTaken(state=state):
            return replace(match, state=state)
        case MatchStarted():
            return replace(match, status="playing", state=_laid_out(match))
        case MatchEnded(outcome=outcome):
            return replace(match, status="finished", outcome=outcome, adjourned=False)
        case MatchAbandoned():
            return replace(match, status="abandoned", adjourned=False)
        case HeadMoved(to=to):
            return _moved(match, past(to))
        case Proposed() | ConsentGiven() | ProposalClosed():
            return _talked(match, effect)
        case Adjourned() | Resumed():
            return replace(match, adjourned=isinstance(effect, Adjourned))
        case TimeRanOut() | AnnotationMade() | Adjudicated() | DiceOpened() | DiceAnchored():
            return match
    raise AssertionError(f"not an effect of the match: {effect}")


def _laid_out(match: Match) -> Any:
    """The state that play begins with: that of a fork is there already."""
    if match.state is not None:
        return match.state
    game = pinned(match.rules)
    return game.blank(msgspec.convert(match.options, game.Options), len(match.seats))


def _moved(match: Match, earlier: Match) -> Match:
    """The match with the state of one of its earlier versions; who sits where is not taken back."""
    head = earlier.head
    left = (match.head,) if head < match.head else ()
    undone = tuple(each for each in (*match.undone, *left) if each > head)
    return replace(match, state=earlier.state, step=earlier.step, head=head, undone=undone)


def _talked(match: Match, effect: Proposed | ConsentGiven | ProposalClosed) -> Match:
    match effect:
        case Proposed(id=name, kind=kind, by=by, to=to, seat=seat, head=head, needs=needs):
            made = Proposal(id=name, kind=kind, by=by, to=to, seat=seat, head=head, needs=needs)
            return replace(match, proposals=(*match.proposals, made), asked=(*match.asked, by))
        case ConsentGiven(proposal=name, seat=seat):
            agreed = tuple(
                replace(each, given=(*each.given, seat)) if each.id == name else each
                for each in match.proposals
            )
            return replace(match, proposals=agreed)
        case ProposalClosed(proposal=name):
            return replace(match, proposals=tuple(each for each in match.proposals if each.id != name))


def _invited(match: Match, effect: Invited | InvitationTaken | InvitationRevoked) -> tuple[Invitation, ...]:
    match effect:
        case Invited(id=name, seat=seat, player=player):
            return (*match.invitations, Invitation(name, seat, player))
        case _:
            return tuple(each for each in match.invitations if each.id != effect.id)


def seated(seat: Seat, filled: SeatFilled) -> Seat:
    """The seat, after somebody sat down somewhere."""
    if seat.seat != filled.seat:
        return seat
    return Seat(
        seat=filled.seat, player=filled.player, bot=filled.bot, entropy=filled.entropy, key=filled.key
    )


def _with(seats: tuple[Seat, ...], changed: Seat) -> tuple[Seat, ...]:
    return tuple(changed if each.seat == changed.seat else each for each in seats)
