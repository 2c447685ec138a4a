"""The effects of Iliad: single facts, each with the paragraph of the rules it follows from.

``evolve`` folds them into a state. An effect tells the whole fact, so that a viewer needs no state to
understand it; what a viewer may not know is declared ``Owned`` or ``Secret``. The effects by which cards
come to light or to hand, or the lot decides, bring news; all others are ``Known`` beforehand.
"""

from __future__ import annotations

from kleos.core.iliad.cards import Card, Oracle, Tile, Victory
from kleos.core.iliad.moves import Source
from kleos.core.iliad.state import Line, Riders
from kleos.core.kernel.game import Effect, Known
from kleos.core.kernel.visibility import Counted, Owned, Public, Secret

# Setting up and starting a siege: rules 2 and 3


class DecksShuffled(Effect, frozen=True, kw_only=True, gc=False):
    """The three decks lie face down, first card first (rules 2.3, 2.5)."""

    army: Secret[Counted[tuple[Card, ...]]]
    victory: Secret[Counted[tuple[Victory, ...]]]
    oracle: Secret[Counted[tuple[Oracle, ...]]]


class SiegeBegan(Effect, frozen=True, kw_only=True, gc=False):
    """A new siege, started by the holder of Agamemnon (rule 3.5) or, the first, by lot (rule 2.7)."""

    siege: Public[int]
    """Counted from 1."""
    starter: Public[int]
    """The seat that has the first turn."""


class OracleRevealed(Effect, frozen=True, kw_only=True, gc=False):
    """The top oracle tells how this siege ends (rule 3.1)."""

    card: Public[Oracle]


class RowFilled(Effect, frozen=True, kw_only=True, gc=False):
    """New victory cards lie face up (rule 3.2)."""

    cards: Public[tuple[Victory, ...]]


class CardsDealt(Effect, frozen=True, kw_only=True, gc=False):
    """A seat received cards from the army deck (rules 2.3, 3.3)."""

    seat: Public[int]
    cards: Owned[Counted[tuple[Card, ...]]]


class DeckReshuffled(Effect, frozen=True, kw_only=True, gc=False):
    """The discards became the new army deck (C-15); ``order`` is first card first."""

    order: Secret[Counted[tuple[Card, ...]]]


class CardDiscarded(Known, frozen=True, kw_only=True, gc=False):
    """A seat discarded a card for the hand limit (rule 3.3, R-10)."""

    seat: Public[int]
    card: Owned[Card]


# A turn: rule 4


class TurnsBegan(Known, frozen=True, kw_only=True, gc=False):
    """The first turn of a siege is that of ``seat`` (rule 2.8).

    What a seat does with its turn also ends it: the next turn is that of the next seat that has not passed.
    """

    seat: Public[int]


class CardPlaced(Known, frozen=True, kw_only=True, gc=False):
    """A card from the hand, or a revealed one, stands alone."""

    seat: Public[int]
    card: Public[Card]


class LineExtended(Known, frozen=True, kw_only=True, gc=False):
    """A hoplite went behind the last card of ``line``."""

    seat: Public[int]
    card: Public[Card]
    line: Public[Line]
    """The line as it was, by its values, front to back."""


class ElephantMounted(Known, frozen=True, kw_only=True, gc=False):
    """A card climbed the elephant that carried ``riders``."""

    seat: Public[int]
    card: Public[Card]
    riders: Public[Riders]
    """Who already sat there."""


class CardHidden(Known, frozen=True, kw_only=True, gc=False):
    """A card went face down into a horse."""

    seat: Public[int]
    card: Owned[Card]
    horse: Public[int]
    """The place of the horse, counted from 0."""


