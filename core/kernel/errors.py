"""Refusals: the closed set of reasons for which a rule says no.

A refusal is an answer to a well-formed request, so it always carries what the asker needs in order to
do better: a stable ``code``, a sentence, and the numbered rule where one applies. Impossible states are
bugs and raise ``AssertionError`` instead; the two are never mixed.
"""

from __future__ import annotations

from typing import ClassVar


class Refused(Exception):
    """A well-formed request that cannot be granted.

    ``reason`` says in one sentence what is wrong and, where it helps, what would have been right.
    ``rule`` names the paragraph of the rules (``iliad.4.2``, ``cyclades.C-09``), ``seat`` the seat concerned.
    """

    code: ClassVar[str]

    def __init__(self, reason: str, *, rule: str | None = None, seat: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.rule = rule
        self.seat = seat


class Malformed(Refused):
    """The request is not of the documented form (an option outside its range, an unknown game)."""

    code = "malformed"


class Forbidden(Refused):
    """The asker is known but may not do this."""

    code = "forbidden"


class NotYourTurn(Refused):
    """The seat has nothing to decide in the state in force."""

    code = "not_your_turn"


class WrongPhase(Refused):
    """The match is not at the stage in which this action exists."""

    code = "wrong_phase"


class SeatTaken(Refused):
    """Somebody else sits there."""

    code = "seat_taken"


class MatchFull(Refused):
    """No seat is free."""

    code = "match_full"


class MatchFinished(Refused):
    """The match is over; nothing is decided any more."""

    code = "match_finished"


class UndoNotAllowed(Refused):
    """The head cannot go to that version: the policy, the line or a seat is against it."""

    code = "undo_not_allowed"


class ProposalVoid(Refused):
    """The proposal is open no longer: the match moved on, or somebody closed it."""

    code = "proposal_void"


class Illegal(Refused):
    """The rules of the game forbid the move; ``rule`` is always given."""

    code = "illegal"

    def __init__(self, reason: str, *, rule: str, seat: int | None = None) -> None:
        super().__init__(reason, rule=rule, seat=seat)
