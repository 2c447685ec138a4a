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
    """The cards in it: its owner sees them, the others how many there are."""


class Army(Struct, frozen=True, gc=False):
    """What lies before one seat, and its hand.

    ``revealed`` are cards turned up at the end of a siege that still have to be placed. ``discarded`` are
    its discards for the hand limit since the last reshuffle. ``hero`` is 0 without one. ``strength`` is
    that of rule 5. In a two-player match ``passed`` lasts only until the other seat places or attacks.
    """

    seat: Public[int]
    """The number of the seat."""
    side: Public[int]
    """The side it plays for, counted from 0: alone, or as a team."""
    hand: Owned[Counted[tuple[Card, ...]]] = ()
    """The cards in its hand: the seat sees them, the others how many there are."""
    lines: Public[tuple[Line, ...]] = ()
    """Hoplites on the table, by their values, front to back: one value is a lone hoplite, several a phalanx.
    """
    archers: Public[int] = 0
    """Archers that stand alone on the table."""
    elephants: Public[tuple[Riders, ...]] = ()
    """Elephants, each with its riders; one without riders is an empty list."""
    chariots: Public[int] = 0
    """Chariots on the table."""
    catapults: Public[int] = 0
    """Catapults on the table."""
    ballistas: Public[int] = 0
    """Ballistas on the table."""
    walls: Public[int] = 0
    """Walls on the table."""
    horses: Public[tuple[Horse, ...]] = ()
    """Trojan horses, told apart by their place in this list (R-17)."""
    revealed: Public[tuple[Card, ...]] = ()
    """Cards turned up at the end of a siege that still have to be placed."""
    hero: Public[int] = 0
    """The hero it holds in this siege, by number; 0 without one."""
    strength: Public[int] = 0
    """The strength of the army as it lies, by rule 5."""
    passed: Public[bool] = False
    """Whether it has passed: for the whole siege, with two players only until the other seat places or
    attacks.
    """
    victories: Public[tuple[Victory, ...]] = ()
    """Victory cards won."""
    penalties: Public[tuple[Oracle, ...]] = ()
    """Oracles taken as penalties."""
    discarded: Owned[Counted[tuple[Card, ...]]] = ()
    """Its discards for the hand limit since the last reshuffle: the seat sees them, the others how many."""


class State(Struct, frozen=True, gc=False):
    """The table. Seats and sides are numbers from 0; ``siege`` counts from 1.

    ``turn`` is the seat whose turn it is or was last; ``choosing`` the seats that still take a victory
    card, in order. ``ranking`` is that of the siege just ended, best first, empty where none was made.
    ``unwon`` counts the sieges without a winner in a row. ``agamemnon`` is held by a seat, ``athena`` and
    ``poseidon`` by a side (R-11). ``scores`` are by side.
    """

    options: Public[Options]
    """What was chosen when the match was created."""
    armies: Public[tuple[Army, ...]]
    """What lies before each seat, and its hand, by seat."""
    scores: Public[tuple[int, ...]]
    """Points by side."""
    phase: Public[Phase] = "setup"
    """What is asked: a `turn`, to `discard` down to the hand limit, to `arrange` revealed cards, or to
    `choose` a victory card.
    """
    siege: Public[int] = 0
    """The siege that is played, counted from 1; 0 before the first."""
    starter: Public[int] = 0
    """The seat that had the first turn of this siege."""
    turn: Public[int] = 0
    """The seat whose turn it is, or was last."""
    oracle: Public[Oracle | None] = None
    """The oracle of this siege; null without one, always so with two players."""
    heroes: Public[tuple[int, ...]] = ()
    """Heroes that nobody holds, by number."""
    row: Public[tuple[Victory, ...]] = ()
    """Victory cards that lie open, to be won."""
    discards: Public[tuple[Card, ...]] = ()
    """The open discard pile of army cards."""
    spent_oracles: Public[tuple[Oracle, ...]] = ()
    """Oracles that are out of play."""
    agamemnon: Public[int | None] = None
    """The seat that holds the tile Agamemnon, null for nobody (R-11)."""
    athena: Public[int | None] = None
    """The side that holds the tile Athena, null for nobody (R-11)."""
    poseidon: Public[int | None] = None
    """The side that holds the tile Poseidon, null for nobody (R-11)."""
    winner: Public[int | None] = None
    """The seat that won the siege just ended, null without a winner."""
    ranking: Public[tuple[int, ...]] = ()
    """Seats by strength in the siege just ended, best first; empty where none was made."""
    choosing: Public[tuple[int, ...]] = ()
    """Seats that still take a victory card, in order; the first is asked now."""
    unwon: Public[int] = 0
    """Sieges without a winner in a row."""
    deck: Secret[Counted[tuple[Card, ...]]] = ()
    """The army cards to come; whoever looks sees only how many there are."""
    victory_deck: Secret[Counted[tuple[Victory, ...]]] = ()
    """The victory cards to come; whoever looks sees only how many there are."""
    oracle_deck: Secret[Counted[tuple[Oracle, ...]]] = ()
    """The oracles to come; whoever looks sees only how many there are."""
    outcome: Public[Outcome | None] = None
    """How the match ended; null while it goes on."""

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
