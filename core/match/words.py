"""The match's own effects in words, for whoever tells a match; those of a game are told by the game."""

from __future__ import annotations

from kleos.core.kernel.visibility import Builtin


def tell(effect: Builtin) -> str:
    """An effect of the match, as a viewer may see it, as one sentence."""
    return _of_seats(effect) or _of_chance(effect) or _of_time(effect)


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
        case {"type": "proposed", "kind": kind, "by": by, "to": to, "needs": needs}:
            way = "back" if kind == "undo" else "forward"
            return f"Seat {by} proposes to go {way} to version {to}; asked are {', '.join(map(str, needs))}."
        case {"type": "consent_given", "seat": seat}:
            return f"Seat {seat} agrees."
        case {"type": "proposal_closed", "seat": seat, "reason": "refused"}:
            return f"Seat {seat} refuses."
        case {"type": "proposal_closed", "seat": seat}:
            return f"Seat {seat} withdraws the proposal."
    raise AssertionError(f"not an effect of the match: {effect['type']}")
