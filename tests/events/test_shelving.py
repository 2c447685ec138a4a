"""Matches that are over move into the archive, and are read there as if they had never moved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from buckets import S3
from matches import SIGNER, TINY, TRUSTED, command, played, seated
from msgspec.structs import replace
from shelves import NOTARY, all_that_is_read, left_in_store, store_with_archive

from kleos.core.kernel.errors import MatchFinished
from kleos.core.match.actions import Fork, Leave
from kleos.events.archive import ArchiveDamaged, ArchiveUnavailable, Stub
from kleos.events.heads import Head, Heads
from kleos.events.loading import Loader
from kleos.events.log import Log
from kleos.events.notary import everything
from kleos.events.shelving import NotShelved, shelve
from kleos.events.store import Appended, Archived, CommandMismatch, Store
from kleos.events.verifier import verify

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
async def kept(store_url: str, prefix: str, folder: Path) -> AsyncIterator[Store]:
    """A store with an archive in a folder."""
    async with store_with_archive(store_url, prefix, folder) as store:
        yield store


def files(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*") if each.is_file())


async def test_everything_is_read_from_the_archive_as_it_was_from_the_store(
    any_url: str, prefix: str, folder: Path
) -> None:
    async with store_with_archive(any_url, prefix, folder) as store:
        live = await played(Log(store, SIGNER), seed=2, rules="canary/1")
        match = live[0].match.id
        before = await all_that_is_read(store, match)
        assert "events" in await left_in_store(store, match)
        done = await shelve(store, NOTARY, match)
        assert (done.match, done.events) == (match, len(live))
        assert await left_in_store(store, match) == []
        assert await all_that_is_read(store, match) == before
    bundle = folder / match[:2] / f"{match}-{done.bundle}.kleos"
    assert bundle.read_bytes() == before["bundle"]
    assert verify(bundle.read_bytes(), TRUSTED).status == "valid"


async def test_a_process_that_knows_the_match_does_not_notice(kept: Store) -> None:
    log = Log(kept, SIGNER)
    live = await played(log, seed=2)
    match = live[0].match.id
    await shelve(kept, NOTARY, match)
    assert await log.load(match) == live[-1].match
    with pytest.raises(MatchFinished):
        await log.submit(match, "player 0", None, Leave(seat=0))
    assert await left_in_store(kept, match) == []


async def test_a_snapshot_does_not_come_back_into_the_store(kept: Store) -> None:
    live = await played(Log(kept, SIGNER), seed=2)
    match = live[0].match.id
    await shelve(kept, NOTARY, match)
    hasty = Log(kept, SIGNER, loader=Loader(kept, snapshot_every=1))
    assert await hasty.load(match) == live[-1].match
    assert await left_in_store(kept, match) == []


async def test_a_request_that_comes_again_gets_the_answer_of_then(kept: Store) -> None:
    log = Log(kept, SIGNER)
    made = await log.create("anna", TINY, command=command("make", "tiny"))
    left = await log.submit(made.match.id, "anna", None, Leave(seat=0), command=command("leave", "0"))
    assert left.match.opened
    await shelve(kept, NOTARY, made.match.id)
    for again in (log, Log(kept, SIGNER)):
        first = await again.create("anna", TINY, command=command("make", "tiny"))
        assert (first.entry, first.match, first.receipt) == (made.entry, made.match, made.receipt)
        last = await again.submit(made.match.id, "anna", None, Leave(seat=0), command=command("leave", "0"))
        assert (last.entry, last.match, last.receipt) == (left.entry, left.match, left.receipt)
        assert first.replayed
        assert last.replayed
        with pytest.raises(CommandMismatch):
            await again.create("anna", TINY, command=command("make", "something else"))
        with pytest.raises(CommandMismatch):
            await again.submit(made.match.id, "anna", None, Leave(seat=0), command=command("leave", "1"))


async def test_a_request_without_a_name_is_known_by_its_event(kept: Store) -> None:
    live = await played(Log(kept, SIGNER), seed=2)
    last = live[-1]
    await shelve(kept, NOTARY, last.match.id)

    async def again(public: bytes) -> Appended:
        return await kept.append(
            last.match.id,
            expected=len(live) - 1,
            command=None,
            public=public,
            sealed=last.entry.sealed,
            head=b"",
            notice=b"",
        )

    assert (await again(last.entry.public)).replayed
    with pytest.raises(Archived, match=f"it ends with version {len(live)}"):
        await again(last.entry.public + b" ")


async def test_a_match_in_the_archive_is_forked_and_played_again(kept: Store) -> None:
    log = Log(kept, SIGNER)
    live = await played(log, seed=2)
    match = live[0].match.id
    again = await log.rematch("player 0", match)
    await shelve(kept, NOTARY, match)
    other = Log(kept, SIGNER)
    assert (await other.rematch("player 1", match)).match == again.match
    child = await other.fork("player 0", match, Fork(at=len(live) - 2))
    assert child.match.parent is not None
    assert child.match.parent.match == match
    assert child.match.state is not None


async def test_doing_it_again_changes_nothing(kept: Store, folder: Path) -> None:
    match = (await played(Log(kept, SIGNER), seed=2))[0].match.id
    first = await kept.archive.put(match, await Log(kept, SIGNER).bundle(match, everything), b"[]")
    done = await asyncio.gather(shelve(kept, NOTARY, match), shelve(kept, NOTARY, match))
    assert done[0] == done[1]
    assert done[0].bundle == first.bundle
    assert len(files(folder)) == 2


async def test_a_match_that_is_not_over_stays(kept: Store, folder: Path) -> None:
    match = (await seated(Log(kept, SIGNER))).id
    with pytest.raises(NotShelved, match="it is playing"):
        await shelve(kept, NOTARY, match)
    with pytest.raises(NotShelved, match="there is no such match"):
        await shelve(kept, NOTARY, "4V0M")
    assert files(folder) == []


async def test_a_match_that_does_not_prove_itself_stays(kept: Store, folder: Path) -> None:
    match = (await played(Log(kept, SIGNER), seed=2))[0].match.id
    stream = kept.key(kept.bucket(match), f"m:{match}:events")
    entries = await kept.read(match)
    await kept.connection.call(stream, "DEL", stream)
    for each in entries:
        forged = each.public.replace(b'"coins":', b'"coins":1') if each.version > 3 else each.public
        await kept.connection.call(stream, "XADD", stream, f"{each.version}-0", "p", forged)
    with pytest.raises(NotShelved, match="it does not prove itself"):
        await shelve(kept, NOTARY, match)
    assert files(folder) == []


async def test_a_match_with_a_hole_in_it_stays(kept: Store, folder: Path) -> None:
    match = (await played(Log(kept, SIGNER), seed=2))[0].match.id
    stream = kept.key(kept.bucket(match), f"m:{match}:events")
    await kept.connection.call(stream, "XDEL", stream, "4-0")
    with pytest.raises(NotShelved, match="see kleos fsck"):
        await shelve(kept, NOTARY, match)
    assert files(folder) == []


async def test_a_match_of_a_store_that_was_set_back_stays(kept: Store, folder: Path, tmp_path: Path) -> None:
    live = await played(Log(kept, SIGNER), seed=2)
    match = live[0].match.id
    with closing(Heads(tmp_path / "heads")) as heads:
        heads.saw(Head(match, len(live) + 1, b"another"))
        with pytest.raises(NotShelved, match="frozen"):
            await shelve(kept, NOTARY, match, heads)
        heads.forget(match)
        await shelve(kept, NOTARY, match, heads)


async def test_readers_see_the_whole_match_while_it_moves(kept: Store) -> None:
    live = await played(Log(kept, SIGNER), seed=2)
    match = live[0].match.id
    wanted = [each.entry for each in live]

    async def read(rounds: int) -> None:
        for _ in range(rounds):
            assert await Log(kept, SIGNER).entries(match, limit=len(live)) == wanted

    await asyncio.gather(*(read(20) for _ in range(8)), shelve(kept, NOTARY, match))
    assert await left_in_store(kept, match) == []


# What is wrong with the archive


async def _shelved(kept: Store) -> tuple[str, Stub]:
    match = (await played(Log(kept, SIGNER), seed=2))[0].match.id
    await shelve(kept, NOTARY, match)
    stub = await kept.stub(match)
    assert stub is not None
    return match, stub


def _bundle(folder: Path) -> Path:
    (bundle,) = folder.rglob("*.kleos")
    return bundle


async def test_a_bundle_that_is_missing_is_told_by_name(kept: Store, folder: Path) -> None:
    match, _ = await _shelved(kept)
    _bundle(folder).unlink()
    with pytest.raises(ArchiveDamaged, match=f"match {match} is missing from the archive"):
        await Log(kept, SIGNER).load(match)


@pytest.mark.parametrize("at", [0, 0.3, 0.99])
async def test_a_bundle_with_a_changed_bit_is_not_read(kept: Store, folder: Path, at: float) -> None:
    match, _ = await _shelved(kept)
    whole = bytearray(_bundle(folder).read_bytes())
    whole[int(at * len(whole))] ^= 1
    _bundle(folder).write_bytes(whole)
    with pytest.raises(ArchiveDamaged, match=f"match {match} is damaged in the archive"):
        await Log(kept, SIGNER).load(match)


async def test_the_bundle_of_another_match_is_not_read(kept: Store, folder: Path) -> None:
    match, stub = await _shelved(kept)
    other = (await played(Log(kept, SIGNER), seed=3))[0].match.id
    await shelve(kept, NOTARY, other)
    theirs = await kept.stub(other)
    assert theirs is not None
    swapped = folder / match[:2] / f"{match}-{stub.bundle}.kleos"
    swapped.write_bytes((folder / other[:2] / f"{other}-{theirs.bundle}.kleos").read_bytes())
    with pytest.raises(ArchiveDamaged, match=f"match {match} is damaged"):
        await Log(kept, SIGNER).load(match)
    lying = replace(stub, bundle=theirs.bundle)
    (folder / match[:2] / f"{match}-{theirs.bundle}.kleos").write_bytes(swapped.read_bytes())
    head = kept.key(kept.bucket(match), f"m:{match}:head")
    await kept.connection.call(head, "HSET", head, "archive", lying.stored)
    with pytest.raises(ArchiveDamaged, match=f"match {other} is in its place"):
        await Log(kept, SIGNER).load(match)


async def test_without_its_archive_a_match_is_out_of_reach_and_not_unknown(
    kept: Store, store_url: str, prefix: str
) -> None:
    match, _ = await _shelved(kept)
    store = await Store.connect(store_url, prefix=prefix)
    with pytest.raises(ArchiveUnavailable, match=match):
        await Log(store, SIGNER).load(match)
    await store.close()


async def test_an_archive_in_an_s3_style_store_is_one_like_any_other(
    store_url: str, prefix: str, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, setting in s3.environment.items():
        monkeypatch.setenv(name, setting)
    bucket = s3.bucket()
    async with store_with_archive(store_url, prefix, f"{bucket}/of/this/server") as store:
        match = (await played(Log(store, SIGNER), seed=2))[0].match.id
        before = await all_that_is_read(store, match)
        await shelve(store, NOTARY, match)
        assert await left_in_store(store, match) == []
        assert await all_that_is_read(store, match) == before
    async with store_with_archive(store_url, prefix, f"{bucket}/of/another") as store:
        with pytest.raises(ArchiveDamaged, match=f"match {match} is missing"):
            await Log(store, SIGNER).load(match)
