"""How a match of Iliad stands: immutable, with the sight of every field declared.

Public but for the hands, what is hidden in horses, what was discarded for the hand limit, and the order of
the three decks (R-10). Equal cards are interchangeable, so lines and elephants are kept sorted; horses are
told apart by their place (R-17).
"""

from __future__ import annotations

from itertools import repeat
from typing import Literal

from msgspec import Struct

from kleos.core.iliad.cards import HOPLITE, Card, Oracle, Setup, Victory, army_deck, oracle_deck, victory_deck
from kleos.core.iliad.setup import Options, setup_for
from kleos.core.kernel.game import Outcome
from kleos.core.kernel.visibility import Counted, Owned, Public, Secret

Line = tuple[int, ...]
"""Values of hoplites, front to back; of length 1 a lone hoplite, longer a phalanx."""
Riders = tuple[Card, ...]
"""Who sits on an elephant, in the order of the list of cards."""

Phase = Literal["setup", "discard", "turn", "arrange", "choose", "over"]


class Horse(Struct, frozen=True, gc=False):
    """A trojan horse; its owner may look inside, the others see how many cards there are."""

    hidden: Owned[Counted[tuple[Card, ...]]]


class Army(Struct, frozen=True, gc=False):
    """What lies before one seat, and its hand.

    ``revealed`` are cards turned up at the end of a siege that still have to be placed. ``discarded`` are
    its discards for the hand limit since the last reshuffle. ``hero`` is 0 without one. ``strength`` is
    that of rule 5. In a two-player match ``passed`` lasts only until the other seat places or attacks.
    """

    seat: Public[int]
    side: Public[int]
    hand: Owned[Counted[tuple[Card, ...]]] = ()
    lines: Public[tuple[Line, ...]] = ()
    archers: Public[int] = 0
    elephants: Public[tuple[Riders, ...]] = ()
    chariots: Public[int] = 0
    catapults: Public[int] = 0
    ballistas: Public[int] = 0
    walls: Public[int] = 0
    horses: Public[tuple[Horse, ...]] = ()
    revealed: Public[tuple[Card, ...]] = ()
    hero: Public[int] = 0
    strength: Public[int] = 0
    passed: Public[bool] = False
    victories: Public[tuple[Victory, ...]] = ()
    penalties: Public[tuple[Oracle, ...]] = ()
    discarded: Owned[Counted[tuple[Card, ...]]] = ()


class State(Struct, frozen=True, gc=False):
    """The table. Seats and sides are numbers from 0; ``siege`` counts from 1.

    ``turn`` is the seat whose turn it is or was last; ``choosing`` the seats that still take a victory
    card, in order. ``ranking`` is that of the siege just ended, best first, empty where none was made.
    ``unwon`` counts the sieges without a winner in a row. ``agamemnon`` is held by a seat, ``athena`` and
    ``poseidon`` by a side (R-11). ``scores`` are by side.
    """

    options: Public[Options]
    armies: Public[tuple[Army, ...]]
    scores: Public[tuple[int, ...]]
    phase: Public[Phase] = "setup"
    siege: Public[int] = 0
    starter: Public[int] = 0
    turn: Public[int] = 0
    oracle: Public[Oracle | None] = None
    heroes: Public[tuple[int, ...]] = ()
    row: Public[tuple[Victory, ...]] = ()
    discards: Public[tuple[Card, ...]] = ()
    spent_oracles: Public[tuple[Oracle, ...]] = ()
    agamemnon: Public[int | None] = None
    athena: Public[int | None] = None
    poseidon: Public[int | None] = None
    winner: Public[int | None] = None
    ranking: Public[tuple[int, ...]] = ()
    choosing: Public[tuple[int, ...]] = ()
    unwon: Public[int] = 0
    deck: Secret[Counted[tuple[Card, ...]]] = ()
    victory_deck: Secret[Counted[tuple[Victory, ...]]] = ()
    oracle_deck: Secret[Counted[tuple[Oracle, ...]]] = ()
    outcome: Public[Outcome | None] = None

    @property
    def setup(self) -> Setup:
        """The line of the set-up table that is played."""
        return setup_for(self.options, len(self.armies))

    @property
    def gorgon(self) -> bool:
        """Whether this siege is a Gorgon siege (rule 6.2)."""
        return self.oracle == "gorgon"

    @property
    def duel(self) -> bool:
        """Whether two play: no oracles, no heroes, a pass is not final (rule 9)."""
        return len(self.armies) == 2


def blank(options: Options, seats: int) -> State:
    """The components in play, before anything is shuffled or dealt (rules 2.1, 2.2)."""
    setup = setup_for(options, seats)
    side = {seat: number for number, members in enumerate(setup.sides) for seat in members}
    return State(
        options=options,
        armies=tuple(Army(seat=seat, side=side[seat]) for seat in range(seats)),
        scores=(0,) * len(setup.sides),
        heroes=tuple(range(1, setup.heroes + 1)),
        deck=army_deck(),
        victory_deck=victory_deck(),
        oracle_deck=oracle_deck() if setup.oracle else (),
    )


def cards_on_table(army: Army) -> tuple[Card, ...]:
    """Every army card before a seat, what its horses hide and what they showed included."""
    alike: tuple[tuple[Card, int], ...] = (
        ("archer", army.archers),
        ("elephant", len(army.elephants)),
        ("chariot", army.chariots),
        ("catapult", army.catapults),
        ("ballista", army.ballistas),
        ("wall", army.walls),
        ("trojan_horse", len(army.horses)),
    )
    cards: list[Card] = [HOPLITE[value] for line in army.lines for value in line]
    for card, count in alike:
        if count:
            cards.extend(repeat(card, count))
    for riders in army.elephants:
        cards += riders
    for horse in army.horses:
        cards += horse.hidden
    return (*cards, *army.revealed)
