"""Chance: the values are those of the documented construction, uniform, and in streams of their own."""

import hashlib
import hmac
from collections import Counter
from itertools import islice, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleos.core.kernel import KeyedChance
from kleos.core.kernel.chance import DICE, SHUFFLES

KEY = bytes(range(32))


def words(label: bytes, key: bytes = KEY) -> list[int]:
    """The first 80 words of a stream, worked out from the text of the module and not from its code."""
    blocks = (hmac.new(key, label + i.to_bytes(8, "big"), hashlib.sha256).digest() for i in range(10))
    stream = b"".join(blocks)
    return [int.from_bytes(stream[at : at + 4], "big") for at in range(0, len(stream), 4)]


def test_a_die_is_the_next_word_of_the_dice_stream_modulo_its_faces_plus_one() -> None:
    chance = KeyedChance(KEY)
    assert [chance.die(6) for _ in range(40)] == [word % 6 + 1 for word in words(DICE)[:40]]


def test_a_pick_is_the_next_word_of_the_shuffle_stream() -> None:
    chance = KeyedChance(KEY)
    assert [chance.pick(10) for _ in range(40)] == [word % 10 for word in words(SHUFFLES)[:40]]


def test_a_word_at_or_above_the_largest_multiple_is_skipped() -> None:
    n = (1 << 31) + 1  # its only multiple below 2^32 is itself, so that nearly half of the words are skipped
    kept = [word for word in words(SHUFFLES) if word < n]
    assert len(kept) < len(words(SHUFFLES))
    chance = KeyedChance(KEY)
    assert [chance.pick(n) for _ in kept] == kept


def test_a_shuffle_is_fisher_yates_from_the_last_place_down() -> None:
    items = list("kleos")
    numbers = iter(words(SHUFFLES))
    expected = list(items)
    for last in (4, 3, 2, 1):
        other = next(numbers) % (last + 1)
        expected[last], expected[other] = expected[other], expected[last]
    assert KeyedChance(KEY).shuffle(items) == tuple(expected)
    assert items == list("kleos"), "the argument is left alone"


def test_published_vectors() -> None:
    """These stand for ever: a match of any age must replay to the same cards."""
    chance = KeyedChance(KEY)
    assert [chance.die(6) for _ in range(12)] == [3, 6, 6, 6, 2, 6, 3, 4, 4, 1, 2, 4]
    assert chance.shuffle(range(10)) == (5, 3, 6, 1, 4, 9, 8, 7, 0, 2)
    assert chance.pick(1 << 32) == 1829770361


def test_dice_and_shuffles_do_not_disturb_each_other() -> None:
    apart, mixed = KeyedChance(KEY), KeyedChance(KEY)
    dice = [apart.die(6) for _ in range(20)]
    shuffles = [apart.shuffle("abcdef") for _ in range(20)]
    both = [(mixed.shuffle("abcdef"), mixed.die(6)) for _ in range(20)]
    assert both == list(zip(shuffles, dice, strict=True))


def test_another_key_gives_another_fortune() -> None:
    one, other = KeyedChance(KEY), KeyedChance(KEY[::-1])
    assert [one.pick(1 << 32) for _ in range(4)] != [other.pick(1 << 32) for _ in range(4)]


def chi_square(observed: Counter[object], kinds: int) -> float:
    expected = observed.total() / kinds
    return sum((count - expected) ** 2 / expected for count in observed.values())


def test_dice_are_uniform() -> None:
    chance = KeyedChance(KEY)
    rolled = Counter[object](chance.die(6) for _ in range(60_000))
    assert set(rolled) == set(range(1, 7))
    assert chi_square(rolled, 6) < 20.5, "p < 0.001 with 5 degrees of freedom"


def test_every_order_of_a_shuffle_is_equally_likely() -> None:
    chance = KeyedChance(KEY)
    orders = Counter[object](chance.shuffle("abcd") for _ in range(24_000))
    assert set(orders) == set(permutations("abcd"))
    assert chi_square(orders, 24) < 49.7, "p < 0.001 with 23 degrees of freedom"


@given(st.lists(st.integers()), st.binary(min_size=32, max_size=32))
def test_a_shuffle_keeps_every_item(items: list[int], key: bytes) -> None:
    assert Counter(KeyedChance(key).shuffle(items)) == Counter(items)


@pytest.mark.parametrize("n", [0, -1, (1 << 32) + 1])
def test_a_choice_among_nothing_or_too_much_is_an_error(n: int) -> None:
    with pytest.raises(ValueError, match="1 to 2\\^32"):
        KeyedChance(KEY).pick(n)


def test_streams_do_not_repeat() -> None:
    chance = KeyedChance(KEY)
    drawn = list(islice(iter(lambda: chance.pick(1 << 32), None), 4_000))
    assert len(set(drawn)) > 3_990


@pytest.mark.slow
def test_a_million_rolls_are_uniform_and_none_tells_of_the_next() -> None:
    """Chi-square over the faces, and over all pairs of a roll and the one that follows (a serial test)."""
    chance = KeyedChance(KEY)
    rolls = [chance.die(6) for _ in range(1_000_000)]
    assert chi_square(Counter[object](rolls), 6) < 20.5, "p < 0.001 with 5 degrees of freedom"
    for lag in range(1, 9):
        pairs = Counter[object](zip(rolls, rolls[lag:], strict=False))
        assert chi_square(pairs, 36) < 66.6, f"p < 0.001 with 35 degrees of freedom, {lag} rolls apart"


@pytest.mark.slow
def test_first_rolls_of_a_million_versions_are_uniform_and_none_tells_of_the_next() -> None:
    """Most events throw few dice: the first of each key must be as good as the rest of a stream."""
    rolls = [KeyedChance(version.to_bytes(32, "big")).die(6) for version in range(1_000_000)]
    assert chi_square(Counter[object](rolls), 6) < 20.5, "p < 0.001 with 5 degrees of freedom"
    pairs = Counter[object](pairwise(rolls))
    assert chi_square(pairs, 36) < 66.6, "p < 0.001 with 35 degrees of freedom"
