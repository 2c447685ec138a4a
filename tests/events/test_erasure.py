"""Erasing a player: nothing of the name is left in any file, and every proof stays valid."""

from pathlib import Path

import pytest
from matches import SIGNER, TINY, TRUSTED, pledge

from kleos.core.match.actions import Join
from kleos.events.accounts import Accounts
from kleos.events.bookmarks import Bookmark, Bookmarks
from kleos.events.embedded import Embedded
from kleos.events.erasure import Erasure
from kleos.events.log import Log
from kleos.events.notary import everything
from kleos.events.store import Store
from kleos.events.verifier import verify

pytestmark = pytest.mark.anyio

NAME = "Erigone-of-Athens"


def holding(folder: Path, text: str) -> list[str]:
    """The files in which a text stands."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    return [each.name for each in files if text.encode() in each.read_bytes()]


async def test_a_name_is_gone_from_every_file_and_the_proofs_stand(tmp_path: Path) -> None:
    """Fault 123."""
    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url)
        accounts, log = Accounts(store), Log(store, SIGNER)
        player, token = await accounts.register(NAME)
        made = await log.create(player.id, TINY)
        await log.submit(made.match.id, "ben", None, Join(seat=1))
        await log.submit(made.match.id, player.id, 0, pledge(await log.load(made.match.id), 0))
        await Bookmarks(store).put(player.id, made.match.id, Bookmark(f"{NAME}s move", 3))
        before = await log.bundle(made.match.id, everything)
        assert holding(tmp_path, NAME) != []

        erasure = Erasure(store, accounts)
        assert await erasure.erase(player.id)
        assert await accounts.authenticate(token) is None
        await erasure.rewrite()
        assert holding(tmp_path, NAME) == []

        assert await log.bundle(made.match.id, everything) == before
        assert verify(before, TRUSTED).status == "valid"
        await store.close()
    assert holding(tmp_path, NAME) == []
    async with await Embedded.start(tmp_path) as server:
        store = await Store.connect(server.url)
        assert await Log(store, SIGNER).bundle(made.match.id, everything) == before
        await store.close()


async def test_what_is_owed_is_remembered_until_it_is_done(store: Store) -> None:
    accounts = Accounts(store)
    player, _ = await accounts.register(NAME)
    assert await Erasure(store, accounts).erase(player.id)
    key = store.key(0, "erasures")
    assert await store.connection.call(key, "GET", key) == b"1"
    await Erasure(store, accounts).rewrite()
    assert await store.connection.call(key, "GET", key) == b"0"
    assert not await Erasure(store, accounts).erase(player.id), "there is nobody of that id any more"
