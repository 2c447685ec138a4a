"""kleos fsck: a whole store is well, and whatever is done to its keys behind the server's back is found."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bundles import MATCH, cosigned, finished, key_of
from matches import TINY, command, played, pledge, seated
from shelves import store_with_archive

from kleos.api.command import main
from kleos.api.fsck import check_store
from kleos.api.settings import HEADS_FILE, KEY_FILE
from kleos.core.match import News, Tiding, create, seats_to_act
from kleos.core.match.actions import Leave
from kleos.events.accounts import Player
from kleos.events.audit import Finding
from kleos.events.embedded import Embedded
from kleos.events.heads import Heads
from kleos.events.importing import take_in
from kleos.events.keys import keys_in
from kleos.events.ledger import Ledger
from kleos.events.loading import Loader
from kleos.events.log import Log
from kleos.events.notary import Notary
from kleos.events.note import Checkpoint, b64
from kleos.events.shelving import shelve
from kleos.events.snapshot import code_digest
from kleos.events.store import Store
from kleos.events.witnesses import Witnesses
from kleos.projections.catalogue import Catalogue
from kleos.projections.scribe import Scribe

pytestmark = pytest.mark.anyio

Call = Callable[..., Awaitable[Any]]


class Kept:
    """A store with a finished match and one that goes on, and the folder beside it."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.heads = Heads(folder / HEADS_FILE)
        self.signer = signer = keys_in(folder / KEY_FILE).signer("play.example")
        self.log = Log(store, signer, heads=self.heads, loader=Loader(store, snapshot_every=4))
        self.ledger = Ledger(store, signer, heads=self.heads)
        self.scribe = Scribe(store, self.ledger, signer)
        self.witnesses = Witnesses(store, self.log, "play.example")
        self.match = ""

    async def fill(self) -> None:
        await played(self.log, seed=1)
        await self.scribe.round()
        match = await seated(self.log)
        for seat in (0, 1):
            player, move = ("anna", "ben")[seat], pledge(match, seat)
            await self.log.submit(match.id, player, seat, move, command=command(player))
        self.match = match.id
        await self.scribe.round()

    def key(self, part: str) -> str:
        return self.store.key(self.store.bucket(self.match), f"m:{self.match}:{part}")

    async def call(self, part: str, verb: str, *rest: str | bytes | int) -> Any:
        return await self.store.connection.call(self.key(part), verb, self.key(part), *rest)

    async def found(self) -> list[Finding]:
        every = check_store(self.store, "play.example", self.folder / KEY_FILE, self.heads)
        return [finding async for each in every for finding in each.findings]


async def spoil_snapshot(kept: Kept) -> None:
    """Of the version that the match is at, with another state."""
    saved = await kept.store.snapshot(kept.match, code_digest("tiny/1"))
    assert saved is not None
    plain = zlib.decompress(saved[1])
    assert b'"bank":20' in plain
    other = zlib.compress(plain.replace(b'"bank":20', b'"bank":21'))
    await kept.call("snapshot", "HSET", code_digest("tiny/1"), b"%d:" % saved[0] + other)


@pytest.fixture
async def kept(store: Store, tmp_path: Path) -> AsyncIterator[Kept]:
    made = Kept(store, tmp_path)
    await made.fill()
    with closing(made.heads):
        yield made


async def test_a_store_as_the_server_leaves_it_is_well(kept: Kept) -> None:
    await kept.log.submit(kept.match, "ben", None, Leave(seat=1))
    assert await kept.found() == []


async def test_every_kind_of_store_is_looked_through(any_url: str, prefix: str, tmp_path: Path) -> None:
    """In a cluster the keys of the list of matches are spread over its servers."""
    store = await Store.connect(any_url, prefix=prefix)
    made = Kept(store, tmp_path)
    with closing(made.heads):
        await made.fill()
        assert await made.found() == []
        for bucket in range(0, store.buckets, 7):
            index = store.key(bucket, "catalogue:turn:zoe")
            await store.connection.call(index, "ZADD", index, 1, MATCH)
        what = "it is in the index turn:zoe of the list of matches, and does not belong there"
        assert await made.found() == [Finding(MATCH, None, what)] * len(range(0, store.buckets, 7))
    await store.close()


