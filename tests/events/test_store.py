"""What a store promises, on every kind of server: one suite, run against each."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from kleos.events.command import Command
from kleos.events.durability import SETTINGS
from kleos.events.store import Appended, CommandMismatch, Conflict, Notice, Store, Stored

pytestmark = pytest.mark.anyio

EVERY_BYTE = bytes(range(256))


async def append(
    store: Store,
    match: str,
    expected: int,
    *,
    command: str | None = None,
    fingerprint: bytes = b"f",
    public: bytes = b"{}",
    sealed: bytes = b"",
) -> Appended:
    return await store.append(
        match,
        expected=expected,
        command=Command((command or f"{match}-{expected}").encode(), fingerprint),
        public=public,
        sealed=sealed,
        head=b"head %d" % (expected + 1),
        notice=b"notice %d" % (expected + 1),
    )


async def test_an_appended_event_is_read_back_byte_for_byte(any_store: Store) -> None:
    assert await append(any_store, "m", 0, public=EVERY_BYTE, sealed=EVERY_BYTE[::-1]) == Appended(
        version=1, replayed=False, durability="fsync"
    )
    assert await any_store.read("m") == [Stored(version=1, public=EVERY_BYTE, sealed=EVERY_BYTE[::-1])]


async def test_of_an_unknown_match_there_is_nothing(any_store: Store) -> None:
    assert await any_store.read("m") == []
    assert await any_store.head("m") is None
    assert await any_store.command("m", b"c") is None
    assert await any_store.snapshot("m", "k") is None


async def test_reading_starts_after_a_version_and_stops_at_a_limit(any_store: Store) -> None:
    for version in range(12):
        await append(any_store, "m", version, sealed=b"s" if version % 3 == 0 else b"")
    assert [each.version for each in await any_store.read("m")] == list(range(1, 13))
    page = await any_store.read("m", after=8, limit=3)
    assert [(each.version, each.sealed) for each in page] == [(9, b""), (10, b"s"), (11, b"")]
    assert await any_store.read("m", after=12) == []


async def test_the_head_is_what_the_last_append_left(any_store: Store) -> None:
    for version in range(3):
        await append(any_store, "m", version)
    assert await any_store.head("m") == (3, b"head 3")


@pytest.mark.parametrize(("expected", "current"), [(0, 2), (1, 2), (3, 2), (9, 2)])
async def test_an_append_at_another_version_conflicts_and_changes_nothing(
    any_store: Store, expected: int, current: int
) -> None:
    """Fault 89."""
    await append(any_store, "m", 0)
    await append(any_store, "m", 1)
    with pytest.raises(Conflict) as conflict:
        await append(any_store, "m", expected, command="late")
    assert conflict.value.current == current
    assert await any_store.command("m", b"late") is None
    assert await any_store.head("m") == (2, b"head 2")
    assert len(await any_store.feed(any_store.bucket("m"))) == 2


async def test_a_command_sent_again_gets_the_version_it_made(any_store: Store) -> None:
    await append(any_store, "m", 0, command="first")
    await append(any_store, "m", 1, command="second")
    assert await append(any_store, "m", 0, command="first") == Appended(1, replayed=True, durability="fsync")
    assert await any_store.command("m", b"first") == (1, b"f")
    assert len(await any_store.read("m")) == 2


async def test_a_command_used_for_something_else_is_a_mismatch(any_store: Store) -> None:
    await append(any_store, "m", 0, command="c", fingerprint=EVERY_BYTE)
    with pytest.raises(CommandMismatch) as mismatch:
        await append(any_store, "m", 1, command="c", fingerprint=EVERY_BYTE[1:])
    assert mismatch.value.version == 1
    assert await any_store.command("m", b"c") == (1, EVERY_BYTE)
    assert len(await any_store.read("m")) == 1


async def test_an_event_without_a_command_that_is_sent_again_is_known_by_its_bytes(any_store: Store) -> None:
    async def unnamed(public: bytes) -> Appended:
        return await any_store.append(
            "m", expected=0, command=None, public=public, sealed=b"s", head=b"head", notice=b"notice"
        )

    assert await unnamed(EVERY_BYTE) == Appended(1, replayed=False, durability="fsync")
    await append(any_store, "m", 1)
    assert await unnamed(EVERY_BYTE) == Appended(1, replayed=True, durability="fsync")
    with pytest.raises(Conflict):
        await unnamed(EVERY_BYTE[1:])
    assert len(await any_store.read("m")) == 2


async def test_fifty_identical_commands_at_once_make_one_event(any_store: Store) -> None:
    answers = await asyncio.gather(*(append(any_store, "m", 0, command="same") for _ in range(50)))
    assert Counter(each.replayed for each in answers) == {False: 1, True: 49}
    assert {each.version for each in answers} == {1}
    assert len(await any_store.read("m")) == 1
    assert len(await any_store.feed(any_store.bucket("m"))) == 1


async def test_of_forty_racers_from_two_processes_one_wins(
    any_store: Store, any_url: str, prefix: str
) -> None:
    await append(any_store, "m", 0)
    other = await Store.connect(any_url, prefix=prefix)
    try:
        answers = await asyncio.gather(
            *(append((any_store, other)[n % 2], "m", 1, command=f"racer {n}") for n in range(40)),
            return_exceptions=True,
        )
    finally:
        await other.close()
    won = [each for each in answers if isinstance(each, Appended)]
    lost = [each for each in answers if isinstance(each, Conflict)]
    assert won == [Appended(2, replayed=False, durability="fsync")]
    assert [each.current for each in lost] == [2] * 39
    assert len(await any_store.read("m")) == 2


async def test_the_newest_snapshot_under_a_key_is_kept(any_store: Store) -> None:
    await any_store.save_snapshot("m", "rules 1", 40, b"forty:" + EVERY_BYTE)
    await any_store.save_snapshot("m", "rules 1", 20, b"twenty")
    await any_store.save_snapshot("m", "rules 2", 10, b"ten")
    assert await any_store.snapshot("m", "rules 1") == (40, b"forty:" + EVERY_BYTE)
    assert await any_store.snapshot("m", "rules 2") == (10, b"ten")
    await any_store.save_snapshot("m", "rules 1", 60, b"sixty")
    assert await any_store.snapshot("m", "rules 1") == (60, b"sixty")


async def play(store: Store, matches: int, events: int) -> None:
    async def one(match: str) -> None:
        for version in range(events):
            await append(store, match, version)

    await asyncio.gather(*(one(f"m{number}") for number in range(matches)))


def versions_by_match(notices: list[Notice]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in notices:
        found.setdefault(each.match, []).append(each.version)
    return found


async def test_the_feed_tells_every_event_once_in_order(any_store: Store) -> None:
    await play(any_store, matches=20, events=10)
    pages: list[Notice] = []
    for bucket in range(any_store.buckets):
        position = "0"
        while page := await any_store.feed(bucket, position, limit=7):
            pages += page
            position = page[-1].position
    assert versions_by_match(pages) == {f"m{number}": list(range(1, 11)) for number in range(20)}
    assert all(each.bucket == any_store.bucket(each.match) for each in pages)
    assert {each.notice for each in pages} == {b"notice 10"}, "the notice is of how the match stands"


async def test_a_follower_hears_what_comes_and_goes_on_where_it_stopped(any_store: Store) -> None:
    await play(any_store, matches=3, events=2)
    positions = await any_store.positions()
    heard: list[Notice] = []
    first = any_store.follow(positions)
    for version in range(2, 6):
        for number in range(3):
            await append(any_store, f"m{number}", version)
    for _ in range(5):
        heard.append(await asyncio.wait_for(anext(first), 5))
        positions[heard[-1].bucket] = heard[-1].position
    await first.aclose()
    second = any_store.follow(positions)
    heard += [await asyncio.wait_for(anext(second), 5) for _ in range(7)]
    await second.aclose()
    assert versions_by_match(heard) == {f"m{number}": [3, 4, 5, 6] for number in range(3)}


async def test_a_follower_without_positions_hears_only_news(any_store: Store) -> None:
    await append(any_store, "m", 0)
    following = any_store.follow()
    news = asyncio.ensure_future(anext(following))
    version = 1
    async with asyncio.timeout(30):
        while not (await asyncio.wait([news], timeout=0.1))[0]:  # until it listens, it misses some
            version = (await append(any_store, "m", version)).version
    assert 2 <= news.result().version <= version
    await following.aclose()


async def test_the_number_of_buckets_is_settled_for_good(any_store: Store, any_url: str, prefix: str) -> None:
    with pytest.raises(ValueError, match="64 buckets, not 32"):
        await Store.connect(any_url, prefix=prefix, buckets=32)


async def test_functions_that_were_flushed_are_loaded_again(any_store: Store) -> None:
    await append(any_store, "m", 0)
    await any_store.connection.everywhere("FUNCTION", "FLUSH")
    assert (await append(any_store, "m", 1)).version == 2


async def test_a_safe_server_is_set_as_the_documents_say(any_store: Store) -> None:
    for answer in (await any_store.connection.everywhere("CONFIG", "GET", *SETTINGS)).values():
        assert {each.decode() for each in answer} == {*SETTINGS, *SETTINGS.values()}


async def test_a_match_stays_in_its_bucket(store: Store) -> None:
    """The hash is part of the data: were it to change, every match would be lost from sight."""
    crc_32_check_value = 0xCBF43926
    assert store.bucket("123456789") == crc_32_check_value % 64
