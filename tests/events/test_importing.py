"""A match from a file is one of the store: as it was, and where it ended."""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from bundles import Record
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import SIGNER, TRUSTED, command, played, pledge, seated
from msgspec.structs import replace
from shelves import NOTARY, all_that_is_read, left_in_store, store_with_archive

from kleos.core.kernel.registry import games
from kleos.core.match.actions import Fork
from kleos.events import bundle as bundles
from kleos.events import merkle
from kleos.events.heads import Head, Heads
from kleos.events.importing import NotImported, take_in
from kleos.events.loading import UnknownMatch
from kleos.events.log import Log
from kleos.events.notary import everything
from kleos.events.note import Signer
from kleos.events.shelving import shelve
from kleos.events.standing import Standing
from kleos.events.store import Archived, Store
from kleos.events.verifier import verify

pytestmark = pytest.mark.anyio
OTHER = Signer("other.example", Ed25519PrivateKey.from_private_bytes(bytes(reversed(range(32)))))


@pytest.fixture
async def there(store_url: str, prefix: str, tmp_path: Path) -> AsyncIterator[Store]:
    """The store of a server in which matches are played."""
    async with store_with_archive(store_url, f"{prefix}there", tmp_path / "there") as store:
        yield store


@pytest.fixture
async def here(any_url: str, prefix: str, tmp_path: Path) -> AsyncIterator[Store]:
    """The store, on each kind of server, of one into which they are brought."""
    async with store_with_archive(any_url, f"{prefix}here", tmp_path / "here") as store:
        yield store


@pytest.fixture
async def empty(store_url: str, prefix: str, tmp_path: Path) -> AsyncIterator[Store]:
    """A store with nothing in it."""
    async with store_with_archive(store_url, f"{prefix}empty", tmp_path / "empty") as store:
        yield store


async def standing(store: Store, match: str) -> Standing:
    head = store.key(store.bucket(match), f"m:{match}:head")
    return Standing.read(await store.connection.call(head, "HGET", head, "notice"))


async def test_a_match_that_was_exported_reads_the_same_where_it_is_imported(
    there: Store, here: Store
) -> None:
    match = (await played(Log(there, SIGNER), seed=4, rules="canary/1"))[0].match.id
    before = await all_that_is_read(there, match)
    data = await Log(there, SIGNER).bundle(match, everything)
    done = await take_in(here, [OTHER.verifier], data)
    assert (done.match, done.there, done.report.status) == (match, False, "valid")
    assert await left_in_store(here, match) == []
    assert await all_that_is_read(here, match) == before


@pytest.mark.slow
@pytest.mark.parametrize("rules", games())
async def test_so_it_is_with_every_game_by_way_of_the_archive(
    there: Store, store_url: str, prefix: str, tmp_path: Path, rules: str
) -> None:
    match = (await played(Log(there, SIGNER), seed=4, rules=rules))[0].match.id
    before = await all_that_is_read(there, match)
    await shelve(there, NOTARY, match)
    assert await all_that_is_read(there, match) == before
    async with store_with_archive(store_url, f"{prefix}here", tmp_path / "here") as here:
        await take_in(here, [OTHER.verifier], await Log(there, SIGNER).bundle(match, everything))
        assert await all_that_is_read(here, match) == before


async def test_importing_it_again_changes_nothing(there: Store, store_url: str, prefix: str) -> None:
    match = (await played(Log(there, SIGNER), seed=4))[0].match.id
    data = await Log(there, SIGNER).bundle(match, everything)
    before = await left_in_store(there, match)
    done = await take_in(there, [SIGNER.verifier], data)
    assert done.there
    assert await left_in_store(there, match) == before
    notices = await there.feed(there.bucket(match))
    await take_in(there, [SIGNER.verifier], data)
    assert await there.feed(there.bucket(match)) == notices


async def test_proofs_rest_on_the_keys_of_its_origin(there: Store, here: Store) -> None:
    match = (await played(Log(there, SIGNER), seed=4))[0].match.id
    await take_in(here, [OTHER.verifier], await Log(there, SIGNER).bundle(match, everything))
    log = Log(here, OTHER)
    again = await log.bundle(match, everything)
    assert verify(again, TRUSTED).status == "valid"
    assert verify(again, TRUSTED, [await log.receipt(match, 3)]).status == "valid"
    assert await log.checkpoint(match) == await Log(there, SIGNER).checkpoint(match)
    assert verify(await log.bundle(match, lambda version, name: False), TRUSTED).status == "incomplete"


async def test_it_is_told_to_the_feed_and_forked(there: Store, here: Store) -> None:
    live = await played(Log(there, SIGNER), seed=4)
    match = live[0].match.id
    await take_in(here, [OTHER.verifier], await Log(there, SIGNER).bundle(match, everything))
    told = await here.feed(here.bucket(match))
    assert [each.version for each in told] == list(range(1, len(live) + 1))
    assert {each.match for each in told} == {match}
    child = await Log(here, OTHER).fork("zoe", match, Fork(at=len(live) - 2))
    assert child.match.parent is not None
    assert child.match.parent.match == match


async def test_a_guest_is_rated_nowhere(there: Store, here: Store) -> None:
    match = (await played(Log(there, SIGNER), seed=4))[0].match.id
    original = await standing(there, match)
    await take_in(here, [OTHER.verifier], await Log(there, SIGNER).bundle(match, everything))
    assert original.rated
    assert not (await standing(here, match)).rated
    assert await standing(here, match) == original.brought_in


