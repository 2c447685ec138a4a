"""Decide: what an action on a match leads to, or why it is refused. Pure.

``decide`` is given the match as it stands, who asks, and what. Taking back and going forward is told in
``undo``, what an event makes of a match in ``folding``. The paragraphs cited as ``match.N`` are those of
``docs/match.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

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
    Consent,
    Create,
    DiceAnchored,
    DiceOpened,
    Fork,
    Join,
    Leave,
    MatchAbandoned,
    MatchAction,
    MatchCreated,
    MatchEnded,
    MatchStarted,
    OwnerChanged,
    Redo,
    Refuse,
    SeatFilled,
    SeatResigned,
    SeatVacated,
    Start,
    Undo,
    Withdraw,
)
from kleos.core.match.chance import LINKS, MatchChance, anchor, chance_for
from kleos.core.match.event import Event, Kind
from kleos.core.match.folding import Past, forgotten, seated
from kleos.core.match.state import HOUSE, Match, Seat
from kleos.core.match.undo import decide_time


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
            signed=action.signed,
            dice=anchor(seed, match_id),
            seed=seed,
        )
    ]
    if action.seat is not None:
        if action.seat >= action.seats:
            raise Malformed(f"seat is one of 0 to {action.seats - 1}, not {action.seat}", rule="match.1")
        _require_key(action.key, signed=action.signed)
        effects.append(_filled(action.seat, player=player, entropy=action.entropy, key=action.key))
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


def decide(
    match: Match, actor: str | None, seat: int | None, action: Any, *, at: int, past: Past = forgotten
) -> Event:
    """What ``actor`` (a player id, or ``HOUSE``) asking for ``action`` at ``seat`` leads to.

    ``action`` is one of the match's own actions or a move of its game; ``seat`` is read for moves and for
    undo, redo and proposals, ``past`` for these last alone. Raises a ``Refused``, or ``Forgotten`` if
    ``past`` does not reach back; returns the event that makes version ``match.version + 1``.
    """
    if match.opened:
        raise MatchFinished(f"the match is {match.status}", rule="match.6")
    if actor is HOUSE and isinstance(action, MatchAction):
        raise Forbidden("the house moves for bots and absent seats, and does nothing else", rule="match.5")
    kind: Kind
    effects: Iterable[Effect]
    match action:
        case Create() | Fork():
            raise Forbidden("a match is laid out once", rule="match.1")
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
        case Undo() | Redo() | Consent() | Refuse() | Withdraw():
            kind, effects = decide_time(match, actor, seat, action, past)
        case _:
            kind, effects = "move", _play(match, actor, seat, action)
    version = match.version + 1
    if version % LINKS == 0:
        effects = (
            *effects,
            DiceAnchored(rule="match.11", anchor=anchor(match.seed, match.id, version // LINKS)),
        )
    return Event(
        match=match.id,
        version=version,
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
        _require_key(action.key, signed=match.signed)
        filled = _filled(action.seat, player=actor, entropy=action.entropy, key=action.key)
    yield filled
    seats = tuple(seated(each, filled) for each in match.seats)
    if match.start == "full" and not any(each.free for each in seats):
        yield from opening(replace(match, seats=seats))


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
    yield from opening(match)


def opening(match: Match) -> Iterator[Effect]:
    """The start of play: the game is laid out, or goes on from where the match forked."""
    game = pinned(match.rules)
    yield MatchStarted(rule="match.4")
    state = match.state
    if state is None:
        settled = msgspec.convert(match.options, game.Options)
        chance = chance_for(match, match.version + 1)
        opened = game.open(settled, len(match.seats), chance)
        yield from opened.effects
        yield from _dice_opened(chance)
        state = opened.state
    outcome = game.outcome(state)
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
    chance = chance_for(match, match.version + 1)
    played = game.decide(match.state, held.seat, move, chance)
    yield from played.effects
    yield from _dice_opened(chance)
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


def _dice_opened(chance: MatchChance) -> Iterator[Effect]:
    if chance.rolled:
        yield DiceOpened(rule="match.11", link=chance.link.hex())


def _seat(match: Match, seat: int | None) -> Seat:
    if seat is None or not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {seat}", rule="match.5")
    return match.seats[seat]


def _require_key(key: str | None, *, signed: bool) -> None:
    if signed and key is None:
        raise Forbidden("who plays in this match signs, and needs an account with a key", rule="match.12")


def _filled(
    seat: int,
    *,
    player: str | None = None,
    bot: str | None = None,
    entropy: str = "",
    key: str | None = None,
) -> SeatFilled:
    return SeatFilled(rule="match.2", seat=seat, player=player, bot=bot, entropy=entropy, key=key)
