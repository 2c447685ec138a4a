"""The start of play (match.4), and dice that are opened as they fall (match.11). Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleos.core.kernel.game import Effect
from kleos.core.kernel.registry import pinned
from kleos.core.match.chance import MatchChance, chance_for
from kleos.core.match.facts import DiceOpened, MatchEnded, MatchStarted
from kleos.core.match.state import Match


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
        yield from dice_opened(chance)
        state = opened.state
    outcome = game.outcome(state)
    if outcome is not None:
        yield MatchEnded(rule="match.6", outcome=outcome)


def dice_opened(chance: MatchChance) -> Iterator[Effect]:
    """The link of the chain on which dice hung, if any were thrown."""
    if chance.rolled:
        yield DiceOpened(rule="match.11", link=chance.link.hex())
