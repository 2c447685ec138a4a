"""The seventeen creatures: a few lines each in one table, and the functions those lines name (14).

A creature is directed by one move, or acts at once; what takes several decisions opens a frame of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades import figures
from kleos.core.cyclades.movement import can_step, departures, land
from kleos.core.cyclades.moves import (
    ChooseBuilding,
    ChooseCreature,
    ChooseIsland,
    ChooseRival,
    ChooseSpace,
    Lure,
    MoveTroops,
    Rebuild,
    Sell,
    Stop,
)
from kleos.core.cyclades.ownership import after_capture, is_protected
from kleos.core.cyclades.play import Moves, Option, Play, some
from kleos.core.cyclades.position import (
    building_supply,
    buildings_of,
    fleet_reserve,
    holds,
    island_at,
    owned,
    revenue,
    slot_with,
    squadron_at,
    standing,
    troop_reserve,
)
from kleos.core.cyclades.state import Power, Selling, Shuffling, State
from kleos.core.cyclades.vocabulary import BUILDINGS, PIECE_PRICE, SYLPH_REACH, Building, Creature
from kleos.core.kernel.game import Legal

# Targets: what may be named, by the seat that called


def _rivals(state: State, seat: int) -> Moves:
    return (Legal(ChooseRival(each.seat)) for each in standing(state) if each.seat != seat)


def _rivals_with(card: str) -> Callable[[State, int], Moves]:
    """The rivals who own at least one such card (C-29)."""

    def targets(state: State, seat: int) -> Moves:
        return (
            Legal(ChooseRival(each.seat))
            for each in state.players
            if each.seat != seat and getattr(each, card)
        )

    return targets


def _lone_troops(state: State, seat: int) -> Moves:
    """Enemy troops that the Harpy may take: with ``replace`` only where one stands alone (C-04, R-10)."""
    replacing = state.options.harpy == "replace"
    if replacing and not troop_reserve(state, seat):
        return
    for island in state.islands:
        if island.owner in (None, seat) or not island.troops or holds(state, island.id, "chiron"):
            continue
        alone = island.troops == 1 and not holds(state, island.id, "minotaur")
        if not replacing or (alone and not is_protected(state, seat, island)):
            yield Legal(ChooseIsland(island.id))


def _any_building(state: State, _seat: int) -> Moves:
    """Any building, own ones included, but for Chiron's island (C-25, C-39)."""
    open_to_giant = [island for island in state.islands if not holds(state, island.id, "chiron")]
    for island, building, on_site in buildings_of(state, open_to_giant):
        yield Legal(ChooseBuilding(island.id, building, on_site))


def _lone_fleets(state: State, seat: int) -> Moves:
    """Enemy fleets alone in their space; with an empty reserve, also whence the own one comes (C-55)."""
    sources: list[str | None] = [None]
    if not fleet_reserve(state, seat):
        sources = [squadron.space for squadron in state.fleets if squadron.seat == seat]
    for squadron in state.fleets:
        if squadron.seat != seat and squadron.ships == 1:
            for source in sources:
                yield Legal(Lure(squadron.space, source))


def _flights(state: State, seat: int) -> Moves:
    """From any own island to any other, but not to Chiron's (C-25) or to a protected one (12.2)."""
    for origin in departures(state, seat):
        for to in state.islands:
            if to is origin or holds(state, to.id, "chiron") or is_protected(state, seat, to):
                continue
            yield some(MoveTroops(origin.id, to.id, 1), "troops", origin.troops)


def _conversions(state: State, seat: int) -> Moves:
    """Own buildings, and the types in supply they could become (C-30, R-21)."""
    supplied: list[Building] = [each for each in BUILDINGS if building_supply(state, each)]
    for island, building, on_site in buildings_of(state, owned(state, seat)):
        for into in supplied:
            if into != building:
                yield Legal(Rebuild(island.id, building, on_site, into))


def _ports_of_departure(state: State, seat: int) -> Moves:
    """Own spaces from which a step is possible (R-08)."""
    for squadron in state.fleets:
        if squadron.seat == seat and can_step(state, squadron):
            yield Legal(ChooseSpace(squadron.space))


