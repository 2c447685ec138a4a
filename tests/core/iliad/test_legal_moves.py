"""Legal is what the rules say: every well-formed move on small positions, judged by rules 4.1 and 4.2 anew.

``lawful`` states the two paragraphs a second time, as predicates on single moves, without the code's lists.
"""

from collections.abc import Iterator
from itertools import chain, islice, product
from typing import get_args

import pytest

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import CARDS, FOOT, VALUE, Card, Victory
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
    Source,
)
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import State
from kleos.core.kernel import Illegal
from tests.core.iliad.notation import CHANCE, listed, position

A = 0
POSITIONS = [
    position("4-3 El[h3,a] a ba / c h2 ho el", "4-2 El[h2] Ho{h4} c ca"),
    position("ca c El[] Ho{h1} Ho{} / h1 h2 a w", "w 4-3-2 a", options=Options(phalanx_step="descending")),
    position("a c ba ca / ho h3 c", "3 El[a] ba", "w 2-1 ca", oracle="gorgon"),
    position("El[h1] El[a] / a h4", "4", "El[h4,a]", "a w", options=Options(teams=True)),
]


def well_formed(state: State) -> Iterator[IliadMove]:
    """Every move whose parts are on the table, or are like those."""
    lines = {(), (1,), (3, 4), *(line for army in state.armies for line in army.lines)}
    elephants = {(), ("archer", "archer"), *(riders for army in state.armies for riders in army.elephants)}
    yield from (Pass(), Arrange())
    yield from (Choose(card) for card in get_args(Victory))
    for card in CARDS:
        yield from (Place(card), Discard(card))
        yield from (Extend(card, line) for line in lines)
        yield from (Mount(card, riders) for riders in elephants)
        yield from (Hide(card, horse) for horse in range(3))
    seats = range(len(state.armies) + 1)
    for attacker, against, target, source in product(CARDS, seats, CARDS, get_args(Source)):
        for mount, line, riders, horse in product(elephants, lines, elephants, (None, 0)):
            yield Attack(attacker, against, target, source, mount, line, riders, horse)


def lawful(state: State, move: IliadMove) -> bool:
    """Whether seat A may make the move on its turn (rules 4 to 4.3)."""
    army = state.armies[A]
    match move:
        case Pass():
            return True
        case Place(card):
            return card in army.hand and not (card == "trojan_horse" and state.oracle == "gorgon")
        case Extend(card, line):
            step = line[-1] - VALUE[card] if line and card in VALUE else 0
            gap = step == 1 if state.options.phalanx_step == "exact" else step > 0
            return card in army.hand and line in army.lines and gap
        case Mount(card, riders):
            return card in army.hand and card in FOOT and riders in army.elephants and len(riders) < 2
        case Hide(card, horse):
            return card in army.hand and card in FOOT and horse < len(army.horses)
        case Attack():
            return move.against in against(state) and armed(state, move) and hits(state, move)
        case _:
            return False


def against(state: State) -> set[int]:
    """The opponents of A: neither itself nor its partner (rule 10.7)."""
    return {army.seat for army in state.armies if army.side != state.armies[A].side}


def armed(state: State, move: Attack) -> bool:
    """Whether A has the attacker where the move says it comes from."""
    army, attacker = state.armies[A], move.attacker
    if move.source == "elephant":
        return attacker == "archer" and attacker in move.mount and move.mount in army.elephants
    if move.mount:
        return False
    if move.source == "hand":
        return attacker == "chariot" and attacker in army.hand
    table: dict[Card, int] = {
        "archer": army.archers,
        "chariot": army.chariots,
        "ballista": army.ballistas,
        "catapult": army.catapults,
    }
    return table.get(attacker, 0) > 0


def hits(state: State, move: Attack) -> bool:
    """Whether the attacker may destroy such a target, and the opponent has it (the table of rule 4.2)."""
    owner, target = state.armies[move.against], move.target
    unit = (move.line, move.riders, move.horse)
    if move.attacker in ("archer", "chariot"):
        if move.attacker == "chariot" and owner.walls:
            return False
        if target == "archer":
            return owner.archers > 0 and unit == ((), (), None)
        end = 0 if move.source == "elephant" else -1
        at_the_end = move.line in owner.lines and VALUE.get(target) == move.line[end]
        return at_the_end and unit == (move.line, (), None)
    if move.attacker == "ballista":
        if target == "elephant":
            return move.riders in owner.elephants and unit == ((), move.riders, None)
        return target == "chariot" and owner.chariots > 0 and unit == ((), (), None)
    if target == "trojan_horse":
        return move.horse is not None and move.horse < len(owner.horses) and unit == ((), (), move.horse)
    table: dict[Card, int] = {"ballista": owner.ballistas, "catapult": owner.catapults, "wall": owner.walls}
    return table.get(target, 0) > 0 and unit == ((), (), None)


def accepted(state: State, move: IliadMove) -> bool:
    try:
        GAME.decide(state, A, move, CHANCE)
    except Illegal:
        return False
    return True


def agrees(state: State, *, one_in: int) -> bool:
    """Whether the lawful moves are those listed; of the others, one in so many is tried and none accepted."""
    offered = listed(state, A)
    judged = [move for move in well_formed(state) if lawful(state, move)]
    tried = chain(judged, islice(well_formed(state), 0, None, one_in))
    return (
        len(judged) == len(offered)
        and all(move in offered for move in judged)
        and all(accepted(state, move) == (move in offered) for move in tried)
    )


each_position = pytest.mark.parametrize("state", POSITIONS, ids=["two", "descending", "gorgon", "teams"])


@each_position
def test_legal_listed_and_accepted_are_one(state: State) -> None:
    """4: of all well-formed moves the lawful ones are listed, and the listed ones accepted, no others."""
    assert agrees(state, one_in=11)


@pytest.mark.slow
@each_position
def test_no_unlisted_move_at_all_is_accepted(state: State) -> None:
    """4: the same with every well-formed move."""
    assert agrees(state, one_in=1)


def test_the_positions_offer_every_kind_of_move() -> None:
    """Otherwise the tests above would prove little."""
    offered = [move for state in POSITIONS for move in listed(state, A)]
    assert {type(move) for move in offered} == {Place, Extend, Mount, Hide, Attack, Pass}
    attackers = {(move.attacker, move.source) for move in offered if isinstance(move, Attack)}
    assert attackers == {
        ("archer", "table"),
        ("archer", "elephant"),
        ("chariot", "table"),
        ("chariot", "hand"),
        ("ballista", "table"),
        ("catapult", "table"),
    }
