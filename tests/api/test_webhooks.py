"""Webhooks: told once, signed, repeated until heard, by exactly one of all processes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from matches import SIGNER, TINY, pledge, seated
from redis.asyncio import Redis

from kleos.api import outbound
from kleos.api.webhooks import BACKOFF, CLAIMED, EACH, LINE, ROUND, Courier, delivery, signature
from kleos.core.match.actions import Create, Join, Leave, Undo
from kleos.events.log import Log
from kleos.events.store import Store
from kleos.events.webhooks import LEASE, Delivery, Hook, Webhooks
from tests.api.conftest import Newcomer, problem
from tests.scenarios.client import Client

PLACE = "/v1/players/me/webhooks"


class Receiver:
    """A web server that keeps what it is told and answers as it is told to."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
        self.heard.append((headers, await reader.readexactly(int(headers["Content-Length"]))))
        status = self.answers.pop(0) if self.answers else 200
        writer.write(f"HTTP/1.1 {status} .\r\n\r\n".encode())
        writer.close()
        await writer.wait_closed()

    def told(self) -> list[tuple[str, int, str]]:
        bodies = [msgspec.json.decode(body) for _, body in self.heard]
        return sorted((each["type"], each["data"]["version"], each["data"]["player"]) for each in bodies)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server:
        yield receiver


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


