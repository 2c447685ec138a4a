"""Mechanical players of Iliad: what they see is a redacted view, what they know is the rules.

``greedy`` looks one move ahead with a plan: it builds the strongest lines that its hand allows, spends a
chariot only where it hurts, waits with cards of no strength while others still play, and passes as soon as
it is ahead or cannot get there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kleos.core.iliad.arranging import Arrangement, strongest
from kleos.core.iliad.cards import (
    FOOT,
    ORDER,
    POINTS,
    STRENGTH,
    SUIT,
    TILE_POINTS,
    VALUE,
    Card,
    Tile,
    Victory,
)
from kleos.core.iliad.moves import (
    Arrange,
    Attack,
    Choose,
    Discard,
    Extend,
    IliadMove,
    Mount,
    Pass,
    Place,
    Placing,
)
from kleos.core.iliad.state import Army
from kleos.core.iliad.strength import behind, riding
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Legal
from kleos.core.kernel.visibility import Builtin

_KEPT: Final[dict[Card, float]] = {"chariot": 5, "elephant": 1.5, "ballista": 1, "catapult": 0.5, "wall": 0.4}
"""What such a card in the hand is worth; other cards are worth their strength."""
_ENOUGH: Final[dict[Card, int]] = {"archer": 4, "chariot": 7, "ballista": 1, "catapult": 1}
"""The least difference in strength for which an attacker is given away."""
_PLANNED: Final = 5
"""How many placements a lead may cost; a siege brings three new cards."""
_MARGIN: Final = 4
"""By how much an army should lead for each rival who can still answer."""
_WAITING: Final[frozenset[Card]] = frozenset(("elephant", "wall", "catapult", "ballista", "trojan_horse"))
"""Cards of no strength of their own, to lay while the others show theirs."""
_TILE: Final[dict[str, Tile]] = {"city": "athena", "trireme": "poseidon"}


def greedy(view: Builtin, legal: tuple[Legal[Any], ...], seat: int, _chance: Chance) -> IliadMove:
    """A sensible move for ``seat``."""
    moves: list[IliadMove] = [each.move for each in legal]
    match view["phase"]:
        case "discard":
            discards = [move for move in moves if isinstance(move, Discard)]
            return min(
                discards, key=lambda move: (_KEPT.get(move.card, STRENGTH[move.card]), ORDER[move.card])
            )
        case "choose":
            choices = [move for move in moves if isinstance(move, Choose)]
            return max(choices, key=lambda move: _worth(view, seat, move.card))
        case "arrange":
            return Arrange()
        case _:
            return _Turn(view, seat, moves).chosen()


def _worth(view: Builtin, seat: int, card: Victory) -> int:
    """The points that a victory card brings, with the tile it wins."""
    tile, side = _TILE.get(SUIT[card]), view["armies"][seat]["side"]
    if tile is None or view[tile] == side:
        return POINTS[card]
    points = [0] * len(view["scores"])
    for army in view["armies"]:
        points[army["side"]] += sum(POINTS[won] for won in army["victories"] if SUIT[won] == SUIT[card])
    points[side] += POINTS[card]
    leads = points[side] == max(points) and points.count(points[side]) == 1
    return POINTS[card] + (TILE_POINTS[tile] if leads else 0)


class _Turn:
    """A turn as its player sees it. ``to_beat`` is the strength above which an army is paid."""

    def __init__(self, view: Builtin, seat: int, moves: Sequence[IliadMove]) -> None:
        self.view = view
        self.moves = moves
        self.me = msgspec.convert(view["armies"][seat], Army)
        self.gorgon = view["oracle"] == "gorgon"
        rivals = [army for army in view["armies"] if army["side"] != self.me.side]
        duel = len(view["armies"]) == 2
        strengths = sorted((army["strength"] for army in rivals), reverse=True)
        paid = 1 if self.gorgon or duel else len(view["row"])
        self.to_beat: int = strengths[min(paid, len(strengths)) - 1]
        self.answers = 0 if duel else sum(not army["passed"] for army in rivals)

    def chosen(self) -> IliadMove:
        hero = 0 if self.gorgon else max(self.view["heroes"], default=0)
        if not self.gorgon and self.me.strength + hero > self.to_beat + _MARGIN * self.answers:
            return Pass()
        attack = self._best_attack()
        if attack is not None:
            return attack
        waiting = self._waiting() if self.answers and not self.gorgon else None
        if waiting is not None:
            return waiting
        plan = self._plan()
        within_reach = self.me.strength + hero + self._plan(plan).worth > self.to_beat
        ready = [move for move in plan.moves if move in self.moves]
        return max(ready, key=_gain) if ready and within_reach else Pass()

    def _best_attack(self) -> Attack | None:
        """The attack that shifts the balance with a rival in front most, if it is worth its card."""
        attacks = [move for move in self.moves if isinstance(move, Attack)]
        good = [move for move in attacks if self._shift(move) >= _ENOUGH[move.attacker]]
        return max(good, key=self._shift, default=None)

    def _shift(self, move: Attack) -> int:
        if self.view["armies"][move.against]["strength"] < self.to_beat:
            return 0
        cost = {"table": STRENGTH[move.attacker], "elephant": riding("archer"), "hand": 0}[move.source]
        return _loss(move) - cost

    def _plan(self, reduced_to: Arrangement | None = None) -> Arrangement:
        """How the men in the hand, or the first few of a plan, come to their greatest strength."""
        cards = self.me.hand if reduced_to is None else [move.card for move in reduced_to.moves[:_PLANNED]]
        men = tuple(card for card in cards if card in FOOT)
        return strongest(replace(self.me, revealed=men), self.view["options"]["phalanx_step"])

    def _waiting(self) -> Place | None:
        idle = [move for move in self.moves if isinstance(move, Place) and move.card in _WAITING]
        return idle[0] if idle else None


def _gain(move: Placing) -> int:
    """What a placement adds to the strength of the army at once."""
    match move:
        case Extend(card=card, line=line):
            return behind(line, VALUE[card])
        case Mount(card=card):
            return riding(card)
        case _:
            return STRENGTH[move.card]


def _loss(move: Attack) -> int:
    """What the owner of the target loses in strength."""
    line = move.line
    if line:
        return sum(line) * len(line) - (sum(line) - VALUE[move.target]) * (len(line) - 1)
    return sum(STRENGTH[card] for card in move.riders) or STRENGTH[move.target]
