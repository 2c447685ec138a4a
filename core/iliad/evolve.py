"""Folding effects into a state: one small function an effect, no rule and no choice.

Whatever is in the log has happened: these functions never refuse. They keep what is derived (strengths,
scores) in step with what it is derived from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from kleos.core.iliad import effects as e
from kleos.core.iliad.cards import STRENGTH, VALUE, Card, in_order, without
from kleos.core.iliad.scoring import scores
from kleos.core.iliad.state import Army, Horse, Line, Riders, State, cards_on_table
from kleos.core.iliad.strength import behind, riding, strength
from kleos.core.kernel.game import Outcome


def evolve(state: State, effect: e.IliadEffect) -> State:
    """The state after one effect."""
    return _FOLDS[type(effect)](state, effect)


# Changing one army


def _with(state: State, army: Army, **changes: Any) -> State:
    """The state with ``army`` in the place of its seat, and other changes."""
    armies = list(state.armies)
    armies[army.seat] = army
    return replace(state, armies=tuple(armies), **changes)


def _measured(army: Army) -> Army:
    """The army with its strength made good."""
    return replace(army, strength=strength(army))


def _ranks(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(sorted(lines, reverse=True))


def _herd(elephants: tuple[Riders, ...]) -> tuple[Riders, ...]:
    return tuple(sorted(elephants))


_ALIKE: Final[dict[Card, str]] = {
    "archer": "archers",
    "chariot": "chariots",
    "catapult": "catapults",
    "ballista": "ballistas",
    "wall": "walls",
}
"""Cards of which an army only counts how many stand alone."""


def _placed(state: State, army: Army, card: Card, **changes: Any) -> State:
    """The state after ``card`` left the hand or, while horses are open, what they showed."""
    if state.phase == "arrange":
        return _with(state, replace(army, revealed=without(army.revealed, card), **changes))
    return _with(state, replace(army, hand=without(army.hand, card), **changes))


def _alone(army: Army, card: Card) -> dict[str, Any]:
    """The change by which ``card`` comes to stand alone."""
    stronger = army.strength + STRENGTH[card]
    if card in VALUE:
        return {"lines": _ranks((*army.lines, (VALUE[card],))), "strength": stronger}
    if card == "elephant":
        return {"elephants": _herd((*army.elephants, ())), "strength": stronger}
    if card == "trojan_horse":
        return {"horses": (*army.horses, Horse(())), "strength": stronger}
    field = _ALIKE[card]
    return {field: getattr(army, field) + 1, "strength": stronger}


def _swap(units: tuple[Any, ...], old: Any, new: Any) -> tuple[Any, ...]:
    place = units.index(old)
    return (*units[:place], new, *units[place + 1 :])


def _drop(units: tuple[Any, ...], old: Any) -> tuple[Any, ...]:
    place = units.index(old)
    return units[:place] + units[place + 1 :]


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


def _turn_began(state: State, effect: e.TurnBegan) -> State:
    return replace(state, phase="turn", turn=effect.seat)


def _card_placed(state: State, effect: e.CardPlaced) -> State:
    army, card = state.armies[effect.seat], effect.card
    return _placed(state, army, card, **_alone(army, card))


def _line_extended(state: State, effect: e.LineExtended) -> State:
    army, card, line = state.armies[effect.seat], effect.card, effect.line
    lines = _ranks(_swap(army.lines, line, (*line, VALUE[card])))
    stronger = army.strength + behind(line, VALUE[card])
    return _placed(state, army, card, lines=lines, strength=stronger)


def _elephant_mounted(state: State, effect: e.ElephantMounted) -> State:
    army, card = state.armies[effect.seat], effect.card
    herd = _herd(_swap(army.elephants, effect.riders, in_order((*effect.riders, card))))
    stronger = army.strength + riding(card)
    return _placed(state, army, card, elephants=herd, strength=stronger)


def _card_hidden(state: State, effect: e.CardHidden) -> State:
    army, at = state.armies[effect.seat], effect.horse
    fuller = Horse((*army.horses[at].hidden, effect.card))
    horses = (*army.horses[:at], fuller, *army.horses[at + 1 :])
    return _placed(state, army, effect.card, horses=horses)


def _units_destroyed(state: State, effect: e.UnitsDestroyed) -> State:
    attacker = _measured(_less_weapon(state.armies[effect.seat], effect))
    target = _measured(_less_target(state.armies[effect.against], effect))
    state = _with(state, attacker, discards=(*state.discards, effect.attacker, effect.target))
    return _with(state, target)


def _less_weapon(army: Army, effect: e.UnitsDestroyed) -> Army:
    if effect.source == "hand":
        return replace(army, hand=without(army.hand, effect.attacker))
    if effect.source == "elephant":
        riders = without(effect.mount, effect.attacker)
        return replace(army, elephants=_herd(_swap(army.elephants, effect.mount, riders)))
    field = _ALIKE[effect.attacker]
    return replace(army, **{field: getattr(army, field) - 1})


def _less_target(army: Army, effect: e.UnitsDestroyed) -> Army:
    if effect.line:
        at = effect.line.index(VALUE[effect.target])
        rest = effect.line[:at] + effect.line[at + 1 :]
        lines = _drop(army.lines, effect.line)
        return replace(army, lines=_ranks((*lines, rest)) if rest else lines)
    if effect.target == "elephant":
        return replace(army, elephants=_drop(army.elephants, effect.riders))
    if effect.horse is not None:
        return replace(army, horses=army.horses[: effect.horse] + army.horses[effect.horse + 1 :])
    field = _ALIKE[effect.target]
    return replace(army, **{field: getattr(army, field) - 1})


def _stand_alone(state: State, effect: e.RidersFell | e.HorseBroken) -> State:
    army = state.armies[effect.seat]
    for card in effect.cards:
        army = replace(army, **_alone(army, card))
    return _with(state, army)


def _passed(state: State, effect: e.Passed) -> State:
    return _with(state, replace(state.armies[effect.seat], passed=True))


def _pass_lapsed(state: State, effect: e.PassLapsed) -> State:
    return _with(state, replace(state.armies[effect.seat], passed=False))


def _hero_taken(state: State, effect: e.HeroTaken) -> State:
    heroes = tuple(hero for hero in state.heroes if hero != effect.hero)
    army = replace(state.armies[effect.seat], hero=effect.hero)
    return _with(state, _measured(army), heroes=heroes)


def _bare(army: Army, *, passed: bool) -> Army:
    """The army without anything on the table."""
    return Army(
        seat=army.seat,
        side=army.side,
        hand=army.hand,
        passed=passed,
        victories=army.victories,
        penalties=army.penalties,
        discarded=army.discarded,
    )


def _army_disbanded(state: State, effect: e.ArmyDisbanded) -> State:
    army = state.armies[effect.seat]
    return _with(state, _bare(army, passed=True), discards=state.discards + cards_on_table(army))


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
    return _scored(_with(state, richer, row=_drop(state.row, effect.card), choosing=state.choosing[1:]))


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
    armies = tuple([_bare(army, passed=False) for army in state.armies])
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
    e.TurnBegan: _turn_began,
    e.CardPlaced: _card_placed,
    e.LineExtended: _line_extended,
    e.ElephantMounted: _elephant_mounted,
    e.CardHidden: _card_hidden,
    e.UnitsDestroyed: _units_destroyed,
    e.RidersFell: _stand_alone,
    e.HorseBroken: _stand_alone,
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
