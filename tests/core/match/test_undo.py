"""Undo, redo and proposals (match.7 to match.9), and the faults of other tables that they must not repeat."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from tiny import CardDrawn, Pledge, Stake

from kleos.core.kernel import (
    Forbidden,
    KeyedChance,
    Legal,
    Malformed,
    MatchFinished,
    MatchFull,
    ProposalVoid,
    Redealing,
    UndoNotAllowed,
    Viewer,
    WrongPhase,
    choices,
)
from kleos.core.kernel.registry import current
from kleos.core.match import (
    HOUSE,
    Agreed,
    Forgotten,
    Match,
    codec,
    decide,
    evolve,
    foreseen,
    line,
    returns,
    seats_to_act,
    targets,
)
from kleos.core.match.actions import Consent, Join, Leave, Redo, Refuse, Start, Undo, Withdraw
from kleos.core.match.facts import HeadMoved
from tests.core.match.telling import PLAYERS, Told

ANN, BEN, CLEO = PLAYERS[:3]
EVERYBODY = (None, 0, 1, 2, 3, 4, 5)


def playing(*players: str, game: str = "tiny", **rest: Any) -> Told:
    told = Told(game, players or (ANN, BEN), **rest)
    told.when(told.match.creator, Start())
    return told


def views(told: Told, state: Any) -> list[Any]:
    """The state through all eyes."""
    seats = [seat for seat in EVERYBODY if seat is None or seat < len(told.match.seats)]
    return [codec(told.match.rules).view(state, Viewer(seat)) for seat in seats]


def pledge(told: Told, seat: int, card: int = 0) -> Any:
    return told.when(told.actor(seat), Pledge(told.match.state.places[seat].hand[card]), seat)


def members(legal: Legal[Any]) -> list[Any]:
    """The listed move, or both ends of its range."""
    if legal.range is None:
        return [legal.move]
    [(field, ends)] = legal.range.items()
    return [replace(legal.move, **{field: end}) for end in ends]


def at(told: Told, seat: int) -> dict[int, Any]:
    return {each.version: each.cost for each in targets(told.match, seat, told.past)}


# match.7: what undo does


def test_an_undo_appends_an_event_and_puts_the_earlier_state_in_force() -> None:
    told = playing()
    start = told.match
    pledge(told, 0)
    event = told.when(ANN, Undo(to=start.version), 0)
    assert (event.kind, event.seat, event.player) == ("undo", 0, ANN)
    assert [to_builtins(each) for each in event.effects] == [
        {"type": "head_moved", "rule": "match.7", "from": start.version + 1, "to": start.version}
    ]
    assert (told.match.version, told.match.head) == (start.version + 2, start.version)
    assert told.match.state == start.state
    assert [each.version for each in told.matches] == list(range(1, told.match.version + 1))


def test_a_move_after_an_undo_goes_on_from_the_state_in_force() -> None:
    told = playing()
    origin = told.match.version
    pledge(told, 0)
    told.when(ANN, Undo(to=origin), 0)
    pledge(told, 0, 1)
    pledge(told, 1)
    heads = [each.head for each in line(told.match, told.past)]
    assert heads == [origin + 4, origin + 3, origin]
    assert told.match.head == told.match.version


def test_the_line_ends_where_play_began() -> None:
    told = playing()
    pledge(told, 0)
    for to in (1, told.start - 1, told.match.version, told.match.version + 1):
        assert "not on the line" in told.refuses(UndoNotAllowed, "match.7", ANN, Undo(to=to), 0)
    told.when(ANN, Undo(to=told.start), 0)
    assert "nothing to go back to" in told.refuses(UndoNotAllowed, "match.7", ANN, Undo(to=told.start), 0)


def test_an_undone_version_is_on_the_line_no_more() -> None:
    told = playing()
    pledge(told, 0)
    undone = told.match.version
    told.when(ANN, Undo(to=told.start), 0)
    pledge(told, 0, 1)
    pledge(told, 1)
    told.refuses(UndoNotAllowed, "match.7", ANN, Undo(to=undone), 0)


def test_who_may_take_back() -> None:
    told = playing(ANN, BEN, "bot")
    pledge(told, 0)
    told.refuses(Forbidden, "match.7", ANN, Undo(to=told.start), 1)
    told.refuses(Forbidden, "match.7", CLEO, Undo(to=told.start), 0)
    told.refuses(Forbidden, "match.5", HOUSE, Undo(to=told.start), 2)
    told.refuses(Malformed, "match.7", ANN, Undo(to=told.start), 3)
    told.refuses(Forbidden, "match.7", ANN, Undo(to=told.start), None)
    told.when(ANN, Leave(0))
    told.refuses(Forbidden, "match.7", ANN, Undo(to=told.start), 0)


def test_nothing_is_taken_back_before_the_start_or_after_the_end() -> None:
    told = Told()
    told.refuses(WrongPhase, "match.7", ANN, Undo(to=1), 0)
    told.when(ANN, Start())
    told.play(100)
    told.refuses(MatchFinished, "match.6", ANN, Undo(to=told.start), 0)


def test_who_sits_where_is_never_taken_back() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 0)
    told.when(CLEO, Leave(2))
    told.when(ANN, Undo(to=told.start), 0)
    assert told.match.seats[2].resigned
    assert told.match.state == told.past(told.start).state


def test_an_event_that_moves_the_head_cannot_be_folded_without_the_past() -> None:
    told = playing()
    pledge(told, 0)
    before = told.match
    event = told.when(ANN, Undo(to=told.start), 0)
    with pytest.raises(Forgotten, match=str(told.start)):
        evolve(before, event)


# match.8: what it costs


def test_own_decisions_are_free_and_others_must_agree() -> None:
    """Fault 29."""
    told = playing(ANN, BEN, CLEO)
    origin = told.start
    pledge(told, 0)
    pledge(told, 1)
    assert at(told, 1) == {origin + 1: "free", origin: Agreed((0,))}
    assert at(told, 0) == {origin + 1: Agreed((1,)), origin: Agreed((1,))}
    assert at(told, 2) == {origin + 1: Agreed((1,)), origin: Agreed((0, 1))}


def test_fault_9_over_a_reveal_or_a_die_everybody_must_agree() -> None:
    told = playing(ANN, BEN, CLEO)
    for seat in range(3):
        pledge(told, seat)
    assert set(at(told, 2).values()) == {Agreed((0, 1))}
    leader = told.match.state.leader
    told.when(told.actor(leader), Stake(1), leader)
    others = tuple(seat for seat in range(3) if seat != leader)
    assert set(at(told, leader).values()) == {Agreed(others)}


@pytest.mark.parametrize(
    ("policy", "own", "over_others"),
    [("off", "never", "never"), ("strict", "free", "never"), ("casual", "free", "free")],
)
def test_the_policies(policy: str, own: str, over_others: str) -> None:
    told = playing(ANN, BEN, CLEO, undo=policy)
    pledge(told, 0)
    pledge(told, 1)
    assert at(told, 1) == {told.start + 1: own, told.start: over_others}
    if own == "never":
        assert "nothing" in told.refuses(UndoNotAllowed, "match.8", BEN, Undo(to=told.start + 1), 1)
    if over_others == "never":
        told.refuses(UndoNotAllowed, "match.8", BEN, Undo(to=told.start), 1)
    else:
        told.when(BEN, Undo(to=told.start), 1)


def test_the_house_agrees_to_nothing() -> None:
    told = playing(ANN, "bot", CLEO)
    pledge(told, 1)
    assert at(told, 0) == {told.start: "never"}
    assert "house" in told.refuses(UndoNotAllowed, "match.8", ANN, Undo(to=told.start), 0)
    pledge(told, 0)
    assert at(told, 0) == {told.start + 1: "free", told.start: "never"}
    told.when(CLEO, Leave(2))
    assert at(told, 0) == {told.start + 1: "free", told.start: "never"}


def test_a_listed_move_tells_what_taking_it_back_will_cost() -> None:
    told = playing(ANN, BEN)
    move = choices(told.game, told.match.state, 0)[0].move
    assert foreseen(told.match, 0)(move) == "free"
    pledge(told, 0)
    assert foreseen(told.match, 1)(Pledge(told.match.state.places[1].hand[0])) == Agreed((0,))


# match.7: redo


def test_redo_returns_to_where_the_last_undo_left() -> None:
    told = playing(ANN, BEN, CLEO, undo="casual")
    for seat in (0, 1):
        pledge(told, seat)
    origin, top = told.start, told.match.version
    told.when(ANN, Undo(to=top - 1), 0)
    told.when(ANN, Undo(to=origin), 0)
    assert [each.version for each in returns(told.match, 0, told.past)] == [top - 1, top]
    event = told.when(ANN, Redo(), 0)
    assert (event.kind, told.match.head) == ("redo", top - 1)
    told.when(ANN, Redo(), 0)
    assert told.match.head == top
    assert told.match.state == told.past(top).state
    told.refuses(UndoNotAllowed, "match.7", ANN, Redo(), 0)


def test_redo_may_stop_on_the_way() -> None:
    told = playing(ANN, BEN, CLEO, undo="casual")
    for seat in (0, 1):
        pledge(told, seat)
    top = told.match.version
    told.when(ANN, Undo(to=told.start), 0)
    told.when(ANN, Redo(to=top - 1), 0)
    told.when(BEN, Undo(to=told.start), 1)
    told.when(BEN, Redo(), 1)
    assert told.match.head == top - 1
    told.when(BEN, Redo(), 1)
    assert told.match.head == top


def test_a_new_move_ends_what_could_be_redone() -> None:
    told = playing()
    pledge(told, 0)
    told.when(ANN, Undo(to=told.start), 0)
    pledge(told, 1)
    assert returns(told.match, 0, told.past) == []
    told.refuses(UndoNotAllowed, "match.7", ANN, Redo(), 0)
    told.refuses(UndoNotAllowed, "match.7", ANN, Redo(to=told.start + 1), 0)


def test_a_redo_costs_what_the_undo_over_the_same_decisions_costs() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 0)
    told.when(ANN, Undo(to=told.start), 0)
    assert [each.cost for each in returns(told.match, 0, told.past)] == ["free"]
    assert [each.cost for each in returns(told.match, 1, told.past)] == [Agreed((0,))]
    event = told.when(BEN, Redo(), 1)
    assert (event.kind, event.effects[0].kind, event.effects[0].needs) == ("propose", "redo", (0,))
    told.when(ANN, Consent(told.match.proposals[0].id), 0)
    assert told.match.head == told.start + 1


# match.9: proposals


def proposed(*players: str) -> tuple[Told, str]:
    """Ann wants to go back to the start, over the decisions of Ann, Ben and Cleo and a reveal."""
    told = playing(*(players or (ANN, BEN, CLEO)))
    for seat in range(len(told.match.seats)):
        pledge(told, seat)
    told.when(ANN, Undo(to=told.start), 0)
    return told, told.match.proposals[0].id


def test_a_proposal_names_target_head_and_who_must_agree() -> None:
    told, name = proposed()
    event = told.events[-1]
    assert event.kind == "propose"
    [effect] = event.effects
    expected = ("undo", 0, told.start, told.match.head, (1, 2))
    assert (effect.kind, effect.by, effect.to, effect.head, effect.needs) == expected
    assert name == f"p{event.version}"
    assert told.match.head == event.version - 1


def test_the_last_consent_makes_the_undo_in_the_same_event() -> None:
    told, name = proposed()
    told.when(CLEO, Consent(name), 2)
    assert (told.match.proposals[0].given, told.match.head) == ((2,), told.match.version - 2)
    event = told.when(BEN, Consent(name), 1)
    assert [type(each).__name__ for each in event.effects] == ["ConsentGiven", "HeadMoved"]
    assert (told.match.head, told.match.proposals) == (told.start, ())
    assert told.match.state == told.past(told.start).state
    told.refuses(ProposalVoid, "match.9", BEN, Consent(name), 1)


def test_only_those_who_are_asked_have_a_say() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 0)
    pledge(told, 1)
    told.when(ANN, Undo(to=told.start), 0)
    name = told.match.proposals[0].id
    for seat in (0, 2):
        for action in (Consent(name), Refuse(name)):
            assert "asked are: 1" in told.refuses(Forbidden, "match.9", PLAYERS[seat], action, seat)
    told.refuses(Forbidden, "match.7", ANN, Consent(name), 1)
    told.refuses(Forbidden, "match.9", BEN, Withdraw(name), 1)


def test_nobody_agrees_twice() -> None:
    told, name = proposed()
    told.when(BEN, Consent(name), 1)
    told.refuses(Forbidden, "match.9", BEN, Consent(name), 1)


@pytest.mark.parametrize(("actor", "seat", "action"), [(BEN, 1, Refuse), (ANN, 0, Withdraw)])
def test_a_proposal_is_closed_by_a_refusal_or_its_withdrawal(actor: str, seat: int, action: Any) -> None:
    told, name = proposed()
    head = told.match.head
    event = told.when(actor, action(name), seat)
    assert event.effects[0].reason == {Refuse: "refused", Withdraw: "withdrawn"}[action]
    assert (told.match.proposals, told.match.head) == ((), head)
    told.refuses(ProposalVoid, "match.9", CLEO, Consent(name), 2)


def test_fault_34_a_move_voids_every_proposal() -> None:
    told, name = proposed()
    told.step()
    assert told.match.proposals == ()
    for actor, seat, action in ((BEN, 1, Consent), (BEN, 1, Refuse), (ANN, 0, Withdraw)):
        told.refuses(ProposalVoid, "match.9", actor, action(name), seat)


def test_another_undo_voids_every_proposal() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 0)
    pledge(told, 1)
    told.when(ANN, Undo(to=told.start), 0)
    told.when(BEN, Undo(to=told.start + 1), 1)
    assert told.match.proposals == ()


def test_a_resignation_voids_every_proposal() -> None:
    told, name = proposed()
    told.when(BEN, Leave(1))
    told.refuses(ProposalVoid, "match.9", CLEO, Consent(name), 2)


def test_a_seat_has_one_open_proposal_and_three_attempts_at_a_version() -> None:
    told, name = proposed()
    told.refuses(UndoNotAllowed, "match.9", ANN, Undo(to=told.start), 0)
    told.when(BEN, Undo(to=told.start), 1)
    told.when(BEN, Refuse(name), 1)
    for _ in range(2):
        told.when(ANN, Undo(to=told.start), 0)
        told.when(CLEO, Refuse(told.match.proposals[-1].id), 2)
    assert "3 times" in told.refuses(UndoNotAllowed, "match.9", ANN, Undo(to=told.start), 0)
    told.step()
    told.when(ANN, Undo(to=told.start), 0)


def test_fault_31_a_proposal_keeps_nobody_from_moving() -> None:
    told, _ = proposed()
    before = told.past(told.match.version - 1)
    assert told.match.state == before.state
    assert seats_to_act(told.match) == seats_to_act(before)
    assert told.match.since == before.version, "what was seen before the proposal still holds"


# Faults that players reported elsewhere, by number


def test_fault_1_nobody_undoes_the_decision_of_another_alone() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 0)
    pledge(told, 1)
    told.when(ANN, Undo(to=told.start), 0)
    assert told.match.head == told.start + 2, "proposed, not done"


def test_fault_5_a_die_thrown_again_is_another_and_a_deck_stays_as_it_lies() -> None:
    told = playing(ANN, ANN, undo="casual")
    for seat in (0, 1):
        pledge(told, seat)
    leader, before = told.match.state.leader, told.match.version
    rolls, draws = [], []
    for _ in range(30):
        event = told.when(ANN, Stake(1), leader)
        rolls.append(event.effects[0].die)
        draws.append([each.cards for each in event.effects if isinstance(each, CardDrawn)])
        told.when(ANN, Undo(to=before), leader)
    assert len(set(rolls)) > 1
    assert draws == [draws[0]] * 30
    shown = [each.effects[0].die for each in told.events if type(each.effects[0]).__name__ == "DiceRolled"]
    assert shown == rolls, "every roll stays in the log"


@pytest.mark.parametrize("seed", range(3))
def test_faults_6_and_19_in_the_middle_of_nested_decisions(seed: int) -> None:
    """Back into a battle or a creature's power inside a turn, and on from there."""
    rng = random.Random(f"nested {seed}")
    told = Told("cyclades", [ANN] * 3, undo="casual", seed=rng.randbytes(32).hex())
    told.when(ANN, Start())
    told.play(250, rng)
    nested = [each for each in told.matches if each.status == "playing" and len(each.state.frames) > 1]
    assert len(nested) > 10
    for before in rng.sample(nested, 10):
        if told.match.status != "playing":
            return
        if before.head in at(told, 0):
            told.when(ANN, Undo(to=before.head), 0)
            assert told.match.state == before.state
            told.step(rng)


