"""The list of matches: who sees which, in what order, page by page."""

from __future__ import annotations

import asyncio
import base64
import itertools
import random
from typing import Any

import msgspec
import pytest

from kleos.core.kernel.errors import Malformed
from kleos.events.store import Store
from kleos.projections.catalogue import Catalogue

pytestmark = pytest.mark.anyio


def notice(match: str, **changes: Any) -> dict[str, Any]:
    """What the log writes about a match, as far as the catalogue reads it, and a little more."""
    return {
        "match": match,
        "game": "iliad",
        "status": "open",
        "visibility": "public",
        "creator": "ariadne",
        "created_at": 1_000,
        "seats": [
            {"seat": 0, "player": "ariadne", "bot": None},
            {"seat": 1, "player": None, "bot": "random"},
        ],
        "outcome": None,
        **changes,
    }


def seats(*players: str | None) -> list[dict[str, Any]]:
    return [{"seat": seat, "player": player} for seat, player in enumerate(players)]


class Lobby:
    """A catalogue, and the log that feeds it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.catalogue = Catalogue(store)
        self.versions: dict[str, int] = {}

    async def tell(self, told: dict[str, Any] | bytes, match: str = "") -> None:
        match = match if isinstance(told, bytes) else told["match"]
        version = self.versions.get(match, 0)
        await self.store.append(
            match,
            expected=version,
            command=None,
            public=b"{}",
            sealed=b"",
            head=b"",
            notice=told if isinstance(told, bytes) else msgspec.json.encode(told),
        )
        self.versions[match] = version + 1

    async def ids(self, **question: Any) -> list[str]:
        items, following = await self.catalogue.list(**question)
        assert following is None
        return [item["match"] for item in items]

    async def pages(self, **question: Any) -> list[list[str]]:
        pages: list[list[str]] = []
        cursor: str | None = None
        while True:
            items, cursor = await self.catalogue.list(cursor=cursor, **question)
            pages.append([item["match"] for item in items])
            if cursor is None:
                return pages


@pytest.fixture
def lobby(any_store: Store) -> Lobby:
    return Lobby(any_store)


async def test_where_nothing_is_played_the_list_is_empty(lobby: Lobby) -> None:
    assert await lobby.catalogue.list() == ([], None)
    assert await lobby.catalogue.list(player="ariadne", viewer="ariadne", game="iliad") == ([], None)


async def test_a_match_is_listed_as_its_last_notice_at_once(lobby: Lobby) -> None:
    for status in ("open", "playing", "finished"):
        told = notice("m", status=status, extra={"κλέος": [1, 2.5, None]})
        await lobby.tell(told)
        assert await lobby.catalogue.list() == ([told], None)


async def test_matches_are_listed_newest_first_and_those_of_one_moment_by_id(lobby: Lobby) -> None:
    for match, at in [("a", 5), ("b", 7), ("c", 7), ("d", 6), ("e", 1_800_000_000_000)]:
        await lobby.tell(notice(match, created_at=at))
    assert await lobby.ids() == ["e", "c", "b", "d", "a"]
    await lobby.tell(notice("a", created_at=5, status="playing"))
    assert await lobby.ids() == ["e", "c", "b", "d", "a"], "the order is that of creation, not of news"


async def test_each_filter_and_both_together_hold_as_a_match_goes_on(lobby: Lobby) -> None:
    for game, status in itertools.product(("iliad", "cyclades"), ("open", "playing")):
        await lobby.tell(notice(f"{game} {status}", game=game, status=status))
    assert await lobby.ids(game="iliad") == ["iliad playing", "iliad open"]
    assert await lobby.ids(status="open") == ["iliad open", "cyclades open"]
    assert await lobby.ids(game="cyclades", status="open") == ["cyclades open"]
    assert await lobby.ids(game="chess") == []
    await lobby.tell(notice("cyclades open", game="cyclades", status="finished"))
    assert await lobby.ids(status="open") == ["iliad open"]
    assert await lobby.ids(game="cyclades", status="open") == []
    assert await lobby.ids(game="cyclades", status="finished") == ["cyclades open"]
    assert len(await lobby.ids()) == 4


async def test_a_players_matches_are_those_of_their_seats_and_those_they_made(lobby: Lobby) -> None:
    await lobby.tell(notice("seated", creator="ajax", seats=seats("ajax", "ariadne")))
    await lobby.tell(notice("made", creator="ariadne", seats=seats(None, None)))
    await lobby.tell(notice("another", creator="ajax", seats=seats("ajax", None)))
    assert await lobby.ids(player="ariadne") == ["seated", "made"]
    assert await lobby.ids(player="ajax") == ["seated", "another"]
    assert await lobby.ids(player="ajax", status="playing") == []
    assert await lobby.ids(player="ajax", game="iliad", status="open") == ["seated", "another"]
    await lobby.tell(notice("seated", creator="ajax", seats=seats("ajax", None)))
    assert await lobby.ids(player="ariadne") == ["made"], "who left is no member"
    assert await lobby.ids(player="nobody") == []


async def test_a_private_match_is_listed_to_its_members_only(lobby: Lobby) -> None:
    private = notice(
        "p", visibility="private", creator="ajax", seats=seats("ariadne", None), status="playing"
    )
    await lobby.tell(private)
    await lobby.tell(notice("public"))
    for member in ("ajax", "ariadne"):
        assert await lobby.ids(viewer=member) == ["public", "p"]
        assert await lobby.ids(viewer=member, player="ajax") == ["p"]
        assert await lobby.ids(viewer=member, status="playing", game="iliad") == ["p"]
        assert await lobby.ids(viewer=member, status="open") == ["public"]
    for stranger in (None, "hector", "", "p", "all"):
        assert await lobby.ids(viewer=stranger) == ["public"]
        assert await lobby.ids(viewer=stranger, player="ajax") == []
        assert await lobby.ids(viewer=stranger, status="playing") == []
        assert await lobby.ids(viewer=stranger, player="") == []
    await lobby.tell({**private, "seats": seats(None, None)})
    assert await lobby.ids(viewer="ariadne") == ["public"], "who left sees it no more"


@pytest.mark.parametrize("limit", [1, 3, 10, 40, 100])
async def test_pages_are_the_whole_list_cut_in_pieces(lobby: Lobby, limit: int, rng: random.Random) -> None:
    for number in range(40):
        visibility = rng.choice(["public", "private"])
        await lobby.tell(notice(f"m{number:02}", created_at=rng.randrange(8), visibility=visibility))
    for question in (
        {},
        {"viewer": "ariadne"},
        {"player": "ariadne", "viewer": "ariadne"},
        {"player": "ariadne"},
    ):
        whole = await lobby.ids(**question, limit=100)
        pages = await lobby.pages(**question, limit=limit)
        assert list(itertools.chain(*pages)) == whole
        assert all(len(page) == limit for page in pages[:-1])
    assert len(await lobby.ids(viewer="ariadne", limit=100)) == 40


async def test_a_cursor_stays_good_while_matches_are_added(lobby: Lobby) -> None:
    for number in range(6):
        await lobby.tell(notice(f"m{number}", created_at=number))
    items, cursor = await lobby.catalogue.list(limit=3)
    assert [item["match"] for item in items] == ["m5", "m4", "m3"]
    for number in range(6, 12):
        await lobby.tell(notice(f"m{number}", created_at=number))
    items, cursor = await lobby.catalogue.list(limit=3, cursor=cursor)
    assert [item["match"] for item in items] == ["m2", "m1", "m0"]
    assert cursor is None


NO_PLACES = (
    *(b"[]", b"[1]", b'["m",1]', b'[1,"m",2]', b"{}"),
    *(b'[-1,"m"]', b'[1e400,"m"]', b'[99999999999999999999,"m"]'),
)


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "é", "=", *(base64.urlsafe_b64encode(place).decode() for place in NO_PLACES)]
)
async def test_what_is_no_cursor_is_malformed(lobby: Lobby, cursor: str) -> None:
    with pytest.raises(Malformed, match="cursor"):
        await lobby.catalogue.list(cursor=cursor)


async def test_a_long_feed_is_folded_in_many_steps_and_by_many_readers(lobby: Lobby) -> None:
    for _ in range(520):
        await lobby.tell(notice("busy"))
    await lobby.tell(notice("busy", status="finished"))
    readers = (lobby.ids(status="finished") for _ in range(10))
    assert await asyncio.gather(*readers) == [["busy"]] * 10
    assert await lobby.ids(status="open") == []


@pytest.mark.parametrize(
    "text", [b"", b"notice", b"[]", b"null", b"{}", b'{"match":"m"}', b'{"match":1,"seats":[]}']
)
async def test_a_notice_that_cannot_be_read_hides_nothing_that_comes_after(lobby: Lobby, text: bytes) -> None:
    await lobby.tell(text, match="m")
    await lobby.tell(notice("m", status="playing"))
    assert await lobby.ids(status="playing") == ["m"]
