"""What a seat may decide, and what its decision does (rules 3.3, 4, 6.1.2, 6.1.4).

One function for each kind of decision lists its legal moves; ``play`` carries a listed move out and refuses
every other with its reason. What follows from it for the others is told in ``siege``.
"""

from __future__ import annotations

from kleos.core.iliad import attacking, placing, siege
from kleos.core.iliad.arranging import strongest
from kleos.core.iliad.cards import NAME, ORDER, POINTS, STRENGTH
from kleos.core.iliad.effects import ArmyDisbanded, CardDiscarded, HeroTaken, Passed, PassLapsed, VictoryTaken
from kleos.core.iliad.moves import (
    Arrange,
    Attack,
    Choose,
    Discard,
    Extend,
    Hide,
    IliadMove,
    Mount,
    Pass,
    Place,
)
from kleos.core.iliad.siege import Course
from kleos.core.iliad.state import State
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.errors import Illegal

_ALONE = tuple(frozenset((seat,)) for seat in range(6))
_NOBODY: frozenset[int] = frozenset()
_PASS = Pass()


def to_act(state: State) -> frozenset[int]:
    """The seats with a decision to make; discards and arrangements are made by all at the same time."""
    match state.phase:
        case "turn":
            return _ALONE[state.turn]
        case "discard":
            return frozenset(siege.over_limit(state))
        case "arrange":
            return frozenset(siege.arranging(state))
        case "choose":
            return _ALONE[state.choosing[0]]
        case _:
            return _NOBODY


# The moves of each decision


def moves(state: State, seat: int) -> list[IliadMove]:
    """Every legal move of a seat that is to act, in the rulebook's order."""
    army = state.armies[seat]
    match state.phase:
        case "turn":
            found: list[IliadMove] = []
            found += placing.placings(state, army, dict.fromkeys(army.hand))
            found += attacking.attacks(state, army)
            found.append(_PASS)
            return found
        case "discard":
            return [Discard(card) for card in dict.fromkeys(army.hand)]
        case "arrange":
            return [*placing.placings(state, army, dict.fromkeys(army.revealed)), Arrange()]
        case _:
            return [Choose(card) for card in dict.fromkeys(state.row)]


def fallback(state: State, seat: int) -> IliadMove:
    """The safe default (R-22): pass, the best arrangement, the cheapest discard, the most points."""
    match state.phase:
        case "turn":
            return Pass()
        case "discard":
            hand = state.armies[seat].hand
            return Discard(min(hand, key=lambda card: (STRENGTH[card], -ORDER[card])))
        case "arrange":
            return Arrange()
        case _:
            return Choose(max(state.row, key=POINTS.__getitem__))


# Carrying a decision out


def play(course: Course, seat: int, move: IliadMove, chance: Chance) -> None:
    """Carry out a move of a seat that is to act; ``Illegal`` if it is not among its moves."""
    match course.state.phase:
        case "turn":
            _take_turn(course, seat, move)
            siege.go_on(course, chance)
        case "discard":
            _discard(course, seat, move)
            if not siege.over_limit(course.state):
                siege.begin_turns(course, chance)
        case "arrange":
            _arrange(course, seat, move)
            if not siege.arranging(course.state):
                siege.compare(course, chance)
        case _:
            _choose(course, seat, move)
            siege.after_choice(course, chance)


def _take_turn(course: Course, seat: int, move: IliadMove) -> None:
    state = course.state
    army = state.armies[seat]
    match move:
        case Place() | Extend() | Mount() | Hide():
            if move.card not in army.hand or move not in placing.placings(state, army, (move.card,)):
                raise placing.refuse(state, army, army.hand, move)
            course.add(placing.placed(seat, move, "iliad.4.1"))
        case Attack():
            if not attacking.legal(state, army, move):
                raise attacking.refuse(state, army, move)
            for effect in attacking.attacked(state, seat, move):
                course.add(effect)
        case Pass():
            _pass(course, seat)
            return
        case _:
            raise Illegal("it is your turn: place a card, attack, or pass", rule="iliad.4", seat=seat)
    if state.duel and state.armies[1 - seat].passed:
        course.add(PassLapsed(rule="iliad.9.3", seat=1 - seat))


def _pass(course: Course, seat: int) -> None:
    """A pass, with the hero it brings or the army it costs (rules 4.3, 6.2.4)."""
    state = course.state
    course.add(Passed(rule="iliad.9.3" if state.duel else "iliad.4.3", seat=seat))
    if state.gorgon:
        course.add(ArmyDisbanded(rule="iliad.4.3", seat=seat))
    elif state.heroes:
        course.add(HeroTaken(rule="iliad.4.3", seat=seat, hero=state.heroes[-1]))


def _discard(course: Course, seat: int, move: IliadMove) -> None:
    hand = course.state.armies[seat].hand
    if not isinstance(move, Discard):
        raise Illegal("you hold too many cards: discard one first", rule="iliad.3.3", seat=seat)
    if move.card not in hand:
        raise Illegal(f"you hold no {NAME[move.card]} to discard", rule="iliad.3.3", seat=seat)
    course.add(CardDiscarded(rule="iliad.3.3", seat=seat, card=move.card))


def _arrange(course: Course, seat: int, move: IliadMove) -> None:
    state = course.state
    army = state.armies[seat]
    match move:
        case Arrange():
            for each in strongest(army, state.options.phalanx_step).moves:
                course.add(placing.placed(seat, each, "iliad.R-09"))
        case Place() | Extend() | Mount() | Hide():
            if move.card not in army.revealed or move not in placing.placings(state, army, (move.card,)):
                raise placing.refuse(state, army, army.revealed, move)
            course.add(placing.placed(seat, move, "iliad.6.1.2"))
        case _:
            raise Illegal("your horses are open: place the revealed cards", rule="iliad.6.1.2", seat=seat)


def _choose(course: Course, seat: int, move: IliadMove) -> None:
    row = course.state.row
    if not isinstance(move, Choose):
        raise Illegal("take a victory card from the row", rule="iliad.R-15", seat=seat)
    if move.card not in row:
        raise Illegal(
            f"{move.card} is not in the row; there: {', '.join(row)}", rule="iliad.6.1.4", seat=seat
        )
    course.add(VictoryTaken(rule=_reward_rule(course.state), seat=seat, card=move.card))


def _reward_rule(state: State) -> str:
    """The paragraph by which victory cards are taken in this siege."""
    if state.duel:
        return "iliad.9.5"
    return "iliad.6.2.2" if state.gorgon else "iliad.6.1.4"