class UnitsDestroyed(Known, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """An attack: attacker and target are discarded. Fields as in the move ``Attack``."""

    seat: Public[int]
    attacker: Public[Card]
    against: Public[int]
    target: Public[Card]
    source: Public[Source] = "table"
    mount: Public[Riders] = ()
    line: Public[Line] = ()
    riders: Public[Riders] = ()
    horse: Public[int | None] = None


class RidersFell(Known, frozen=True, kw_only=True, gc=False):
    """The riders of a destroyed elephant stand alone (rule 4.2)."""

    seat: Public[int]
    cards: Public[tuple[Card, ...]]


class HorseBroken(Effect, frozen=True, kw_only=True, gc=False):
    """The cards of a destroyed horse are turned up and stand alone (rule 4.2)."""

    seat: Public[int]
    cards: Public[tuple[Card, ...]]


class Passed(Known, frozen=True, kw_only=True, gc=False):
    """A seat passed (rule 4.3)."""

    seat: Public[int]


class PassLapsed(Known, frozen=True, kw_only=True, gc=False):
    """Of two players, the other one did not pass too: the pass binds no longer (rule 9.3)."""

    seat: Public[int]


class HeroTaken(Known, frozen=True, kw_only=True, gc=False):
    """The highest hero in the row joined the army of the seat that passed."""

    seat: Public[int]
    hero: Public[int]


class ArmyDisbanded(Known, frozen=True, kw_only=True, gc=False):
    """A seat that passed in a Gorgon siege discarded its whole army."""

    seat: Public[int]


# The end of a siege: rule 6


class HorsesOpened(Effect, frozen=True, kw_only=True, gc=False):
    """The cards in the horses of a seat are turned up and will be placed (rule 6.1.2)."""

    seat: Public[int]
    cards: Public[tuple[Card, ...]]


class ArmiesRanked(Known, frozen=True, kw_only=True, gc=False):
    """The seats from the strongest army to the weakest (rule 6.1.3), and how strong each is."""

    ranking: Public[tuple[int, ...]]
    """Seats from the strongest army to the weakest."""
    strengths: Public[tuple[int, ...]]
    """How strong each army is, by seat."""


class SiegeWon(Known, frozen=True, kw_only=True, gc=False):
    """A seat won the siege; ``choosing`` take a victory card each, in this order."""

    seat: Public[int]
    """The seat that won."""
    choosing: Public[tuple[int, ...]]
    """The seats that take a victory card each, in this order."""


class SiegeUnwon(Known, frozen=True, kw_only=True, gc=False):
    """Nobody won the siege (C-04, C-18)."""


class VictoryTaken(Known, frozen=True, kw_only=True, gc=False):
    """A seat took a victory card from the row."""

    seat: Public[int]
    card: Public[Victory]


class ThanatosTaken(Known, frozen=True, kw_only=True, gc=False):
    """The weakest army brought its seat the oracle card (rule 6.1.5)."""

    seat: Public[int]
    card: Public[Oracle]


class GorgonSpent(Known, frozen=True, kw_only=True, gc=False):
    """The Gorgon left the game (rule 6.2.3)."""


class AgamemnonTaken(Known, frozen=True, kw_only=True, gc=False):
    """The winner of the siege holds Agamemnon (rules 6.1.6, 6.2.2)."""

    seat: Public[int]


class TileAwarded(Known, frozen=True, kw_only=True, gc=False):
    """A side now leads alone in its suit and holds Athena or Poseidon (rule 6.3.1)."""

    tile: Public[Tile]
    side: Public[int]


class TableCleared(Known, frozen=True, kw_only=True, gc=False):
    """All armies are discarded, heroes return to the row, hands are kept (rules 6.3.3, 3.4)."""


class GameEnded(Known, frozen=True, kw_only=True, gc=False):
    """The game is over (rule 8).

    ``ranking`` groups the seats with equal claims, best first, partners together. ``scores`` are by seat: in
    teams that of its team.
    """

    winners: Public[tuple[int, ...]]
    ranking: Public[tuple[tuple[int, ...], ...]]
    scores: Public[dict[str, int]]
    reason: Public[str]


IliadEffect = (
    DecksShuffled
    | SiegeBegan
    | OracleRevealed
    | RowFilled
    | CardsDealt
    | DeckReshuffled
    | CardDiscarded
    | TurnsBegan
    | CardPlaced
    | LineExtended
    | ElephantMounted
    | CardHidden
    | UnitsDestroyed
    | RidersFell
    | HorseBroken
    | Passed
    | PassLapsed
    | HeroTaken
    | ArmyDisbanded
    | HorsesOpened
    | ArmiesRanked
    | SiegeWon
    | SiegeUnwon
    | VictoryTaken
    | ThanatosTaken
    | GorgonSpent
    | AgamemnonTaken
    | TileAwarded
    | TableCleared
    | GameEnded
)
