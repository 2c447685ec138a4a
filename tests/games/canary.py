"""Canary: a game whose cards have names that nobody can guess, so that a leaked one is found in any bytes.

``leaky`` is the same game with one fault: its refusals name the next card of the deck. A scan for leaks that
finds nothing there is worthless. The refusals of ``telltale`` end with a digest of the deck, which no scan
for names finds; whoever compares two decks does. Rules:

* canary.1  The deck has eight cards a seat; each seat is dealt three.
* canary.2  In turn, a seat plays a card of its hand face up, or buries one face down before itself.
* canary.3  Or it digs: its oldest buried card is turned up.
* canary.4  Whoever has played or buried draws a card while there are any. The game ends when no hand has one.
* canary.5  The most cards turned up win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final
from zlib import crc32

from msgspec import Meta, Struct
from msgspec.structs import replace

from kleos.core.kernel import (
    Bot,
    Builtin,
    Chance,
    Counted,
    Effect,
    Illegal,
    Known,
    Legal,
    Move,
    Outcome,
    Owned,
    Public,
    Secret,
    Unfolded,
    Unfolding,
    random_move,
    require_turn,
    svg,
)

Name = Annotated[str, Meta(pattern="^[0-9a-f]{32,40}$")]


class CanaryOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing can be chosen."""


class Place(Struct, frozen=True):
    """What a seat has: its hand and its buried cards are its own to see, the oldest first."""

    seat: Public[int]
    hand: Owned[Counted[tuple[Name, ...]]] = ()
    buried: Owned[Counted[tuple[Name, ...]]] = ()
    shown: Public[tuple[Name, ...]] = ()


class Table(Struct, frozen=True):
    """The whole game; the next card of the deck is the first."""

    places: Public[tuple[Place, ...]]
    deck: Secret[Counted[tuple[Name, ...]]] = ()
    turn: Public[int] = 0


class Play(Move, frozen=True):
    card: Public[Name]


class Bury(Move, frozen=True):
    card: Owned[Name]


class Dig(Move, frozen=True):
    pass


class DeckMade(Effect, frozen=True, kw_only=True):
    deck: Secret[Counted[tuple[Name, ...]]]


class CardsDrawn(Effect, frozen=True, kw_only=True):
    seat: Public[int]
    cards: Owned[Counted[tuple[Name, ...]]]


class CardPlayed(Known, frozen=True, kw_only=True):
    seat: Public[int]
    card: Public[Name]


class CardBuried(Known, frozen=True, kw_only=True):
    seat: Public[int]
    card: Owned[Name]


class CardDug(Known, frozen=True, kw_only=True):
    seat: Public[int]
    card: Public[Name]


class TurnPassed(Known, frozen=True, kw_only=True):
    turn: Public[int]


