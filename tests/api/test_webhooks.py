"""Webhooks: told once, signed, repeated until heard, by exactly one of all processes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from matches import SIGNER, TINY, pledge, seated

from kleos.api.webhooks import BACKOFF, Courier, delivery, signature, tidings
from kleos.core.match.actions import Join, Leave
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
        self.log = Log(store, SIGNER, clock=clock)
        self.webhooks = Webhooks(store)
        self.courier = Courier(self.webhooks, self.log, private=True)


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
    await house.courier.round()
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
    await house.courier.round()
    assert receiver.told() == [
        ("match.over", 4, "anna"),
        ("match.over", 4, "ben"),
        ("match.your_turn", 2, "anna"),
        ("match.your_turn", 2, "ben"),
    ]


@pytest.mark.anyio
async def test_a_turn_is_told_when_it_begins_and_not_again(house: House) -> None:
    """Fault 98."""
    match = await seated(house.log)
    done = await house.log.submit(match.id, "anna", 0, pledge(match, 0))
    assert tidings(match, done.match) == []
    assert [seat for _, seat, _ in tidings(None, match)] == [0, 1]


@pytest.mark.anyio
async def test_who_did_not_ask_is_told_nothing(house: House, receiver: Receiver) -> None:
    await house.webhooks.add("ben", receiver.url, ("match.over",), 1)
    await seated(house.log)
    await house.courier.round()
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
        await asyncio.gather(*(each.courier.round() for each in houses))
    assert len(receiver.heard) == len({headers["webhook-id"] for headers, _ in receiver.heard}) == 5


@pytest.mark.anyio
async def test_an_entry_that_is_handled_twice_tells_nobody_twice(house: House, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    made = [delivery(hook, "match.over", {"match": "m"}, 5, "match.over m 3 1") for _ in range(2)]
    assert made[0] == made[1]
    assert [await house.webhooks.enqueue(each) for each in made] == [True, False]


@pytest.mark.anyio
async def test_what_a_dead_process_began_is_taken_over(
    store: Store, clock: Clock, receiver: Receiver
) -> None:
    dead, other = House(store, clock), House(store, clock)
    await dead.webhooks.join()
    hook = await hooked(dead, "ben", receiver.url)
    await dead.webhooks.enqueue(delivery(hook, "match.over", {"version": 1, "player": "ben"}, clock.now, "x"))
    assert len(await dead.webhooks.claim(clock.now)) == 1
    await other.courier.round()
    assert receiver.heard == []
    clock.now += LEASE
    await other.courier.round()
    assert len(receiver.heard) == 1


# Retries


async def _log_of(house: House, hook: Hook) -> Delivery:
    [told] = await house.webhooks.deliveries(hook.player, hook.id)
    return told


@pytest.mark.anyio
async def test_it_is_told_again_until_it_is_heard(house: House, clock: Clock, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    receiver.answers = [500, 302]
    await seated(house.log)
    await house.courier.round()
    clock.now += BACKOFF[0] * 1000 - 1
    await house.courier.round()
    assert len(receiver.heard) == 1, "not before its time"
    clock.now += 1
    await house.courier.round()
    clock.now += BACKOFF[1] * 1000
    await house.courier.round()
    clock.now += 10**9
    await house.courier.round()
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
        await house.courier.round()
    told = await _log_of(house, hook)
    assert (told.state, len(told.attempts)) == ("failed", 1 + len(BACKOFF))


@pytest.mark.anyio
async def test_who_is_gone_is_told_nothing_more(house: House, receiver: Receiver) -> None:
    hook = await hooked(house, "ben", receiver.url)
    receiver.answers = [410]
    await seated(house.log)
    await house.courier.round()
    assert await house.webhooks.hook("ben", hook.id) is None
    assert await house.webhooks.deliveries("ben", hook.id) == []


@pytest.mark.anyio
async def test_a_private_address_is_not_called(store: Store, clock: Clock, receiver: Receiver) -> None:
    house = House(store, clock)
    await house.webhooks.join()
    hook = await hooked(house, "ben", receiver.url.replace("http:", "https:"))
    await house.log.submit((await house.log.create("anna", TINY)).match.id, "ben", None, Join(seat=1))
    await Courier(house.webhooks, house.log).round()
    told = await _log_of(house, hook)
    assert (told.state, receiver.heard) == ("pending", [])
    assert "not public" in str(told.attempts[0].error)


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
