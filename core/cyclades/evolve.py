"""What each effect makes of a state: one function an effect, no choices, no chance, no refusals.

Frames are closed and opened here too, since each open decision follows from a fact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.battlefield import next_to_be_asked
from kleos.core.cyclades.position import board_of, island_at, squadron_at, unspent
from kleos.core.cyclades.state import (
    AnyFrame,
    Battle,
    Bid,
    Blessing,
    Figure,
    Founding,
    Island,
    KrakenWalk,
    Placing,
    Player,
    Power,
    Pushing,
    Selling,
    Shuffling,
    Squadron,
    State,
    Surrender,
    Turn,
    Voyage,
    Worship,
)
from kleos.core.cyclades.vocabulary import (
    BUILDINGS,
    FIGURES,
    KEPT,
    OPENING_GOLD,
    PRICES,
    Creature,
)

E = TypeVar("E", bound=Any)
_FOLD: dict[type[Any], Callable[[State, Any], State]] = {}


def evolve(state: State, effect: Any) -> State:
    """The state after ``effect``."""
    return _FOLD[type(effect)](state, effect)


def _folds(kind: type[E]) -> Callable[[Callable[[State, E], State]], Callable[[State, E], State]]:
    def register(fold: Callable[[State, E], State]) -> Callable[[State, E], State]:
        _FOLD[kind] = fold
        return fold

    return register


# Small changes


def _player(state: State, seat: int, **changes: Any) -> tuple[Player, ...]:
    players = state.players
    return (*players[:seat], replace(players[seat], **changes), *players[seat + 1 :])


def _paid(state: State, seat: int, cost: int) -> tuple[Player, ...]:
    return _player(state, seat, gold=state.players[seat].gold - cost) if cost else state.players


def _island(state: State, name: str, **changes: Any) -> tuple[Island, ...]:
    at = board_of(state).place[name]
    return (*state.islands[:at], replace(state.islands[at], **changes), *state.islands[at + 1 :])


def _slot(island: Island, slot: int, building: Any) -> dict[str, Any]:
    """The changes that put ``building`` (or nothing) on a slot; nothing of what stood there remains."""
    return {
        "slots": (*island.slots[: slot - 1], building, *island.slots[slot:]),
        "spent": tuple(each for each in island.spent if each != slot),
    }


def _ships(state: State, space: str, seat: int, more: int) -> tuple[Squadron, ...]:
    """The fleets once ``more`` of ``seat`` are in a space that holds no others."""
    there = squadron_at(state, space)
    count = more + (there.ships if there is not None else 0)
    others = tuple(each for each in state.fleets if each.space != space)
    if count == 0:
        return others
    return tuple(sorted((*others, Squadron(space, seat, count)), key=_space))


def _space(squadron: Squadron) -> str:
    return squadron.space


def _without(state: State, space: str) -> tuple[Squadron, ...]:
    return tuple(each for each in state.fleets if each.space != space)


def _closed(state: State, *opened: AnyFrame) -> tuple[AnyFrame, ...]:
    """The frames with the innermost replaced by ``opened``."""
    return (*state.frames[:-1], *opened)


def _opened(state: State, frame: AnyFrame) -> tuple[AnyFrame, ...]:
    return (*state.frames, frame)


def _in_turn(state: State, *, recruits: int = 0, steps: int = 0) -> tuple[AnyFrame, ...]:
    """The frames with more recruits and paid steps counted in the turn."""
    turn = state.frames[0]
    assert type(turn) is Turn
    counted = replace(turn, recruits=turn.recruits + recruits, steps=turn.steps + steps)
    return (counted, *state.frames[1:])


def _to_pile(state: State, *cards: Creature) -> tuple[Creature, ...]:
    return (*state.discard, *cards)


def _taken(state: State, name: str, seat: int, troops: int) -> State:
    """An island has a new owner; a Minotaur does not fight for two (C-27)."""
    changed = replace(state, islands=_island(state, name, owner=seat, troops=troops))
    return _without_minotaur(changed, name)


def _without_minotaur(state: State, name: str) -> State:
    for figure in state.figures:
        if figure.island == name and figure.creature == "minotaur":
            return _removed(state, figure)
    return state


def _removed(state: State, figure: Figure) -> State:
    figures = tuple(each for each in state.figures if each != figure)
    return replace(state, figures=figures, discard=_to_pile(state, figure.creature))


# Set-up and the start of a cycle


@_folds(fx.StartsDrawn)
def _starts_drawn(state: State, effect: fx.StartsDrawn) -> State:
    board = board_of(state)
    holder: dict[str, int] = {}
    fleets = []
    for seat, start in enumerate(effect.starts):
        position = board.starts[len(state.players)][start]
        holder.update(dict.fromkeys(position.islands, seat))
        fleets += [Squadron(space, seat, 1) for space in position.fleets]
    islands = tuple(
        replace(island, owner=holder[island.id], troops=1) if island.id in holder else island
        for island in state.islands
    )
    players = tuple(replace(player, gold=OPENING_GOLD) for player in state.players)
    return replace(state, players=players, islands=islands, fleets=tuple(sorted(fleets, key=_space)))


@_folds(fx.DeckShuffled)
def _deck_shuffled(state: State, effect: fx.DeckShuffled) -> State:
    ended = state.frames and type(state.frames[-1]) is Shuffling
    frames = _closed(state) if ended else state.frames
    return replace(state, deck=effect.deck, discard=(), frames=frames)


@_folds(fx.OrderDrawn)
def _order_drawn(state: State, effect: fx.OrderDrawn) -> State:
    return replace(state, order=effect.order)


@_folds(fx.CycleBegun)
def _cycle_begun(state: State, effect: fx.CycleBegun) -> State:
    islands = tuple(replace(each, spent=()) if each.spent else each for each in state.islands)
    order = state.order if effect.cycle == 1 else state.finished[::-1]
    return replace(state, cycle=effect.cycle, phase="offerings", islands=islands, order=order, finished=())


@_folds(fx.TrackMoved)
def _track_moved(state: State, effect: fx.TrackMoved) -> State:
    discard = state.discard if effect.discarded is None else _to_pile(state, effect.discarded)
    return replace(state, track=effect.track, discard=discard)


def _on_track(state: State, price: int, creature: Creature | None) -> Any:
    at = PRICES.index(price)
    return (*state.track[:at], creature, *state.track[at + 1 :])


@_folds(fx.CreatureDrawn)
def _creature_drawn(state: State, effect: fx.CreatureDrawn) -> State:
    return replace(state, track=_on_track(state, effect.price, effect.creature), deck=state.deck[1:])


@_folds(fx.RowDealt)
def _row_dealt(state: State, effect: fx.RowDealt) -> State:
    return replace(state, gods=effect.gods, hidden=effect.hidden)


@_folds(fx.RevenueCollected)
def _revenue_collected(state: State, effect: fx.RevenueCollected) -> State:
    players = tuple(
        replace(player, gold=player.gold + gold)
        for player, gold in zip(state.players, effect.gold, strict=True)
    )
    return replace(state, players=players, revenue=effect.gold)


@_folds(fx.OfferingsOpened)
def _offerings_opened(state: State, _effect: fx.OfferingsOpened) -> State:
    return replace(state, queue=state.order[1:], frames=(Placing(state.order[0]),))


# Offerings


def _next_marker(state: State) -> State:
    """The next marker of the queue is to be placed, if one is left."""
    if not state.queue:
        return replace(state, frames=())
    return replace(state, frames=(Placing(state.queue[0]),), queue=state.queue[1:])


@_folds(fx.OfferingMade)
def _offering_made(state: State, effect: fx.OfferingMade) -> State:
    others = tuple(bid for bid in state.bids if bid.god != effect.god)
    placed = replace(state, bids=(*others, Bid(effect.god, effect.seat, effect.amount)))
    if effect.displaced is None:
        return _next_marker(placed)
    return replace(placed, frames=(Placing(effect.displaced, effect.god),))


@_folds(fx.ApolloJoined)
def _apollo_joined(state: State, effect: fx.ApolloJoined) -> State:
    return _next_marker(replace(state, apollo=(*state.apollo, Worship(effect.place, effect.seat))))


@_folds(fx.OfferingsPaid)
def _offerings_paid(state: State, effect: fx.OfferingsPaid) -> State:
    players = tuple(
        replace(player, gold=player.gold - gold)
        for player, gold in zip(state.players, effect.gold, strict=True)
    )
    return replace(state, players=players, phase="actions")


# Turns


@_folds(fx.TurnBegun)
def _turn_begun(state: State, effect: fx.TurnBegun) -> State:
    return replace(state, frames=(Turn(effect.seat, effect.god, effect.place),))


@_folds(fx.FigureLeft)
def _figure_left(state: State, effect: fx.FigureLeft) -> State:
    return _removed(state, next(each for each in state.figures if each.creature == effect.creature))


@_folds(fx.TurnEnded)
def _turn_ended(state: State, effect: fx.TurnEnded) -> State:
    if effect.god == "apollo":
        left = {"apollo": state.apollo[1:]}
        return replace(state, frames=(), finished=(*state.finished, effect.seat), **left)
    bids = tuple(bid for bid in state.bids if bid.god != effect.god)
    return replace(state, frames=(), finished=(*state.finished, effect.seat), bids=bids)


@_folds(fx.OnlyChoice)
def _only_choice(state: State, _effect: fx.OnlyChoice) -> State:
    return state


@_folds(fx.ApolloPaid)
def _apollo_paid(state: State, effect: fx.ApolloPaid) -> State:
    frames = _in_turn(state, recruits=1)
    if effect.marker:
        frames = (*frames, Blessing(effect.seat))
    return replace(state, players=_paid(state, effect.seat, -effect.gold), frames=frames)


@_folds(fx.ProsperityPlaced)
def _prosperity_placed(state: State, effect: fx.ProsperityPlaced) -> State:
    markers = island_at(state, effect.island).prosperity + 1
    return replace(state, islands=_island(state, effect.island, prosperity=markers), frames=_closed(state))


@_folds(fx.CreatureCalled)
def _creature_called(state: State, effect: fx.CreatureCalled) -> State:
    islands = state.islands
    for (name, slot), _ in zip(unspent(state, effect.seat), range(effect.discounts), strict=False):
        at = board_of(state).place[name]
        spent = tuple(sorted((*islands[at].spent, slot)))
        islands = (*islands[:at], replace(islands[at], spent=spent), *islands[at + 1 :])
    track: Any = tuple(None if each == effect.creature else each for each in state.track)
    return replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        islands=islands,
        track=track,
        discard=state.discard if effect.creature in KEPT else _to_pile(state, effect.creature),
        frames=_opened(state, Power(effect.seat, effect.creature)),
    )


@_folds(fx.CreatureSwapped)
def _creature_swapped(state: State, effect: fx.CreatureSwapped) -> State:
    return replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        track=_on_track(state, effect.price, None),
        discard=_to_pile(state, effect.creature),
        frames=_in_turn(state, steps=1),
    )


@_folds(fx.TroopRecruited)
def _troop_recruited(state: State, effect: fx.TroopRecruited) -> State:
    troops = island_at(state, effect.island).troops + 1
    return replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        islands=_island(state, effect.island, troops=troops),
        frames=_in_turn(state, recruits=1),
    )


@_folds(fx.FleetRecruited)
def _fleet_recruited(state: State, effect: fx.FleetRecruited) -> State:
    return replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        fleets=_ships(state, effect.space, effect.seat, 1),
        frames=_in_turn(state, recruits=1),
    )


@_folds(fx.PriestTaken)
def _priest_taken(state: State, effect: fx.PriestTaken) -> State:
    owner = state.players[effect.seat]
    players = _player(state, effect.seat, gold=owner.gold - effect.cost, priests=owner.priests + 1)
    return replace(state, players=players, frames=_in_turn(state, recruits=1))


@_folds(fx.PhilosopherTaken)
def _philosopher_taken(state: State, effect: fx.PhilosopherTaken) -> State:
    owner = state.players[effect.seat]
    cards = owner.philosophers + 1
    players = _player(state, effect.seat, gold=owner.gold - effect.cost, philosophers=cards)
    return replace(state, players=players, frames=_in_turn(state, recruits=1))


@_folds(fx.BuildingBuilt)
def _building_built(state: State, effect: fx.BuildingBuilt) -> State:
    changes = _slot(island_at(state, effect.island), effect.slot, effect.building)
    players = _paid(state, effect.seat, effect.cost)
    return replace(state, players=players, islands=_island(state, effect.island, **changes))


# Movement and battles


@_folds(fx.TroopsMoved)
def _troops_moved(state: State, effect: fx.TroopsMoved) -> State:
    origin, to = island_at(state, effect.origin), island_at(state, effect.to)
    moved = replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        islands=_island(state, effect.origin, troops=origin.troops - effect.troops),
        frames=_in_turn(state, steps=1) if effect.cost else state.frames,
    )
    if effect.against is not None:
        battle = Battle(None, effect.to, effect.seat, effect.against, effect.troops)
        return replace(moved, frames=_opened(moved, battle))
    if to.owner == effect.seat:
        return replace(moved, islands=_island(moved, effect.to, troops=to.troops + effect.troops))
    return _taken(moved, effect.to, effect.seat, effect.troops)


@_folds(fx.FleetSailed)
def _fleet_sailed(state: State, effect: fx.FleetSailed) -> State:
    frames = _in_turn(state, steps=1) if effect.cost else state.frames
    moved = replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        fleets=_ships(state, effect.origin, effect.seat, -effect.ships),
        frames=frames[:-1] if type(frames[-1]) is Voyage else frames,
    )
    if effect.against is not None:
        battle = Battle(None, effect.to, effect.seat, effect.against, effect.ships)
        return replace(moved, frames=_opened(moved, battle))
    moved = replace(moved, fleets=_ships(moved, effect.to, effect.seat, effect.ships))
    if not effect.left:
        return moved
    anywhere = type(frames[-1]) is Voyage and frames[-1].at is None
    voyage = Voyage(effect.seat, None if anywhere else effect.to, effect.left)
    return replace(moved, frames=_opened(moved, voyage))


@_folds(fx.VoyageEnded)
def _voyage_ended(state: State, _effect: fx.VoyageEnded) -> State:
    return replace(state, frames=_closed(state))


def _battle(state: State) -> Battle:
    battle = state.frames[-1]
    assert type(battle) is Battle
    return battle


@_folds(fx.RoundFought)
def _round_fought(state: State, effect: fx.RoundFought) -> State:
    battle = replace(_battle(state), units=_battle(state).units - effect.losses[0])
    after = replace(state, frames=_closed(state, battle))
    if effect.losses[1]:
        after = _defender_lost_one(after, battle)
    return replace(after, frames=_closed(after, next_to_be_asked(after, battle, after_round=True)))


def _defender_lost_one(state: State, battle: Battle) -> State:
    """Ordinary units first, the Minotaur last (11, C-27)."""
    if battle.place not in board_of(state).place:
        return replace(state, fleets=_ships(state, battle.place, battle.defender, -1))
    troops = island_at(state, battle.place).troops
    if troops == 0:
        return _without_minotaur(state, battle.place)
    return replace(state, islands=_island(state, battle.place, troops=troops - 1))


@_folds(fx.StoodFirm)
def _stood_firm(state: State, _effect: fx.StoodFirm) -> State:
    battle = _battle(state)
    return replace(state, frames=_closed(state, next_to_be_asked(state, battle, after_round=False)))


@_folds(fx.Retreated)
def _retreated(state: State, effect: fx.Retreated) -> State:
    battle = _battle(state)
    attacking = effect.seat == battle.attacker
    on_land = battle.place in board_of(state).place
    left = 0 if attacking else battle.units
    state = replace(state, frames=_closed(state, replace(battle, units=left, seat=None)))
    if not attacking and on_land:
        state = replace(state, islands=_island(state, battle.place, troops=0))
        state = _without_minotaur(state, battle.place)
    elif not attacking:
        state = replace(state, fleets=_without(state, battle.place))
    if not on_land:
        return replace(state, fleets=_ships(state, effect.to, effect.seat, effect.units))
    shelter = island_at(state, effect.to)
    if shelter.owner == effect.seat:
        return replace(state, islands=_island(state, effect.to, troops=shelter.troops + effect.units))
    return _taken(state, effect.to, effect.seat, effect.units)


@_folds(fx.BattleEnded)
def _battle_ended(state: State, effect: fx.BattleEnded) -> State:
    battle = _battle(state)
    after = replace(state, frames=_closed(state))
    if effect.winner != battle.attacker:
        return after
    if battle.place in board_of(state).place:
        return _taken(after, battle.place, battle.attacker, battle.units)
    return replace(after, fleets=_ships(after, battle.place, battle.attacker, battle.units))


@_folds(fx.PlayerEliminated)
def _player_eliminated(state: State, effect: fx.PlayerEliminated) -> State:
    seat = effect.seat
    for figure in state.figures:
        if figure.seat == seat:
            state = _removed(state, figure)
    return replace(
        state,
        players=_player(state, seat, gold=0, priests=0, philosophers=0, out=True),
        fleets=tuple(each for each in state.fleets if each.seat != seat),
        order=tuple(each for each in state.order if each != seat),
        bids=tuple(bid for bid in state.bids if bid.seat != seat),
        apollo=tuple(worship for worship in state.apollo if worship.seat != seat),
        finished=tuple(each for each in state.finished if each != seat),
    )


# Metropolises


@_folds(fx.PhilosophersGathered)
def _philosophers_gathered(state: State, effect: fx.PhilosophersGathered) -> State:
    left = state.players[effect.seat].philosophers - 4
    players = _player(state, effect.seat, philosophers=left)
    return replace(state, players=players, frames=_opened(state, Founding(effect.seat)))


@_folds(fx.SetCompleted)
def _set_completed(state: State, effect: fx.SetCompleted) -> State:
    return replace(state, frames=_opened(state, Surrender(effect.seat, BUILDINGS)))


@_folds(fx.BuildingGiven)
def _building_given(state: State, effect: fx.BuildingGiven) -> State:
    frame = state.frames[-1]
    assert type(frame) is Surrender
    left = frame.left[1:]
    changes = _slot(island_at(state, effect.island), effect.slot, None)
    opened = Surrender(effect.seat, left) if left else Founding(effect.seat)
    return replace(state, islands=_island(state, effect.island, **changes), frames=_closed(state, opened))


@_folds(fx.MetropolisFounded)
def _metropolis_founded(state: State, effect: fx.MetropolisFounded) -> State:
    site = board_of(state).land(effect.island).site
    island = island_at(state, effect.island)
    islands = _island(
        state,
        effect.island,
        metropolis=True,
        slots=tuple(None if slot in site else each for slot, each in enumerate(island.slots, 1)),
        spent=tuple(slot for slot in island.spent if slot not in site),
    )
    return replace(state, islands=islands, frames=_closed(state))


@_folds(fx.MetropolisForgone)
def _metropolis_forgone(state: State, _effect: fx.MetropolisForgone) -> State:
    return replace(state, frames=_closed(state))


# Creatures


@_folds(fx.CreatureActed)
def _creature_acted(state: State, _effect: fx.CreatureActed) -> State:
    return replace(state, frames=_closed(state))


@_folds(fx.CreatureIdle)
def _creature_idle(state: State, effect: fx.CreatureIdle) -> State:
    after = (Shuffling(effect.seat),) if effect.creature == "chimera" else ()
    return replace(state, frames=_closed(state, *after))


@_folds(fx.SylphSent)
def _sylph_sent(state: State, effect: fx.SylphSent) -> State:
    return replace(state, frames=_opened(state, Voyage(effect.seat, effect.space, effect.steps)))


@_folds(fx.TroopSlain)
def _troop_slain(state: State, effect: fx.TroopSlain) -> State:
    if effect.replaced:
        return _taken(state, effect.island, effect.seat, 1)
    troops = island_at(state, effect.island).troops - 1
    return replace(state, islands=_island(state, effect.island, troops=troops))


@_folds(fx.PurseRobbed)
def _purse_robbed(state: State, effect: fx.PurseRobbed) -> State:
    robbed = replace(state, players=_paid(state, effect.victim, effect.gold))
    return replace(robbed, players=_paid(robbed, effect.seat, -effect.gold))


@_folds(fx.BuildingDestroyed)
def _building_destroyed(state: State, effect: fx.BuildingDestroyed) -> State:
    changes = _slot(island_at(state, effect.island), effect.slot, None)
    return replace(state, islands=_island(state, effect.island, **changes))


@_folds(fx.FleetLured)
def _fleet_lured(state: State, effect: fx.FleetLured) -> State:
    if effect.source is not None:
        state = replace(state, fleets=_ships(state, effect.source, effect.seat, -1))
    state = replace(state, fleets=_without(state, effect.space))
    return replace(state, fleets=_ships(state, effect.space, effect.seat, 1))


@_folds(fx.BuildingConverted)
def _building_converted(state: State, effect: fx.BuildingConverted) -> State:
    changes = _slot(island_at(state, effect.island), effect.slot, effect.into)
    return replace(state, islands=_island(state, effect.island, **changes))


@_folds(fx.ChimeraCopied)
def _chimera_copied(state: State, effect: fx.ChimeraCopied) -> State:
    """A copied figure takes its card along; any other card stays in the pile to be shuffled (C-31)."""
    figure = effect.creature in FIGURES
    discard = tuple(each for each in state.discard if not (figure and each == effect.creature))
    opened = _closed(state, Shuffling(effect.seat), Power(effect.seat, effect.creature))
    return replace(state, discard=discard, frames=opened)


@_folds(fx.SphinxAsked)
def _sphinx_asked(state: State, effect: fx.SphinxAsked) -> State:
    return replace(state, frames=_opened(state, Selling(effect.seat)))


@_folds(fx.PieceSold)
def _piece_sold(state: State, effect: fx.PieceSold) -> State:
    state = replace(state, players=_paid(state, effect.seat, -effect.gold))
    owner = state.players[effect.seat]
    if effect.piece == "priest":
        return replace(state, players=_player(state, effect.seat, priests=owner.priests - 1))
    if effect.piece == "philosopher":
        return replace(state, players=_player(state, effect.seat, philosophers=owner.philosophers - 1))
    assert effect.place is not None
    if effect.piece == "fleet":
        return replace(state, fleets=_ships(state, effect.place, effect.seat, -1))
    troops = island_at(state, effect.place).troops - 1
    return replace(state, islands=_island(state, effect.place, troops=troops))


@_folds(fx.SaleEnded)
def _sale_ended(state: State, _effect: fx.SaleEnded) -> State:
    return replace(state, frames=_closed(state))


@_folds(fx.FatesPaid)
def _fates_paid(state: State, effect: fx.FatesPaid) -> State:
    return replace(state, players=_paid(state, effect.seat, -effect.gold))


@_folds(fx.PhilosopherStolen)
def _philosopher_stolen(state: State, effect: fx.PhilosopherStolen) -> State:
    left = state.players[effect.victim].philosophers - 1
    state = replace(state, players=_player(state, effect.victim, philosophers=left))
    more = state.players[effect.seat].philosophers + 1
    return replace(state, players=_player(state, effect.seat, philosophers=more))


@_folds(fx.PriestStolen)
def _priest_stolen(state: State, effect: fx.PriestStolen) -> State:
    left = state.players[effect.victim].priests - 1
    state = replace(state, players=_player(state, effect.victim, priests=left))
    more = state.players[effect.seat].priests + 1
    return replace(state, players=_player(state, effect.seat, priests=more))


@_folds(fx.FigurePlaced)
def _figure_placed(state: State, effect: fx.FigurePlaced) -> State:
    figure = Figure(effect.creature, effect.island, effect.seat, state.cycle)
    state = replace(state, figures=(*state.figures, figure))
    if effect.creature == "polyphemus":
        return replace(state, frames=_opened(state, Pushing(effect.seat, effect.island)))
    return state


@_folds(fx.FiguresClashed)
def _figures_clashed(state: State, effect: fx.FiguresClashed) -> State:
    there = next(each for each in state.figures if each.island == effect.island)
    state = _removed(state, there)
    return replace(state, discard=_to_pile(state, effect.creature))


@_folds(fx.FleetsPushed)
def _fleets_pushed(state: State, effect: fx.FleetsPushed) -> State:
    pushed = squadron_at(state, effect.origin)
    assert pushed is not None
    state = replace(state, fleets=_without(state, effect.origin))
    return replace(state, fleets=_ships(state, effect.to, pushed.seat, pushed.ships))


@_folds(fx.FleetsDrowned)
def _fleets_drowned(state: State, effect: fx.FleetsDrowned) -> State:
    return replace(state, fleets=_without(state, effect.space))


@_folds(fx.PushingEnded)
def _pushing_ended(state: State, _effect: fx.PushingEnded) -> State:
    return replace(state, frames=_closed(state))


@_folds(fx.KrakenMoved)
def _kraken_moved(state: State, effect: fx.KrakenMoved) -> State:
    frames = _in_turn(state, steps=1) if effect.cost else _opened(state, KrakenWalk(effect.seat))
    return replace(
        state,
        players=_paid(state, effect.seat, effect.cost),
        kraken=effect.space,
        fleets=_without(state, effect.space),
        frames=frames,
    )


@_folds(fx.KrakenRested)
def _kraken_rested(state: State, _effect: fx.KrakenRested) -> State:
    return replace(state, frames=_closed(state))


# The end


@_folds(fx.GameEnded)
def _game_ended(state: State, effect: fx.GameEnded) -> State:
    return replace(state, phase="over", frames=(), result=effect.outcome)