@pytest.mark.parametrize(
    ("part", "spoil", "says"),
    [
        ("events", ("XDEL", "3-0"), "has 3 entries of the 4"),
        ("events", ("XTRIM", "MAXLEN", 2), "has 2 entries of the 4"),
        ("events", ("XADD", "5-0", "p", "{}"), "has 5 events, of which the feed tells 4"),
        ("events", ("XADD", "5-0", "p", "{}"), "version 5: 'sealed'"),
        ("head", ("HSET", "version", 3), "its head is at version 3, its events end at 4"),
        ("head", ("HSET", "head", "{}"), "its signed head"),
        ("head", ("DEL",), "has no head"),
        ("head", ("HSET", "notice", "{}"), "its notice is not how the match stands"),
        ("commands", ("DEL",), "the command that made it is not known"),
        ("commands", ("HSET", "more", "9:f"), "a command leads to version 9"),
    ],
)
async def test_what_was_done_to_a_key_is_found(
    kept: Kept, part: str, spoil: tuple[Any, ...], says: str
) -> None:
    await kept.call(part, *spoil)
    assert any(says in finding.what for finding in await kept.found())


async def test_openings_that_are_gone_are_missed(kept: Kept) -> None:
    every = await kept.call("events", "XRANGE", "-", "+")
    await kept.call("events", "DEL")
    for place, fields in every:
        await kept.call("events", "XADD", place, "p", fields[b"p"])
    assert any("sealed for ['server'], but opened for []" in each.what for each in await kept.found())


async def test_an_event_that_was_written_anew_is_named(kept: Kept) -> None:
    every = await kept.call("events", "XRANGE", "-", "+")
    await kept.call("events", "DEL")
    for place, fields in every:
        if place == b"3-0":
            fields[b"p"] = fields[b"p"].replace(b'"player":"anna"', b'"player":"eris"')
        await kept.call("events", "XADD", place, *(each for field in fields.items() for each in field))
    found = await kept.found()
    assert Finding(kept.match, None, "its signed head is of another log") in found
    assert any(each.what.startswith("frozen: its first 4 events") for each in found)


async def test_a_snapshot_that_is_not_what_the_events_lead_to_is_found(kept: Kept) -> None:
    await spoil_snapshot(kept)
    what = "its snapshot is not the state that its events lead to"
    assert await kept.found() == [Finding(kept.match, 4, what)]


async def test_a_feed_that_was_trimmed_or_added_to_is_found(kept: Kept) -> None:
    feed = kept.store.key(kept.store.bucket(kept.match), "feed")
    await kept.store.connection.call(feed, "XADD", feed, "*", "m", kept.match, "v", 9)
    assert any(f"tells of {kept.match} 9 instead of 5" in each.what for each in await kept.found())
    await kept.store.connection.call(feed, "XTRIM", feed, "MAXLEN", 1)
    assert any("that were added" in each.what for each in await kept.found())


# Read models


def of_list(kept: Kept, name: str) -> str:
    """A key of the list of matches, in the bucket of the match that goes on."""
    return kept.store.key(kept.store.bucket(kept.match), f"catalogue:{name}")


async def spoil(kept: Kept, name: str, verb: str, *rest: str | int) -> None:
    await kept.store.connection.call(of_list(kept, name), verb, of_list(kept, name), *rest)


async def spoiled(kept: Kept, name: str, verb: str, *rest: str | int) -> list[Finding]:
    """What is found after something was done to a key of the list, which was well before."""
    assert await kept.found() == []
    await spoil(kept, name, verb, *rest)
    return await kept.found()


async def test_a_list_that_has_a_match_otherwise_than_it_stands_is_found(kept: Kept) -> None:
    found = await spoiled(kept, "items", "HDEL", kept.match)
    assert found == [Finding(kept.match, None, "it is not listed as it stands")]