def test_fault_11_an_undo_lands_exactly_on_the_decision_named() -> None:
    told = playing(ANN, ANN, undo="casual")
    told.play(5)
    top = told.match.version
    for to in range(told.start, top):
        told.when(ANN, Undo(to=to), 0)
        assert told.match.state == told.past(to).state
        told.when(ANN, Redo(to=top), 0)
        assert told.match.state == told.past(top).state


@pytest.mark.parametrize("game", ["tiny", "canary", "iliad", "cyclades"])
def test_fault_13_a_state_is_what_is_stored_of_it_and_nothing_beside(game: str) -> None:
    told = playing(game=game)
    told.play(60, random.Random(f"stored {game}"))
    for match in told.matches[told.start - 1 :]:
        assert msgspec.json.decode(msgspec.json.encode(match.state), type=told.game.State) == match.state
        for each in structs_in(match.state):
            assert each.__struct_config__.frozen, type(each)
            assert not hasattr(each, "__dict__"), type(each)


def structs_in(value: Any) -> Iterator[Any]:
    """The value and all that it holds, as far as these are structs."""
    if isinstance(value, msgspec.Struct):
        yield value
        value = [getattr(value, field) for field in value.__struct_fields__]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        for each in value:
            yield from structs_in(each)


def test_fault_14_the_last_seat_to_act_undoes_like_any_other() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 2)
    pledge(told, 1)
    assert at(told, 1)[told.start + 1] == "free"


