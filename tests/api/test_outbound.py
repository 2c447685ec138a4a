"""Requests to addresses of strangers: never to what only we can reach."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kleos.api import outbound
from kleos.api.outbound import Refused, Unanswered

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
        *(
            "::1",
            "::",
            "fe80::1%eth0",
            "fc00::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "3fff::1",
            "64:ff9b:1::1",
        ),
        *("192.0.0.8", "192.88.99.1", "::7f00:1", "::ffff:0:7f00:1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1"),
    ],
)
def test_an_address_that_is_not_public_is_known_in_every_dress(address: str) -> None:
    assert not outbound.is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_public_addresses_are_public(address: str) -> None:
    assert outbound.is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        *("http://bot.example/", "ftp://bot.example/", "//bot.example/", "https://", "https:///x", ""),
        *("https://user@bot.example/", "https://user:pass@bot.example/", "https://bot.example:0/"),
        *("https://bot.example:99999/", "https://bot.example/#x", "https://bot.example/\r\nX: y"),
        *("https://127.0.0.1/", "https://10.1.2.3:8443/x", "https://[::1]/", "https://[::ffff:10.0.0.1]/"),
        *("https://127.1/", "https://2130706433/", "https://0x7f.0.0.1/", "https://169.254.169.254/"),
        *("https://bot.example/ x", "https://[::1/", "https://b\u00f6t.example/", "javascript:alert(1)"),
    ],
)
def test_urls_that_are_none_of_ours_to_ask(url: str) -> None:
    with pytest.raises(Refused):
        outbound.checked(url, private=False)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://[::1]:8443/x",
        "https://0x7f.1/",
        "https://2130706433/",
    ],
)
async def test_nothing_is_sent_to_ourselves(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def connected(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(asyncio, "open_connection", connected)
    with pytest.raises((Refused, Unanswered)):
        await outbound.post(url, b"{}", {})


async def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    async def both(host: str, port: int) -> list[str]:
        return ["1.1.1.1", "10.0.0.1"]

    monkeypatch.setattr(outbound, "_addresses", both)
    with pytest.raises(Refused):
        await outbound.post("https://rebinding.example/", b"{}", {})


async def test_a_name_is_looked_up_once_and_the_connection_goes_where_it_led(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rebinding: a name that is public when it is looked at, and private when it is connected to."""
    answers = [["93.184.216.34"], ["127.0.0.1"]]
    connected: list[tuple[object, object]] = []

    def look_up(host: str, port: int, **_: object) -> list[object]:
        return [(0, 0, 0, "", (address, port)) for address in answers.pop(0)]

    async def connect(host: str, port: int, **options: object) -> None:
        connected.append((host, options["server_hostname"]))
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(asyncio, "open_connection", connect)
    with pytest.raises(Unanswered):
        await outbound.post("https://rebinding.example/", b"{}", {})
    assert connected == [("93.184.216.34", "rebinding.example")], "and the certificate must be the name's"


async def test_servers_of_names_that_never_answer_hold_up_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = threading.Event()

    def look_up(*_: object, **__: object) -> list[object]:
        answered.wait(60)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    posts = [
        asyncio.create_task(outbound.post(f"https://{number}.example/", b"{}", {}))
        for number in range(2 * outbound.RESOLVERS)
    ]
    await asyncio.sleep(0.1)
    try:
        async with asyncio.timeout(30):
            assert await asyncio.to_thread(lambda: "a bot's move") == "a bot's move"
    finally:
        answered.set()
    assert {type(each) for each in await asyncio.gather(*posts, return_exceptions=True)} == {Unanswered}


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that says the same to everybody, its address, and what it was asked."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        asked.append(head + await reader.readexactly(length))
        writer.write(answer)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


async def test_what_is_sent_is_what_was_given_and_the_status_is_told() -> None:
    async with answering(b"HTTP/1.1 204 No Content\r\n\r\n") as (url, asked):
        status = await outbound.post(f"{url}/hook?x=1", b'{"a":1}', {"webhook-id": "m"}, private=True)
    assert status == 204
    assert asked[0].startswith(b"POST /hook?x=1 HTTP/1.1\r\n")
    assert b"\r\nwebhook-id: m\r\n" in asked[0]
    assert asked[0].endswith(b'\r\n\r\n{"a":1}')


async def test_redirects_are_not_followed() -> None:
    async with answering(b"HTTP/1.1 200 OK\r\n\r\n") as (target, reached):
        moved = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\n\r\n".encode()
        async with answering(moved) as (url, _):
            assert await outbound.post(url, b"{}", {}, private=True) == 302
    assert reached == []


async def test_an_interim_answer_is_not_the_answer() -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    async with answering(interim + b"HTTP/1.1 500 No\r\n\r\n") as (url, _):
        assert await outbound.post(url, b"{}", {}, private=True) == 500


def test_the_schemes_that_are_named_are_those_that_may_be_asked() -> None:
    for private, schemes in ((False, "https://"), (True, "https:// or http://")):
        with pytest.raises(Refused, match=f"begins with {schemes}$"):
            outbound.checked("ftp://bot.example/", private=private)


NONSENSE = (
    *(b"", b"hello\r\n", b"HTTP/1.1 yes\r\n\r\n", b"x" * 100_000, b"220 200 mail.example ESMTP\r\n"),
    *(b"SSH-2.0 200\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/2 200\r\n\r\n", b"HTTP/1.1 100 Go\r\n\r\n"),
)


@pytest.mark.parametrize("nonsense", NONSENSE)
async def test_an_answer_that_is_none_is_told_as_that(nonsense: bytes) -> None:
    async with answering(nonsense) as (url, _):
        with pytest.raises(Unanswered):
            await outbound.post(url, b"{}", {}, private=True)


async def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Unanswered):
        await outbound.post(f"http://127.0.0.1:{port}/", b"{}", {}, private=True)