async def test_every_index_from_which_a_match_is_missing_is_named(kept: Kept) -> None:
    assert await kept.found() == []
    (seat,) = seats_to_act(await kept.log.load(kept.match))
    public = ["all", "game:tiny", "game:tiny:status:playing", "player:anna", "player:ben", "status:playing"]
    names = [*public, f"turn:{('anna', 'ben')[seat]}"]
    for name in names:
        await spoil(kept, name, "ZREM", kept.match)
    assert await kept.found() == [
        Finding(kept.match, None, f"it is missing from the index {name} of the list of matches")
        for name in names
    ]


async def test_every_index_that_has_a_match_that_does_not_belong_there_is_named(kept: Kept) -> None:
    assert await kept.found() == []
    names = ["due", "player:zoe", "status:finished", "turn:zoe", "unattended"]
    for name in names:
        await spoil(kept, name, "ZADD", 1, kept.match)
    what = "of the list of matches, and does not belong there"
    assert await kept.found() == [
        Finding(kept.match, None, f"it is in the index {name} {what}") for name in names
    ]


async def test_a_match_that_an_index_has_at_another_place_is_named(kept: Kept) -> None:
    (found,) = await spoiled(kept, "all", "ZADD", 17, kept.match)
    assert found.where == kept.match
    assert found.what.startswith("the index all of the list of matches has it at 17 instead of ")


async def test_an_index_that_is_none_is_named(kept: Kept) -> None:
    (found,) = await spoiled(kept, "turn:zoe", "SET", "spoiled")
    bucket = kept.store.bucket(kept.match)
    assert found.what.startswith(f"its index turn:zoe in bucket {bucket}: WRONGTYPE")


async def test_a_match_that_is_listed_and_is_not_here_is_named(kept: Kept) -> None:
    (found,) = await spoiled(kept, "items", "HSET", MATCH, "{}")
    assert found == Finding(MATCH, None, "it is listed, and is not here")


async def test_a_list_that_was_told_to_skip_what_comes_is_found(kept: Kept) -> None:
    (found,) = await spoiled(kept, "position", "SET", "9000000000000-0")
    assert "was read up to 9000000000000-0, and its feed ends at " in found.what


async def test_a_list_that_has_lost_its_place_is_found(kept: Kept) -> None:
    found = await spoiled(kept, "position", "SET", "nowhere")
    assert found[0].where == "list of matches"
    assert found[0].what.startswith("it cannot be brought up to date: ")


async def test_ratings_that_the_results_do_not_give_are_named_with_the_player(kept: Kept) -> None:
    """Somebody made another one the winner of a match, where the ratings look."""
    assert await kept.found() == []
    over = (await Catalogue(kept.store).list(status="finished"))[0][0]
    other = next(each for each in ([[0], [1]], [[1], [0]]) if each != over["outcome"]["ranking"])
    spoilt = over | {"outcome": over["outcome"] | {"ranking": other}}
    items = kept.store.key(kept.store.bucket(over["match"]), "catalogue:items")
    await kept.store.connection.call(items, "HSET", items, over["match"], msgspec.json.encode(spoilt))
    found = await kept.found()
    assert found[0] == Finding(over["match"], None, "it is not listed as it stands")
    ratings = [each for each in found if each.where == "ratings of tiny"]
    assert [each.what.split(" has ")[0] for each in ratings] == ["player player 0", "player player 1"]


async def test_a_result_that_is_not_counted_is_missed_in_the_index_and_in_the_ratings(kept: Kept) -> None:
    assert await kept.found() == []
    over = (await Catalogue(kept.store).list(status="finished"))[0][0]["match"]
    results = kept.store.key(kept.store.bucket(over), "catalogue:results:tiny")
    await kept.store.connection.call(results, "ZREM", results, over)
    found = await kept.found()
    assert found[0] == Finding(over, None, "it is missing from the index results:tiny of the list of matches")
    assert found[1].what.startswith("player player 0 has none, and by the results in the logs ")


