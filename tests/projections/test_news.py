"""A player's news: each thing once, from any cursor, whatever happened in between; else a reason why not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from matches import SIGNER, TINY, pledge, seated

from kleos.core.match import Match, seats_to_act, tidings
from kleos.core.match.actions import Create, Invite, Join, Leave, Undo
from kleos.events.log import Log
from kleos.events.store import Store
from kleos.projections import cursor, news
from kleos.projections.catalogue import Catalogue
from kleos.projections.cursor import Place
from kleos.projections.herald import Herald
from kleos.projections.news import Lost, NewsDesk, NewsItem

pytestmark = pytest.mark.anyio
Told = tuple[str, int, str, int | None]


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store, SIGNER)


@pytest.fixture
async def desk(store: Store, log: Log) -> AsyncIterator[NewsDesk]:
    herald = Herald(store, log)
    await herald.start()
    yield NewsDesk(store, Catalogue(store), herald)
    await herald.close()


async def start(desk: NewsDesk, player: str) -> str:
    """The cursor of somebody who comes for the first time."""
    with desk.herald.attend(player) as attendant:
        return (await desk.read(player, attendant).present()).cursor


async def read(desk: NewsDesk, player: str, since: str, limit: int = 100) -> list[NewsItem]:
    """Everything after a cursor, as one who comes anew."""
    with desk.herald.attend(player) as attendant:
        reading = desk.read(player, attendant)
        await reading.resume(since)
        items: list[NewsItem] = []
        while page := await reading.more(limit):
            items += page
        return items


def brief(items: list[NewsItem]) -> list[Told]:
    return [(each.match, each.version, each.type, each.seat) for each in items]


async def history(log: Log, match_id: str, player: str) -> list[Told]:
    """What the player has to be told of a match, from its states."""
    match = await log.load(match_id)
    past = await log.past(match_id)
    states: list[Match | None] = [None, *(past(version) for version in range(1, match.version + 1))]
    return [
        (match_id, version, each.kind, each.seat)
        for version, (before, after) in enumerate(pairwise(states), 1)
        if after is not None
        for each in tidings(before, after)
        if each.player == player
    ]


async def play(log: Log, rng: random.Random, moves: int) -> str:
    """A match of anna, who has two of three seats, and ben, with something taken back; its id."""
    table = Create(game="tiny", rules="tiny/1", seats=3, options={}, undo="casual", seat=0)
    match = (await log.create("anna", table)).match
    for player in ("ben", "anna"):
        match = (await log.submit(match.id, player, None, Join())).match
    start = match.version
    for number in range(moves):
        if match.opened:
            break
        if number == 5:
            match = (await log.submit(match.id, "anna", 0, Undo(to=start))).match
        seat = rng.choice(seats_to_act(match))
        match = (await log.submit(match.id, match.seats[seat].player, seat, pledge(match, seat))).match
        await asyncio.sleep(0)
    return match.id


async def test_whoever_comes_back_with_any_cursor_is_told_the_rest_once(desk: NewsDesk, log: Log) -> None:
    rng = random.Random(5)
    since = await start(desk, "anna")
    matches = await asyncio.gather(*(play(log, rng, 40) for _ in range(6)))
    told = await read(desk, "anna", since)
    assert len({each.id for each in told}) == len(told)
    for match in matches:
        mine = [each for each in brief(told) if each[0] == match]
        assert mine == await history(log, match, "anna")
        assert {"match.started", "match.your_turn", "match.over"} == {each[2] for each in mine}
    for number, each in enumerate(told):
        assert brief(await read(desk, "anna", each.cursor, limit=3)) == brief(told[number + 1 :])


async def test_news_come_as_they_happen_and_from_nobody_elses_matches(desk: NewsDesk, log: Log) -> None:
    rng = random.Random(6)
    items: list[NewsItem] = []
    with desk.herald.attend("ben") as attendant:
        reading = desk.read("ben", attendant)
        await reading.present()
        playing = asyncio.gather(*(play(log, rng, 30) for _ in range(4)))
        async with asyncio.timeout(20):
            while sum(each.type == "match.over" for each in items) < 4:
                if page := await reading.more(2):
                    items += page
                else:
                    await attendant.wait(1)
        matches = await playing
        assert await reading.more(100) == []
    for match in matches:
        assert [each for each in brief(items) if each[0] == match] == await history(log, match, "ben")
    assert await read(desk, "ben", reading.cursor) == []
    assert await read(desk, "zoe", await start(desk, "zoe")) == []


async def test_a_cursor_stays_young_while_only_others_are_told_things(
    desk: NewsDesk, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "BEHIND", 5)
    with desk.herald.attend("zoe") as attendant:
        reading = desk.read("zoe", attendant)
        old = (await reading.present()).cursor
        first = await play(log, random.Random(7), 40)
        async with asyncio.timeout(10):
            while desk.herald.positions[desk.store.bucket(first)] == "0":
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
        assert await reading.more(1) == []
        with pytest.raises(Lost, match="too_old"):
            await read(desk, "zoe", old)
        assert await read(desk, "zoe", reading.cursor) == []


async def test_a_cursor_that_cannot_be_served_is_known_as_that(desk: NewsDesk, log: Log) -> None:
    await seated(log)
    since = await start(desk, "anna")
    beyond = [Place(1 << 50)] * desk.store.buckets
    for word, reason in (
        (cursor.word(beyond), "ahead"),
        (cursor.word(beyond[1:]), "not_a_cursor"),
        (since[:-1], "not_a_cursor"),
    ):
        with pytest.raises(Lost, match=reason):
            await read(desk, "anna", word)


async def test_what_waits_is_told_to_those_for_whom_it_waits(desk: NewsDesk, log: Log) -> None:
    match = await seated(log)
    after = (await log.submit(match.id, "anna", 0, pledge(match, 0))).match
    kept = (await log.create("zoe", TINY)).match
    await log.submit(kept.id, "zoe", None, Invite(seat=1, player="ben"))
    over = await seated(log)
    await log.submit(over.id, "anna", None, Leave(seat=0))
    waits = {(each.match, each.type, each.seat, each.version) for each in await desk.waiting("ben")}
    assert waits == {(kept.id, "match.invited", 1, 2), (match.id, "match.your_turn", 1, after.version)}
    assert await desk.waiting("anna") == ()
