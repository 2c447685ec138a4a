"""Battles on land and at sea: rounds of dice, retreats, and who holds the place in the end (11)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.battlefield import defence, defenders, on_land, retreats
from kleos.core.cyclades.moves import FightOn, Retreat
from kleos.core.cyclades.ownership import after_capture
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import island_at
from kleos.core.cyclades.state import Battle, State
from kleos.core.cyclades.vocabulary import DIE
from kleos.core.kernel.game import Legal


def proceed(play: Play, battle: Battle) -> bool:
    """Fight a round, or end the battle, unless a side is asked whether it retreats."""
    if battle.seat is not None:
        return False
    left = defenders(play.state, battle)
    if battle.units and left:
        _fight(play, battle)
    else:
        _end(play, battle, left)
    return True


def _fight(play: Play, battle: Battle) -> None:
    dice = DIE[play.chance.die(len(DIE)) - 1], DIE[play.chance.die(len(DIE)) - 1]
    attack = battle.units + dice[0]
    defend = defence(play.state, battle) + dice[1]
    losses = int(attack <= defend), int(defend <= attack)
    play.add(fx.RoundFought(place=battle.place, dice=dice, strengths=(attack, defend), losses=losses))


def _end(play: Play, battle: Battle, left: int) -> None:
    """On land the survivor holds the island; if none survives it stays with the defender (C-21)."""
    winner = battle.attacker if battle.units else battle.defender if left else None
    play.add(fx.BattleEnded(place=battle.place, winner=winner))
    if winner == battle.attacker and on_land(play.state, battle):
        after_capture(play, battle.defender)


def _retreats(state: State, battle: Battle) -> Moves:
    assert battle.seat is not None
    return (Legal(Retreat(place)) for place in retreats(state, battle, battle.seat))


def _retreat(play: Play, battle: Battle, move: Retreat) -> None:
    assert battle.seat is not None
    if battle.seat == battle.attacker:
        units = battle.units
    elif on_land(play.state, battle):
        units = island_at(play.state, battle.place).troops
    else:
        units = defenders(play.state, battle)
    play.add(fx.Retreated(seat=battle.seat, place=battle.place, to=move.to, units=units))


def _staying(_state: State, _battle: Battle) -> Moves:
    yield Legal(FightOn())


def _fight_on(play: Play, battle: Battle, _move: FightOn) -> None:
    assert battle.seat is not None
    play.add(fx.StoodFirm(seat=battle.seat))


OPTIONS = (Option(FightOn, _staying, _fight_on), Option(Retreat, _retreats, _retreat))