def test_fault_18_a_free_undo_stops_at_ones_own_first_decision() -> None:
    told = playing(ANN, BEN, CLEO)
    pledge(told, 1)
    pledge(told, 0)
    assert [version for version, cost in at(told, 0).items() if cost == "free"] == [told.start + 1]


@pytest.mark.parametrize("game", ["tiny", "canary", "iliad", "cyclades"])
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_undo_equals_the_version_for_every_eye_and_everybody_can_go_on(
    game: str, seats: int, seed: int
) -> None:
    """Faults 3, 7, 17, 21, 22, 23 and 25: from random versions to every earlier one of the line."""
    rng = random.Random(f"{game} {seats} {seed}")
    told = Told(game, [ANN] * seats, undo="casual", seed=rng.randbytes(32).hex())
    told.when(ANN, Start())
    while told.match.status == "playing" and told.match.version < 300:
        told.play(rng.randint(1, 12), rng)
        if told.match.status != "playing":
            break
        head = told.match.head
        for target in targets(told.match, 0, told.past)[:: rng.randint(1, 4)]:
            told.when(ANN, Undo(to=target.version), 0)
            assert told.match.state == told.past(target.version).state
            assert views(told, told.match.state) == views(told, told.past(target.version).state)
            assert seats_to_act(told.match) == seats_to_act(told.past(target.version)) != ()
            again = target.version
            told.when(ANN, Redo(to=head), 0)
            told.when(ANN, Undo(to=again), 0)
            assert told.match.state == told.past(again).state
            told.when(ANN, Redo(), 0)
            assert (told.match.head, told.match.state) == (head, told.past(head).state)
    match = None
    for version, event in enumerate(told.events, start=1):
        match = evolve(match, event, told.past)
        assert match == told.past(version)
        assert match.version == version


