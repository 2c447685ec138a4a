"""Tiny: a whole game in one page, with a bit of everything that the kernel offers. Knows only the kernel.

With ``tests/games`` on the path it is installed like any other package, entry point and all; a server that
runs with it in ``PYTHONPATH`` offers it. Its rules:

* tiny.1  The cards 1 … n are shuffled and each seat is dealt ``hand`` of them (with four seats at least
  two), and 10 coins.
* tiny.2  All seats at once pledge a card of their hand, face down.
* tiny.3  When all have pledged, the cards are turned up; the highest leads.
* tiny.4  The leader stakes any part of its coins that the bank can match and rolls a die: from 4 on the bank
  pays as much, below it takes the stake.
* tiny.5  Before the next round everybody draws a card; an empty deck is made anew of the discards.
* tiny.6  After ``rounds`` rounds the most coins win; equal coins share the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

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
    Malformed,
    Move,
    Outcome,
    Owned,
    Public,
    Secret,
    Unfolded,
    Unfolding,
    random_move,
    require_turn,
)

Card = Annotated[int, Meta(ge=1, le=99)]
Coins = Annotated[int, Meta(ge=0, le=999)]


class TinyOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """``long``: six rounds, hands of four; ``short``: three and three. None leaves it to the preset."""

    preset: Public[Literal["short", "long"]] = "short"
    rounds: Public[Annotated[int, Meta(ge=0, le=9)] | None] = None
    hand: Public[Annotated[int, Meta(ge=1, le=9)] | None] = None


class Place(Struct, frozen=True):
    """What lies before one seat. ``pledged`` holds one card, or none."""

    seat: Public[int]
    coins: Public[int] = 10
    hand: Owned[Counted[tuple[Card, ...]]] = ()
    pledged: Owned[Counted[tuple[Card, ...]]] = ()


class Table(Struct, frozen=True):
    """The whole game; ``leader`` is set while it has to stake. The next card of the deck is the first."""

    rounds: Public[int]
    bank: Public[int]
    places: Public[tuple[Place, ...]]
    deck: Secret[Counted[tuple[Card, ...]]]
    discard: Public[tuple[Card, ...]] = ()
    round: Public[int] = 1
    leader: Public[int | None] = None


class Pledge(Move, frozen=True):
    card: Owned[Card]


class Stake(Move, frozen=True):
    amount: Public[Coins]


class Shuffled(Effect, frozen=True, kw_only=True):
    deck: Secret[Counted[tuple[Card, ...]]]


class CardDrawn(Effect, frozen=True, kw_only=True):
    seat: Public[int]
    cards: Owned[Counted[tuple[Card, ...]]]


class Pledged(Known, frozen=True, kw_only=True):
    seat: Public[int]
    card: Owned[Card]


class Revealed(Effect, frozen=True, kw_only=True):
    cards: Public[tuple[Card, ...]]
    leader: Public[int]


class DiceRolled(Effect, frozen=True, kw_only=True):
    seat: Public[int]
    die: Public[int]
    coins: Public[int]


class RoundEnded(Known, frozen=True, kw_only=True):
    pass


def greedy(view: Builtin, legal: tuple[Legal[Any], ...], _seat: int, _chance: Chance) -> Any:
    """The highest card, or the highest stake."""
    best = legal[-1]
    return best.move if best.range is None else replace(best.move, amount=best.range["amount"][1])


class Tiny:
    name = "tiny"
    title = "Tiny"
    rules = "tiny/1"
    seats = range(2, 5)
    Options: type[Any] = TinyOptions
    State: type[Any] = Table
    Move: Any = Pledge | Stake
    Effect: Any = Shuffled | CardDrawn | Pledged | Revealed | DiceRolled | RoundEnded
    bots: Mapping[str, Bot] = {"random": random_move, "greedy": greedy}

    def settle(self, options: TinyOptions, seats: int) -> TinyOptions:
        rounds, hand = (6, 4) if options.preset == "long" else (3, 3)
        if options.hand == 1 and seats == 4:
            raise Malformed("four seats need hands of two cards or more", rule="tiny.1")
        return replace(
            options,
            rounds=rounds if options.rounds is None else options.rounds,
            hand=hand if options.hand is None else options.hand,
        )

    def blank(self, options: TinyOptions, seats: int) -> Table:
        assert options.rounds is not None
        assert options.hand is not None
        cards = tuple(range(1, seats * (options.hand + 1) + 1))
        places = tuple(Place(seat=seat) for seat in range(seats))
        return Table(rounds=options.rounds, bank=10 * seats, places=places, deck=cards)

    def open(self, options: TinyOptions, seats: int, chance: Chance) -> Unfolded[Any, Table]:
        doing = Unfolding[Table, Any](self.evolve, self.blank(options, seats))
        doing.add(Shuffled(rule="tiny.1", deck=chance.shuffle(doing.state.deck)))
        for seat in range(seats):
            doing.add(CardDrawn(rule="tiny.1", seat=seat, cards=doing.state.deck[: options.hand]))
        return doing.done()

    def to_act(self, state: Table) -> frozenset[int]:
        if state.leader is not None:
            return frozenset({state.leader})
        if state.round > state.rounds:
            return frozenset()
        return frozenset(each.seat for each in state.places if not each.pledged)

    def moves(self, state: Table, seat: int) -> tuple[Legal[Any], ...]:
        if seat not in self.to_act(state):
            return ()
        place = state.places[seat]
        if state.leader is None:
            return tuple(Legal(Pledge(card)) for card in sorted(place.hand))
        return (Legal(Stake(0), {"amount": (0, min(place.coins, state.bank))}),)

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        require_turn(self, state, seat)
        doing = Unfolding[Table, Any](self.evolve, state)
        place = state.places[seat]
        match move:
            case Pledge(card) if state.leader is None:
                if card not in place.hand:
                    raise Illegal(f"you do not hold the card {card}", rule="tiny.2", seat=seat)
                doing.add(Pledged(rule="tiny.2", seat=seat, card=card))
                self._reveal(doing)
            case Stake(amount) if state.leader is not None:
                most = min(place.coins, state.bank)
                if amount > most:
                    raise Illegal(f"the stake is 0 to {most} coins, not {amount}", rule="tiny.4", seat=seat)
                die = chance.die(6)
                won = amount if die >= 4 else -amount
                doing.add(DiceRolled(rule="tiny.4", seat=seat, die=die, coins=won))
                doing.add(RoundEnded(rule="tiny.5"))
                self._draw(doing, chance)
            case _:
                now = "pledge a card" if state.leader is None else "stake coins"
                raise Illegal(f"it is time to {now}", rule="tiny.2", seat=seat)
        return doing.done()

    def _reveal(self, doing: Unfolding[Table, Any]) -> None:
        cards = tuple(card for each in doing.state.places for card in each.pledged)
        if len(cards) == len(doing.state.places):
            doing.add(Revealed(rule="tiny.3", cards=cards, leader=cards.index(max(cards))))

    def _draw(self, doing: Unfolding[Table, Any], chance: Chance) -> None:
        if doing.state.round > doing.state.rounds:
            return
        for each in doing.state.places:
            if not doing.state.deck:
                doing.add(Shuffled(rule="tiny.5", deck=chance.shuffle(doing.state.discard)))
            doing.add(CardDrawn(rule="tiny.5", seat=each.seat, cards=doing.state.deck[:1]))

    def evolve(self, state: Table, effect: Any) -> Table:
        match effect:
            case Shuffled(deck=deck):
                return replace(state, deck=deck, discard=())
            case CardDrawn(seat=seat, cards=cards):
                place = state.places[seat]
                drawn = replace(place, hand=place.hand + cards)
                return replace(_with(state, drawn), deck=state.deck[len(cards) :])
            case Pledged(seat=seat, card=card):
                place = state.places[seat]
                hand = tuple(each for each in place.hand if each != card)
                return _with(state, replace(place, hand=hand, pledged=(card,)))
            case Revealed(cards=cards, leader=leader):
                places = tuple(replace(each, pledged=()) for each in state.places)
                return replace(state, places=places, discard=state.discard + cards, leader=leader)
            case DiceRolled(seat=seat, coins=coins):
                place = state.places[seat]
                paid = replace(place, coins=place.coins + coins)
                return replace(_with(state, paid), bank=state.bank - coins)
            case RoundEnded():
                return replace(state, round=state.round + 1, leader=None)
        raise AssertionError(f"not an effect of Tiny: {effect!r}")

    def outcome(self, state: Table) -> Outcome | None:
        if state.round <= state.rounds:
            return None
        groups: dict[int, tuple[int, ...]] = {}
        for each in sorted(state.places, key=lambda place: -place.coins):
            groups[each.coins] = (*groups.get(each.coins, ()), each.seat)
        ranking = tuple(groups.values())
        scores = {str(each.seat): each.coins for each in state.places}
        return Outcome(winners=ranking[0], ranking=ranking, scores=scores, reason="rounds")

    def quiet(self, state: Table, seat: int, move: Any) -> bool:
        return isinstance(move, Pledge) and any(
            not each.pledged for each in state.places if each.seat != seat
        )

    def redeal(self, state: Table, seats: frozenset[int], chance: Chance) -> Table:
        unseen = [each for each in state.places if each.seat not in seats]
        cards = iter(
            chance.shuffle(
                sorted((*state.deck, *(card for each in unseen for card in each.hand + each.pledged)))
            )
        )
        for each in unseen:
            hand, pledged = (tuple(next(cards) for _ in held) for held in (each.hand, each.pledged))
            state = _with(state, replace(each, hand=hand, pledged=pledged))
        return replace(state, deck=tuple(cards))

    def fallback(self, state: Table, seat: int) -> Any:
        return self.moves(state, seat)[0].move

    def sides(self, state: Table) -> tuple[tuple[int, ...], ...]:
        return tuple((each.seat,) for each in state.places)

    def table(self, view: Builtin, seat: int | None = None, *, over: bool = False) -> str:
        lines = [
            f"round {view['round']} of {view['rounds']}   bank {view['bank']}   deck {len(view['deck'])}"
        ]
        for each in view["places"]:
            hand = " ".join("?" if card is None else str(card) for card in each["hand"])
            pledged = "   pledged" if each["pledged"] else ""
            lines.append(f"seat {each['seat']}   coins {each['coins']:>2}   hand {hand}{pledged}")
        return "\n".join(lines)

    def say(self, move: Builtin) -> str:
        if move["type"] == "stake":
            return f"stake {move['amount']}"
        return "pledge a card" if move["card"] is None else f"pledge the {move['card']}"

    def tell(self, effect: Builtin) -> str:
        match effect["type"]:
            case "shuffled":
                return f"The deck is shuffled: {len(effect['deck'])} cards."
            case "card_drawn":
                cards = ", ".join(
                    "a hidden card" if card is None else f"the {card}" for card in effect["cards"]
                )
                return f"Seat {effect['seat']} draws {cards}."
            case "pledged":
                return (
                    f"Seat {effect['seat']} pledges {'a card' if effect['card'] is None else effect['card']}."
                )
            case "revealed":
                return f"Turned up: {', '.join(map(str, effect['cards']))}. Seat {effect['leader']} leads."
            case "dice_rolled":
                return f"Seat {effect['seat']} rolls {effect['die']}: {effect['coins']:+} coins."
            case _:
                return "The round is over."

    def manifest(self) -> Builtin:
        return {"title": self.title, "die": 6, "coins": 10}


def _with(state: Table, changed: Place) -> Table:
    places = tuple(changed if each.seat == changed.seat else each for each in state.places)
    return replace(state, places=places)


def census(state: Table) -> dict[str, int]:
    """What never changes in the course of a match: the cards and the coins there are."""
    cards = [*state.deck, *state.discard]
    for each in state.places:
        cards += each.hand + each.pledged
    return {
        "cards": len(cards),
        "kinds": len(set(cards)),
        "coins": state.bank + sum(each.coins for each in state.places),
    }


TINY: Final = Tiny()
