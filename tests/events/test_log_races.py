"""The log under pressure: races, retries, several processes, little memory."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tiny
from matches import SIGNER, TINY, command, pledge, seated

from kleos.core.kernel import Refused
from kleos.core.match.actions import Join, Leave
from kleos.events.command import Stale
from kleos.events.connection import PATIENCE
from kleos.events.embedded import Embedded
from kleos.events.loading import PAGE, Loader, UnknownMatch
from kleos.events.log import Log
from kleos.events.replay import rebuild
from kleos.events.store import Appended, CommandMismatch, Store, Stored, StoreUnavailable

pytestmark = pytest.mark.anyio


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store, SIGNER)


async def test_a_create_sent_again_makes_one_match(log: Log, store: Store) -> None:
    makers = [Log(store, SIGNER) for _ in range(10)]
    made = await asyncio.gather(*(each.create("anna", TINY, command=command("c", "x")) for each in makers))
    assert len({each.match.id for each in made}) == 1
    assert len({each.entry.public for each in made}) == 1
    assert sum(not each.replayed for each in made) == 1
    with pytest.raises(CommandMismatch):
        await log.create("anna", TINY, command=command("c", "y"))
    assert (await log.create("anna", TINY)).match.id != made[0].match.id


async def test_fifty_identical_requests_make_one_event(log: Log, store: Store) -> None:
    """Fault 82."""
    match = await seated(log)
    logs = [log, Log(store, SIGNER), Log(store, SIGNER)]
    answers = await asyncio.gather(
        *(
            logs[n % 3].submit(match.id, "anna", 0, pledge(match, 0), command=command("c", "f"), expected=2)
            for n in range(50)
        )
    )
    assert len({(each.entry.public, each.receipt) for each in answers}) == 1
    assert (await log.load(match.id)).version == 3


@pytest.mark.parametrize("expected", [2, None])
@pytest.mark.parametrize("processes", [1, 4])
async def test_of_forty_racers_one_wins_and_the_others_hear_why_not(
    store: Store, processes: int, expected: int | None
) -> None:
    logs = [Log(store, SIGNER) for _ in range(processes)]
    match = await seated(logs[0])

    async def race(racer: int) -> str:
        move = pledge(match, 0, racer % 3)
        try:
            await logs[racer % processes].submit(match.id, "anna", 0, move, expected=expected)
        except (Stale, Refused) as refusal:
            return type(refusal).__name__
        return "won"

    results = await asyncio.gather(*(race(racer) for racer in range(40)))
    assert sorted(results) == ["Stale" if expected else "NotYourTurn"] * 39 + ["won"]
    assert (await logs[-1].load(match.id)).version == 3


async def test_simultaneous_decisions_without_an_expected_version_all_count(store: Store) -> None:
    """Fault 81."""
    logs = [Log(store, SIGNER) for _ in range(4)]
    made = await logs[0].create("player 0", msgspec.structs.replace(TINY, seats=4, options={"hand": 3}))
    match = made.match
    for seat in range(1, 4):
        match = (await logs[seat].submit(match.id, f"player {seat}", None, Join(seat=seat))).match
    await asyncio.gather(
        *(logs[seat].submit(match.id, f"player {seat}", seat, pledge(match, seat)) for seat in range(4))
    )
    assert (await logs[0].load(match.id)).version == 8


async def test_a_refusal_out_of_an_old_memory_is_thought_over(log: Log, store: Store) -> None:
    match = await seated(log)
    behind = Log(store, SIGNER)
    await behind.load(match.id)
    for seat in (0, 1):
        match = (await log.submit(match.id, ("anna", "ben")[seat], seat, pledge(match, seat))).match
    leader = match.state.leader
    accepted = await behind.submit(match.id, ("anna", "ben")[leader], leader, tiny.Stake(1), expected=4)
    assert accepted.match.version == 5


async def test_two_processes_take_turns_without_losing_sight_of_each_other(store: Store) -> None:
    logs = [Log(store, SIGNER), Log(store, SIGNER)]
    match = await seated(logs[0])
    for n in count():
        if match.opened:
            break
        seat = min(tiny.TINY.to_act(match.state))
        match = (await logs[n % 2].submit(match.id, ("anna", "ben")[seat], seat, pledge(match, seat))).match
        assert await logs[(n + 1) % 2].load(match.id) == match
    assert rebuild(await logs[0].entries(match.id)) == match


async def test_a_cancelled_request_leaves_the_log_in_order(log: Log) -> None:
    match = await seated(log)
    for seat in (0, 1):
        task = asyncio.create_task(log.submit(match.id, ("anna", "ben")[seat], seat, pledge(match, seat)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    match = await log.load(match.id)
    entries = await log.entries(match.id)  # what was under way may still arrive
    assert match == rebuild(entries[: match.version])


async def test_memory_is_bounded_and_what_was_forgotten_is_read_again(store: Store) -> None:
    log = Log(store, SIGNER, loader=Loader(store, matches=2, histories=1))
    matches = [await seated(log) for _ in range(4)]
    for _ in range(2):
        for match in matches:
            assert await log.at(match.id, 1) != match
            assert await log.load(match.id) == match
            assert await log.receipt(match.id, 2)


async def test_made_up_ids_push_nothing_out_of_memory(store: Store) -> None:
    loader = Loader(store, matches=2)
    log = Log(store, SIGNER, loader=loader)
    match = await seated(log)
    shelf = loader.shelf(match.id)
    for n in range(10):
        for asked in (log.load(f"made up {n}"), log.at(f"made up {n}", 1)):
            with pytest.raises(UnknownMatch):
                await asked
    assert loader.shelf(match.id) is shelf
    assert shelf.position is not None


class Counting(Store):
    """A store that counts what is asked of it."""

    asked: Counter[str]

    async def read(self, match: str, *, after: int = 0, limit: int | None = None) -> list[Stored]:
        self.asked["read"] += 1
        return await super().read(match, after=after, limit=limit)

    async def head(self, match: str) -> tuple[int, bytes] | None:
        self.asked["head"] += 1
        return await super().head(match)


@pytest.fixture
async def counting(store_url: str, prefix: str) -> AsyncIterator[Counting]:
    store = await Counting.connect(store_url, prefix=prefix)
    store.asked = Counter()
    yield store
    await store.close()


async def test_an_accepted_action_costs_one_append_and_no_read(counting: Counting) -> None:
    log = Log(counting, SIGNER)
    match = await seated(log)
    await log.submit(match.id, "anna", 0, pledge(match, 0), command=command("c"), expected=2)
    assert counting.asked.total() == 0


async def newest_version(log: Log, match_id: str) -> int:
    return (await log.load(match_id)).version


async def test_those_who_load_at_once_share_the_reading(counting: Counting) -> None:
    match = await seated(Log(counting, SIGNER))
    log = Log(counting, SIGNER)
    first, then = (1 + 1), 1  # the first entry and the stream; then only the tail, once for all who waited
    assert set(await asyncio.gather(*(newest_version(log, match.id) for _ in range(100)))) == {2}
    assert counting.asked == {"read": first + then}


async def test_a_load_sees_whatever_was_acknowledged_before_it_began(store: Store) -> None:
    logs = [Log(store, SIGNER), Log(store, SIGNER)]
    match = await seated(logs[0])
    loads = [asyncio.create_task(logs[1].load(match.id)) for _ in range(20)]
    await asyncio.sleep(0)  # the first read is on its way
    await logs[0].submit(match.id, "anna", 0, pledge(match, 0))
    assert (await logs[1].load(match.id)).version == 3
    assert {each.version for each in await asyncio.gather(*loads)} <= {2, 3}


async def test_when_the_store_has_gone_everybody_hears_it_soon(tmp_path: Path) -> None:
    server = await Embedded.start(tmp_path)
    store = await Store.connect(server.url, patience=0.2)
    log = Log(store, SIGNER, loader=Loader(store, patience=0.4))
    match = await seated(log)
    await server.stop()
    asked = [log.load(match.id) for _ in range(20)]
    tried = [log.submit(match.id, "anna", 0, pledge(match, 0)) for _ in range(20)]
    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(*asked, *tried, return_exceptions=True)
    assert {type(each) for each in answers} == {StoreUnavailable}
    await store.close()


async def test_after_an_outage_the_match_goes_on(tmp_path: Path) -> None:
    server = await Embedded.start(tmp_path)
    store = await Store.connect(server.url, patience=0.2)
    log = Log(store, SIGNER)
    match = await seated(log)
    await server.stop()
    with pytest.raises(StoreUnavailable):
        await log.submit(match.id, "anna", 0, pledge(match, 0))
    async with await Embedded.start(tmp_path):
        committed = await log.submit(match.id, "anna", 0, pledge(match, 0))
        assert rebuild(await log.entries(match.id)) == committed.match
        await store.close()


async def test_a_command_that_another_process_accepted_is_found_by_the_append(store: Store) -> None:
    logs = [Log(store, SIGNER), Log(store, SIGNER)]
    match = await seated(logs[0])
    assert await logs[1].at(match.id, 2) == await logs[1].load(match.id) == await logs[1].at(match.id, 2)
    first = await logs[0].submit(match.id, "anna", 0, pledge(match, 0), command=command("c"))
    again = await logs[1].submit(match.id, "anna", 0, pledge(match, 0), command=command("c"))
    assert again == msgspec.structs.replace(first, replayed=True)


class Overtaken(Store):
    """A store to which somebody else is always faster."""

    rival: Log

    async def append(self, match: str, **event: Any) -> Appended:
        for action in (Join(seat=2), Leave(seat=2)):
            await self.rival.submit(match, "carol", None, action)
        return await super().append(match, **event)


async def test_who_always_comes_too_late_is_told_so_in_the_end(
    store_url: str, prefix: str, store: Store
) -> None:
    rival = Log(store, SIGNER)
    made = await rival.create("anna", msgspec.structs.replace(TINY, seats=3))
    overtaken = await Overtaken.connect(store_url, prefix=prefix)
    overtaken.rival = rival
    with pytest.raises(Stale) as refusal:
        await Log(overtaken, SIGNER).submit(made.match.id, "ben", None, Join(seat=1))
    assert refusal.value.current == (await rival.load(made.match.id)).version
    await overtaken.close()


async def test_a_long_match_is_read_page_by_page(counting: Counting) -> None:
    log = Log(counting, SIGNER, loader=Loader(counting, snapshot_every=10_000))
    match = (await log.create("anna", msgspec.structs.replace(TINY, seats=3))).match
    while match.version <= PAGE:
        await log.submit(match.id, "ben", None, Join(seat=1))
        match = (await log.submit(match.id, "ben", None, Leave(seat=1))).match
    other = Log(counting, SIGNER)
    assert await other.load(match.id) == match
    assert counting.asked == {"read": 1 + 2}  # the first entry, and two pages
    assert (await other.at(match.id, PAGE)).version == PAGE