@pytest.mark.parametrize("game", ["tiny", "iliad", "cyclades"])
@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("seed", range(2))
def test_a_move_that_was_listed_as_free_to_take_back_is(game: str, seats: int, seed: int) -> None:
    if game == "tiny" and seats == 5:
        seats = 4
    rng = random.Random(f"free {game} {seats} {seed}")
    told = Told(game, PLAYERS[:seats], seed=rng.randbytes(32).hex())
    told.when(ANN, Start())
    promised = 0
    while told.match.status == "playing" and told.match.version < 200:
        seat = rng.choice(seats_to_act(told.match))
        before = told.match
        for legal in choices(told.game, before.state, seat):
            if foreseen(before, seat)(legal.move) == "free":
                promised += 1
                for move in members(legal):
                    event = decide(before, told.actor(seat), seat, move, at=before.updated_at)
                    after = evolve(before, event)
                    [latest, *_] = targets(after, seat, told.past)
                    assert latest == (before.head, "free"), (seed, before.version, move)
        told.step(rng)
    assert promised > 0


@pytest.mark.parametrize("game", ["tiny", "iliad", "cyclades"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_decision_without_news_comes_to_the_same_whatever_is_hidden(game: str, seats: int) -> None:
    assert without_news(game, seats, f"news {game} {seats}") >= 3


@pytest.mark.long
@pytest.mark.parametrize("game", ["iliad", "cyclades"])
def test_a_decision_without_news_comes_to_the_same_in_200_matches(game: str) -> None:
    for number in range(200):
        seats = 2 + number % (current(game).seats[-1] - 1)
        assert without_news(game, seats, f"much news {game} {number}")


def without_news(game: str, seats: int, seed: str) -> int:
    """How many decisions of a random match brought no news; each is made again where all that is hidden from
    its maker is other. Would it come to something else there, somebody could learn from it, take it back for
    free, and decide otherwise.
    """
    rng = random.Random(seed)
    told = Told(game, PLAYERS[:seats], seed=rng.randbytes(32).hex())
    told.when(ANN, Start())
    quiet = 0
    while told.match.status == "playing" and told.match.version < 400:
        before = told.match
        event = told.step(rng)
        assert event.seat is not None
        if told.match.step is None or told.match.step.news or told.match.opened:
            continue
        quiet += 1
        assert isinstance(told.game, Redealing)
        fortune = KeyedChance(rng.randbytes(32))
        elsewhere = told.game.redeal(before.state, frozenset({event.seat}), fortune)
        again = told.game.decide(elsewhere, event.seat, event.action, fortune)
        assert again.effects == event.effects, (seed, before.version, event.action)
    return quiet


def test_a_seat_that_may_not_act_may_still_take_back_what_it_did() -> None:
    """Fault 2: also where others are to act, or nobody of one's own."""
    told = playing()
    pledge(told, 0)
    told.when(ANN, Undo(to=told.start), 0)
    assert seats_to_act(told.match) == (0, 1)


def test_a_bot_may_sit_in_a_match_that_is_taken_back_for_free() -> None:
    told = Told("tiny", (ANN, "bot", "bot"), undo="casual")
    told.when(ANN, Start())
    told.play(4)
    told.when(ANN, Undo(to=told.start), 0)
    assert told.match.state == told.past(told.start).state
    told.refuses(MatchFull, "match.2", BEN, Join())


GAMES = ("tiny", "canary", "iliad", "cyclades")


@pytest.mark.parametrize("game", GAMES)
def test_from_every_version_to_every_earlier_one(game: str) -> None:
    undo_from_everywhere(game, matches=4)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_from_every_version_to_every_earlier_one_in_500_matches(game: str) -> None:
    undo_from_everywhere(game, matches=500)


def undo_from_everywhere(game: str, *, matches: int) -> None:
    """In every policy what may be had leads to exactly that version, in which everybody can go on.

    Every pair of versions is tried, and of each version up to RETURNS ways back; the seed of a failure is its
    number.
    """
    for number in range(matches):
        rng = random.Random(f"everywhere {game} {number}")
        policy = rng.choice(("casual", "consent", "strict"))
        seats = rng.choice(current(game).seats)
        players = [ANN] * seats if policy == "casual" else PLAYERS[:seats]
        told = Told(game, players, undo=policy, seed=rng.randbytes(32).hex())
        told.when(ANN, Start())
        told.play(400, rng)
        for match in told.matches[told.start :]:
            if match.status == "playing":
                check_targets(told, match, rng, number)


RETURNS = 8


def check_targets(told: Told, match: Match, rng: random.Random, number: int) -> None:
    found = targets(match, rng.randrange(len(match.seats)), told.past)
    assert [each.version for each in found] == [each.head for each in line(match, told.past)][1:]
    redone = set(rng.sample(range(len(found)), min(RETURNS, len(found))))
    for place, target in enumerate(found):
        earlier = told.past(target.version)
        moved = HeadMoved(rule="match.7", left=match.head, to=target.version)
        event = replace(told.events[0], version=match.version + 1, kind="undo", effects=(moved,))
        back = evolve(match, event, told.past)
        assert back.state is earlier.state, (number, match.version, target)
        assert (back.version, back.head) == (match.version + 1, target.version)
        assert seats_to_act(back) == seats_to_act(earlier) != (), (number, match.version, target)
        if place in redone:
            redo = replace(event, version=back.version + 1, effects=(returned(moved),))
            forth = evolve(back, redo, told.past)
            assert (forth.state, forth.head, forth.undone) == (match.state, match.head, ())


def returned(moved: HeadMoved) -> HeadMoved:
    """The redo that answers an undo."""
    return replace(moved, left=moved.to, to=moved.left)
