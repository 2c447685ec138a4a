"""The seventeen creatures: a few lines each in one table, and the functions those lines name (14).

A creature is directed by one move, or acts at once; what takes several decisions opens a frame of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades import figures, targets
from kleos.core.cyclades.movement import land
from kleos.core.cyclades.moves import (
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    Lure,
    MoveTroops,
    Rebuild,
)
from kleos.core.cyclades.ownership import after_capture
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import (
    island_at,
    revenue,
    slot_with,
    squadron_at,
)
from kleos.core.cyclades.state import Power, Shuffling, State
from kleos.core.cyclades.vocabulary import SYLPH_REACH, Creature

# Effects: what follows from the choice


def _send_sylph(play: Play, power: Power, move: ChooseSpace) -> None:
    play.add(fx.SylphSent(seat=power.seat, space=move.space, steps=SYLPH_REACH))


def _send_sylph_to_all(play: Play, power: Power) -> None:
    play.add(fx.SylphSent(seat=power.seat, space=None, steps=SYLPH_REACH))


def _slay(play: Play, power: Power, move: ChooseIsland) -> None:
    victim = island_at(play.state, move.island).owner
    assert victim is not None
    replaced = play.state.options.harpy == "replace"
    play.add(fx.TroopSlain(seat=power.seat, island=move.island, victim=victim, replaced=replaced))
    if replaced:
        after_capture(play, victim)


def _rob(play: Play, power: Power, move: ChooseRival) -> None:
    purse = play.state.players[move.rival].gold
    play.add(fx.PurseRobbed(seat=power.seat, victim=move.rival, purse=purse, gold=purse // 2))


def _smash(play: Play, power: Power, move: ChooseBuilding) -> None:
    slot = slot_with(play.state, island_at(play.state, move.island), move.building, on_site=move.on_site)
    assert slot is not None
    play.add(fx.BuildingDestroyed(seat=power.seat, island=move.island, building=move.building, slot=slot))


def _lure(play: Play, power: Power, move: Lure) -> None:
    lured = squadron_at(play.state, move.space)
    assert lured is not None
    play.add(fx.FleetLured(seat=power.seat, space=move.space, victim=lured.seat, source=move.source))


def _fly(play: Play, power: Power, move: MoveTroops) -> None:
    land(play, power.seat, move, cost=0, rule="cyclades.14.1")


def _rebuild(play: Play, power: Power, move: Rebuild) -> None:
    slot = slot_with(play.state, island_at(play.state, move.island), move.building, on_site=move.on_site)
    assert slot is not None
    play.add(
        fx.BuildingConverted(
            seat=power.seat, island=move.island, building=move.building, slot=slot, into=move.into
        )
    )


def _ask_sphinx(play: Play, power: Power) -> None:
    play.add(fx.SphinxAsked(seat=power.seat))


def _pay_again(play: Play, power: Power) -> None:
    repeat = play.state.options.fates == "repeat"
    gold = play.state.revenue[power.seat] if repeat else revenue(play.state, power.seat)
    play.add(fx.FatesPaid(seat=power.seat, gold=gold))


def _steal_philosopher(play: Play, power: Power, move: ChooseRival) -> None:
    play.add(fx.PhilosopherStolen(seat=power.seat, victim=move.rival))


def _steal_priest(play: Play, power: Power, move: ChooseRival) -> None:
    play.add(fx.PriestStolen(seat=power.seat, victim=move.rival))


# The table


class Nature(NamedTuple):
    """A creature: where its rule stands, and either the move that directs it or what it does at once."""

    rule: str
    text: str
    option: Option | None = None
    at_once: Callable[[Play, Power], None] | None = None


def _directed(
    move: type[Any], named: Callable[[State, int], Moves], act: Callable[[Play, Power, Any], None]
) -> Option:
    """The option of a power: being directed closes it, then its effect follows."""

    def lists(state: State, power: Power) -> Moves:
        return named(state, power.seat)

    def makes(play: Play, power: Power, chosen: Any) -> None:
        play.add(
            fx.CreatureActed(rule=NATURES[power.creature].rule, seat=power.seat, creature=power.creature)
        )
        act(play, power, chosen)

    return Option(move, lists, makes)


def _copy(play: Play, power: Power, move: ChooseCreature) -> None:
    play.add(fx.ChimeraCopied(seat=power.seat, creature=move.creature))


_FIGURE = _directed(ChooseIsland, targets.any_island, figures.place)

NATURES: dict[Creature, Nature] = {
    "sylph": Nature(
        "cyclades.C-06",
        "Your fleets get 10 steps for nothing.",
        _directed(ChooseSpace, targets.ports_of_departure, _send_sylph),
    ),
    "harpy": Nature(
        "cyclades.C-04",
        "Remove an enemy troop.",
        _directed(ChooseIsland, targets.lone_troops, _slay),
    ),
    "griffon": Nature(
        "cyclades.14.1",
        "Take half of another player's gold, rounded down.",
        _directed(ChooseRival, targets.rivals, _rob),
    ),
    "giant": Nature(
        "cyclades.14.1",
        "Destroy a building; metropolises are safe.",
        _directed(ChooseBuilding, targets.any_building, _smash),
    ),
    "siren": Nature(
        "cyclades.C-55",
        "Replace an enemy fleet that is alone in its space by one of yours.",
        _directed(Lure, targets.lone_fleets, _lure),
    ),
    "pegasus": Nature(
        "cyclades.14.1",
        "Move troops from one of your islands to any other, without a chain of fleets.",
        _directed(MoveTroops, targets.flights, _fly),
    ),
    "cyclops": Nature(
        "cyclades.C-30",
        "Turn one of your buildings into another.",
        _directed(Rebuild, targets.conversions, _rebuild),
    ),
    "chimera": Nature(
        "cyclades.C-31",
        "Use the effect of a discarded creature, then shuffle the discards into the deck.",
        Option(ChooseCreature, lambda state, power: targets.discarded(state, power.seat), _copy),
    ),
    "sphinx": Nature(
        "cyclades.14.1",
        "Sell troops, fleets, priests and philosophers for 2 gold each.",
        at_once=_ask_sphinx,
    ),
    "fates": Nature("cyclades.C-57", "Collect your revenue again.", at_once=_pay_again),
    "satyr": Nature(
        "cyclades.C-29",
        "Steal a philosopher.",
        _directed(ChooseRival, targets.rivals_with("philosophers"), _steal_philosopher),
    ),
    "dryad": Nature(
        "cyclades.C-29",
        "Steal a priest.",
        _directed(ChooseRival, targets.rivals_with("priests"), _steal_priest),
    ),
    "minotaur": Nature("cyclades.C-27", "Defends an island with strength 2.", _FIGURE),
    "chiron": Nature("cyclades.C-25", "Keeps Giant, Harpy and Pegasus from an island.", _FIGURE),
    "medusa": Nature("cyclades.C-24", "Troops cannot leave the island.", _FIGURE),
    "polyphemus": Nature("cyclades.C-23", "Pushes all fleets away from an island.", _FIGURE),
    "kraken": Nature(
        "cyclades.14.3",
        "Destroys the fleets of each space it enters; it can be moved on for 1 gold a space.",
        _directed(ChooseSpace, targets.any_space, figures.release),
    ),
}
_POOLED_SYLPH = NATURES["sylph"]._replace(option=None, at_once=_send_sylph_to_all)


def nature(state: State, creature: Creature) -> Nature:
    """How a creature works under the options of the match."""
    if creature == "sylph" and state.options.sylph == "pool":
        return _POOLED_SYLPH
    return NATURES[creature]


def act_at_once(play: Play, power: Power) -> bool:
    """Let a creature act that has nothing to ask; False if it must be directed."""
    known = nature(play.state, power.creature)
    if known.at_once is None:
        return False
    play.add(fx.CreatureActed(rule=known.rule, seat=power.seat, creature=power.creature))
    known.at_once(play, power)
    return True


def options(state: State, power: Power) -> tuple[Option, ...]:
    option = nature(state, power.creature).option
    return () if option is None else (option,)


def idle(play: Play, power: Power) -> None:
    """Nothing to aim at: paid for all the same (C-32)."""
    play.add(fx.CreatureIdle(seat=power.seat, creature=power.creature))


def shuffle_back(play: Play, _frame: Shuffling) -> bool:
    """The copied effect is over: the discards and the Chimera go into the deck (C-31, R-12)."""
    cards = (*play.state.deck, *play.state.discard, "chimera")
    play.add(fx.DeckShuffled(rule="cyclades.C-31", deck=play.chance.shuffle(cards)))
    return True
