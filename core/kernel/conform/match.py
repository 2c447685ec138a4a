"""The laws of a whole match: one is played, and every decision held against them.

``MatchUnderTest`` keeps beside the live state a second one that is rebuilt from the effects as they would be
read back from a log; the two must never part.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from kleos.core.kernel.conform.interference import non_interference
from kleos.core.kernel.conform.laws import (
    acceptance,
    commuting,
    encodings,
    fallbacks,
    lists,
    out_of_turn,
    outcomes,
    refusals,
    sides,
    turns,
    views,
    words,
)
from kleos.core.kernel.conform.position import CANONICAL, Position, text
from kleos.core.kernel.conform.report import Failure, Report
from kleos.core.kernel.playout import Step, playout
from kleos.core.kernel.visibility import merge, redact, split

EACH_POSITION = (turns, fallbacks, sides, outcomes, encodings)
SOME_POSITIONS = (lists, views, words, acceptance, refusals, out_of_turn, commuting, non_interference)


class MatchUnderTest:
    """One match of the battery; what it finds goes into ``report``."""

    def __init__(self, report: Report, failure: Failure, opening: Position) -> None:
        self.report = report
        self.failure = failure
        self.here = opening
        self.replayed = opening.state
        self.trace: list[str] = []
        self.counted = opening.hooks.census and opening.hooks.census(opening.state)
        self.kept = [(opening.state, CANONICAL.encode(opening.state))]

    def run(self, players: list[Any], options: Any, *, every: int, limit: int) -> None:
        """Lay the game out and play it; the laws that need trials are tried at one position in ``every``."""
        whim, fortune = self.here.whim(), self.here.chance()
        game = self.here.game
        opened = game.open(options, self.here.seats, fortune)
        if opened != game.open(options, self.here.seats, self.here.chance()):
            self.complain("openings", "two openings with the same chance")
        self.follow(None, opened.effects, opened.state)
        self.stand(trials=whim.pick(every) == 0)
        for step in playout(game, opened.state, players, fortune, whim):
            self.count(step)
            self.trace.append(f"seat {step.seat}: {text(step.move)}")
            self.here = replace(self.here, pool=(*self.here.pool[-40:], step.move))
            self.follow(step.seat, step.effects, step.after)
            over = game.outcome(step.after)
            self.stand(trials=over is not None or whim.pick(every) == 0)
            if len(self.trace) >= limit:
                self.complain("bounded", f"no outcome after {limit} decisions")
                return
        self.close()

    def count(self, step: Step) -> None:
        self.report.decisions += 1
        self.report.count([each.move.__struct_config__.tag for each in step.legal])

    def stand(self, *, trials: bool) -> None:
        """Hold the position reached against the laws."""
        self.here = replace(self.here, key=self.here.key[:32] + len(self.trace).to_bytes(4, "big"))
        for law in EACH_POSITION + (SOME_POSITIONS if trials else ()):
            self.examine(law.__name__, law(self.here))

    def follow(self, seat: int | None, effects: tuple[Any, ...], state: Any) -> None:
        """Fold the effects as a log would give them back, and compare."""
        self.here = self.here.with_state(state)
        self.report.effects += len(effects)
        for effect in effects:
            self.examine("effects", self.effect(effect, seat))
        self.examine("replays", self.replay())
        self.examine("census", self.conserve())
        self.kept.append((state, CANONICAL.encode(state)))

    def effect(self, effect: Any, seat: int | None) -> Iterator[str | None]:
        """An effect cites a rule of its game, is told in words, and survives being taken apart and stored."""
        yield None
        game = self.here.game
        if not effect.rule.startswith(f"{game.name}."):
            yield f"{text(effect)} cites the rule {effect.rule!r}"
        public, parts = split(effect, kind=game.Effect, owner=seat)
        read = msgspec.convert(merge(public, list(parts.values())), game.Effect)
        if read != effect:
            yield f"{text(effect)} is read back as {text(read)}"
        for viewer in self.here.viewers:
            if not game.tell(redact(effect, viewer, owner=seat)).strip():
                yield f"no words for {text(effect)} as {viewer} sees it"
        self.replayed = game.evolve(self.replayed, read)

    def replay(self) -> Iterator[str | None]:
        """The state is what its effects alone make of the one before."""
        yield None
        if self.replayed != self.here.state or text(self.replayed) != text(self.here.state):
            yield "the effects, read back from their bytes, lead to another state"
        self.replayed = self.here.state

    def conserve(self) -> Iterator[str | None]:
        """What the game counts (cards, coins, pieces) stays the same from the opening on."""
        if self.here.hooks.census is None:
            return
        yield None
        now = self.here.hooks.census(self.here.state)
        if now != self.counted:
            yield f"counted {dict(now)} instead of {dict(self.counted or {})}"

    def close(self) -> None:
        outcome = self.here.game.outcome(self.here.state)
        self.report.endings[outcome.reason if outcome else "none"] += 1
        self.report.lengths.setdefault(self.here.seats, []).append(len(self.trace))
        self.examine("unchanged", self.unchanged())

    def unchanged(self) -> Iterator[str | None]:
        """Every earlier state of the match is what it was."""
        for version, (state, before) in enumerate(self.kept):
            yield None
            if CANONICAL.encode(state) != before:
                yield f"the state after {version} steps has changed since"

    def examine(self, law: str, trial: Iterator[str | None]) -> None:
        """Put one law to the test; whatever it raises is a complaint as well."""
        try:
            for complaint in trial:
                if complaint is None:
                    self.report.checks[law] += 1
                else:
                    self.complain(law, complaint)
        except Exception as error:  # a rule that breaks down breaks the law it is tried on
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.complain(law, f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})")

    def complain(self, law: str, complaint: str) -> None:
        self.report.add(replace(self.failure, law=law, complaint=complaint, trace=tuple(self.trace)))
