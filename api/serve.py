"""Running the server: the socket, the store, one process or several, and a clean end.

The process that was started owns the embedded store and the socket. With several workers it serves nothing
itself: it starts workers that share both, and starts another when one dies.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kleos.api.app import create_app
from kleos.api.backend import open_backend
from kleos.api.console import greet, set_up_logging, with_access_log
from kleos.api.problems import MEDIA, Problem
from kleos.api.settings import Settings, SettingsError, read_settings
from kleos.api.stored import WHERE
from kleos.api.telemetry import tracing
from kleos.events.embedded import Embedded, NoServer
from kleos.events.keys import KeyUnusable
from kleos.events.store import Store, StoreUnavailable, UnsafeStore

if TYPE_CHECKING:  # an extra that most do not have
    from kleos.api.tracing import Tracing

GRACE: Final = 5
"""Seconds that running requests get to finish."""
IDLE: Final = 75
"""Seconds for which a connection without requests is kept: longer than clients and proxies keep theirs."""
_FLAGS: Final = (
    "host", "port", "replicas", "repair", "workers", "access_log", *WHERE
)  # fmt: skip
"""The settings that have a flag."""
RESPITE: Final = 1.0
"""Seconds before a worker that died is replaced: a broken start must not spin."""
_log = logging.getLogger("kleos.serve")


class CannotServe(Exception):
    """The server cannot start; the text is one line that says why."""


class Protocol(HttpToolsProtocol):
    """HTTP/1.1 whose answer to what is not HTTP is a problem like any other."""

    def send_400_response(self, msg: str) -> None:
        body = Problem("malformed", msg.rstrip(".").lower()).body("")
        head = (
            f"HTTP/1.1 400 Bad Request\r\ncontent-type: {MEDIA}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to us and says when it listens."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._listening()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--host", help="the address to listen on (default: 127.0.0.1)")
    add("--port", type=int, help="the port to listen on (default: 8000; 0 takes any that is free)")
    add("--data", metavar="DIR", help="the folder of the embedded store and the signing key")
    add(
        "--redis", metavar="URL", dest="redis_url", help="a Redis, Valkey, cluster or Sentinel to use instead"
    )
    add("--archive", metavar="PLACE", help="where matches go that are over: a folder, or s3://bucket/prefix")
    add("--replicas", type=int, metavar="K", help="replicas that are to confirm each move (default: 0)")
    add(
        "--repair",
        action="store_const",
        const=True,
        help="cut off what a power cut or a full disk left half-written in the store",
    )
    add("--workers", type=int, metavar="N", help="processes that share port and store (default: 1)")
    add(
        "--access-log",
        action=argparse.BooleanOptionalAction,
        help="log requests (default: not to a terminal)",
    )
    add(
        "--allow-unsafe",
        action="store_const",
        const=True,
        help="accept a store that may lose what it confirmed",
    )
    parser.epilog = "Each can be set as KLEOS_HOST, KLEOS_PORT, …; docs/operations.md lists all settings."


def main(chosen: argparse.Namespace) -> int:
    flags = {name: getattr(chosen, name) for name in _FLAGS}
    try:
        settings = with_access_log(read_settings(os.environ, **flags))
    except SettingsError as error:
        print(f"kleos serve: {error}", file=sys.stderr)
        return 2
    try:
        serve(settings)
    except (CannotServe, NoServer, KeyUnusable, StoreUnavailable, UnsafeStore, ValueError) as error:
        print(f"kleos serve: {error}", file=sys.stderr)
        return 1
    return 0


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM. Raises ``CannotServe``, or what the store says if it cannot be used."""
    listener = _listen(settings)
    set_up_logging()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, listener))


async def _serve(settings: Settings, listener: socket.socket) -> None:
    """Run until a signal; one that comes while the store is still starting ends that too."""
    stopping = _on_signals()

    async def run() -> None:
        async with _store(settings) as url:
            if settings.workers == 1:
                await _work(settings, url, listener, stopping, lambda: greet(settings, listener))
            else:
                await _oversee(settings, url, listener, stopping)

    await _until(stopping, asyncio.create_task(run()))


