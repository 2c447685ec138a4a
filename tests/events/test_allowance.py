"""The bucket of tokens in the store: exactly so many, and as many again in time."""

import asyncio

import pytest

from kleos.events.allowance import Rate, take
from kleos.events.store import Store

pytestmark = pytest.mark.anyio


async def test_exactly_as_many_are_granted_as_there_are(any_store: Store) -> None:
    taken = await asyncio.gather(*(take(any_store, "anna", Rate(7, 3600)) for _ in range(20)))
    assert sum(each.granted for each in taken) == 7
    assert sorted(each.left for each in taken if each.granted) == list(range(7))
    assert all(each.wait > 0 for each in taken if not each.granted)


async def test_each_name_has_a_bucket_of_its_own(any_store: Store) -> None:
    rate = Rate(1, 3600)
    assert (await take(any_store, "anna", rate)).granted
    assert not (await take(any_store, "anna", rate)).granted
    assert (await take(any_store, "ben", rate)).granted


async def test_a_bucket_fills_up_evenly(any_store: Store) -> None:
    rate = Rate(4, 2)
    while (refused := await take(any_store, "anna", rate)).granted:
        pass
    assert 0 < refused.wait <= 500
    await asyncio.sleep(refused.wait / 1000)
    assert (await take(any_store, "anna", rate)).granted, "the wait was the truth"


async def test_a_full_bucket_leaves_nothing_behind(any_store: Store) -> None:
    await take(any_store, "anna", Rate(100, 1))
    await asyncio.sleep(0.05)
    key = any_store.key(any_store.bucket("anna"), "rate:anna")
    assert await any_store.connection.call(key, "EXISTS", key) == 0


@pytest.mark.parametrize(("text", "rate"), [("200/10", Rate(200, 10)), ("", None)])
def test_how_a_rate_is_written(text: str, rate: Rate | None) -> None:
    assert Rate.parse(text) == rate