class Canary:
    name = "canary"
    title = "Canary"
    rules = "canary/1"
    seats = range(2, 5)
    Options: type[Any] = CanaryOptions
    State: type[Any] = Table
    Move: Any = Play | Bury | Dig
    Effect: Any = DeckMade | CardsDrawn | CardPlayed | CardBuried | CardDug | TurnPassed
    bots: Mapping[str, Bot] = {"random": random_move}

    def settle(self, options: CanaryOptions, seats: int) -> CanaryOptions:
        return options

    def blank(self, options: CanaryOptions, seats: int) -> Table:
        return Table(places=tuple(Place(seat=seat) for seat in range(seats)))

    def open(self, options: CanaryOptions, seats: int, chance: Chance) -> Unfolded[Any, Table]:
        doing = Unfolding[Table, Any](self.evolve, self.blank(options, seats))
        names = [_name(chance) for _ in range(8 * seats)]
        doing.add(DeckMade(rule="canary.1", deck=tuple(names)))
        for seat in range(seats):
            doing.add(CardsDrawn(rule="canary.1", seat=seat, cards=doing.state.deck[:3]))
        return doing.done()

    def to_act(self, state: Table) -> frozenset[int]:
        return frozenset({state.turn}) if any(each.hand for each in state.places) else frozenset()

    def moves(self, state: Table, seat: int) -> tuple[Legal[Any], ...]:
        if seat not in self.to_act(state):
            return ()
        place = state.places[seat]
        digs = (Legal(Dig()),) if place.buried else ()
        return (*(Legal(kind(card)) for kind in (Play, Bury) for card in place.hand), *digs)

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        require_turn(self, state, seat)
        doing = Unfolding[Table, Any](self.evolve, state)
        place = state.places[seat]
        match move:
            case Dig():
                if not place.buried:
                    raise Illegal("you have buried no card", rule="canary.3", seat=seat)
                doing.add(CardDug(rule="canary.3", seat=seat, card=place.buried[0]))
            case Play(card) | Bury(card):
                if card not in place.hand:
                    raise Illegal("you do not hold that card", rule="canary.2", seat=seat)
                kind = CardPlayed if isinstance(move, Play) else CardBuried
                doing.add(kind(rule="canary.2", seat=seat, card=card))
                if state.deck:
                    doing.add(CardsDrawn(rule="canary.4", seat=seat, cards=state.deck[:1]))
        doing.add(TurnPassed(rule="canary.2", turn=self._next(doing.state)))
        return doing.done()

    def _next(self, state: Table) -> int:
        order = [(state.turn + step) % len(state.places) for step in range(1, len(state.places) + 1)]
        return next((seat for seat in order if state.places[seat].hand), state.turn)

    def evolve(self, state: Table, effect: Any) -> Table:
        if isinstance(effect, DeckMade):
            return replace(state, deck=effect.deck)
        if isinstance(effect, TurnPassed):
            return replace(state, turn=effect.turn)
        place = state.places[effect.seat]
        match effect:
            case CardsDrawn(cards=cards):
                state = replace(state, deck=state.deck[len(cards) :])
                place = replace(place, hand=place.hand + cards)
            case CardPlayed(card=card):
                place = replace(place, hand=_without(place.hand, card), shown=(*place.shown, card))
            case CardBuried(card=card):
                place = replace(place, hand=_without(place.hand, card), buried=(*place.buried, card))
            case CardDug(card=card):
                place = replace(place, buried=_without(place.buried, card), shown=(*place.shown, card))
        places = tuple(place if each.seat == place.seat else each for each in state.places)
        return replace(state, places=places)

    def outcome(self, state: Table) -> Outcome | None:
        if self.to_act(state):
            return None
        scores = {each.seat: len(each.shown) for each in state.places}
        groups = [
            tuple(seat for seat, score in scores.items() if score == value)
            for value in sorted(set(scores.values()), reverse=True)
        ]
        by_seat = {str(seat): score for seat, score in scores.items()}
        return Outcome(winners=groups[0], ranking=tuple(groups), scores=by_seat, reason="cards turned up")

    def fallback(self, state: Table, seat: int) -> Any:
        return self.moves(state, seat)[0].move

    def sides(self, state: Table) -> tuple[tuple[int, ...], ...]:
        return tuple((each.seat,) for each in state.places)

    def table(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        """Every card that the viewer sees: words leak as well as bytes."""
        lines = [f"deck: {_named(view['deck'])}"]
        for each in view["places"]:
            seen = "; ".join(f"{pile} {_named(each[pile])}" for pile in ("hand", "buried", "shown"))
            lines.append(f"seat {each['seat']}: {seen}")
        return "\n".join(lines)

    def picture(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        """The same words, drawn."""
        words = self.table(view, seat)
        return svg.document(900, 200, self.title, words, svg.column(10, 20, words.splitlines()))

    def say(self, move: Builtin) -> str:
        return f"{move['type']} {move.get('card') or 'a card'}"

    def tell(self, effect: Builtin) -> str:
        cards = [effect["card"]] if "card" in effect else effect.get("cards") or effect.get("deck") or []
        return f"{effect['type']}: {_named(cards)}."

    def manifest(self) -> Builtin:
        return {"cards a seat": 8}


class Leaky(Canary):
    name = "leaky"
    title = "Leaky"
    rules = "leaky/1"

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        try:
            return super().decide(state, seat, move, chance)
        except Illegal as refusal:
            told = f"{refusal.reason}{self.slip(state)}"
            raise Illegal(told, rule="canary.2", seat=seat) from None

    def slip(self, state: Table) -> str:
        """What it adds to a refusal."""
        return f"; next comes {state.deck[0] if state.deck else 'nothing'}"


class Telltale(Leaky):
    name = "telltale"
    title = "Telltale"
    rules = "telltale/1"

    def slip(self, state: Table) -> str:
        return f" ({crc32(' '.join(state.deck).encode()):08x})"


def _name(chance: Chance) -> str:
    """32 digits that nobody can guess, and up to eight zeros: a length, too, is something to be hidden."""
    return bytes(chance.pick(256) for _ in range(16)).hex() + "0" * chance.pick(9)


def _named(cards: list[str | None]) -> str:
    return ", ".join(card or "hidden" for card in cards) or "none"


def _without(cards: tuple[Name, ...], card: Name) -> tuple[Name, ...]:
    return tuple(each for each in cards if each != card)


CANARY: Final = Canary()
LEAKY: Final = Leaky()
TELLTALE: Final = Telltale()
