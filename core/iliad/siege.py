"""The course of a siege (rules 3 and 6): how it starts, whose turn it is, how it ends, who gets what.

Each function is given an ``Unfolding`` and adds the effects that follow now; it ends at a decision of a
seat or at the end of the game. What a seat may decide is told in ``turn``.
"""

from __future__ import annotations

from kleos.core.iliad.cards import DRAWN_EACH_SIEGE, HAND_LIMIT, Card, in_order
from kleos.core.iliad.effects import (
    AgamemnonTaken,
    ArmiesRanked,
    CardsDealt,
    DeckReshuffled,
    GorgonSpent,
    HorsesOpened,
    IliadEffect,
    OracleRevealed,
    RowFilled,
    SiegeBegan,
    SiegeUnwon,
    SiegeWon,
    TableCleared,
    ThanatosTaken,
    TurnsBegan,
)
from kleos.core.iliad.scoring import award, exhausted, reached
from kleos.core.iliad.state import State
from kleos.core.kernel.chance import Chance
from kleos.core.kernel.game import Unfolding

Course = Unfolding[State, IliadEffect]


# Starting: rule 3


def begin(course: Course, chance: Chance, starter: int) -> None:
    """A siege starts: oracle, row, cards, discards to the limit, turns (rules 3.1 to 3.5, C-32)."""
    siege = course.state.siege + 1
    course.add(SiegeBegan(rule="iliad.3.5" if siege > 1 else "iliad.2.7", siege=siege, starter=starter))
    if course.state.setup.oracle:
        course.add(OracleRevealed(rule="iliad.3.1", card=course.state.oracle_deck[0]))
    missing = course.state.setup.row - len(course.state.row)
    cards = course.state.victory_deck[:missing]
    if cards:
        course.add(RowFilled(rule="iliad.3.2", cards=cards))
    _deal(course, chance, course.state.setup.hand if siege == 1 else DRAWN_EACH_SIEGE)
    if not over_limit(course.state):
        begin_turns(course, chance)


def over_limit(state: State) -> tuple[int, ...]:
    """The seats that hold more than the hand limit."""
    return tuple(army.seat for army in state.armies if len(army.hand) > HAND_LIMIT)


def _deal(course: Course, chance: Chance, each: int) -> None:
    """Deal up to ``each`` cards to everybody, one at a time from the starter on (C-15, R-06)."""
    state = course.state
    seats = len(state.armies)
    order = [(state.starter + place) % seats for place in range(seats)]
    rule = "iliad.2.3" if state.siege == 1 else "iliad.3.3"
    served: dict[int, list[Card]] = {seat: [] for seat in order}
    deck = list(state.deck)
    for seat in order * each:
        if not deck:
            _hand_over(course, served, rule)
            if not _reshuffle(course, chance):
                return
            deck = list(course.state.deck)
        served[seat].append(deck.pop(0))
    _hand_over(course, served, rule)


def _hand_over(course: Course, served: dict[int, list[Card]], rule: str) -> None:
    for seat, cards in served.items():
        if cards:
            course.add(CardsDealt(rule=rule, seat=seat, cards=tuple(cards)))
            cards.clear()


def _reshuffle(course: Course, chance: Chance) -> bool:
    """Make the discards the new deck; False if there are none."""
    state = course.state
    thrown: list[Card] = [card for army in state.armies for card in army.discarded]
    pile = (*state.discards, *thrown)
    if pile:
        course.add(DeckReshuffled(rule="iliad.C-15", order=chance.shuffle(in_order(pile))))
    return bool(pile)


# Turns: rules 2.8, 6.1.1, 6.2.1


def begin_turns(course: Course, chance: Chance) -> None:
    """All hands are within the limit: the first turn is the starter's."""
    course.add(TurnsBegan(rule="iliad.2.8", seat=course.state.starter))
    at_turn(course, chance)


def at_turn(course: Course, chance: Chance) -> None:
    """A turn begins; in a Gorgon siege its seat may have won at this moment (rule 6.2.1, R-12)."""
    seat = course.state.turn
    if course.state.gorgon and leads(course.state, seat):
        _won(course, chance, "iliad.6.2.1", seat, (seat,))


def leads(state: State, seat: int) -> bool:
    """Whether the army of ``seat`` is strictly stronger than every other, the partner's included (C-23)."""
    mine = state.armies[seat].strength
    return all(army.strength < mine for army in state.armies if army.seat != seat)


def go_on(course: Course, chance: Chance) -> None:
    """After a turn: that of the next seat, or the end of the siege (rules 6.1.1, 9.4)."""
    state = course.state
    if state.armies[state.turn].passed:
        _all_passed(course, chance)
    elif state.gorgon and _left_alone(state):
        _won(course, chance, "iliad.R-14", state.turn, (state.turn,))
    else:
        at_turn(course, chance)


