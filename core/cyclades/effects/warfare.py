"""Facts of movement, battles and elimination (10 to 12)."""

from __future__ import annotations

from msgspec.structs import replace

from kleos.core.cyclades.battlefield import next_to_be_asked
from kleos.core.cyclades.effects.changes import (
    closed_frame,
    fleets_with,
    in_turn,
    island_with,
    opened_frame,
    paid,
    player_with,
    ships_with,
    ships_without,
    taken,
    without_figure,
    without_minotaur,
)
from kleos.core.cyclades.effects.fact import Fact, KnownFact
from kleos.core.cyclades.position import board_of, island_at
from kleos.core.cyclades.state import Battle, State, Voyage
from kleos.core.kernel.visibility import Public


class TroopsMoved(KnownFact, frozen=True, kw_only=True):
    """Troops moved, by Ares or Pegasus. ``against`` is who defends; without one they hold the island."""

    rule: Public[str] = "cyclades.10.2"
    seat: Public[int]
    origin: Public[str]
    to: Public[str]
    troops: Public[int]
    cost: Public[int]
    """Gold paid."""
    against: Public[int | None]
    """The seat that defends the island; null where they just hold it."""

    def applied(self, state: State) -> State:
        origin, to = island_at(state, self.origin), island_at(state, self.to)
        moved = replace(
            state,
            players=paid(state, self.seat, self.cost),
            islands=island_with(state, self.origin, troops=origin.troops - self.troops),
            frames=in_turn(state, steps=1) if self.cost else state.frames,
        )
        if self.against is not None:
            battle = Battle(None, self.to, self.seat, self.against, self.troops)
            return replace(moved, frames=opened_frame(moved, battle))
        if to.owner == self.seat:
            return replace(moved, islands=island_with(moved, self.to, troops=to.troops + self.troops))
        return taken(moved, self.to, self.seat, self.troops)


class FleetSailed(KnownFact, frozen=True, kw_only=True):
    """Fleets moved one space, with ``left`` steps to go. ``against`` is whose fleets they met."""

    rule: Public[str] = "cyclades.10.1"
    seat: Public[int]
    origin: Public[str]
    to: Public[str]
    ships: Public[int]
    cost: Public[int]
    """Gold paid."""
    left: Public[int]
    """Steps that are left to the group."""
    against: Public[int | None]
    """The seat whose fleets they met, null if none."""

    def applied(self, state: State) -> State:
        frames = in_turn(state, steps=1) if self.cost else state.frames
        voyage = frames[-1] if type(frames[-1]) is Voyage else None
        if voyage is not None:
            frames = frames[:-1]
        fleets = ships_with(state, self.origin, self.seat, -self.ships)
        if self.against is not None:
            frames = (*frames, Battle(None, self.to, self.seat, self.against, self.ships))
        else:
            fleets = fleets_with(fleets, self.to, self.seat, self.ships)
            if self.left:
                anywhere = voyage is not None and voyage.at is None
                frames = (*frames, Voyage(self.seat, None if anywhere else self.to, self.left))
        players = paid(state, self.seat, self.cost)
        return replace(state, players=players, fleets=fleets, frames=frames)


class VoyageEnded(KnownFact, frozen=True, kw_only=True):
    """The fleets stay where they are (10.1)."""

    rule: Public[str] = "cyclades.10.1"
    seat: Public[int]

    def applied(self, state: State) -> State:
        return replace(state, frames=closed_frame(state))


class RoundFought(Fact, frozen=True, kw_only=True):
    """One round: what the dice showed, the strengths, and the units each side lost (11)."""

    rule: Public[str] = "cyclades.11"
    place: Public[str]
    dice: Public[tuple[int, int]]
    """What the dice showed: attacker, defender."""
    strengths: Public[tuple[int, int]]
    """Attacker, defender."""
    losses: Public[tuple[int, int]]
    """Units lost: attacker, defender."""

    def applied(self, state: State) -> State:
        battle = replace(_battle(state), units=_battle(state).units - self.losses[0])
        after = replace(state, frames=closed_frame(state, battle))
        if self.losses[1]:
            after = _defender_lost_one(after, battle)
        return replace(after, frames=closed_frame(after, next_to_be_asked(after, battle, after_round=True)))


