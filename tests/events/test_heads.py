"""A store that was set back is noticed, by a server that lives on and by one that was started again."""

from contextlib import closing
from pathlib import Path

import pytest
from matches import SIGNER, TINY, command, pledge

from kleos.core.match.actions import Join
from kleos.events.embedded import Embedded
from kleos.events.heads import Frozen, Head, Heads
from kleos.events.log import Log
from kleos.events.store import Store

pytestmark = pytest.mark.anyio


async def set_back(store: Store, match: str, size: int) -> None:
    """Make the store forget what came after ``size``, as a restored backup would."""
    key = store.key(store.bucket(match), f"m:{match}")
    events = f"{key}:events"
    kept = await store.connection.call(events, "XRANGE", events, "-", f"{size}-0")
    await store.connection.call(events, "DEL", events)
    for place, fields in kept:
        flat = [each for field in fields.items() for each in field]
        await store.connection.call(events, "XADD", events, place, *flat)
    await store.connection.call(f"{key}:head", "HSET", f"{key}:head", "version", size)
    await store.connection.call(f"{key}:commands", "DEL", f"{key}:commands")


async def test_a_match_whose_log_was_cut_is_frozen_and_can_be_read(store: Store, tmp_path: Path) -> None:
    with closing(Heads(tmp_path / "heads")) as heads:
        log = Log(store, SIGNER, heads=heads)
        match = (await log.create("anna", TINY)).match
        await log.submit(match.id, "ben", None, Join(seat=1))
        later = await log.submit(match.id, "anna", 0, pledge(await log.load(match.id), 0))
        await set_back(store, match.id, 2)
        for server in (log, Log(store, SIGNER, heads=heads)):
            with pytest.raises(Frozen, match=r"has 2 events .* not the 3 that were signed"):
                await server.submit(match.id, "ben", 1, pledge(later.match, 1))
        assert (await Log(store, SIGNER, heads=heads).load(match.id)).version == 2
    with closing(Heads(tmp_path / "heads")) as again, pytest.raises(Frozen):
        await Log(store, SIGNER, heads=again).submit(match.id, "ben", 1, pledge(later.match, 1))


async def test_a_log_that_is_as_long_and_not_the_same_is_frozen(store: Store, tmp_path: Path) -> None:
    with closing(Heads(tmp_path / "heads")) as heads:
        match = (await Log(store, SIGNER, heads=heads).create("anna", TINY)).match
        await Log(store, SIGNER, heads=heads).submit(match.id, "ben", None, Join(seat=1))
        await set_back(store, match.id, 1)
        await Log(store, SIGNER).submit(match.id, "cleo", None, Join(seat=1))
        with pytest.raises(Frozen, match="another log"):
            await Log(store, SIGNER, heads=heads).submit(
                match.id, "anna", 0, pledge(await Log(store, SIGNER).load(match.id), 0)
            )


async def test_a_match_that_is_gone_is_not_made_anew_under_its_name(tmp_path: Path) -> None:
    with closing(Heads(tmp_path / "heads")) as heads:
        async with await Embedded.start(tmp_path / "one") as server:
            store = await Store.connect(server.url)
            made = await Log(store, SIGNER, heads=heads).create("anna", TINY, command=command("c"))
            await store.close()
        async with await Embedded.start(tmp_path / "two") as server:
            store = await Store.connect(server.url)
            with pytest.raises(Frozen):
                await Log(store, SIGNER, heads=heads).create("anna", TINY, command=command("c"))
            assert await store.head(made.match.id) is None
            heads.forget(made.match.id)
            await Log(store, SIGNER, heads=heads).create("anna", TINY, command=command("c"))
            await store.close()


async def test_a_process_that_is_behind_another_is_not_frozen(store: Store, tmp_path: Path) -> None:
    with closing(Heads(tmp_path / "heads")) as mine, closing(Heads(tmp_path / "heads")) as others:
        here, there = Log(store, SIGNER, heads=mine), Log(store, SIGNER, heads=others)
        match = (await here.create("anna", TINY)).match
        await here.submit(match.id, "ben", None, Join(seat=1))
        await there.load(match.id)
        await here.submit(match.id, "anna", 0, pledge(await here.load(match.id), 0))
        mine.flush()
        done = await there.submit(match.id, "ben", 1, pledge(await here.load(match.id), 1))
        assert done.match.version == 4


def test_the_newest_head_is_kept_whoever_comes_last(tmp_path: Path) -> None:
    with closing(Heads(tmp_path / "heads")) as one, closing(Heads(tmp_path / "heads")) as other:
        one.saw(Head("m", 7, b"7"))
        other.saw(Head("m", 5, b"5"))
        assert other.newest("m") == Head("m", 5, b"5")
        one.flush()
        other.flush()
        assert one.newest("m") == other.newest("m") == Head("m", 7, b"7")
        assert list(other.all()) == [Head("m", 7, b"7")]
        assert one.newest("n") is None
    assert (tmp_path / "heads").stat().st_mode & 0o077 == 0