async def test_a_list_of_which_all_keys_were_deleted_is_made_anew(kept: Kept) -> None:
    await spoil(kept, "items", "HSET", kept.match, "{}")
    assert await kept.found() != []
    for bucket in range(kept.store.buckets):
        first = kept.store.key(bucket, "catalogue:items")
        beginning = first.removesuffix("items")
        _, keys = await kept.store.connection.call(first, "SCAN", 0, "MATCH", f"{beginning}*", "COUNT", 10**6)
        for key in keys:
            await kept.store.connection.call(key.decode(), "DEL", key)
    assert await kept.found() == []


async def test_news_that_do_not_follow_from_the_events_are_named(kept: Kept) -> None:
    """The entry of the feed that should have told somebody says nothing, or something else."""
    assert await kept.found() == []
    feed = kept.store.key(kept.store.bucket(kept.match), "feed")
    every = await kept.store.connection.call(feed, "XRANGE", feed, "-", "+")
    await kept.store.connection.call(feed, "DEL", feed)
    told = []
    for place, fields in every:
        if fields[b"m"].decode() == kept.match and fields.pop(b"t", None):
            told.append(int(fields[b"v"]))
        if told[-1:] == [int(fields[b"v"])] == told[:1]:
            fields[b"t"] = News("tiny", "open", (Tiding("match.over", None, "zoe"),)).kept
        flat = (each for field in fields.items() for each in field)
        await kept.store.connection.call(feed, "XADD", feed, place, *flat)
    what = "what the feed says that it means to whom is not what it means"
    assert told
    assert await kept.found() == [Finding(kept.match, version, what) for version in told]


async def test_a_cosignature_that_would_outlive_its_player_is_found(kept: Kept) -> None:
    match = await kept.log.load(kept.match)
    player = Player("anna", "Anna", b64(key_of("anna").public_key().public_bytes_raw()))
    head = Checkpoint(f"play.example/m/{kept.match}", 4, await kept.log.root(kept.match, 4))
    await kept.witnesses.cosign(match, player, 4, cosigned("anna", head).line)
    assert await kept.found() == []
    mine = kept.store.key(kept.store.bucket("anna"), "p:anna:cosigned")
    await kept.store.connection.call(mine, "SREM", mine, kept.match)
    what = "a cosignature of player anna would not be found if that player is erased"
    assert await kept.found() == [Finding(kept.match, None, what)]


# Matches that are gone


async def test_a_match_that_is_gone_is_missed(kept: Kept) -> None:
    feed = kept.store.key(kept.store.bucket(kept.match), "feed")
    for key in (feed, *(kept.key(part) for part in ("events", "head", "commands"))):
        await kept.store.connection.call(key, "DEL", key)
    what = "frozen: 4 events were signed, and the match is gone"
    assert Finding(kept.match, None, what) in await kept.found()


@pytest.mark.parametrize(
    ("part", "spoil", "says"),
    [
        ("entries", ("XDEL", "1-0"), "not those that were added"),
        ("entries", ("XADD", "3-0", "e", "nothing"), "entry 2: not a checkpoint"),
        ("entries", ("XADD", "3-0", "e", "a/b\n1\n" + "A" * 43 + "=\n"), "is not the name of a match"),
        ("entries", ("XADD", "3-0", "e", "kleos/key-rotation/v1\n"), "entry 2: not a rotation"),
        ("state", ("HSET", "edge", "A" * 64), "do not lead to the head"),
        ("state", ("HSET", "rotations", 2), "as many rotations"),
        ("level1", ("APPEND", "A" * 32), "its hashes of level 1"),
        ("matches", ("DEL",), "nothing"),
    ],
)
async def test_what_was_done_to_the_ledger_is_found(
    kept: Kept, part: str, spoil: tuple[Any, ...], says: str
) -> None:
    key, (verb, *rest) = kept.ledger.key(part), spoil
    await kept.store.connection.call(key, verb, key, *rest)
    found = [finding.what for finding in await kept.found() if finding.where == "ledger"]
    assert any(says in what for what in found) == (says != "nothing"), found


