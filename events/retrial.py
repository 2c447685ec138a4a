"""Retrial: a match decided once more, event by event, from what was asked and from the seed alone.

What is in the log must be what the rules come to, hidden parts included; the first event where it is not ends
the trial. This knows the rules and nothing of files, trees or signatures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kleos.core.kernel import Refused
from kleos.core.match import Event, Match, Past, codec, create, decide, evolve
from kleos.core.match.actions import Create, Fork, Rematch
from kleos.events import descent

Builtins = dict[str, Any]
_TRIALS: Final = 64
"""Other seeds with which a decision is made again, to find out whether it hangs on chance."""


class Mistrial(Exception):
    """Event ``version`` is not what the rules come to, or not what ``chance`` gave."""

    def __init__(self, version: int, reason: str, step: Literal["chance", "rules"] = "rules") -> None:
        super().__init__(reason)
        self.version = version
        self.reason = reason
        self.step: Literal["chance", "rules"] = step


class Tried(Struct, frozen=True):
    """A match after one of its events: what its state digest is taken over, and the seed of its key."""

    match: Match
    seed: bytes
    standing: bytes
    state: bytes

    @property
    def version(self) -> int:
        return self.match.version


def retry(events: Sequence[Builtins], openings: Sequence[Builtins]) -> Iterator[Tried]:
    """Every version in turn, once it is found to be right; raises ``Mistrial``.

    ``events`` are public parts, ``openings`` for each event the payloads by audience, none missing. What the
    first event of a fork or a rematch tells of its parent is taken for granted: see ``descent``.
    """
    told: list[Match] = []
    for public, payloads in zip(events, openings, strict=True):
        version: int = public["version"]
        try:
            told.append(_tried(told, public, payloads))
            tried = _summed_up(told[-1])
        except Refused as refusal:
            rule = f" ({refusal.rule})" if refusal.rule else ""
            raise Mistrial(version, f"the rules refuse it: {refusal.reason}{rule}") from None
        except msgspec.MsgspecError as error:
            raise Mistrial(version, f"it is not an event of these rules: {error}") from None
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise Mistrial(version, f"it cannot be carried out: {_one_line(error)}") from None
        yield tried


def _tried(told: Sequence[Match], public: Builtins, payloads: Builtins) -> Match:
    """The match after an event; raises ``Mistrial`` if the rules come to another one."""
    before = told[-1] if told else None
    logged = codec(public["rules"]).join(public, list(payloads.values()))
    if (before is None) != isinstance(logged.action, Create | Fork | Rematch):
        raise Mistrial(logged.version, "a match is created by its first event, and by no other")

    def past(version: int) -> Match:
        return told[version - 1]

    expected = replace(_again(before, logged, past), signature=logged.signature)
    if expected != logged:
        raise _difference(before, logged, expected, past)
    shown, parts = codec(logged.rules).split(logged)
    if any(shown[field] != public[field] for field in ("action", "effects")) or (
        shown.get("signature") != public.get("signature") or parts != payloads
    ):
        raise Mistrial(logged.version, "it shows or hides something else than the rules do")
    return evolve(before, logged, past)


def _again(before: Match | None, logged: Event, past: Past) -> Event:
    """What follows from what was asked."""
    if before is not None:
        return decide(before, logged.player, logged.seat, logged.action, at=logged.at, past=past)
    if logged.player is None:
        raise Mistrial(logged.version, "a match is created by a player")
    if isinstance(logged.action, Fork | Rematch):
        return descent.by_its_own_account(logged)
    seed: str = logged.effects[0].seed
    return create(logged.match, logged.player, logged.action, seed=seed, at=logged.at)


def _difference(before: Match | None, logged: Event, expected: Event, past: Past) -> Mistrial:
    """In what the event is not the expected one, the first thing first."""
    for place, (was, should) in enumerate(zip(logged.effects, expected.effects, strict=False)):
        if was != should:
            named = f"effect {place}, {_named(was)}"
            if _hangs_on_chance(before, logged, place, expected, past):
                return Mistrial(logged.version, f"{named}: not what the seed gives", "chance")
            if type(was) is not type(should):
                return Mistrial(logged.version, f"{named}: not what follows, where {_named(should)} follows")
            return Mistrial(logged.version, f"{named}: not what follows in {_unlike(was, should)}")
    if len(logged.effects) != len(expected.effects):
        return Mistrial(
            logged.version, f"it has {len(logged.effects)} effects, where {len(expected.effects)} follow"
        )
    return Mistrial(logged.version, f"the rules come to another {_unlike(logged, expected)}")


def _hangs_on_chance(before: Match | None, logged: Event, place: int, expected: Event, past: Past) -> bool:
    """Whether another seed would have made another effect, where all effects before it are the same.

    An effect that merely follows from dice or cards before it does not hang on chance itself.
    """
    if before is None:
        was, should = logged.effects[0], expected.effects[0]
        return place == 0 and replace(was, dice=should.dice) == should
    for trial in range(_TRIALS):
        seed = hashlib.sha256(f"{before.seed} {trial}".encode()).hexdigest()
        effects = _again(replace(before, seed=seed), logged, past).effects
        if effects[:place] == expected.effects[:place] and effects[place : place + 1] != (
            expected.effects[place],
        ):
            return True
    return False


def _summed_up(match: Match) -> Tried:
    """As ``docs/log-format.md`` has it."""
    state = codec(match.rules).state_bytes(match.state)
    return Tried(match, bytes.fromhex(match.seed), match.standing, state)


def _unlike(was: Struct, should: Struct) -> str:
    """The fields in which two structs of one type differ."""
    return ", ".join(each for each in should.__struct_fields__ if getattr(was, each) != getattr(should, each))


def _named(effect: Any) -> str:
    return str(effect.__struct_config__.tag)


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
