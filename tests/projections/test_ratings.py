"""Ratings: which matches count, in which order, and that the same results give the same numbers."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kleos.core.kernel import Outcome
from kleos.events.standing import SeatStanding, Standing
from kleos.events.store import Store
from kleos.projections.catalogue import Catalogue
from kleos.projections.ratings import Rating, Ratings, counted, result

pytestmark = pytest.mark.anyio


def standing(
    match: str, at: int, winner: int = 0, players: tuple[str, ...] = ("ann", "ben"), **more: Any
) -> Standing:
    others = tuple(seat for seat in range(len(players)) if seat != winner)
    return Standing(
        match=match,
        version=9,
        head=9,
        kind="move",
        at=at,
        game="tiny",
        rules="tiny/1",
        status="finished",
        seats=tuple(SeatStanding(seat, player, None, False) for seat, player in enumerate(players)),
        to_act=(),
        visibility="public",
        undo=more.pop("undo", "consent"),
        creator=players[0],
        created_at=1,
        updated_at=at,
        options={},
        outcome=more.pop("outcome", Outcome((winner,), ((winner,), others), {}, "score")),
        sides=more.pop("sides", tuple((seat,) for seat in range(len(players)))),
        **more,
    )


def ratings_of(*standings: Standing) -> dict[str, Rating]:
    ratings: dict[str, Rating] = {}
    for each in standings:
        found = result(each)
        if found is not None:
            ratings = counted(ratings, found)
    return ratings


def test_who_wins_rises_and_who_loses_falls() -> None:
    ratings = ratings_of(*(standing(str(at), at) for at in range(10)))
    ann, ben = ratings["ann"], ratings["ben"]
    assert ann.rating > ben.rating
    assert (ann.matches, ann.wins, ben.matches, ben.wins) == (10, 10, 10, 0)
    assert [point.match for point in ann.history] == [str(at) for at in range(10)]
    assert ann.history[-1].rating == ann.rating


def test_a_shared_place_moves_equals_nowhere_apart() -> None:
    drawn = Outcome((0, 1), ((0, 1),), {}, "score")
    ratings = ratings_of(standing("m", 1, outcome=drawn))
    assert ratings["ann"].rating == pytest.approx(ratings["ben"].rating)


def test_partners_rise_and_fall_together() -> None:
    won = Outcome((0, 2), ((0, 2), (1, 3)), {}, "score")
    found = standing("m", 1, players=("ann", "ben", "cleo", "dan"), sides=((0, 2), (1, 3)), outcome=won)
    ratings = ratings_of(found)
    assert ratings["ann"].mu == ratings["cleo"].mu > ratings["ben"].mu == ratings["dan"].mu


@pytest.mark.parametrize(
    "uncounted",
    [
        standing("m", 1, rated=False),
        standing("m", 1, undo="casual"),
        standing("m", 1, players=("ann", "ann")),
        replace(standing("m", 1), status="abandoned", outcome=None),
        replace(
            standing("m", 1),
            seats=(SeatStanding(0, "ann", None, False), SeatStanding(1, None, "random", False)),
        ),
        standing("m", 1, sides=((0, 1),)),
    ],
)
def test_what_does_not_count(uncounted: Standing) -> None:
    assert result(uncounted) is None


class Feed:
    """A log that tells how matches ended."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def tell(self, told: Standing) -> None:
        await self.store.append(
            told.match,
            expected=0,
            command=None,
            public=b"{}",
            sealed=b"",
            head=b"",
            notice=told.notice,
        )


async def test_however_results_come_to_be_known_the_numbers_are_the_same(store: Store) -> None:
    rng = random.Random(11)
    people = ("ann", "ben", "cleo", "dan")
    told = [
        standing(f"m{at}", 1_000 + 10 * (at // 2), rng.randrange(3), tuple(rng.sample(people, 3)))
        for at in range(40)
    ]
    wanted = ratings_of(*sorted(told, key=lambda each: (each.updated_at, each.match)))
    feed, ratings = Feed(store), Ratings(Catalogue(store))
    arrived = rng.sample(told, len(told))
    for place, each in enumerate(arrived):
        await feed.tell(each)
        if place % 7 == 0:
            await ratings.board("tiny")
    assert (await ratings.board("tiny")).ratings == wanted
    assert (await Ratings(Catalogue(store)).board("tiny")).ratings == wanted, "and from nothing"


async def test_a_result_that_was_long_in_coming_still_counts_in_its_place(store: Store) -> None:
    early, late = standing("early", 1), standing("late", 10**9, 1)
    feed, ratings = Feed(store), Ratings(Catalogue(store))
    await feed.tell(late)
    await ratings.board("tiny")
    await feed.tell(early)
    assert (await ratings.board("tiny")).ratings == ratings_of(early, late)


async def test_games_are_rated_apart_and_unrated_matches_leave_no_trace(store: Store) -> None:
    feed, catalogue = Feed(store), Catalogue(store)
    await feed.tell(standing("counted", 1))
    await feed.tell(standing("friends", 2, rated=False))
    await feed.tell(replace(standing("elsewhere", 3), game="other"))
    assert [each.match for each in (await catalogue.ended("tiny", 0))[1]] == ["counted"]
    board = await Ratings(catalogue).board("other")
    assert {each.matches for each in board.ratings.values()} == {1}


def test_a_notice_tells_all_that_a_result_needs() -> None:
    told = standing("m", 1)
    assert result(msgspec.json.decode(told.notice, type=Standing)) == result(told)
