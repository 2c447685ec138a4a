"""Decide and evolve: what an action on a match leads to, and what an event makes of a match.

Both are pure. ``decide`` is given the match at its head (None before it exists), who asks, and what; it
returns the event's content or raises a refusal. ``evolve`` folds an event in and never refuses: whatever is
in the log has happened. The paragraphs cited as ``match.N`` are those of ``docs/match.md``.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from kleos.core.kernel.chance import KeyedChance
from kleos.core.kernel.errors import (
    Forbidden,
    Malformed,
    MatchFinished,
    MatchFull,
    NotYourTurn,
    SeatTaken,
    WrongPhase,
)
from kleos.core.kernel.game import Effect, Outcome, require_turn
from kleos.core.kernel.registry import pinned
from kleos.core.match.actions import (
    Create,
    Join,
    Leave,
    MatchAbandoned,
    MatchAction,
    MatchCreated,
    MatchEnded,
    MatchStarted,
    OwnerChanged,
    SeatFilled,
    SeatResigned,
    SeatVacated,
    Start,
)
from kleos.core.match.event import Event, Kind
from kleos.core.match.state import HOUSE, Match, Seat


def chance_for(match: Match, version: int) -> KeyedChance:
    """The chance of the event that makes ``version``.

    Its key is HMAC-SHA-256 under the match's seed over a label, the version, and the entropy that each
    seat brought. Versions only grow, so a position that is played again gets fresh chance.
    """
    text = msgspec.json.encode(["kleos/chance/v1", match.id, version, [each.entropy for each in match.seats]])
    return KeyedChance(hmac.digest(bytes.fromhex(match.seed), text, hashlib.sha256))


def create(match_id: str, player: str, action: Create, *, seed: str, at: int) -> Event:
    """The first event of a match (match.1). ``seed`` is 32 fresh random bytes in hexadecimal."""
    game = pinned(action.rules)
    if action.seats not in game.seats:
        allowed = f"{game.seats[0]} to {game.seats[-1]}"
        raise Malformed(f"{game.title} has {allowed} seats, not {action.seats}", rule="match.1")
    try:
        chosen = msgspec.convert(action.options, game.Options)
    except msgspec.ValidationError as error:
        raise Malformed(f"options: {error}", rule="match.1") from None
    settled = game.settle(chosen, action.seats)
    action = replace(action, game=game.name, options=msgspec.to_builtins(settled))
    effects: list[Effect] = [
        MatchCreated(
            rule="match.1",
            game=game.name,
            rules=game.rules,
            seats=action.seats,
            options=action.options,
            undo=action.undo,
            visibility=action.visibility,
            start=action.start,
            creator=player,
            seed=seed,
        )
    ]
    if action.seat is not None:
        if action.seat >= action.seats:
            raise Malformed(f"seat is one of 0 to {action.seats - 1}, not {action.seat}", rule="match.1")
        effects.append(_filled(action.seat, player=player, entropy=action.entropy))
    return Event(
        match=match_id,
        version=1,
        at=at,
        kind="create",
        seat=action.seat,
        player=player,
        rules=game.rules,
        action=action,
        effects=tuple(effects),
    )


def decide(match: Match, actor: str | None, seat: int | None, action: Any, *, at: int) -> Event:
    """What ``actor`` (a player id, or ``HOUSE``) asking for ``action`` at ``seat`` leads to.

    ``action`` is one of the match's own actions or a move of its game; ``seat`` is read for moves only.
    Raises a ``Refused``; returns the event that makes version ``match.version + 1``.
    """
    if match.opened:
        raise MatchFinished(f"the match is {match.status}", rule="match.6")
    if actor is HOUSE and isinstance(action, MatchAction):
        raise Forbidden("the house moves for bots and absent seats, and does nothing else", rule="match.5")
    kind: Kind
    match action:
        case Join():
            kind, seat = "join", _place(match, action)
            action = replace(action, seat=seat)
            effects = _join(match, actor, action)
        case Leave(seat=seat) if match.status == "open":
            kind, effects = "leave", _leave(match, actor, seat)
        case Leave(seat=seat):
            kind, effects = "resign", _resign(match, actor, seat)
        case Start():
            kind, seat, effects = "start", None, _start(match, actor)
        case _:
            kind, effects = "move", _play(match, actor, seat, action)
    return Event(
        match=match.id,
        version=match.version + 1,
        at=at,
        kind=kind,
        seat=seat,
        player=actor,
        rules=match.rules,
        action=action,
        effects=tuple(effects),
    )


# Before the start: match.2 and match.3


def _place(match: Match, action: Join) -> int:
    """The seat that a joiner gets."""
    if match.status != "open":
        raise WrongPhase("the match has started; its seats are fixed", rule="match.2")
    if action.seat is None:
        free = next((each.seat for each in match.seats if each.free), None)
        if free is None:
            raise MatchFull("every seat is taken", rule="match.2")
        return free
    if action.seat >= len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {action.seat}", rule="match.2")
    if not match.seats[action.seat].free:
        free_seats = ", ".join(str(each.seat) for each in match.seats if each.free) or "none"
        raise SeatTaken(f"seat {action.seat} is taken; free: {free_seats}", rule="match.2", seat=action.seat)
    return action.seat


def _join(match: Match, actor: str | None, action: Join) -> Iterator[Effect]:
    assert action.seat is not None
    if action.bot is not None:
        bots = pinned(match.rules).bots
        if actor != match.creator:
            raise Forbidden("only the creator of the match puts bots into seats", rule="match.2")
        if action.bot not in bots:
            raise Malformed(f"there is no bot {action.bot!r}; there are: {', '.join(bots)}", rule="match.2")
        filled = _filled(action.seat, bot=action.bot)
    else:
        held = match.seats_of(actor)
        if held and match.undo != "casual":
            raise SeatTaken(
                f"you hold seat {held[0]}; only in a casual match may one player hold several",
                rule="match.2",
                seat=held[0],
            )
        filled = _filled(action.seat, player=actor, entropy=action.entropy)
    yield filled
    seats = tuple(_seated(each, filled) for each in match.seats)
    if match.start == "full" and not any(each.free for each in seats):
        yield from _opening(replace(match, seats=seats))


def _leave(match: Match, actor: str | None, seat: int) -> Iterator[Effect]:
    held = _seat(match, seat)
    if held.free:
        raise WrongPhase(f"nobody sits at seat {seat}", rule="match.3", seat=seat)
    if actor != held.player and not (held.bot is not None and actor == match.creator):
        raise Forbidden(f"seat {seat} is not yours to give up", rule="match.3", seat=seat)
    yield SeatVacated(rule="match.3", seat=seat)
    if actor != match.creator or held.bot is not None:
        return
    remaining = [each.player for each in match.seats if each.player is not None and each.seat != seat]
    if not remaining:
        yield MatchAbandoned(rule="match.3")
    elif actor not in remaining:
        yield OwnerChanged(rule="match.3", creator=remaining[0])


def _start(match: Match, actor: str | None) -> Iterator[Effect]:
    if match.status != "open":
        raise WrongPhase("the match has started already", rule="match.4")
    if actor != match.creator:
        raise Forbidden("only the creator of the match starts it", rule="match.4")
    free = ", ".join(str(each.seat) for each in match.seats if each.free)
    if free:
        raise WrongPhase(f"every seat must be taken first; free: {free}", rule="match.4")
    yield from _opening(match)


def _opening(match: Match) -> Iterator[Effect]:
    game = pinned(match.rules)
    yield MatchStarted(rule="match.4")
    settled = msgspec.convert(match.options, game.Options)
    opened = game.open(settled, len(match.seats), chance_for(match, match.version + 1))
    yield from opened.effects
    outcome = game.outcome(opened.state)
    if outcome is not None:
        yield MatchEnded(rule="match.6", outcome=outcome)


# While it is played: match.5 and match.6


def _play(match: Match, actor: str | None, seat: int | None, move: Any) -> Iterator[Effect]:
    if match.status == "open":
        raise WrongPhase("the match has not started: seats are still free", rule="match.4")
    held = _seat(match, seat)
    if held.mechanical != (actor is HOUSE) or (actor is not HOUSE and held.player != actor):
        raise Forbidden(f"seat {held.seat} is not yours to move for", rule="match.5", seat=held.seat)
    game = pinned(match.rules)
    require_turn(game, match.state, held.seat)
    played = game.decide(match.state, held.seat, move, chance_for(match, match.version + 1))
    yield from played.effects
    outcome = game.outcome(played.state)
    if outcome is not None:
        yield MatchEnded(rule="match.6", outcome=outcome)


def _resign(match: Match, actor: str | None, seat: int) -> Iterator[Effect]:
    held = _seat(match, seat)
    if held.player != actor:
        raise Forbidden(f"seat {seat} is not yours to give up", rule="match.6", seat=seat)
    if held.resigned:
        raise NotYourTurn(f"seat {seat} has resigned already", rule="match.6", seat=seat)
    yield SeatResigned(rule="match.6", seat=seat)
    seats = tuple(replace(each, resigned=True) if each.seat == seat else each for each in match.seats)
    sides = pinned(match.rules).sides(match.state)
    standing = [side for side in sides if not all(seats[each].resigned for each in side)]
    if not any(each.player is not None and not each.resigned for each in seats) and len(standing) != 1:
        yield MatchAbandoned(rule="match.6")
    elif len(standing) == 1:
        lost = [side for side in sides if side not in standing]
        yield MatchEnded(
            rule="match.6",
            outcome=Outcome(
                winners=standing[0],
                ranking=(standing[0], tuple(sorted(each for side in lost for each in side))),
                scores={},
                reason="resignation",
            ),
        )


def _seat(match: Match, seat: int | None) -> Seat:
    if seat is None or not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {seat}", rule="match.5")
    return match.seats[seat]


def _filled(seat: int, *, player: str | None = None, bot: str | None = None, entropy: str = "") -> SeatFilled:
    return SeatFilled(rule="match.2", seat=seat, player=player, bot=bot, entropy=entropy)


def _seated(seat: Seat, filled: SeatFilled) -> Seat:
    if seat.seat != filled.seat:
        return seat
    return Seat(seat=filled.seat, player=filled.player, bot=filled.bot, entropy=filled.entropy)


# Folding


def evolve(match: Match | None, event: Event) -> Match:
    """The match after ``event``: its effects in order, then its version, head and time."""
    for effect in event.effects:
        if isinstance(effect, MatchCreated):
            match = _created(event, effect)
        else:
            assert match is not None, "the first event of a match creates it"
            match = _evolve(match, effect)
    assert match is not None
    return replace(match, version=event.version, head=event.version, updated_at=event.at)


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
    )


def _evolve(match: Match, effect: Any) -> Match:
    match effect:
        case SeatFilled():
            return replace(match, seats=tuple(_seated(each, effect) for each in match.seats))
        case SeatVacated(seat=seat):
            return replace(match, seats=_with(match.seats, Seat(seat=seat)))
        case OwnerChanged(creator=creator):
            return replace(match, creator=creator)
        case MatchStarted():
            game = pinned(match.rules)
            settled = msgspec.convert(match.options, game.Options)
            return replace(match, status="playing", state=game.blank(settled, len(match.seats)))
        case SeatResigned(seat=seat):
            return replace(match, seats=_with(match.seats, replace(match.seats[seat], resigned=True)))
        case MatchEnded(outcome=outcome):
            return replace(match, status="finished", outcome=outcome)
        case MatchAbandoned():
            return replace(match, status="abandoned")
        case _:
            return replace(match, state=pinned(match.rules).evolve(match.state, effect))


def _with(seats: tuple[Seat, ...], changed: Seat) -> tuple[Seat, ...]:
    return tuple(changed if each.seat == changed.seat else each for each in seats)
