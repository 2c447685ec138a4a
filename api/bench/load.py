"""A load generator for HTTP/1.1: a few connections, each with one request under way, and little else."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Self

import msgspec
from msgspec import Struct


class Reply(Struct, frozen=True):
    """``seconds``: from the request to the last byte of the answer."""

    status: int
    body: bytes
    seconds: float


class Volley(Struct, frozen=True):
    """The answers to requests, in their order, and the seconds that all of them took together."""

    replies: list[Reply]
    seconds: float

    @property
    def rate(self) -> float:
        return len(self.replies) / self.seconds

    @property
    def median_ms(self) -> float:
        return 1000 * statistics.median(reply.seconds for reply in self.replies)


def request(method: str, path: str, *, token: str = "", body: object = None, accept: str = "") -> bytes:
    """A request as it goes over the wire."""
    content = b"" if body is None else msgspec.json.encode(body)
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(content)}"]
    if content:
        lines.append("Content-Type: application/json")
    if accept:
        lines.append(f"Accept: {accept}")
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


class Line(asyncio.Protocol):
    """A connection on which one request at a time is answered."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[Reply] | None = None
        self._received = bytearray()
        self._began = 0.0
        self.transport: asyncio.Transport

    @classmethod
    async def open(cls, port: int) -> Self:
        _, line = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return line

    def ask(self, sent: bytes) -> asyncio.Future[Reply]:
        self._answer = asyncio.get_running_loop().create_future()
        self._received.clear()
        self._began = time.perf_counter()
        self.transport.write(sent)
        return self._answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, gap, body = bytes(self._received).partition(b"\r\n\r\n")
        if not gap or self._answer is None:
            return
        _, _, length = head.lower().partition(b"content-length:")
        if len(body) >= int(length.split(b"\r\n", 1)[0]):
            self._answer.set_result(Reply(int(head[9:12]), body, time.perf_counter() - self._began))
            self._answer = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the server hung up"))


async def fire(lines: Sequence[Line], requests: Sequence[bytes]) -> Volley:
    """Send all requests, each line the next one as soon as it has its answer."""
    replies: dict[int, Reply] = {}

    async def work(line: Line, todo: Iterator[tuple[int, bytes]]) -> None:
        for number, sent in todo:
            replies[number] = await line.ask(sent)

    todo = iter(enumerate(requests))
    began = time.perf_counter()
    await asyncio.gather(*(work(line, todo) for line in lines))
    return Volley([replies[number] for number in range(len(requests))], time.perf_counter() - began)
