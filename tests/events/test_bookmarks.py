"""Bookmarks: how many, and of what names."""

from __future__ import annotations

import pytest

from kleos.core.kernel.errors import Forbidden, Malformed
from kleos.events.bookmarks import MOST, Bookmark, Bookmarks
from kleos.events.store import Store

pytestmark = pytest.mark.anyio


async def test_a_player_has_so_many_bookmarks_and_no_more(any_store: Store) -> None:
    bookmarks = Bookmarks(any_store)
    for version in range(1, MOST + 1):
        await bookmarks.put("ariadne", "M", Bookmark(f"v{version}", version))
    with pytest.raises(Forbidden, match="delete one first"):
        await bookmarks.put("ariadne", "M", Bookmark("one more", 1))
    await bookmarks.put("ariadne", "M", Bookmark("v1", 7))
    assert (await bookmarks.of("ariadne", "M"))[5:7] == [Bookmark("v1", 7), Bookmark("v7", 7)]
    assert await bookmarks.delete("ariadne", "M", "v1")
    await bookmarks.put("ariadne", "M", Bookmark("one more", 1))


@pytest.mark.parametrize("name", ["", "x" * 65, "a/b", "a\nb", "ü"])
async def test_what_is_no_name_of_a_bookmark_is_refused(any_store: Store, name: str) -> None:
    with pytest.raises(Malformed):
        await Bookmarks(any_store).put("ariadne", "M", Bookmark(name, 1))
