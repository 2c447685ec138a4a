"""Players, their names and their tokens."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.core.kernel.errors import Malformed
from kleos.events.accounts import Accounts, Player
from kleos.events.store import Store

pytestmark = pytest.mark.anyio

KEY = base64.b64encode(
    Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
).decode()
STRAY = KEY[:-2] + chr(ord(KEY[-2]) + 1) + "="
"""The same bytes, with bits at the end that mean nothing."""
SMALL = base64.b64encode(bytes(32)).decode()
"""A point of order 4."""


class Clock:
    """A clock that is set by hand, in milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def accounts(any_store: Store) -> Accounts:
    return Accounts(any_store)


async def test_a_player_is_known_by_the_token_from_registering(accounts: Accounts) -> None:
    ariadne, token = await accounts.register("Ariadne")
    assert (ariadne.name, ariadne.key) == ("Ariadne", None)
    assert await accounts.authenticate(token) == ariadne
    assert await accounts.player(ariadne.id) == ariadne


async def test_two_players_of_one_name_are_two_players(accounts: Accounts) -> None:
    (first, first_token), (second, second_token) = [await accounts.register("Ajax") for _ in range(2)]
    assert first.id != second.id
    assert first_token != second_token
    assert await accounts.authenticate(second_token) == second


async def test_a_registered_key_stays_with_the_player(accounts: Accounts) -> None:
    player, token = await accounts.register("Ariadne", KEY)
    assert player == Player(player.id, "Ariadne", KEY) == await accounts.authenticate(token)


@pytest.mark.parametrize(
    "key", ["", "AAAA", "not base64", KEY + "AAAA", "!" + KEY[1:], "é" * 44, STRAY, SMALL]
)
async def test_what_is_no_key_is_refused(accounts: Accounts, key: str) -> None:
    with pytest.raises(Malformed, match="32 bytes"):
        await accounts.register("Ariadne", key)


@pytest.mark.parametrize("name", ["A", "Ἀριάδνη", "a b", "x" * 64, "🏛" * 64, 'O\'Neill \\ "q"'])
async def test_a_name_is_1_to_64_printable_characters(accounts: Accounts, name: str) -> None:
    player, _ = await accounts.register(name)
    assert await accounts.names([player.id]) == {player.id: name}


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "x" * 65, "a\0b", "a\nb", "a\x7f", "a\x85", "a\u2028b", "\ud800", "a\u202eb", "\u2066a"),
        *(" a", "a\u3000", "\u200b\u200d", "\u3164", "\u2800 \u2800", "\ufeff", "\u0301", "\u00ad"),
    ],
)
async def test_what_is_no_name_is_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(Malformed):
        await accounts.register(name)


async def test_names_are_given_for_those_who_exist(accounts: Accounts) -> None:
    ariadne, _ = await accounts.register("Ariadne")
    ajax, _ = await accounts.register("Ajax")
    asked = [ajax.id, "nobody", ariadne.id, ajax.id]
    assert await accounts.names(asked) == {ajax.id: "Ajax", ariadne.id: "Ariadne"}
    assert await accounts.names([]) == {}
    assert await accounts.player("nobody") is None


async def test_any_changed_token_is_nobodys(accounts: Accounts) -> None:
    player, token = await accounts.register("Ariadne")
    _other, other_token = await accounts.register("Ajax")
    changed = [
        token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        for place in range(len(token))
    ]
    swapped = f"kleos_{player.id}_{other_token.removeprefix('kleos_')[17:]}"
    for forged in [
        *changed,
        swapped,
        "",
        "kleos_",
        token + "A",
        token[:-1],
        token + "\n",
        token.upper(),
        player.id,
    ]:
        assert await accounts.authenticate(forged) is None
        assert not await accounts.revoke(forged)
    assert await accounts.authenticate(token) == player


async def test_a_revoked_token_is_nobodys_and_the_others_stay(accounts: Accounts) -> None:
    player, first = await accounts.register("Ariadne")
    second, _ = await accounts.issue(player.id)
    assert await accounts.authenticate(second) == player
    assert await accounts.revoke(first)
    assert not await accounts.revoke(first)
    assert await accounts.authenticate(first) is None
    assert await accounts.authenticate(second) == player
    with pytest.raises(KeyError):
        await accounts.issue("nobody")


async def test_a_token_is_good_until_the_moment_it_expires(any_store: Store) -> None:
    clock = Clock()
    accounts = Accounts(any_store, clock=clock)
    player, token = await accounts.register("Ariadne", expires_at=2_000)
    lasting, _ = await accounts.issue(player.id)
    clock.now = 1_999
    assert await accounts.authenticate(token) == player
    clock.now = 2_000
    assert await accounts.authenticate(token) is None
    assert await accounts.authenticate(lasting) == player


async def test_an_erased_player_leaves_neither_name_nor_token(accounts: Accounts) -> None:
    player, token = await accounts.register("Ariadne")
    assert await accounts.erase(player.id)
    assert not await accounts.erase(player.id)
    assert await accounts.authenticate(token) is None
    assert await accounts.names([player.id]) == {}


async def test_the_store_never_sees_a_token(any_store: Store, accounts: Accounts) -> None:
    player, token = await accounts.register("Ariadne")
    secret = token.removeprefix(f"kleos_{player.id}_").encode()
    key = any_store.key(any_store.bucket(player.id), f"p:{player.id}")
    stored = await any_store.connection.call(key, "HGETALL", key)
    assert len(secret) == 43
    assert not any(secret in each for field in stored.items() for each in field)
