"""Options, and the line of the set-up table that they choose (rules 2, 10, 11). It knows no state."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from kleos.core.iliad.cards import COMPONENTS, Setup
from kleos.core.kernel.errors import Malformed
from kleos.core.kernel.visibility import Public

SEATS: Final = range(2, 7)

Preset = Literal["sheet", "rulebook"]
PhalanxStep = Literal["exact", "descending"]
WinCheck = Literal["siege", "instant"]
Team4 = Literal["four", "six"]
GorgonNoWinner = Literal["nobody", "last_passer", "sole_remaining"]
TwoPlayerTie = Literal["nobody", "agamemnon", "first_pass"]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen when a match is created."""

    preset: Public[Preset] = "sheet"
    """``sheet`` or ``rulebook``: they agree in every option of this game."""
    teams: Public[bool | None] = None
    """Whether four players play in two teams of two (rule 11); six always play in three teams."""
    phalanx_step: Public[PhalanxStep] = "exact"
    """C-05: whether the next hoplite of a line is exactly one lower, or just lower."""
    win_check: Public[WinCheck] = "siege"
    """C-11, R-08: whether the target is looked at once a siege, or at every instant."""
    team4: Public[Team4] = "four"
    """C-20: whether four in teams take hand and row of four or of six players."""
    gorgon_no_winner: Public[GorgonNoWinner] = "nobody"
    """R-14: who wins a Gorgon siege that nobody won."""
    two_player_tie: Public[TwoPlayerTie] = "nobody"
    """R-14: who wins a siege of two players whose armies are equally strong."""


def settle(options: Options, seats: int) -> Options:
    """The options with ``teams`` made explicit; ``Malformed`` where it cannot be had."""
    if seats not in SEATS:
        raise Malformed(f"Iliad has {SEATS[0]} to {SEATS[-1]} seats, not {seats}", rule="iliad.2.1")
    if seats == 6 and options.teams is False:
        raise Malformed("six players always play in three teams of two", rule="iliad.10.1")
    if seats not in (4, 6) and options.teams:
        raise Malformed(f"{seats} players cannot play in teams: only four or six can", rule="iliad.11")
    return replace(options, teams=seats == 6 or bool(options.teams))


_BY_MODE: Final = {line.mode: line for line in COMPONENTS.setup}
_ALONE: Final = {2: _BY_MODE["two"], 3: _BY_MODE["three"], 4: _BY_MODE["four"], 5: _BY_MODE["five"]}
_TEAM4: Final[dict[Team4, Setup]] = {
    "four": _BY_MODE["four in teams"],
    "six": _BY_MODE["four in teams, as six"],
}


def setup_for(options: Options, seats: int) -> Setup:
    """The line of the set-up table for settled options."""
    if seats == 6:
        return _BY_MODE["six in teams"]
    return _TEAM4[options.team4] if options.teams else _ALONE[seats]


_SIDE_OF: Final = {
    line.mode: {seat: number for number, side in enumerate(line.sides) for seat in side}
    for line in COMPONENTS.setup
}
_OPPONENTS: Final = {
    mode: tuple(
        tuple(other for other in range(len(side_of)) if side_of[other] != side_of[seat])
        for seat in range(len(side_of))
    )
    for mode, side_of in _SIDE_OF.items()
}


def side_of(setup: Setup, seat: int) -> int:
    """The number of the side that ``seat`` plays for."""
    return _SIDE_OF[setup.mode][seat]


def opponents(setup: Setup, seat: int) -> tuple[int, ...]:
    """The seats of all other sides, in order."""
    return _OPPONENTS[setup.mode][seat]