def _left_alone(state: State) -> bool:
    """Whether, by option, a Gorgon siege is won by the last seat that has not passed (R-14)."""
    sole = state.options.gorgon_no_winner == "sole_remaining"
    return sole and sum(not army.passed for army in state.armies) == 1


# The end of a siege: rules 6.1, 6.2, 9.4 to 9.8


def _all_passed(course: Course, chance: Chance) -> None:
    state = course.state
    if state.gorgon:
        if state.options.gorgon_no_winner == "last_passer":
            _won(course, chance, "iliad.R-14", state.turn, (state.turn,))
        else:
            _unwon(course, chance, "iliad.C-04")
        return
    for army in state.armies:
        hidden: list[Card] = [card for horse in army.horses for card in horse.hidden]
        if hidden:
            course.add(HorsesOpened(rule="iliad.6.1.2", seat=army.seat, cards=in_order(hidden)))
    if not arranging(course.state):
        compare(course, chance)


def arranging(state: State) -> tuple[int, ...]:
    """The seats that still have revealed cards to place."""
    return tuple(army.seat for army in state.armies if army.revealed)


def compare(course: Course, chance: Chance) -> None:
    """Rank the armies (rules 6.1.3, 9.5): the higher strength, on a tie the higher hero (C-28)."""
    state = course.state
    if state.duel and state.armies[0].strength == state.armies[1].strength:
        _tied_duel(course, chance)
        return
    armies = sorted(state.armies, key=lambda army: (-army.strength, -army.hero))
    ranking = tuple(army.seat for army in armies)
    rule = "iliad.9.5" if state.duel else "iliad.6.1.3"
    course.add(ArmiesRanked(rule=rule, ranking=ranking, strengths=tuple(army.strength for army in armies)))
    if state.duel:
        _won(course, chance, "iliad.9.5", ranking[0], ranking[:1])
    else:
        _won(course, chance, "iliad.6.1.4", ranking[0], ranking[: state.setup.row])


def _tied_duel(course: Course, chance: Chance) -> None:
    """Two equal armies: nobody wins unless an option says who does (C-18, R-14)."""
    state = course.state
    by_option = {
        "nobody": None,
        "agamemnon": state.agamemnon,
        "first_pass": 1 - state.turn,
    }
    seat = by_option[state.options.two_player_tie]
    if seat is None:
        _unwon(course, chance, "iliad.C-18")
    else:
        _won(course, chance, "iliad.R-14", seat, (seat,))


def _won(course: Course, chance: Chance, rule: str, seat: int, choosing: tuple[int, ...]) -> None:
    """The siege has a winner; the seats ``choosing`` take a card each, as far as the row reaches (C-03)."""
    course.add(SiegeWon(rule=rule, seat=seat, choosing=choosing[: len(course.state.row)]))
    after_choice(course, chance)


def _unwon(course: Course, chance: Chance, rule: str) -> None:
    course.add(SiegeUnwon(rule=rule))
    after_choice(course, chance)


def after_choice(course: Course, chance: Chance) -> None:
    """Wait for the next victory card to be taken; after the last one the siege is closed (rule 6.3)."""
    if not (_won_instantly(course) or course.state.choosing):
        _close(course, chance)


def _won_instantly(course: Course) -> bool:
    """Whether, by option, the target just reached ends the game here and now (R-08)."""
    if course.state.options.win_check == "instant":
        end = reached(course.state)
        if end is not None:
            course.add(end)
    return course.state.outcome is not None


def _close(course: Course, chance: Chance) -> None:
    """Thanatos, Agamemnon, Athena, Poseidon, in this order; the end of the game, or the next siege."""
    for reward in (_oracle_goes, _agamemnon_goes, _athena_goes, _poseidon_goes):
        effect = reward(course.state)
        if effect is not None:
            course.add(effect)
            if _won_instantly(course):
                return
    end = reached(course.state) or exhausted(course.state)
    if end is not None:
        course.add(end)
        return
    state = course.state
    course.add(TableCleared(rule="iliad.6.3.3"))
    begin(course, chance, state.starter if state.agamemnon is None else state.agamemnon)


def _oracle_goes(state: State) -> IliadEffect | None:
    if state.oracle is None:
        return None
    if state.gorgon:
        return GorgonSpent(rule="iliad.6.2.3")
    return ThanatosTaken(rule="iliad.6.1.5", seat=state.ranking[-1], card=state.oracle)


def _agamemnon_goes(state: State) -> IliadEffect | None:
    if state.winner is None or state.winner == state.agamemnon:
        return None
    if state.duel:
        return AgamemnonTaken(rule="iliad.9.9", seat=state.winner)
    return AgamemnonTaken(rule="iliad.6.1.6" if state.ranking else "iliad.6.2.2", seat=state.winner)


def _athena_goes(state: State) -> IliadEffect | None:
    return award(state, "athena")


def _poseidon_goes(state: State) -> IliadEffect | None:
    return award(state, "poseidon")
