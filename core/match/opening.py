"""The start of play, and the chance of a match (match.4). Pure."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

import msgspec

from kleos.core.kernel.chance import KeyedChance
from kleos.core.kernel.game import Effect
from kleos.core.kernel.registry import pinned
from kleos.core.match.actions import MatchEnded, MatchStarted
from kleos.core.match.state import Match


def chance_for(match: Match, version: int) -> KeyedChance:
    """The chance of the event that makes ``version``.

    Its key is HMAC-SHA-256 under the match's seed over a label, the version, and the entropy that each
    seat brought. Versions only grow, so a position that is played again gets fresh chance.
    """
    text = msgspec.json.encode(["kleos/chance/v1", match.id, version, [each.entropy for each in match.seats]])
    return KeyedChance(hmac.digest(bytes.fromhex(match.seed), text, hashlib.sha256))


def opening(match: Match) -> Iterator[Effect]:
    """The start of play: the game is laid out, or goes on from where the match forked."""
    game = pinned(match.rules)
    yield MatchStarted(rule="match.4")
    state = match.state
    if state is None:
        settled = msgspec.convert(match.options, game.Options)
        opened = game.open(settled, len(match.seats), chance_for(match, match.version + 1))
        yield from opened.effects
        state = opened.state
    outcome = game.outcome(state)
    if outcome is not None:
        yield MatchEnded(rule="match.6", outcome=outcome)
