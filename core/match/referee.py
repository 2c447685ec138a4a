"""What a referee may do in a match: annotate, adjourn, resume, adjudicate (match.18). Pure.

Each is an event that everybody sees, with who did it; nothing is ever edited. A referee sees what a spectator
sees.
"""

from __future__ import annotations

from kleos.core.kernel.errors import Forbidden, Malformed, WrongPhase
from kleos.core.kernel.game import Effect, Outcome
from kleos.core.match.actions import Adjourn, Adjudicate, Annotate, Appoint, RefereeAction, Resume
from kleos.core.match.event import Kind
from kleos.core.match.facts import (
    Adjourned,
    Adjudicated,
    AnnotationMade,
    MatchAbandoned,
    MatchEnded,
    RefereeAppointed,
    Resumed,
)
from kleos.core.match.state import Match


def appoint(match: Match, actor: str | None, action: Appoint) -> list[Effect]:
    """The creator names a referee, or nobody, while all can still decide whether to play under one."""
    if match.status != "open":
        raise WrongPhase("a referee is appointed before the start", rule="match.18")
    if actor != match.creator:
        raise Forbidden("only the creator of the match appoints its referee", rule="match.18")
    if match.seats_of(action.player):
        raise Forbidden("who plays is no referee", rule="match.18")
    return [RefereeAppointed(rule="match.18", referee=action.player)]


def decide_as_referee(match: Match, actor: str | None, action: RefereeAction) -> tuple[Kind, list[Effect]]:
    """What the referee's ruling leads to."""
    if match.referee is None or actor != match.referee:
        raise Forbidden("this is for the referee of the match", rule="match.18")
    match action:
        case Annotate(text=text, version=version):
            if version is not None and version > match.version:
                raise WrongPhase(
                    f"there is no version {version} yet; the last is {match.version}", rule="match.18"
                )
            return "annotate", [AnnotationMade(rule="match.18", text=text, version=version)]
        case Adjourn(text=text):
            _require(match, adjourned=False)
            return "adjourn", [Adjourned(rule="match.18", text=text)]
        case Resume(text=text):
            _require(match, adjourned=True)
            return "resume", [Resumed(rule="match.18", text=text)]
        case Adjudicate():
            return "adjudicate", _adjudicated(match, action)


def _require(match: Match, *, adjourned: bool) -> None:
    if match.status != "playing":
        raise WrongPhase("the match has not started", rule="match.18")
    if match.adjourned != adjourned:
        raise WrongPhase(
            "the match is adjourned already" if match.adjourned else "the match is not adjourned",
            rule="match.18",
        )


def _adjudicated(match: Match, action: Adjudicate) -> list[Effect]:
    if match.status != "playing":
        raise WrongPhase("the match has not started", rule="match.18")
    said = Adjudicated(rule="match.18", text=action.text)
    if action.ranking is None:
        return [said, MatchAbandoned(rule="match.18")]
    named = [seat for place in action.ranking for seat in place]
    if sorted(named) != list(range(len(match.seats))) or not all(action.ranking):
        raise Malformed("a ranking has every seat in exactly one place, and no empty place", rule="match.18")
    outcome = Outcome(winners=action.ranking[0], ranking=action.ranking, scores={}, reason="adjudication")
    return [said, MatchEnded(rule="match.18", outcome=outcome)]
