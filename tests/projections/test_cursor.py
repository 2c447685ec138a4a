"""The cursor over all buckets: what goes in comes out, and nothing else is one."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleos.projections import cursor
from kleos.projections.cursor import LONGEST, NotACursor, Place

TIMES = st.sampled_from([0, 1]) | st.integers(1_700_000_000_000, 1_700_100_000_000)
PLACES = st.builds(Place, TIMES, st.integers(0, 300), st.integers(0, 9))


@given(st.lists(PLACES, min_size=1, max_size=64))
def test_a_cursor_says_the_places_that_it_was_made_of(places: list[Place]) -> None:
    assert cursor.read(cursor.word(places), len(places)) == places


@given(st.lists(PLACES, min_size=2, max_size=4), st.text(max_size=40))
def test_what_is_not_a_cursor_is_refused_and_nothing_is_two_cursors(places: list[Place], text: str) -> None:
    for word in (text, cursor.word(places) + "AA", cursor.word(places)[:-2], cursor.word(places[1:])):
        with pytest.raises(NotACursor):
            cursor.read(word, len(places))


def test_a_place_that_no_store_has_is_refused() -> None:
    with pytest.raises(NotACursor):
        cursor.read(cursor.word([Place(1 << 60, 0, 0)]), 1)
    with pytest.raises(NotACursor):
        cursor.read(base64.urlsafe_b64encode(b"\x01" * LONGEST).decode(), 1)


def test_the_cursor_of_a_busy_store_goes_into_a_header() -> None:
    week = 7 * 24 * 3600 * 1000
    places = [Place(1_800_000_000_000 + week * bucket // 64, 99, 1) for bucket in range(64)]
    assert len(cursor.word(places)) <= LONGEST // 3


def test_places_are_positions_of_the_store() -> None:
    assert Place.of("1700000000000-7").position == "1700000000000-7"
    assert Place.of("0") == Place()