def _discarded(state: State, _seat: int) -> Moves:
    return (Legal(ChooseCreature(creature)) for creature in state.discard)


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
    move: type[Any], targets: Callable[[State, int], Moves], act: Callable[[Play, Power, Any], None]
) -> Option:
    """The option of a power: being directed closes it, then its effect follows."""

    def lists(state: State, power: Power) -> Moves:
        return targets(state, power.seat)

    def makes(play: Play, power: Power, chosen: Any) -> None:
        play.add(
            fx.CreatureActed(rule=NATURES[power.creature].rule, seat=power.seat, creature=power.creature)
        )
        act(play, power, chosen)

    return Option(move, lists, makes)


def _copy(play: Play, power: Power, move: ChooseCreature) -> None:
    play.add(fx.ChimeraCopied(seat=power.seat, creature=move.creature))


_FIGURE = _directed(ChooseIsland, figures.any_island, figures.place)

NATURES: dict[Creature, Nature] = {
    "sylph": Nature(
        "cyclades.C-06",
        "Your fleets get 10 steps for nothing.",
        _directed(ChooseSpace, _ports_of_departure, _send_sylph),
    ),
    "harpy": Nature(
        "cyclades.C-04",
        "Remove an enemy troop.",
        _directed(ChooseIsland, _lone_troops, _slay),
    ),
    "griffon": Nature(
        "cyclades.14.1",
        "Take half of another player's gold, rounded down.",
        _directed(ChooseRival, _rivals, _rob),
    ),
    "giant": Nature(
        "cyclades.14.1",
        "Destroy a building; metropolises are safe.",
        _directed(ChooseBuilding, _any_building, _smash),
    ),
    "siren": Nature(
        "cyclades.C-55",
        "Replace an enemy fleet that is alone in its space by one of yours.",
        _directed(Lure, _lone_fleets, _lure),
    ),
    "pegasus": Nature(
        "cyclades.14.1",
        "Move troops from one of your islands to any other, without a chain of fleets.",
        _directed(MoveTroops, _flights, _fly),
    ),
    "cyclops": Nature(
        "cyclades.C-30",
        "Turn one of your buildings into another.",
        _directed(Rebuild, _conversions, _rebuild),
    ),
    "chimera": Nature(
        "cyclades.C-31",
        "Use the effect of a discarded creature, then shuffle the discards into the deck.",
        Option(ChooseCreature, lambda state, power: _discarded(state, power.seat), _copy),
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
        _directed(ChooseRival, _rivals_with("philosophers"), _steal_philosopher),
    ),
    "dryad": Nature(
        "cyclades.C-29",
        "Steal a priest.",
        _directed(ChooseRival, _rivals_with("priests"), _steal_priest),
    ),
    "minotaur": Nature("cyclades.C-27", "Defends an island with strength 2.", _FIGURE),
    "chiron": Nature("cyclades.C-25", "Keeps Giant, Harpy and Pegasus from an island.", _FIGURE),
    "medusa": Nature("cyclades.C-24", "Troops cannot leave the island.", _FIGURE),
    "polyphemus": Nature("cyclades.C-23", "Pushes all fleets away from an island.", _FIGURE),
    "kraken": Nature(
        "cyclades.14.3",
        "Destroys the fleets of each space it enters; it can be moved on for 1 gold a space.",
        _directed(ChooseSpace, figures.any_space, figures.release),
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


# The Sphinx's market


def _offers(state: State, frame: Selling) -> Moves:
    for island in owned(state, frame.seat):
        if island.troops:
            yield Legal(Sell("troop", island.id))
    for squadron in state.fleets:
        if squadron.seat == frame.seat:
            yield Legal(Sell("fleet", squadron.space))
    if state.players[frame.seat].priests:
        yield Legal(Sell("priest"))
    if state.players[frame.seat].philosophers:
        yield Legal(Sell("philosopher"))


def _sell(play: Play, frame: Selling, move: Sell) -> None:
    play.add(fx.PieceSold(seat=frame.seat, piece=move.piece, place=move.place, gold=PIECE_PRICE))


def _closing(_state: State, _frame: Selling) -> Moves:
    yield Legal(Stop())


def _close(play: Play, frame: Selling, _move: Stop) -> None:
    play.add(fx.SaleEnded(seat=frame.seat))


SELLING = (Option(Stop, _closing, _close), Option(Sell, _offers, _sell))