async def test_a_place_in_the_ledger_that_is_another_is_found(kept: Kept) -> None:
    key = kept.ledger.key("matches")
    await kept.store.connection.call(key, "HSET", key, kept.match, "4:0")
    what = f"its newest entry of match {kept.match} is not where it is looked for"
    assert Finding("ledger", None, what) in await kept.found()


async def test_a_match_that_was_replaced_is_named_even_if_its_head_is_forgotten(kept: Kept) -> None:
    forger = Log(kept.store, keys_in(kept.folder / KEY_FILE).signer("play.example"))
    for part in ("events", "sealed", "head", "commands", "snapshot"):
        await kept.call(part, "DEL")
    kept.heads.forget(kept.match)
    event = create(kept.match, "eris", TINY, seed="00" * 32, at=1)
    await forger._lay_out(event, command("c"))
    what = "the ledger has 4 events of it (entry 1), and 1 are here"
    assert any(each == Finding(kept.match, None, what) for each in await kept.found())


async def test_an_event_that_was_written_anew_is_not_the_one_in_the_ledger(kept: Kept) -> None:
    every = await kept.call("events", "XRANGE", "-", "+")
    await kept.call("events", "DEL")
    for place, fields in every:
        await kept.call("events", "XADD", place, "p", fields[b"p"].replace(b'"anna"', b'"eris"'))
    what = "its first 4 events are not those in the ledger (entry 1): it was replaced"
    assert Finding(kept.match, None, what) in await kept.found()


async def test_a_match_that_was_hidden_is_named(kept: Kept) -> None:
    feed = kept.store.key(kept.store.bucket(kept.match), "feed")
    for key in (feed, *(kept.key(part) for part in ("events", "sealed", "head", "commands"))):
        await kept.store.connection.call(key, "DEL", key)
    kept.heads.forget(kept.match)
    what = f"entry 1 tells of 4 events of a match that is not here: {kept.match}"
    assert Finding("ledger", None, what) in await kept.found()


async def test_a_ledger_that_was_set_back_is_found_and_can_be_accepted(kept: Kept) -> None:
    await kept.ledger.checkpoint()
    for part in ("entries", "state", "matches"):
        await kept.store.connection.call(kept.ledger.key(part), "DEL", kept.ledger.key(part))
    frozen = "frozen: the store has 0 entries of the ledger, and not the 2 that were signed"
    assert Finding("ledger", None, frozen) in await kept.found()
    kept.heads.forget("ledger")
    assert await kept.found() == []
    await kept.scribe.round()
    assert await kept.found() == []


async def test_a_match_that_the_ledger_was_told_of_and_does_not_have_is_found(kept: Kept) -> None:
    made = await kept.log.create("anna", TINY)
    assert await kept.found() == [], "the next round will come"
    state, bucket = await kept.ledger.state(), kept.store.bucket(made.match.id)
    end = (await kept.store.positions())[bucket]
    assert await kept.ledger.append(state, [], places={}, positions={bucket: end}, rotations=0)
    what = "the ledger has 0 of its 1 events, though it was told of all"
    assert await kept.found() == [Finding(made.match.id, None, what)]


async def test_a_cosignature_of_another_log_is_found(kept: Kept) -> None:
    match = await kept.log.load(kept.match)
    player = Player("anna", "Anna", b64(key_of("anna").public_key().public_bytes_raw()))
    head = Checkpoint(f"play.example/m/{kept.match}", 4, await kept.log.root(kept.match, 4))
    await kept.witnesses.cosign(match, player, 4, cosigned("anna", head).line)
    assert await kept.found() == []
    other = cosigned("anna", Checkpoint(head.origin, 4, bytes(32)))
    await kept.call("cosignatures", "HSET", "anna", b"4:" + msgspec.json.encode(other))
    said = f"size 4, root {b64(head.root)}"
    what = f"a cosignature: the cosignature of play.example/p/anna is not one of this head: {said}"
    assert await kept.found() == [Finding(kept.match, None, what)]