async def test_a_match_that_returns_counts_as_if_it_had_never_been_away(there: Store, empty: Store) -> None:
    match = (await played(Log(there, SIGNER), seed=4))[0].match.id
    await take_in(empty, [SIGNER.verifier], await Log(there, SIGNER).bundle(match, everything))
    assert await standing(empty, match) == await standing(there, match)


async def test_a_match_under_way_is_frozen_where_it_is_imported(there: Store, here: Store) -> None:
    log = Log(there, SIGNER)
    match = await seated(log)
    await log.submit(match.id, "anna", 0, pledge(match, 0), command=command("one"))
    before = await all_that_is_read(there, match.id)
    await take_in(here, [OTHER.verifier], await log.bundle(match.id, everything))
    assert await all_that_is_read(here, match.id) == before
    assert (await standing(here, match.id)).to_act == ()
    with pytest.raises(Archived, match="ends with version 3"):
        await Log(here, OTHER).submit(match.id, "ben", 1, pledge(match, 1))
    assert await all_that_is_read(here, match.id) == before


# Refusals


async def refused(store: Store, data: bytes, why: str, **rest: object) -> None:
    with pytest.raises(NotImported, match=why):
        await take_in(store, [OTHER.verifier], data, **rest)  # type: ignore[arg-type]
    for bucket in range(store.buckets):
        assert await store.feed(bucket) == []


@pytest.fixture
def whole() -> bytes:
    """A finished match."""
    record = Record("tiny/1", seats=2, seed=6)
    record.sit()
    record.play()
    return record.bundle()


async def test_what_is_not_valid_is_refused_with_the_event_to_blame(empty: Store, whole: bytes) -> None:
    bundle = bundles.unpack(whole)
    *rest, last = bundle.events
    later = last.replace(b'"at":1', b'"at":2')
    changed = bundles.pack(replace(bundle, events=(*rest, later)))
    await refused(empty, changed, f"not valid: event {len(bundle.events)}: the signature")
    await refused(empty, whole[:-1], "not valid: not a whole zip archive")


async def test_the_keys_that_are_named_must_have_signed_it(empty: Store, whole: bytes) -> None:
    await refused(empty, whole, "no trusted key", trusted=[OTHER.verifier])
    assert not (await take_in(empty, [OTHER.verifier], whole, TRUSTED)).there


async def test_a_bundle_with_openings_missing_is_refused(empty: Store, whole: bytes) -> None:
    bundle = bundles.unpack(whole)
    sealed = replace(bundle, openings=tuple(b"{}" for _ in bundle.openings))
    await refused(
        empty, bundles.pack(sealed), "sealed parts that are not opened here.*when the match is over"
    )


async def test_rules_that_are_not_installed_are_named(empty: Store, whole: bytes) -> None:
    bundle = bundles.unpack(whole)
    events = tuple(each.replace(b'"rules":"tiny/1"', b'"rules":"tiny/9"') for each in bundle.events)
    leaves = [merkle.leaf(each) for each in events]
    notes = [
        NOTARY.checkpoint(bundle.manifest.match, size, merkle.root(leaves[:size]))
        for size in range(1, len(leaves) + 1)
    ]
    foreign = replace(
        bundle,
        manifest=replace(bundle.manifest, rules="tiny/9"),
        events=events,
        signatures=tuple(each.rstrip("\n").rpartition("\n")[2] for each in notes),
    )
    await refused(empty, bundles.pack(foreign), "played by tiny/9, and the rules installed here are .*tiny/1")


async def test_another_log_under_the_same_id_is_refused_where_they_part(empty: Store, whole: bytes) -> None:
    await take_in(empty, [OTHER.verifier], whole)
    other = Record("tiny/1", seats=2, seed=7)
    other.sit()
    other.play()
    with pytest.raises(NotImported, match="with another log: they part at event 1"):
        await take_in(empty, [OTHER.verifier], other.bundle())
    match = bundles.unpack(whole).manifest.match
    assert await Log(empty, SIGNER).bundle(match, everything) == whole


async def test_a_log_that_goes_on_elsewhere_is_refused_with_where_it_ends(empty: Store) -> None:
    record = Record("tiny/1", seats=2, seed=8)
    record.sit()
    early = record.bundle()
    size = record.match.version
    record.play()
    await take_in(empty, [OTHER.verifier], early)
    with pytest.raises(NotImported, match=f"the same up to event {size}, after which the file goes on"):
        await take_in(empty, [OTHER.verifier], record.bundle())


async def test_what_this_server_has_signed_must_be_in_the_file(
    empty: Store, whole: bytes, tmp_path: Path
) -> None:
    bundle = bundles.unpack(whole)
    match, size = bundle.manifest.match, len(bundle.events)
    with closing(Heads(tmp_path / "heads")) as heads:
        heads.saw(Head(match, size + 1, b"more"))
        await refused(empty, whole, f"has signed {size + 1} events .* and the file has {size}", heads=heads)
        heads.forget(match)
        heads.saw(Head(match, size, b"other"))
        await refused(empty, whole, "has signed another log", heads=heads)
        heads.forget(match)
        heads.saw(Head(match, 3, merkle.root([merkle.leaf(each) for each in bundle.events[:3]])))
        assert not (await take_in(empty, [OTHER.verifier], whole, heads=heads)).there


async def test_nothing_is_known_of_a_match_that_was_refused(empty: Store, whole: bytes) -> None:
    await refused(empty, whole, "no trusted key", trusted=[OTHER.verifier])
    with pytest.raises(UnknownMatch):
        await Log(empty, SIGNER).load(bundles.unpack(whole).manifest.match)