class House:
    """One process: its log, its webhooks, and its courier."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.clock = clock
        self.log = Log(store, SIGNER, clock=clock)
        self.webhooks = Webhooks(store)
        self.courier = Courier(self.webhooks, self.log, private=True)

    async def round(self) -> None:
        """A round of the courier, with all that it begins."""
        await self.courier.round()
        await asyncio.gather(*self.courier.under_way)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def house(store: Store, clock: Clock) -> House:
    house = House(store, clock)
    await house.webhooks.join()
    return house


async def hooked(house: House, player: str, url: str) -> Hook:
    return await house.webhooks.add(player, url, ("match.your_turn", "match.over"), 1)


# The form


def test_a_signature_is_that_of_the_standard() -> None:
    """The worked example of the Standard Webhooks libraries."""
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.anyio
async def test_every_message_is_signed_and_named(house: House, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    await seated(house.log)
    await house.round()
    [(headers, body)] = receiver.heard
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.digest(hook.secret, signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{mac}"
    told = msgspec.json.decode(body)
    assert (told["type"], told["data"]["seat"], told["data"]["version"]) == ("match.your_turn", 1, 2)


# What is told, and to whom


@pytest.mark.anyio
async def test_each_is_told_of_the_own_turn_and_of_the_end(house: House, receiver: Receiver) -> None:
    for player in ("anna", "ben", "zoe"):
        await hooked(house, player, receiver.url)
    match = await seated(house.log)
    after = await house.log.submit(match.id, "anna", 0, pledge(match, 0))
    await house.log.submit(match.id, "ben", None, Leave(seat=1))
    assert after.match.version == 3
    await house.round()
    assert receiver.told() == [
        ("match.over", 4, "anna"),
        ("match.over", 4, "ben"),
        ("match.your_turn", 2, "anna"),
        ("match.your_turn", 2, "ben"),
    ]


@pytest.mark.anyio
async def test_who_did_not_ask_is_told_nothing(house: House, receiver: Receiver) -> None:
    await house.webhooks.add("ben", receiver.url, ("match.over",), 1)
    await seated(house.log)
    await house.round()
    assert receiver.heard == []


# At least once, by one


@pytest.mark.anyio
async def test_of_several_processes_one_tells(store: Store, clock: Clock, receiver: Receiver) -> None:
    houses = [House(store, clock) for _ in range(3)]
    for each in houses:
        await each.webhooks.join()
    await hooked(houses[0], "ben", receiver.url)
    for _ in range(5):
        await seated(houses[0].log)
    for _ in range(3):
        await asyncio.gather(*(each.round() for each in houses))
    assert len(receiver.heard) == len({headers["webhook-id"] for headers, _ in receiver.heard}) == 5


@pytest.mark.anyio
async def test_an_entry_that_is_handled_twice_tells_nobody_twice(house: House, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    made = [delivery(hook, "match.over", {"match": "m"}, 5, "match.over m 3 1") for _ in range(2)]
    assert made[0] == made[1]
    assert [await house.webhooks.enqueue(each, 5) for each in made] == [True, False]


@pytest.mark.anyio
async def test_what_a_dead_process_began_is_taken_over(
    store: Store, clock: Clock, receiver: Receiver
) -> None:
    dead, other = House(store, clock), House(store, clock)
    await dead.webhooks.join()
    hook = await hooked(dead, "ben", receiver.url)
    await dead.webhooks.enqueue(
        delivery(hook, "match.over", {"version": 1, "player": "ben"}, clock.now, "x"), clock.now
    )
    assert len(await dead.webhooks.claim(clock.now, 9)) == 1
    await other.round()
    assert receiver.heard == []
    clock.now += LEASE
    await other.round()
    assert len(receiver.heard) == 1


@pytest.mark.anyio
async def test_after_an_undo_and_a_restart_nothing_is_told_twice(
    store: Store, house: House, receiver: Receiver
) -> None:
    """The version tells apart the turn that was taken back from the one that came again."""
    for player in ("anna", "ben"):
        await hooked(house, player, receiver.url)
    table = Create(game="tiny", rules="tiny/1", seats=2, options={}, undo="casual", seat=0)
    made = await house.log.create("anna", table)
    match = (await house.log.submit(made.match.id, "ben", None, Join(seat=1))).match
    start = match.version
    for seat, player in enumerate(("anna", "ben")):
        match = (await house.log.submit(match.id, player, seat, pledge(match, seat))).match
    await house.round()
    await house.log.submit(match.id, "anna", 0, Undo(to=start))
    for other in (House(store, house.clock), House(store, house.clock)):
        await other.webhooks.join()
        await other.round()
    ids = [headers["webhook-id"] for headers, _ in receiver.heard]
    assert len(set(ids)) == len(ids)
    turns = [(version, player) for kind, version, player in receiver.told() if kind == "match.your_turn"]
    assert len(set(turns)) == len(turns)
    assert {(start, "anna"), (start, "ben")} < set(turns)


@pytest.mark.anyio
async def test_one_who_takes_a_connection_and_never_answers_holds_up_nobody_else(
    house: House, receiver: Receiver
) -> None:
    fallen: list[asyncio.Task[Any] | None] = []

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fallen.append(asyncio.current_task())
        with suppress(ConnectionError):
            await reader.read()
        writer.close()

    pit = await asyncio.start_server(swallow, "127.0.0.1", 0)
    async with pit:
        await hooked(house, "anna", f"http://127.0.0.1:{pit.sockets[0].getsockname()[1]}/")
        await hooked(house, "ben", receiver.url)
        for _ in range(LINE + EACH):
            await seated(house.log)
        async with asyncio.timeout(outbound.TIMEOUT / 2):
            while len(receiver.heard) < LINE + EACH:
                await house.courier.round()
                await asyncio.sleep(0.05)
                house.clock.now += BACKOFF[0] * 1000
        assert len(fallen) == EACH, "one webhook has no more attempts under way than that"
        stuck = house.courier.under_way
        assert len(stuck) == LINE, "and no more waiting than are begun before their lease is over"
        for each in stuck:
            each.cancel()
        await asyncio.gather(*stuck, *filter(None, fallen), return_exceptions=True)


@pytest.mark.anyio
async def test_many_messages_leave_one_after_the_other_without_a_pause(
    house: House, receiver: Receiver
) -> None:
    hook = await hooked(house, "ben", receiver.url)
    for number in range(4 * CLAIMED):
        told = delivery(hook, "ping", {}, house.clock(), str(number))
        await house.webhooks.enqueue(told, house.clock())
    begun = time.monotonic()
    watching = asyncio.create_task(house.courier.watch())
    async with asyncio.timeout(10):
        while len(receiver.heard) < 4 * CLAIMED:
            await asyncio.sleep(0.01)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert time.monotonic() - begun < 3 * ROUND, "a pause after each round would have taken so long"


# Retries


async def _log_of(house: House, hook: Hook) -> Delivery:
    [told] = await house.webhooks.deliveries(hook.player, hook.id)
    return told


@pytest.mark.anyio
async def test_it_is_told_again_until_it_is_heard(house: House, clock: Clock, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    receiver.answers = [500, 302]
    await seated(house.log)
    await house.round()
    clock.now += BACKOFF[0] * 1000 - 1
    await house.round()
    assert len(receiver.heard) == 1, "not before its time"
    clock.now += 1
    await house.round()
    clock.now += BACKOFF[1] * 1000
    await house.round()
    clock.now += 10**9
    await house.round()
    assert len({headers["webhook-id"] for headers, _ in receiver.heard}) == 1
    assert len({body for _, body in receiver.heard}) == 1
    told = await _log_of(house, hook)
    assert (told.state, [each.status for each in told.attempts]) == ("delivered", [500, 302, 200])


@pytest.mark.anyio
async def test_after_the_last_attempt_it_has_failed(house: House, clock: Clock, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    receiver.answers = [503] * 99
    await seated(house.log)
    for wait in (0, *BACKOFF, 10**6):
        clock.now += wait * 1000
        await house.round()
    told = await _log_of(house, hook)
    assert (told.state, len(told.attempts)) == ("failed", 1 + len(BACKOFF))


@pytest.mark.anyio
async def test_who_is_gone_is_told_nothing_more(house: House, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    receiver.answers = [410]
    await seated(house.log)
    await house.round()
    assert await house.webhooks.hook("ben", hook.id) is None
    assert await house.webhooks.deliveries("ben", hook.id) == []


@pytest.mark.anyio
async def test_a_private_address_is_not_called(store: Store, clock: Clock, receiver: Receiver) -> None:
    house = House(store, clock)
    await house.webhooks.join()
    hook = await hooked(house, "ben", receiver.url.replace("http:", "https:"))
    await house.log.submit((await house.log.create("anna", TINY)).match.id, "ben", None, Join(seat=1))
    courier = Courier(house.webhooks, house.log)
    await courier.round()
    await asyncio.gather(*courier.under_way)
    told = await _log_of(house, hook)
    assert (told.state, receiver.heard) == ("pending", [])
    assert "not public" in str(told.attempts[0].error)


@pytest.mark.anyio
async def test_nothing_is_left_of_a_player_who_is_forgotten(
    store: Store, store_url: str, prefix: str, house: House, receiver: Receiver
) -> None:
    await hooked(house, "ben", receiver.url)
    receiver.answers = [500]
    await seated(house.log)
    await house.round()
    await house.webhooks.forget("ben")
    async with Redis.from_url(store_url) as client:
        kept = [key async for key in client.scan_iter(match=f"{prefix}:*:webhooks:*")]
        mine = [key async for key in client.scan_iter(match=f"{prefix}:*:p:ben*")]
    assert (kept, mine) == ([], [])


# Over HTTP


def attempted(client: Client, hook: str) -> Any:
    end = time.monotonic() + 20
    while True:
        [told] = client.get(f"{PLACE}/{hook}/deliveries")["items"]
        if told["attempts"]:
            return told
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_webhook_is_registered_listed_tested_and_deleted(newcomer: Newcomer) -> None:
    client, other = newcomer(), newcomer()
    made = client.command(PLACE, {"url": "https://localhost/hook"}).json
    assert made["secret"].startswith("whsec_")
    assert made["events"] == ["match.your_turn", "match.over"]
    listed = client.get(PLACE)["items"]
    assert listed == [{name: value for name, value in made.items() if name != "secret"}]
    place = f"{PLACE}/{made['id']}"
    assert client.ask("POST", f"{place}/ping").status == 202
    told = attempted(client, made["id"])
    assert (told["type"], told["state"], told["attempts"][0]["status"]) == ("ping", "pending", None)
    for method, path in (("GET", f"{place}/deliveries"), ("POST", f"{place}/ping"), ("DELETE", place)):
        problem(other.ask(method, path), 404, "not_found")
    assert client.ask("DELETE", place).status == 204
    assert client.get(PLACE)["items"] == []
    problem(client.ask("GET", f"{place}/deliveries"), 404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        {"url": "http://bot.example/"},
        {"url": "https://user@bot.example/"},
        {"url": "https://bot.example/", "events": []},
        {"url": "https://bot.example/", "events": ["everything"]},
        {},
    ],
)
def test_what_cannot_be_called_is_not_registered(newcomer: Newcomer, body: Any) -> None:
    problem(newcomer().ask("POST", PLACE, body), 400, "malformed")


def test_webhooks_are_few_and_for_players(newcomer: Newcomer, stranger: Client) -> None:
    client = newcomer()
    for _ in range(10):
        client.command(PLACE, {"url": "https://bot.example/"})
    problem(client.ask("POST", PLACE, {"url": "https://bot.example/"}), 403, "forbidden")
    problem(stranger.ask("GET", PLACE), 401, "unauthenticated")