async def _until(stopping: asyncio.Event, running: asyncio.Task[None]) -> None:
    """Wait for a task that ends by itself once ``stopping`` is set, unless it is stuck."""
    asked = asyncio.create_task(stopping.wait())
    await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    if not running.done():
        await asyncio.wait({running}, timeout=2 * GRACE)
        running.cancel()
    with suppress(asyncio.CancelledError):
        await running


@asynccontextmanager
async def _store(settings: Settings) -> AsyncIterator[str]:
    """The address of the store; our own runs while it is in use."""
    if settings.redis_url is not None:
        yield settings.redis_url
        return
    async with await Embedded.start(settings.data, repair=settings.repair) as embedded:
        yield embedded.url


async def _work(
    settings: Settings,
    url: str,
    listener: socket.socket,
    stopping: asyncio.Event,
    listening: Callable[[], None],
) -> None:
    """Serve in this process until ``stopping``."""
    async with _traces() as traces, open_backend(settings, url, traces) as backend:
        config = uvicorn.Config(
            create_app(settings, backend),
            http=Protocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=GRACE,
        )
        server = _Server(config, listening)
        _settle_memory()
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await stopping.wait()
        backend.herald.fall_silent()  # open streams and waiting requests say so and end
        server.should_exit = True
        await serving


@asynccontextmanager
async def _traces() -> AsyncIterator[Tracing | None]:
    """The traces that the environment asks for, all of them sent at the end."""
    traces = tracing(os.environ)
    try:
        yield traces
    finally:
        if traces is not None:
            await asyncio.to_thread(traces.close)


def _settle_memory() -> None:
    """What is there at the start stays: the garbage collector need not look at it again and again.

    With its default thresholds, full collections are what p99 is made of.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


# Several workers


async def _oversee(settings: Settings, url: str, listener: socket.socket, stopping: asyncio.Event) -> None:
    """Keep the workers running until asked to stop. A store that cannot be used is told once, here."""
    store = await Store.connect(url, allow_unsafe=settings.allow_unsafe, prefix=settings.prefix)
    await store.close()
    keepers = [asyncio.create_task(_keep(settings, url, listener)) for _ in range(settings.workers)]
    greet(settings, listener)
    await stopping.wait()
    for keeper in keepers:
        keeper.cancel()
    await asyncio.gather(*keepers, return_exceptions=True)


async def _keep(settings: Settings, url: str, listener: socket.socket) -> None:
    """One worker at a time, for ever."""
    while True:
        worker = multiprocessing.get_context("spawn").Process(target=_worker, args=(settings, url, listener))
        worker.start()
        try:
            await _gone(worker)
        except asyncio.CancelledError:
            worker.terminate()
            await asyncio.to_thread(worker.join, GRACE + 5)
            worker.kill()
            raise
        _log.error("worker %s ended with status %s; starting another", worker.pid, worker.exitcode)
        await asyncio.sleep(RESPITE)


async def _gone(worker: SpawnProcess) -> None:
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(worker.sentinel, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(worker.sentinel)
    worker.join()


def _worker(settings: Settings, url: str, listener: socket.socket) -> None:
    """The whole life of a worker process; it does not outlive the one that started it."""
    set_up_logging()

    async def work() -> None:
        stopping = _on_signals()
        parent = multiprocessing.parent_process()
        assert parent is not None
        asyncio.get_running_loop().add_reader(parent.sentinel, stopping.set)
        await _work(settings, url, listener, stopping, lambda: None)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(work())


# Odds and ends of a process


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listener = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise CannotServe(
            f"cannot listen on {settings.host} port {settings.port}: {error.strerror}; "
            "another --port may be free (0 takes any)"
        ) from error
    listener.set_inheritable(True)
    return listener


def _on_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - not on every platform

    return uvloop.new_event_loop