class StoodFirm(KnownFact, frozen=True, kw_only=True):
    """A side that could have retreated stays (11, C-51)."""

    rule: Public[str] = "cyclades.11"
    seat: Public[int]

    def applied(self, state: State) -> State:
        battle = _battle(state)
        return replace(state, frames=closed_frame(state, next_to_be_asked(state, battle, after_round=False)))


class Retreated(KnownFact, frozen=True, kw_only=True):
    """All remaining units of a side left the battle (11, C-20)."""

    rule: Public[str] = "cyclades.11"
    seat: Public[int]
    place: Public[str]
    to: Public[str]
    units: Public[int]

    def applied(self, state: State) -> State:
        battle = _battle(state)
        attacking = self.seat == battle.attacker
        on_land = battle.place in board_of(state).place
        left = 0 if attacking else battle.units
        state = replace(state, frames=closed_frame(state, replace(battle, units=left, seat=None)))
        if not attacking and on_land:
            state = replace(state, islands=island_with(state, battle.place, troops=0))
            state = without_minotaur(state, battle.place)
        elif not attacking:
            state = replace(state, fleets=ships_without(state, battle.place))
        if not on_land:
            return replace(state, fleets=ships_with(state, self.to, self.seat, self.units))
        shelter = island_at(state, self.to)
        if shelter.owner == self.seat:
            return replace(state, islands=island_with(state, self.to, troops=shelter.troops + self.units))
        return taken(state, self.to, self.seat, self.units)


class BattleEnded(KnownFact, frozen=True, kw_only=True):
    """``winner`` holds the place; None if nobody is left (11, C-21)."""

    rule: Public[str] = "cyclades.11"
    place: Public[str]
    winner: Public[int | None]
    """The seat that holds the place, null if nobody is left."""

    def applied(self, state: State) -> State:
        battle = _battle(state)
        after = replace(state, frames=closed_frame(state))
        if self.winner != battle.attacker:
            return after
        if battle.place in board_of(state).place:
            return taken(after, battle.place, battle.attacker, battle.units)
        return replace(after, fleets=ships_with(after, battle.place, battle.attacker, battle.units))


class PlayerEliminated(KnownFact, frozen=True, kw_only=True):
    """The last island of a seat was taken; all it had left the game (12.3, R-17)."""

    rule: Public[str] = "cyclades.12.3"
    seat: Public[int]

    def applied(self, state: State) -> State:
        seat = self.seat
        for figure in state.figures:
            if figure.seat == seat:
                state = without_figure(state, figure)
        return replace(
            state,
            players=player_with(state, seat, gold=0, priests=0, philosophers=0, out=True),
            fleets=tuple(each for each in state.fleets if each.seat != seat),
            order=tuple(each for each in state.order if each != seat),
            bids=tuple(bid for bid in state.bids if bid.seat != seat),
            apollo=tuple(worship for worship in state.apollo if worship.seat != seat),
            finished=tuple(each for each in state.finished if each != seat),
        )


def _battle(state: State) -> Battle:
    battle = state.frames[-1]
    assert type(battle) is Battle
    return battle


def _defender_lost_one(state: State, battle: Battle) -> State:
    """Ordinary units first, the Minotaur last (11, C-27)."""
    if battle.place not in board_of(state).place:
        return replace(state, fleets=ships_with(state, battle.place, battle.defender, -1))
    troops = island_at(state, battle.place).troops
    if troops == 0:
        return without_minotaur(state, battle.place)
    return replace(state, islands=island_with(state, battle.place, troops=troops - 1))
