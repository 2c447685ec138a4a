"""What cannot be seen: moves that surely bring nothing new to light, and another deal of the hidden cards.

Both are told from what seats may see; nothing here looks at a hidden card in order to answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kleos.core.iliad.cards import FOOT, Card, in_order
from kleos.core.iliad.moves import Arrange, Attack, IliadMove, Pass
from kleos.core.iliad.state import Army, Horse, State
from kleos.core.kernel.chance import Chance


def quiet(state: State, seat: int, move: IliadMove) -> bool:
    """Whether the move surely opens no horse, draws no card, and does not end the game.

    In a Gorgon siege any turn may win at its beginning (rule 6.2.1), so nothing is promised there.
    """
    if state.gorgon:
        return False
    match state.phase:
        case "turn":
            if isinstance(move, Pass):
                return any(not army.passed for army in state.armies if army.seat != seat)
            return not (isinstance(move, Attack) and move.target == "trojan_horse")
        case "discard":
            return True
        case "arrange":
            others = any(army.revealed for army in state.armies if army.seat != seat)
            return others or not (isinstance(move, Arrange) or len(state.armies[seat].revealed) == 1)
        case _:
            return len(state.choosing) > 1 and state.options.win_check == "siege"


def redeal(state: State, seats: frozenset[int], chance: Chance) -> State:
    """The table as ``seats`` see it, with every card they do not see dealt anew.

    All assignments are equally likely of the unseen army cards to the places they lie in, as only foot
    soldiers hide in horses (rule 4.1).
    """
    unseen = [army for army in state.armies if army.seat not in seats]
    pool = list(chance.shuffle(in_order((*state.deck, *(card for army in unseen for card in _hidden(army))))))
    foot = (card for card in tuple(pool) if card in FOOT)
    ridden = {
        army.seat: tuple(Horse(_taken(pool, foot, len(horse.hidden))) for horse in army.horses)
        for army in unseen
    }
    rest = iter(tuple(pool))
    dealt = {army.seat: _dealt(army, ridden[army.seat], rest) for army in unseen}
    return replace(
        state,
        armies=tuple(dealt.get(army.seat, army) for army in state.armies),
        deck=tuple(rest),
        victory_deck=chance.shuffle(sorted(state.victory_deck)),
        oracle_deck=chance.shuffle(sorted(state.oracle_deck)),
    )


def _hidden(army: Army) -> Iterator[Card]:
    yield from army.hand
    yield from army.discarded
    for horse in army.horses:
        yield from horse.hidden


def _taken(pool: list[Card], cards: Iterator[Card], count: int) -> tuple[Card, ...]:
    taken = tuple(next(cards) for _ in range(count))
    for card in taken:
        pool.remove(card)
    return taken


def _dealt(army: Army, horses: tuple[Horse, ...], cards: Iterator[Card]) -> Army:
    hand = in_order(next(cards) for _ in army.hand)
    discarded = in_order(next(cards) for _ in army.discarded)
    return replace(army, hand=hand, discarded=discarded, horses=horses)
