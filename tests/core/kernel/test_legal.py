"""Listed moves: one, or a family that differs in one number; and who may make them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import TINY, Pledge, Stake, Table

from kleos.core.kernel import KeyedChance, Legal, NotYourTurn, choices, random_move, require_turn
from kleos.core.kernel.game import snake


def opened(seats: int = 3) -> Table:
    return TINY.open(TINY.settle(TINY.Options(), seats), seats, KeyedChance(b"legal")).state


def test_a_move_without_range_admits_itself_alone() -> None:
    listed = Legal[Pledge | Stake](Pledge(7))
    assert listed.admits(Pledge(7))
    assert not listed.admits(Pledge(8))
    assert not listed.admits(Stake(7))


@given(st.integers(-5, 25))
def test_a_range_admits_both_ends_and_all_between(amount: int) -> None:
    assert Legal(Stake(3), {"amount": (3, 17)}).admits(Stake(amount)) == (3 <= amount <= 17)


def test_a_range_admits_no_other_kind_of_move() -> None:
    assert not Legal[Pledge | Stake](Stake(3), {"amount": (3, 17)}).admits(Pledge(3))


def test_a_seat_that_is_not_to_act_has_no_choices_and_is_told_who_has() -> None:
    state = opened()
    state = TINY.decide(state, 1, choices(TINY, state, 1)[0].move, KeyedChance(b"")).state
    assert choices(TINY, state, 1) == ()
    with pytest.raises(NotYourTurn, match="to act: 0, 2") as refusal:
        require_turn(TINY, state, 1)
    assert refusal.value.seat == 1
    require_turn(TINY, state, 0)


def test_the_random_bot_uses_the_whole_list_and_the_whole_range() -> None:
    chance = KeyedChance(b"bot")
    listed = (Legal(Pledge(1)), Legal(Stake(0), {"amount": (0, 3)}))
    made = {random_move({}, listed, 0, chance) for _ in range(200)}
    assert made == {Pledge(1), *(Stake(amount) for amount in range(4))}


@pytest.mark.parametrize(
    ("name", "tag"), [("CardDrawn", "card_drawn"), ("Stake", "stake"), ("Place3Cards", "place3_cards")]
)
def test_types_are_named_in_snake_case(name: str, tag: str) -> None:
    assert snake(name) == tag
