"""Positions in the notation of the rule cases, and what a test does with them.

``4-3-2`` is a phalanx, ``h4`` or ``4`` a lone hoplite, ``a`` a lone archer, ``El[h3,a]`` an elephant with
riders, ``Ho{h2,a}`` a horse with hidden cards, ``c`` a chariot, ``ba`` a ballista, ``ca`` a catapult, ``w`` a
wall. A seat is written ``table / hand``: ``seat("4-3 El[a] / c h2")``. Cards that no seat has lie in the
deck, so that the cards of every position add up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from kleos.core.iliad import GAME
from kleos.core.iliad.cards import Card, army_deck, in_order, oracle_deck, victory_deck
from kleos.core.iliad.effects import IliadEffect
from kleos.core.iliad.moves import IliadMove
from kleos.core.iliad.scoring import scores
from kleos.core.iliad.setup import Options
from kleos.core.iliad.state import Army, Horse, State, cards_on_table
from kleos.core.iliad.strength import strength
from kleos.core.kernel import Illegal, KeyedChance

Seated = Army | str
"""An army, or its notation."""
Step = tuple[int, IliadMove]
"""A move with the seat that makes it."""
CHANCE = KeyedChance(b"the same in every run")
SHORT: dict[str, Card] = {
    "h1": "hoplite_1",
    "h2": "hoplite_2",
    "h3": "hoplite_3",
    "h4": "hoplite_4",
    "a": "archer",
    "el": "elephant",
    "c": "chariot",
    "ca": "catapult",
    "ba": "ballista",
    "w": "wall",
    "ho": "trojan_horse",
}
ALIKE = {"a": "archers", "c": "chariots", "ca": "catapults", "ba": "ballistas", "w": "walls"}


def cards(text: str) -> tuple[Card, ...]:
    """``h2, a c`` as cards, in the order of the list."""
    return in_order(SHORT[word] for word in re.split(r"[\s,]+", text.strip()) if word)


def seat(text: str = "", **changes: Any) -> Army:
    """An army in the notation, without its seat; ``changes`` are other fields (``hero=5``)."""
    before, _, hand = text.partition("/")
    lines: list[tuple[int, ...]] = []
    elephants: list[tuple[Card, ...]] = []
    horses: list[Horse] = []
    alike: dict[str, Any] = dict.fromkeys(ALIKE.values(), 0)
    for word in re.findall(r"El\[[^]]*\]|Ho\{[^}]*\}|\S+", before):
        if word.startswith("El["):
            elephants.append(cards(word[3:-1]))
        elif word.startswith("Ho{"):
            horses.append(Horse(cards(word[3:-1])))
        elif re.fullmatch(r"h?[1-4](-[1-4])*", word):
            lines.append(tuple(int(value) for value in word.removeprefix("h").split("-")))
        else:
            alike[ALIKE[word]] += 1
    army = Army(
        seat=0,
        side=0,
        hand=cards(hand),
        lines=tuple(sorted(lines, reverse=True)),
        elephants=tuple(sorted(elephants)),
        horses=tuple(horses),
        **alike,
    )
    return replace(army, **changes)


def position(*armies: Seated, turn: int = 0, options: Options | None = None, **changes: Any) -> State:
    """A table in the middle of a siege, the turn of seat ``turn``; everything else as the set-up table says.

    ``changes`` are other fields of the state; the oracle of three or more is a Thanatos -1 unless given.
    """
    settled = GAME.settle(options or Options(), len(armies))
    state: State = GAME.blank(settled, len(armies))
    seated = []
    for written, empty in zip(armies, state.armies, strict=True):
        army = seat(written) if isinstance(written, str) else written
        seated.append(replace(army, seat=empty.seat, side=empty.side, strength=strength(army)))
    oracle = changes.pop("oracle", "thanatos_1" if state.setup.oracle else None)
    row = changes.pop("row", ("city_1", "trireme_2", "city_3")[: state.setup.row])
    heroes = tuple(hero for hero in state.heroes if hero not in {army.hero for army in seated})
    won = [card for army in seated for card in army.victories]
    seen = [card for army in seated for card in army.penalties]
    state = replace(
        state,
        armies=tuple(seated),
        phase="turn",
        siege=1,
        turn=turn,
        starter=changes.pop("starter", turn),
        oracle=oracle,
        heroes=heroes,
        row=row,
        deck=rest(army_deck(), [card for army in seated for card in (*cards_on_table(army), *army.hand)]),
        victory_deck=rest(victory_deck(), [*row, *won]),
        oracle_deck=rest(oracle_deck(), [*seen, oracle]) if oracle else (),
        unwon=changes.pop("unwon", 0),
    )
    state = replace(state, **changes)
    return replace(state, scores=scores(state))


def rest(deck: Iterable[Any], taken: Iterable[Any]) -> tuple[Any, ...]:
    """The deck less what is taken."""
    left = Counter(deck)
    left.subtract(Counter(taken))
    assert min(left.values()) >= 0, f"the game has not so many: {left}"
    return tuple(left.elements())


def census(state: State) -> Counter[str]:
    """How many there are of every card, wherever they lie."""
    everything: list[Any] = [*state.deck, *state.discards, *state.row, *state.victory_deck]
    everything += [*state.oracle_deck, *state.spent_oracles, *([state.oracle] if state.oracle else [])]
    everything += [f"hero {hero}" for hero in state.heroes]
    for army in state.armies:
        everything += [*army.hand, *army.discarded, *cards_on_table(army), *army.victories, *army.penalties]
        everything += [f"hero {army.hero}"] if army.hero else []
    return Counter(everything)


def whole(state: State) -> bool:
    """Whether all cards of the game are there, as many of every kind as rules 2.1 and 2.2 say."""
    oracles = oracle_deck() if state.setup.oracle else ()
    heroes = [f"hero {value}" for value in range(1, state.setup.heroes + 1)]
    return census(state) == Counter[str]([*army_deck(), *victory_deck(), *oracles, *heroes])


def listed(state: State, by: int) -> list[IliadMove]:
    """The legal moves of a seat."""
    return [legal.move for legal in GAME.moves(state, by)]


def unfold(state: State, by: int, move: IliadMove) -> tuple[State, tuple[IliadEffect, ...]]:
    """What a legal move leads to, and its effects; the two laws of a decision are checked on the way."""
    assert move in listed(state, by), f"{move} is not among the legal moves"
    unfolded = GAME.decide(state, by, move, CHANCE)
    folded = state
    for effect in unfolded.effects:
        folded = GAME.evolve(folded, effect)
    assert folded == unfolded.state
    return unfolded.state, unfolded.effects


def after(state: State, *moves: Step) -> State:
    """The state after legal moves, each with the seat that makes it."""
    for by, move in moves:
        state, _ = unfold(state, by, move)
    return state


def refusal(state: State, by: int, move: IliadMove) -> Illegal:
    """The refusal of an illegal move of a seat that is to act."""
    assert by in GAME.to_act(state)
    assert move not in listed(state, by)
    try:
        GAME.decide(state, by, move, CHANCE)
    except Illegal as refused:
        return refused
    raise AssertionError(f"{move} was accepted, but is not listed")


def kinds(effects: Iterable[IliadEffect]) -> list[str]:
    """The types of effects, in order."""
    return [type(effect).__name__ for effect in effects]
