"""The conformance kit finds nothing in a sound game, and each kind of fault in a game that has it.

The unsound games are Tiny with one thing spoilt.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from msgspec.structs import replace
from tiny import TINY, Pledged, Revealed, Stake, Table, Tiny, TinyOptions, census

from kleos.core.kernel import (
    Chance,
    Illegal,
    KeyedChance,
    Legal,
    Outcome,
    Public,
    Unfolded,
    Unfolding,
    Viewer,
    redact,
)
from kleos.core.kernel.conform import Report, check
from kleos.core.kernel.conform.secrets import rearranged

REVEALS = {"revealed", "card_drawn"}
EVERY_LAW = (
    "acceptance",
    "census",
    "commuting",
    "declarations",
    "effects",
    "encodings",
    "fallbacks",
    "lists",
    "non_interference",
    "out_of_turn",
    "outcomes",
    "refusals",
    "replays",
    "sides",
    "turns",
    "unchanged",
    "views",
    "words",
)


def examined(game: Tiny, **changed: Any) -> Report:
    settings: dict[str, Any] = {"census": census, "reveals": REVEALS, "every": 1, "matches": 2, "limit": 60}
    return check(game, **settings | changed)


def test_a_sound_game_keeps_every_law() -> None:
    options: list[dict[str, Any]] = [{}, {"preset": "long"}, {"rounds": 0}, {"hand": 1}]
    report = examined(TINY, options=options).demand(*EVERY_LAW)
    assert report.matches == 2 * (3 * len(options) - 1), "four seats refuse hands of one card"
    assert set(report.lengths) == {2, 3, 4}
    assert set(report.choices) == {"all", "pledge", "stake"}
    assert report.endings == {"rounds": report.matches}


def test_the_same_seed_finds_the_same_and_another_seed_something_else() -> None:
    """Fault 79."""
    assert examined(TINY, seats=[2]) == examined(TINY, seats=[2])
    assert examined(TINY, seats=[2]).checks != examined(TINY, seats=[2], seed="other").checks


class AcceptsTooMuch(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        if isinstance(move, Stake) and move.amount == state.places[seat].coins + 1:
            move = Stake(0)
        return super().decide(state, seat, move, chance)


class RefusesWhatItLists(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        if isinstance(move, Stake) and move.amount == 5:
            raise Illegal("five is unlucky", rule="tiny.4", seat=seat)
        return super().decide(state, seat, move, chance)


class RefusesWithoutRule(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        try:
            return super().decide(state, seat, move, chance)
        except Illegal as refusal:
            raise Illegal(refusal.reason, rule="chess.1") from None


class LetsAnybodyMove(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        acting = self.to_act(state)
        return super().decide(state, seat if seat in acting else min(acting, default=0), move, chance)


class BreaksDown(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        return super().decide(state, seat, move, chance) if state.round < 3 else [][seat]


class KeepsAHiddenThought(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        effects, after = super().decide(state, seat, move, chance)
        return Unfolded(effects, replace(after, bank=after.bank - 1))


class IsDifferentEachTime(Tiny):
    times = itertools.count()

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        for _ in range(next(self.times) % 7):
            chance.die(6)
        return super().decide(state, seat, move, chance)


class ListsTwice(Tiny):
    def moves(self, state: Table, seat: int) -> tuple[Legal[Any], ...]:
        return super().moves(state, seat) * 2


class ListsOutsideItsRange(Tiny):
    def moves(self, state: Table, seat: int) -> tuple[Legal[Any], ...]:
        return tuple(
            replace(each, move=Stake(each.range["amount"][1] + 1)) if each.range else each
            for each in super().moves(state, seat)
        )


class HasDeadEnds(Tiny):
    def moves(self, state: Table, seat: int) -> tuple[Legal[Any], ...]:
        return () if state.round == 3 else super().moves(state, seat)


class NeverEnds(Tiny):
    def evolve(self, state: Table, effect: Any) -> Table:
        after = super().evolve(state, effect)
        return after if after.round == state.round else replace(after, rounds=after.rounds + 1)


class LosesACoin(Tiny):
    def evolve(self, state: Table, effect: Any) -> Table:
        after = super().evolve(state, effect)
        return after if after.round == state.round else replace(after, bank=after.bank - 1)


class RewardsTheLastToPledge(Tiny):
    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        followed = super().decide(state, seat, move, chance)
        doing = Unfolding[Table, Any](self.evolve, state)
        for effect in followed.effects:
            doing.add(replace(effect, leader=seat) if isinstance(effect, Revealed) else effect)
        return doing.done()


class FallsBackOnNothing(Tiny):
    def fallback(self, state: Table, seat: int) -> Any:
        return Stake(999)


class HasAnOddSide(Tiny):
    def sides(self, state: Table) -> tuple[tuple[int, ...], ...]:
        return ((0, 1), *((each.seat,) for each in state.places[1:]))


class ForgetsTheLosers(Tiny):
    def outcome(self, state: Table) -> Outcome | None:
        outcome = super().outcome(state)
        return outcome and replace(outcome, ranking=outcome.ranking[:1])


class IsLostForWords(Tiny):
    def say(self, move: Any) -> str:
        return f"pledge the {move['card']:>2}" if move["type"] == "pledge" else super().say(move)


class DrawsHalfAPicture(Tiny):
    def picture(self, view: Any, seat: int | None = None, *, over: bool = False) -> str:
        return f"<svg xmlns='http://www.w3.org/2000/svg'><text>{self.table(view, seat)}</text>"


class CitesNothing(Tiny):
    def open(self, options: TinyOptions, seats: int, chance: Chance) -> Unfolded[Any, Table]:
        effects, state = super().open(options, seats, chance)
        return Unfolded(tuple(replace(each, rule="") for each in effects), state)


class TellsByTheRule(Tiny):
    """High and low cards are pledged by different rules: everybody can read them off."""

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        effects, after = super().decide(state, seat, move, chance)
        spoilt = (
            replace(each, rule=f"tiny.{2 + each.card % 2}") if isinstance(each, Pledged) else each
            for each in effects
        )
        return Unfolded(tuple(spoilt), after)


class TellsByTheTurn(Tiny):
    """Who pledged a high card must wait: whose turn it is shows what was pledged."""

    def to_act(self, state: Table) -> frozenset[int]:
        acting = super().to_act(state)
        if state.leader is None and len(acting) == len(state.places) - 1:
            pledged = next(each.pledged[0] for each in state.places if each.pledged)
            return frozenset({max(acting) if pledged % 2 else min(acting)})
        return acting


class TellsByARefusal(Tiny):
    """Asked for a card that one does not hold, it says who does."""

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        try:
            return super().decide(state, seat, move, chance)
        except Illegal:
            card = getattr(move, "card", None)
            holder = [each.seat for each in state.places if card in each.hand]
            raise Illegal(f"seats {holder} hold it", rule="tiny.2", seat=seat) from None


class TellsByTheList(Tiny):
    """The leader is not offered stakes that a peek into the deck advises against."""

    def moves(self, state: Table, seat: int) -> tuple[Legal[Any], ...]:
        legal = super().moves(state, seat)
        return legal if state.leader is None or sum(state.deck) % 2 else (Legal(legal[0].move),)


class TellsByTheDraws(Tiny):
    """It asks chance once more if a peek into the deck advises it, and makes nothing of the answer."""

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        followed = super().decide(state, seat, move, chance)
        if state.deck and state.deck[0] % 2:
            chance.pick(2)
        return followed


class TellsByTheSizeOfAShuffle(Tiny):
    """It shuffles as many cards as a hidden one says."""

    def decide(self, state: Table, seat: int, move: Any, chance: Chance) -> Unfolded[Any, Table]:
        followed = super().decide(state, seat, move, chance)
        chance.shuffle(range(sum(state.deck[:1])))
        return followed


class Careless(Table, frozen=True):
    notes: tuple[int, ...] = ()


class Scribbled(Table, frozen=True):
    notes: Public[list[int]] = []  # noqa: RUF012 - the fault


class ScribblesOnTheTable(Tiny):
    State: type[Any] = Scribbled

    def blank(self, options: TinyOptions, seats: int) -> Table:
        table = super().blank(options, seats)
        return Scribbled(table.rounds, table.bank, table.places, table.deck)

    def evolve(self, state: Table, effect: Any) -> Table:
        after = super().evolve(state, effect)
        assert isinstance(after, Scribbled)
        after.notes.append(len(after.notes))
        return after


class DeclaresNothing(Tiny):
    State: type[Any] = Careless


@pytest.mark.parametrize(
    ("spoilt", "law"),
    [
        (AcceptsTooMuch, "refusals"),
        (RefusesWhatItLists, "acceptance"),
        (RefusesWithoutRule, "refusals"),
        (LetsAnybodyMove, "out_of_turn"),
        (BreaksDown, "acceptance"),
        (BreaksDown, "playable"),
        (KeepsAHiddenThought, "acceptance"),
        (KeepsAHiddenThought, "replays"),
        (IsDifferentEachTime, "acceptance"),
        (ListsTwice, "lists"),
        (ListsOutsideItsRange, "lists"),
        (HasDeadEnds, "turns"),
        (NeverEnds, "bounded"),
        (LosesACoin, "census"),
        (RewardsTheLastToPledge, "commuting"),
        (FallsBackOnNothing, "fallbacks"),
        (HasAnOddSide, "sides"),
        (ForgetsTheLosers, "outcomes"),
        (IsLostForWords, "words"),
        (DrawsHalfAPicture, "views"),
        (CitesNothing, "effects"),
        (TellsByTheRule, "non_interference"),
        (TellsByTheTurn, "non_interference"),
        (TellsByARefusal, "non_interference"),
        (TellsByTheList, "non_interference"),
        (TellsByTheDraws, "non_interference"),
        (TellsByTheSizeOfAShuffle, "non_interference"),
        (DeclaresNothing, "declarations"),
        (ScribblesOnTheTable, "unchanged"),
        (ScribblesOnTheTable, "encodings"),
    ],
)
def test_a_spoilt_game_is_found_out(spoilt: type[Tiny], law: str) -> None:
    """Faults 41 and 103, among others: an event that tells what the state hides, nobody who may act."""
    report = examined(spoilt(), seats=[3])
    assert law in report.failures, report
    with pytest.raises(AssertionError, match=f"{law}: "):
        report.demand()


def test_a_failure_names_the_match_and_the_shortest_way_to_it_and_can_be_played_again() -> None:
    """Fault 78."""
    found = examined(LosesACoin(), seats=[2, 3]).failures["census"]
    again = examined(LosesACoin(), seats=[found.seats], first=found.match, matches=1).failures["census"]
    assert again == found
    assert len(found.trace) == found.seats + 1, "the pledges and the first stake"
    assert "seat" in str(found)
    assert repr(found.seed) in str(found)


def test_a_law_that_was_never_tried_is_not_kept() -> None:
    with pytest.raises(AssertionError, match="never tried: census"):
        check(TINY, seats=[2], matches=1, reveals=REVEALS).demand("census")


def test_hidden_parts_are_dealt_anew_and_nothing_else() -> None:
    chance = KeyedChance(b"secrets")
    state = TINY.open(TINY.settle(TINY.Options(), 3), 3, chance).state
    for viewer in (Viewer(0), Viewer(2), Viewer(None)):
        other = rearranged(state, viewer, chance)
        assert other != state
        assert redact(other, viewer) == redact(state, viewer)
        assert census(other) == census(state)
