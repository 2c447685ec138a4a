"""Apollo's turn: gold for all, and for the first in the line a prosperity marker (9.6)."""

from __future__ import annotations

from kleos.core.cyclades import effects as fx
from kleos.core.cyclades.moves import ChooseIsland
from kleos.core.cyclades.play import Moves, Option, Play
from kleos.core.cyclades.position import owned, prosperity_supply
from kleos.core.cyclades.state import Blessing, State, Turn
from kleos.core.kernel.game import Legal


def proceed(play: Play, turn: Turn) -> bool:
    """The turn runs by itself, but for the island of the marker; False for any other god."""
    if turn.god != "apollo":
        return False
    if turn.recruits:
        play.add(fx.TurnEnded(seat=turn.seat, god="apollo"))
    else:
        islands = len(owned(play.state, turn.seat))
        marker = turn.place == 1 and prosperity_supply(play.state) > 0
        play.add(fx.ApolloPaid(seat=turn.seat, gold=4 if islands == 1 else 1, marker=marker))
    return True


def _islands(state: State, frame: Blessing) -> Moves:
    return (Legal(ChooseIsland(island.id)) for island in owned(state, frame.seat))


def _bless(play: Play, frame: Blessing, move: ChooseIsland) -> None:
    play.add(fx.ProsperityPlaced(seat=frame.seat, island=move.island))


OPTIONS = (Option(ChooseIsland, _islands, _bless),)
