"""Phrases of reports and explanations, the same on a page and in a terminal. Knows neither.

They are plain text. Names are cleaned of control characters; a page puts each between isolating characters,
so that no writing direction reaches beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from kleos.api.terminal import printable
from kleos.api.verify import PROVISO, WORDS
from kleos.events import verifier
from kleos.events.steps import Step
from kleos.projections.draws import Draw, Stream
from kleos.projections.history import Doer, Offer, Sitting, Turning
from kleos.projections.sight import Change

_ISOLATE: Final = "\u2068{}\u2069"


class Names:
    """What players are called; ``people`` are names by id, null for somebody who is forgotten."""

    def __init__(self, people: Mapping[str, str | None], *, isolated: bool = False) -> None:
        self._people = people
        self._isolated = isolated

    def __call__(self, player: str) -> str:
        """The name, or the id where none is known."""
        name = self._people.get(player)
        said = printable(name).strip() if name else ""
        if not said:
            return f"player {printable(player)}"
        return _ISOLATE.format(said) if self._isolated else said


def who(doer: Doer, names: Names) -> str:
    """Who did something, and on whose behalf."""
    at = "" if doer.seat is None else f" seat {doer.seat}"
    if doer.role == "bot":
        return f"the bot {doer.bot}, for{at}"
    if doer.role == "house":
        why = "whose time ran out" if doer.why == "late" else "which resigned"
        return f"the house, for{at}, {why}" if at else "the house, since time ran out"
    name = names(doer.player or "")
    if doer.role == "referee":
        return f"{name}, the referee"
    return f"{name}, {'at' if doer.own else 'about'}{at}" if at else name


def chosen(options: Mapping[str, Any]) -> str:
    """What was chosen for the match, in words: a game names its options as its rules do, with underscores."""
    return "; ".join(f"{_spaced(name)}: {_choice(value)}" for name, value in options.items()) or "none"


def _choice(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _spaced(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def looking(seat: int | None, *, opened: bool = False) -> str:
    """Through whose eyes somebody looks."""
    if opened:
        return "everybody, with all that was hidden"
    return "a spectator" if seat is None else f"seat {seat}"


def seen_by(change: Change, changes: Sequence[Change]) -> str:
    """Who saw a change: of a seat it is told beside what everybody saw, unless it is the only one told."""
    if change.seat is None:
        return "Seen by everybody"
    return f"Seen by seat {change.seat}" + (" alone" if len({each.seat for each in changes}) > 1 else "")


def sat(sitting: Sitting, names: Names) -> str:
    """Who sat there."""
    if sitting.player is None:
        return f"the bot {sitting.bot}"
    name = names(sitting.player)
    return name if name.endswith(printable(sitting.player)) else f"{name} (player {sitting.player})"


def stayed(sitting: Sitting) -> str:
    """From when to when."""
    said = f"from event {sitting.since}"
    if sitting.resigned is not None:
        said += f", resigned in event {sitting.resigned}"
    return said + ("" if sitting.until is None else f", left in event {sitting.until}")


def turned(turning: Turning) -> str:
    """How decisions were undone, or came back into force."""
    way = "back" if turning.to < turning.left else "forward"
    over = f"; passed over: {listed(turning.decisions)}" if turning.decisions else ""
    return f"{way} from version {turning.left} to {turning.to}{over}"


def agreed(turning: Turning, offers: Sequence[Offer]) -> str:
    """Who asked for it, and who consented."""
    offer = next((each for each in offers if each.id == turning.proposal), None)
    if offer is None:
        return f"seat {turning.asked} did it; nobody else had to agree"
    given = ", ".join(f"seat {each.seat} in event {each.version}" for each in offer.given)
    return f"seat {turning.asked} proposed it in event {offer.id[1:]}; agreed: {given}"


def offered(offer: Offer) -> str:
    """What was proposed."""
    match offer.kind:
        case "abandon":
            return "to abandon the match"
        case "replace":
            return f"that somebody else takes seat {offer.seat}"
        case kind:
            return f"to go {'back' if kind == 'undo' else 'forward'} to version {offer.to}"


def ended(offer: Offer) -> str:
    """What came of a proposal."""
    given = f"; agreed: {seats(each.seat for each in offer.given)}" if offer.given else ""
    if offer.ending == "open":
        return f"open{given}"
    by = "" if offer.by_seat is None else f" by seat {offer.by_seat}"
    return f"{offer.ending}{by} in event {offer.ended}{given}"


def listed(numbers: Iterable[int]) -> str:
    """``3, 4 and 7``."""
    return _joined([str(each) for each in numbers])


def seats(numbers: Iterable[int]) -> str:
    """``seat 0, seat 3 and seat 4``, or ``nobody``."""
    return _joined([f"seat {each}" for each in numbers] or ["nobody"])


def _joined(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


# Chance


def drawn(draw: Draw) -> str:
    """What was drawn, as a sentence."""
    if draw.kind == "die":
        return f"A die of {draw.of} faces shows face {draw.value}."
    if draw.kind == "shuffle":
        if draw.of <= 1:
            return "There is nothing to shuffle." if draw.of == 0 else "One thing alone is shuffled."
        return f"{draw.of} things are shuffled" + ("." if draw.order is not UNSET else "; how is hidden.")
    if draw.value is UNSET:
        return f"One of {draw.of} is picked; which one is hidden."
    return f"One of {draw.of} is picked: number {draw.value}, counted from 0."


def worked(draw: Draw) -> Iterator[str]:
    """How a draw followed from the words of its stream, line by line."""
    if draw.words is UNSET:
        return
    if draw.order is not UNSET:
        yield f"words used: {len(draw.words)}"
        yield f"place by place, what had been at place: {' '.join(map(str, draw.order))}"
        return
    limit = (1 << 32) - (1 << 32) % draw.of
    for word in draw.words:
        if word >= limit:
            yield f"word {word}: skipped, since it is not below {limit}"
            continue
        rest = f"word {word}: {word} mod {draw.of} = {word % draw.of}"
        yield f"{rest}, and 1 more is {word % draw.of + 1}" if draw.kind == "die" else rest


def flowed(stream: Stream, version: int) -> Iterator[str]:
    """Where the words of a stream come from, line by line."""
    if stream.source == "dice":
        yield f"secret: the link of version {version}, opened in this event: {stream.secret}"
    else:
        yield f"secret: the seed of the match, opened at its end: {stream.secret}"
    yield f"key: HMAC-SHA-256(secret, {stream.message}) = {stream.key}"
    yield f"words: HMAC-SHA-256(key, {stream.label} and the number of the block in 8 bytes), 8 words a block"


# The verdict


class Checked(Struct, frozen=True):
    """A step of the verifier: whether it holds (null: it was not taken), and in words what it says."""

    step: str
    holds: bool | None
    words: str


_CONCLUSIONS: Final[Mapping[verifier.Status, str]] = {
    "valid": "Valid. Every step holds: the match went exactly as it is told here.",
    "invalid": "Not valid. What is told here is not what was signed, or not what the rules come to.",
    "incomplete": "Incomplete. All that can be checked holds; some parts are sealed.",
    "unknown_rules": "Not wholly checked. All that can be checked holds; the rules are not installed here.",
}


def concluded(status: verifier.Status, *, trusted: bool) -> str:
    """What follows from the steps; of a match by keys that nobody named also what that hangs on."""
    said = _CONCLUSIONS[status]
    if trusted or status == "invalid":
        return said
    verdict, _, why = said.partition(". ")
    return f"{verdict}, {PROVISO}. {why}"


def steps(verdict: verifier.Report) -> Iterator[Checked]:
    """Every step that there is, in order."""
    bad = verdict.failure
    for step, words in WORDS.items():
        if step in verdict.passed:
            yield Checked(step, True, words)
        elif bad is not None and bad.step == step:
            yield Checked(step, False, printable(bad.told))
        else:
            yield Checked(step, None, _why_not(step, verdict))


def unproven(version: int, verdict: verifier.Report) -> str | None:
    """What is to be said beside the event at which the verifier stopped."""
    if verdict.failure is None or verdict.failure.version != version:
        return None
    return f"From here on nothing is proven: {printable(verdict.failure.reason)}."


def _why_not(step: Step, verdict: verifier.Report) -> str:
    order = list(WORDS)
    if verdict.failure is not None and order.index(verdict.failure.step) < order.index(step):
        return "a step before it fails"
    if step == "parent" and verdict.parent is None:
        return "the match has no parent"
    if step in _ABSENT:
        return _ABSENT[step]
    if verdict.status == "unknown_rules":
        return "the rules are not installed here"
    return "some parts are sealed"


_ABSENT: Final[Mapping[Step, str]] = {
    "receipts": "no receipt was given",
    "ledger": "there is no proof from the server's own log",
    "witnesses": "no witness has cosigned",
    "parent": "the bundle of its parent was not given, or some parts are sealed",
}
"""Why a step is not taken that needs more than the match itself."""


# The match


def decided(outcome: Mapping[str, Any]) -> str:
    """How the match ended."""
    winners = [f"seat {each}" for each in outcome["winners"]]
    won = f"won by {', '.join(winners)}" if winners else "won by nobody"
    scores = ", ".join(f"seat {seat}: {score}" for seat, score in outcome["scores"].items())
    reason = str(outcome["reason"]).replace("_", " ")
    return f"{won} ({reason})" + (f"; scores: {scores}" if scores else "")


def timed(deadline: Mapping[str, Any]) -> str:
    """How long a seat had for each decision, and what followed."""
    then = {
        "bot": "the house decides",
        "resign": "the seat resigns",
        "wait": "the others may claim the match",
    }
    return f"{deadline['seconds']} seconds for each decision, then {then[deadline['policy']]}"


def begun(parent: Mapping[str, Any]) -> str:
    """Where a fork began."""
    return f"with the position of version {parent['version']} of match {parent['match']}"
