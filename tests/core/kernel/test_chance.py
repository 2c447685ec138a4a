"""Chance: the values are those of the documented construction, uniform, and in streams of their own."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice, permutations
from statistics import NormalDist
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleos.core.kernel import KeyedChance
from kleos.core.kernel.chance import DICE, SHUFFLES

KEY = bytes(range(32))
MILLION = 1_000_000


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
    missing = (kinds - len(observed)) * expected
    return sum((count - expected) ** 2 / expected for count in observed.values()) + missing


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


# A million


class Tried(NamedTuple):
    """A statistic beside what it exceeds once in a thousand times, if nothing is wrong."""

    name: str
    statistic: float
    bound: float

    @property
    def passes(self) -> bool:
        return self.statistic < self.bound

    def __str__(self) -> str:
        return f"{self.name}: {self.statistic:.1f}, bound {self.bound:.1f}"


def bound(freedom: int) -> float:
    """What chi-square exceeds with a probability of 0.001 to a hundredth or so (Wilson and
    Hilferty, 1931).
    """
    part = 2 / (9 * freedom)
    third: float = 1 - part + NormalDist().inv_cdf(0.999) * part**0.5
    return freedom * third * third * third


def uniform(values: Sequence[Hashable], kinds: int) -> Tried:
    """Chi-square over the kinds of value."""
    return Tried(f"chi-square over {kinds}", chi_square(Counter(values), kinds), bound(kinds - 1))


def serial(values: Sequence[Hashable], kinds: int, lag: int = 1) -> Tried:
    """Chi-square over the pairs of a value and the one so many places later."""
    pairs = Counter[object](zip(values, values[lag:], strict=False))
    return Tried(
        f"serial, {lag} apart, over {kinds * kinds}", chi_square(pairs, kinds * kinds), bound(kinds**2 - 1)
    )


def demand(*tried: Tried) -> None:
    for each in tried:
        print(each)
    assert [str(each) for each in tried if not each.passes] == []


def biased(bits: int) -> Callable[[Iterator[int], int], int]:
    """Choices by so many bits modulo ``n`` with none skipped, as if all of ``n`` went into them evenly."""
    return lambda words, n: next(words) % (1 << bits) % n


def stuttering() -> Callable[[Iterator[int], int], int]:
    """Uniform choices, of which one in fifty tells the one before it again."""
    told: dict[int, int] = {}

    def below(words: Iterator[int], n: int) -> int:
        word = next(words)
        if word >= 2**32 // 50 or n not in told:
            told[n] = word % n
        return told[n]

    return below


def test_the_bounds_are_those_of_the_tables() -> None:
    for freedom, exact in ((5, 20.515), (23, 49.728), (35, 66.619), (575, 685.24)):
        assert bound(freedom) == pytest.approx(exact, rel=0.012)


def rolls() -> list[int]:
    chance = KeyedChance(KEY)
    return [chance.die(6) for _ in range(MILLION)]


def first_rolls() -> list[int]:
    """Most events throw few dice: the first of each key must be as good as the rest of a stream."""
    return [KeyedChance(version.to_bytes(32, "big")).die(6) for version in range(MILLION)]


def orders() -> list[str]:
    chance = KeyedChance(KEY)
    return ["".join(chance.shuffle("abcd")) for _ in range(MILLION)]


@pytest.mark.slow
def test_a_million_rolls_are_uniform_and_none_tells_of_the_next() -> None:
    made = rolls()
    demand(uniform(made, 6), *(serial(made, 6, lag) for lag in range(1, 9)))


@pytest.mark.slow
def test_first_rolls_of_a_million_versions_are_uniform_and_none_tells_of_the_next() -> None:
    made = first_rolls()
    demand(uniform(made, 6), serial(made, 6))


@pytest.mark.slow
def test_a_million_shuffles_are_in_every_order_alike_and_none_tells_of_the_next() -> None:
    made = orders()
    demand(uniform(made, 24), serial(made, 24))


@pytest.mark.slow
def test_a_mapping_with_a_bias_fails_where_the_right_one_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte for a die: four faces come 43 times where two come 42 times. Six bits for a shuffle."""
    monkeypatch.setattr("kleos.core.kernel.chance.below", biased(8))
    made = rolls()
    monkeypatch.setattr("kleos.core.kernel.chance.below", biased(6))
    shuffled = orders()
    for each in (uniform(made, 6), serial(made, 6), uniform(shuffled, 24), serial(shuffled, 24)):
        print(f"biased, {each}")
        assert not each.passes, each


@pytest.mark.slow
def test_choices_that_tell_of_the_next_fail_the_serial_test_though_they_are_uniform(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kleos.core.kernel.chance.below", stuttering())
    made = rolls()
    print(f"stuttering, {uniform(made, 6)}; {serial(made, 6)}")
    assert uniform(made, 6).statistic < 2 * bound(5)
    assert not serial(made, 6).passes
