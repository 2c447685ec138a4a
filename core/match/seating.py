"""Who sits where: joining, leaving, invitations (match.2, match.3, match.16). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from kleos.core.kernel.errors import Forbidden, Malformed, MatchFull, SeatTaken, WrongPhase
from kleos.core.kernel.game import Effect
from kleos.core.kernel.registry import pinned
from kleos.core.match.actions import Invite, Join, Revoke
from kleos.core.match.facts import (
    InvitationRevoked,
    InvitationTaken,
    Invited,
    MatchAbandoned,
    OwnerChanged,
    SeatFilled,
    SeatVacated,
)
from kleos.core.match.folding import seated
from kleos.core.match.opening import opening
from kleos.core.match.state import Invitation, Match, Seat

INVITATIONS: Final = 64
"""How many invitations to a match may be open at once."""


def place(match: Match, actor: str | None, action: Join) -> int:
    """The seat that a joiner gets."""
    mine = None if action.bot is not None else _invitation(match, actor, action)
    others = (
        each for each in match.invitations if mine is None or (each is not mine and each.player != actor)
    )
    kept = {each.seat for each in others if each.seat is not None}
    wanted = action.seat
    if wanted is None and mine is not None:
        wanted = mine.seat
    if wanted is None:
        free = next((each.seat for each in match.seats if each.free and each.seat not in kept), None)
        if free is None:
            raise MatchFull("every seat is taken or kept for somebody", rule="match.2")
        return free
    if wanted >= len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {wanted}", rule="match.2")
    if wanted in kept:
        raise SeatTaken(f"seat {wanted} is kept for somebody who is invited", rule="match.16", seat=wanted)
    if not match.seats[wanted].free:
        free_seats = ", ".join(str(each.seat) for each in match.seats if each.free) or "none"
        raise SeatTaken(f"seat {wanted} is taken; free: {free_seats}", rule="match.2", seat=wanted)
    return wanted


def _invitation(match: Match, actor: str | None, action: Join) -> Invitation | None:
    """The invitation by which the joiner comes: it names them, or was shown; best for the seat they want."""
    good = [
        each
        for each in match.invitations
        if each.player == actor or (each.player is None and each.id == action.invitation)
    ]
    if not good and action.invitation is not None:
        raise Forbidden("this invitation is used, revoked, or somebody else's", rule="match.16")
    return next((each for each in good if each.seat == action.seat), good[0] if good else None)


def join(match: Match, actor: str | None, action: Join) -> Iterator[Effect]:
    """Somebody sits down at the seat that ``place`` found; play begins with the last, if it may."""
    assert action.seat is not None
    taken = _bot(match, actor, action) if action.bot is not None else _person(match, actor, action)
    yield taken
    used = None if action.bot is not None else _invitation(match, actor, action)
    if used is not None:
        yield InvitationTaken(rule="match.16", id=used.id)
    seats = tuple(seated(each, taken) for each in match.seats)
    if match.status == "open" and match.start == "full" and not any(each.free for each in seats):
        yield from opening(replace(match, seats=seats))


def _bot(match: Match, actor: str | None, action: Join) -> SeatFilled:
    assert action.seat is not None
    bots = pinned(match.rules).bots
    if actor != match.creator:
        raise Forbidden("only the creator of the match puts bots into seats", rule="match.2")
    if action.bot not in bots:
        raise Malformed(f"there is no bot {action.bot!r}; there are: {', '.join(bots)}", rule="match.2")
    return filled(action.seat, bot=action.bot)


def _person(match: Match, actor: str | None, action: Join) -> SeatFilled:
    assert action.seat is not None
    held = match.seats_of(actor)
    if held and match.undo != "casual":
        raise SeatTaken(
            f"you hold seat {held[0]}; only in a casual match may one player hold several",
            rule="match.2",
            seat=held[0],
        )
    if actor == match.referee:
        raise Forbidden("who is referee does not play", rule="match.18")
    require_key(action.key, signed=match.signed)
    return filled(action.seat, player=actor, entropy=action.entropy, key=action.key)


def invite(match: Match, actor: str | None, action: Invite) -> list[Effect]:
    """Keep a free seat for a player, or for whoever shows a link."""
    _require_creator(match, actor)
    if action.seat is not None:
        held = seat_of(match, action.seat)
        if not held.free or any(each.seat == action.seat for each in match.invitations):
            raise SeatTaken(f"seat {action.seat} is taken or kept already", rule="match.16", seat=action.seat)
    elif not any(each.free for each in match.seats):
        raise MatchFull("every seat is taken", rule="match.16")
    if action.player is not None and (match.seats_of(action.player) or match.awaits(action.player)):
        raise SeatTaken("that player is seated, invited or referee already", rule="match.16")
    if len(match.invitations) >= INVITATIONS:
        raise Forbidden(f"at most {INVITATIONS} invitations are open at once", rule="match.16")
    name = f"i{match.version + 1}"
    return [Invited(rule="match.16", id=name, seat=action.seat, player=action.player)]


def revoke(match: Match, actor: str | None, action: Revoke) -> list[Effect]:
    """Take an invitation back."""
    _require_creator(match, actor)
    if not any(each.id == action.invitation for each in match.invitations):
        raise WrongPhase("this invitation is not open", rule="match.16")
    return [InvitationRevoked(rule="match.16", id=action.invitation)]


def _require_creator(match: Match, actor: str | None) -> None:
    if actor != match.creator:
        raise Forbidden("only the creator of the match invites", rule="match.16")


def leave(match: Match, actor: str | None, seat: int) -> Iterator[Effect]:
    """Give up a seat before the start."""
    held = seat_of(match, seat)
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


def seat_of(match: Match, seat: int | None) -> Seat:
    """The seat of that number; ``Malformed`` if the match has none."""
    if seat is None or not 0 <= seat < len(match.seats):
        raise Malformed(f"seat is one of 0 to {len(match.seats) - 1}, not {seat}", rule="match.5")
    return match.seats[seat]


def require_key(key: str | None, *, signed: bool) -> None:
    """Nobody sits down without a key where moves must be signed."""
    if signed and key is None:
        raise Forbidden("who plays in this match signs, and needs an account with a key", rule="match.12")


def filled(
    seat: int,
    *,
    player: str | None = None,
    bot: str | None = None,
    entropy: str = "",
    key: str | None = None,
) -> SeatFilled:
    """Somebody sits down."""
    return SeatFilled(rule="match.2", seat=seat, player=player, bot=bot, entropy=entropy, key=key)