async def test_another_key_is_not_the_one_that_signed(kept: Kept) -> None:
    (kept.folder / KEY_FILE).unlink()
    keys_in(kept.folder / KEY_FILE)
    found = await kept.found()
    assert {each.what for each in found} == {"its signed head: no trusted key has signed the note"}


def test_the_command_checks_a_data_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fsck", "--data", str(tmp_path)]) == 2
    assert "no signing key" in capsys.readouterr().err

    async def fill() -> None:
        async with await Embedded.start(tmp_path) as server:
            store = await Store.connect(server.url)
            signer = keys_in(tmp_path / KEY_FILE).signer("kleos")
            await Log(store, signer).create("anna", TINY)
            with closing(Heads(tmp_path / HEADS_FILE)) as heads:
                other = await Log(store, signer, heads=heads).create("anna", TINY)
                for part in ("events", "head", "commands"):
                    key = store.key(store.bucket(other.match.id), f"m:{other.match.id}:{part}")
                    await store.connection.call(key, "DEL", key)
            await store.close()

    asyncio.run(fill())
    assert main(["fsck", "--data", str(tmp_path)]) == 1
    assert "frozen: 1 events were signed, and 0 are here" in capsys.readouterr().out
    assert main(["fsck", "--data", str(tmp_path), "--accept", "--json"]) == 1
    assert '"findings":' in capsys.readouterr().out
    assert main(["fsck", "--data", str(tmp_path)]) == 1
    assert "frozen" not in capsys.readouterr().out


# Matches in the archive


@pytest.fixture
async def shelved(store_url: str, prefix: str, tmp_path: Path) -> AsyncIterator[Kept]:
    """A store whose finished match is in the archive."""
    async with store_with_archive(store_url, prefix, tmp_path / "archive") as store:
        made = Kept(store, tmp_path)
        await made.fill()
        made.match = (await played(made.log, seed=2))[0].match.id
        await shelve(store, Notary(made.signer), made.match, made.heads)
        with closing(made.heads):
            yield made


async def test_a_match_in_the_archive_is_well(shelved: Kept) -> None:
    assert await shelved.found() == []


async def test_what_is_in_the_archive_and_in_the_store_too_is_found(shelved: Kept) -> None:
    await shelved.call("commands", "HSET", "a", "1:")
    await shelved.call("snapshot", "HSET", "a", "1:")
    assert {each.what for each in await shelved.found()} == {
        "is in the archive, and its commands in the store too",
        "is in the archive, and its snapshot in the store too",
    }


async def test_a_head_that_is_not_that_of_its_bundle_is_found(shelved: Kept) -> None:
    head = (await shelved.call("head", "HGET", "head")).replace(b'"size":', b'"size":1')
    await shelved.call("head", "HSET", "head", head)
    assert [each.what for each in await shelved.found()] == ["its signed head is of another log"]


async def test_commands_that_are_missing_from_the_archive_are_found(shelved: Kept) -> None:
    (commands,) = (shelved.folder / "archive").rglob("*.commands")
    commands.unlink()
    (found,) = await shelved.found()
    assert found.what.startswith(f"match {shelved.match} is missing from the archive: there is no ")


async def test_a_guest_is_checked_by_the_keys_it_came_with(shelved: Kept) -> None:
    record = finished("tiny/1")
    await take_in(shelved.store, [shelved.signer.verifier], record.bundle())
    assert await shelved.found() == []
    shelved.match = MATCH
    notice = (await shelved.call("head", "HGET", "notice")).replace(b'"imported":true', b'"imported":false')
    await shelved.call("head", "HSET", "notice", notice)
    assert {each.what for each in await shelved.found()} == {
        "its signed head: no trusted key has signed the note",
        "it is not listed as it stands",
    }
