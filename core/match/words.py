"""The match's own actions and effects in words, for whoever tells a match; a game tells its own."""

from __future__ import annotations

from typing import Final

from kleos.core.kernel.visibility import Builtin


def tell(effect: Builtin) -> str:
    """An effect of the match, as a viewer may see it, as one sentence."""
    return _of_seats(effect) or _of_people(effect) or _of_chance(effect) or _of_time(effect)


def _of_seats(effect: Builtin) -> str | None:
    match effect:
        case {"type": "match_created", "game": game, "seats": seats, "parent": None}:
            return f"A match of {game} for {seats} is laid out."
        case {"type": "match_created", "game": game, "parent": parent}:
            return f"A match of {game} is forked from version {parent['version']} of {parent['match']}."
        case {"type": "seat_filled", "seat": seat, "bot": bot}:
            return f"Seat {seat} is taken." if bot is None else f"Seat {seat} is played by {bot}."
        case {"type": "seat_vacated", "seat": seat}:
            return f"Seat {seat} is free again."
        case {"type": "owner_changed"}:
            return "The match is in other hands."
        case {"type": "match_started"}:
            return "Play begins."
        case {"type": "position_taken"}:
            return "The table is set as it was there."
        case {"type": "time_ran_out", "seat": seat}:
            return f"Seat {seat} did not decide in time."
        case {"type": "seat_resigned", "seat": seat}:
            return f"Seat {seat} resigns."
        case {"type": "match_ended", "outcome": outcome}:
            won = ", ".join(str(seat) for seat in outcome["winners"])
            return (
                f"The match is over ({outcome['reason']}); won by seat {won}."
                if won
                else "The match is over."
            )
        case {"type": "match_abandoned"}:
            return "The match is abandoned."
    return None


def _of_people(effect: Builtin) -> str | None:
    match effect:
        case {"type": "invited", "seat": seat}:
            return "A seat is kept for a guest." if seat is None else f"Seat {seat} is kept for a guest."
        case {"type": "invitation_taken"}:
            return "A guest has come."
        case {"type": "invitation_revoked"}:
            return "An invitation is taken back."
        case {"type": "referee_appointed", "referee": referee}:
            return "There is no referee." if referee is None else "A referee is appointed."
        case {"type": "annotation_made", "text": text, "version": version}:
            return f"The referee: {text}" if version is None else f"The referee, on version {version}: {text}"
        case {"type": "adjourned", "text": text}:
            return f"The referee adjourns the match: {text}"
        case {"type": "resumed", "text": text}:
            return f"The referee lets play go on: {text}"
        case {"type": "adjudicated", "text": text}:
            return f"The referee decides the match: {text}"
    return None


def _of_chance(effect: Builtin) -> str | None:
    match effect["type"]:
        case "dice_opened":
            return "The secret of these dice is open."
        case "dice_anchored":
            return "The dice to come are committed to."
    return None


def _of_time(effect: Builtin) -> str:
    match effect:
        case {"type": "head_moved", "from": left, "to": to}:
            return (
                f"Back from version {left} to {to}." if to < left else f"Forward from version {left} to {to}."
            )
        case {"type": "proposed", "kind": "abandon", "by": by, "needs": needs}:
            return f"Seat {by} proposes to abandon the match; {_asked(needs)}."
        case {"type": "proposed", "kind": "replace", "by": by, "seat": seat, "needs": needs}:
            return f"Seat {by} proposes that somebody else takes seat {seat}; {_asked(needs)}."
        case {"type": "proposed", "kind": kind, "by": by, "to": to, "needs": needs}:
            way = "back" if kind == "undo" else "forward"
            return f"Seat {by} proposes to go {way} to version {to}; {_asked(needs)}."
        case {"type": "consent_given", "seat": seat}:
            return f"Seat {seat} agrees."
        case {"type": "proposal_closed", "seat": seat, "reason": "refused"}:
            return f"Seat {seat} refuses."
        case {"type": "proposal_closed", "seat": seat}:
            return f"Seat {seat} withdraws the proposal."
    raise AssertionError(f"not an effect of the match: {effect['type']}")


# Actions


def say(action: Builtin, *, proposed: bool = False) -> str:
    """An action of the match as a short phrase; of one that waits for others, only that it was asked for."""
    said = _say_of_time(action) or _say_of_seats(action) or _PLAIN[action["type"]]
    return f"ask to {said}" if proposed else said


def _say_of_time(action: Builtin) -> str | None:
    match action:
        case {"type": "undo", "to": to}:
            return f"go back to version {to}"
        case {"type": "redo", "to": to}:
            return "go forward again" if to is None else f"go forward to version {to}"
        case {"type": "fork", "at": at}:
            return f"go on elsewhere from version {at}"
        case {"type": "consent", "proposal": proposal}:
            return f"agree to proposal {proposal}"
        case {"type": "refuse", "proposal": proposal}:
            return f"refuse proposal {proposal}"
        case {"type": "withdraw", "proposal": proposal}:
            return f"withdraw proposal {proposal}"
    return None


def _say_of_seats(action: Builtin) -> str | None:
    match action:
        case {"type": "join", "seat": seat, "bot": None}:
            return "take a seat" if seat is None else f"take seat {seat}"
        case {"type": "join", "seat": seat, "bot": bot}:
            return f"let {bot} play" if seat is None else f"let {bot} play seat {seat}"
        case {"type": "invite", "seat": seat}:
            return "keep a seat for a guest" if seat is None else f"keep seat {seat} for a guest"
        case {"type": "vacate", "seat": seat}:
            return f"free seat {seat}"
        case {"type": "leave", "seat": seat}:
            return f"give up seat {seat}"
        case {"type": "claim", "seat": seat}:
            return f"claim that seat {seat} was away too long"
    return None


_PLAIN: Final = {
    "create": "lay out the match",
    "rematch": "lay out the next match",
    "revoke": "take back an invitation",
    "abandon": "abandon the match",
    "expire": "end the waiting",
    "start": "begin to play",
    "appoint": "name the referee",
    "annotate": "make a note",
    "adjourn": "adjourn the match",
    "resume": "let play go on",
    "adjudicate": "decide the match",
}


def _asked(seats: list[int]) -> str:
    """``seat 1 is asked``, ``seats 1, 2 are asked``."""
    return f"seat {seats[0]} is asked" if len(seats) == 1 else f"seats {', '.join(map(str, seats))} are asked"
