"""Folding effects into a state: one small function an effect, no rule and no choice.

Whatever is in the log has happened: these functions never refuse. They keep what is derived (strengths,
scores) in step with what it is derived from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from kleos.core.iliad import effects as e
from kleos.core.iliad.army import bare, follow, hide, less_attacker, less_target, mount, stand_alone
from kleos.core.iliad.cards import Card, in_order, without
from kleos.core.iliad.scoring import scores
from kleos.core.iliad.state import Army, Horse, State, cards_on_table
from kleos.core.kernel.game import Outcome


def evolve(state: State, effect: e.IliadEffect) -> State:
    """The state after one effect."""
    return _FOLDS[type(effect)](state, effect)


def _with(state: State, army: Army, **changes: Any) -> State:
    """The state with ``army`` in the place of its seat, and other changes."""
    return replace(state, armies=_among(state.armies, army), **changes)


def _among(armies: tuple[Army, ...], army: Army) -> tuple[Army, ...]:
    return (*armies[: army.seat], army, *armies[army.seat + 1 :])


def _spent(state: State, seat: int, card: Card) -> Army:
    """The army of ``seat`` after ``card`` left its hand or, while horses are open, what they showed."""
    army = state.armies[seat]
    if state.phase == "arrange":
        return replace(army, revealed=without(army.revealed, card))
    return replace(army, hand=without(army.hand, card))


# Setting up and starting a siege


def _decks_shuffled(state: State, effect: e.DecksShuffled) -> State:
    return replace(state, deck=effect.army, victory_deck=effect.victory, oracle_deck=effect.oracle)


def _siege_began(state: State, effect: e.SiegeBegan) -> State:
    return replace(
        state,
        phase="discard",
        siege=effect.siege,
        starter=effect.starter,
        turn=effect.starter,
        oracle=None,
        winner=None,
        ranking=(),
    )


def _oracle_revealed(state: State, effect: e.OracleRevealed) -> State:
    return replace(state, oracle=effect.card, oracle_deck=state.oracle_deck[1:])


def _row_filled(state: State, effect: e.RowFilled) -> State:
    drawn = len(effect.cards)
    return replace(state, row=state.row + effect.cards, victory_deck=state.victory_deck[drawn:])


def _cards_dealt(state: State, effect: e.CardsDealt) -> State:
    """Cards are dealt in rounds but told by seat: those of one seat lie apart on the deck.

    Equal cards being equal, taking the first of each kind leaves the same deck once all seats are served.
    """
    deck = list(state.deck)
    for card in effect.cards:
        deck.remove(card)
    army = state.armies[effect.seat]
    return _with(state, replace(army, hand=in_order(army.hand + effect.cards)), deck=tuple(deck))


def _deck_reshuffled(state: State, effect: e.DeckReshuffled) -> State:
    armies = tuple(replace(army, discarded=()) for army in state.armies)
    return replace(state, deck=effect.order, discards=(), armies=armies)


def _card_discarded(state: State, effect: e.CardDiscarded) -> State:
    army = state.armies[effect.seat]
    kept, thrown = without(army.hand, effect.card), in_order((*army.discarded, effect.card))
    return _with(state, replace(army, hand=kept, discarded=thrown))


# A turn


def _turns_began(state: State, effect: e.TurnsBegan) -> State:
    return replace(state, phase="turn", turn=effect.seat)


def _turn_done(state: State, army: Army) -> State:
    """The state with ``army`` after its turn, which goes to the next seat that has not passed (rule 2.8).

    If all have, it stays where it was; so it does while revealed cards are placed.
    """
    if state.phase != "turn":
        return _with(state, army)
    armies = _among(state.armies, army)
    for other in (*armies[army.seat + 1 :], *armies[: army.seat]):
        if not other.passed:
            return replace(state, armies=armies, turn=other.seat)
    return replace(state, armies=armies, turn=army.seat)


def _card_placed(state: State, effect: e.CardPlaced) -> State:
    return _turn_done(state, stand_alone(_spent(state, effect.seat, effect.card), effect.card))


def _line_extended(state: State, effect: e.LineExtended) -> State:
    return _turn_done(state, follow(_spent(state, effect.seat, effect.card), effect.card, effect.line))


def _elephant_mounted(state: State, effect: e.ElephantMounted) -> State:
    return _turn_done(state, mount(_spent(state, effect.seat, effect.card), effect.card, effect.riders))


def _card_hidden(state: State, effect: e.CardHidden) -> State:
    return _turn_done(state, hide(_spent(state, effect.seat, effect.card), effect.card, effect.horse))


def _units_destroyed(state: State, effect: e.UnitsDestroyed) -> State:
    discards = (*state.discards, effect.attacker, effect.target)
    state = _with(state, less_target(state.armies[effect.against], effect), discards=discards)
    return _turn_done(state, less_attacker(state.armies[effect.seat], effect))


def _fallen(state: State, effect: e.RidersFell | e.HorseBroken) -> State:
    army = state.armies[effect.seat]
    for card in effect.cards:
        army = stand_alone(army, card)
    return _with(state, army)


def _passed(state: State, effect: e.Passed) -> State:
    return _turn_done(state, replace(state.armies[effect.seat], passed=True))


def _pass_lapsed(state: State, effect: e.PassLapsed) -> State:
    return _with(state, replace(state.armies[effect.seat], passed=False), turn=effect.seat)


def _hero_taken(state: State, effect: e.HeroTaken) -> State:
    heroes = tuple(hero for hero in state.heroes if hero != effect.hero)
    army = state.armies[effect.seat]
    stronger = army.strength + effect.hero
    return _with(state, replace(army, hero=effect.hero, strength=stronger), heroes=heroes)


def _army_disbanded(state: State, effect: e.ArmyDisbanded) -> State:
    army = state.armies[effect.seat]
    return _with(state, bare(army, passed=True), discards=state.discards + cards_on_table(army))


# The end of a siege


def _horses_opened(state: State, effect: e.HorsesOpened) -> State:
    army = state.armies[effect.seat]
    emptied = replace(army, horses=(Horse(()),) * len(army.horses), revealed=in_order(effect.cards))
    return _with(state, emptied, phase="arrange")


def _armies_ranked(state: State, effect: e.ArmiesRanked) -> State:
    return replace(state, ranking=effect.ranking)


def _siege_won(state: State, effect: e.SiegeWon) -> State:
    return replace(state, phase="choose", winner=effect.seat, choosing=effect.choosing, unwon=0)


def _siege_unwon(state: State, _effect: e.SiegeUnwon) -> State:
    return replace(state, phase="choose", unwon=state.unwon + 1)


def _scored(state: State) -> State:
    return replace(state, scores=scores(state))


def _victory_taken(state: State, effect: e.VictoryTaken) -> State:
    army = state.armies[effect.seat]
    richer = replace(army, victories=(*army.victories, effect.card))
    row = list(state.row)
    row.remove(effect.card)
    return _scored(_with(state, richer, row=tuple(row), choosing=state.choosing[1:]))


def _thanatos_taken(state: State, effect: e.ThanatosTaken) -> State:
    army = state.armies[effect.seat]
    return _scored(_with(state, replace(army, penalties=(*army.penalties, effect.card)), oracle=None))


def _gorgon_spent(state: State, _effect: e.GorgonSpent) -> State:
    return replace(state, oracle=None, spent_oracles=(*state.spent_oracles, "gorgon"))


def _agamemnon_taken(state: State, effect: e.AgamemnonTaken) -> State:
    return _scored(replace(state, agamemnon=effect.seat))


def _tile_awarded(state: State, effect: e.TileAwarded) -> State:
    return _scored(replace(state, **{effect.tile: effect.side}))


def _table_cleared(state: State, _effect: e.TableCleared) -> State:
    cleared = state.discards
    for army in state.armies:
        cleared += cards_on_table(army)
    armies = tuple([bare(army, passed=False) for army in state.armies])
    heroes = sorted((*state.heroes, *(army.hero for army in state.armies if army.hero)))
    return replace(state, armies=armies, discards=cleared, heroes=tuple(heroes))


def _game_ended(state: State, effect: e.GameEnded) -> State:
    outcome = Outcome(
        winners=effect.winners, ranking=effect.ranking, scores=effect.scores, reason=effect.reason
    )
    return replace(state, phase="over", choosing=(), outcome=outcome)


_FOLDS: Final[dict[type[Any], Callable[[State, Any], State]]] = {
    e.DecksShuffled: _decks_shuffled,
    e.SiegeBegan: _siege_began,
    e.OracleRevealed: _oracle_revealed,
    e.RowFilled: _row_filled,
    e.CardsDealt: _cards_dealt,
    e.DeckReshuffled: _deck_reshuffled,
    e.CardDiscarded: _card_discarded,
    e.TurnsBegan: _turns_began,
    e.CardPlaced: _card_placed,
    e.LineExtended: _line_extended,
    e.ElephantMounted: _elephant_mounted,
    e.CardHidden: _card_hidden,
    e.UnitsDestroyed: _units_destroyed,
    e.RidersFell: _fallen,
    e.HorseBroken: _fallen,
    e.Passed: _passed,
    e.PassLapsed: _pass_lapsed,
    e.HeroTaken: _hero_taken,
    e.ArmyDisbanded: _army_disbanded,
    e.HorsesOpened: _horses_opened,
    e.ArmiesRanked: _armies_ranked,
    e.SiegeWon: _siege_won,
    e.SiegeUnwon: _siege_unwon,
    e.VictoryTaken: _victory_taken,
    e.ThanatosTaken: _thanatos_taken,
    e.GorgonSpent: _gorgon_spent,
    e.AgamemnonTaken: _agamemnon_taken,
    e.TileAwarded: _tile_awarded,
    e.TableCleared: _table_cleared,
    e.GameEnded: _game_ended,
}
