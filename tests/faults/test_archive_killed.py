"""kleos archive, killed at any moment: every match is whole, in the store or in the archive."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from matches import played
from shelves import all_that_is_read, left_in_store, store_with_archive

from kleos.api.settings import KEY_FILE
from kleos.events.keys import keys_in
from kleos.events.log import Log
from tests.scenarios.server import GAMES

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
MATCHES = 8
KILLS = 4
STEPS = 4
"""Requests about a match, each after the reply to the one before, that it takes at least to move it."""


class Weir:
    """Between a process and its store: so many requests that name a match go through, then nothing more.

    Whoever is killed below it had work left, however fast or slow the machine is.
    """

    def __init__(self, store_url: str, matches: list[str], passes: int) -> None:
        self.shut = asyncio.Event()
        self._store = unquote(urlsplit(store_url).path)
        self._names = [match.encode() for match in matches]
        self._passes = passes
        self._connections: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self, place: Path) -> AsyncIterator[str]:
        """The address at which it stands for the store."""
        async with await asyncio.start_unix_server(self._accept, place):
            yield f"unix://{place}"
        for each in self._connections:
            each.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, asking: asyncio.StreamReader, answering: asyncio.StreamWriter) -> None:
        self._connections.add(asyncio.ensure_future(self._down(asking, answering)))

    async def _down(self, asking: asyncio.StreamReader, answering: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_unix_connection(self._store)
        back = asyncio.ensure_future(_up(answers, answering))
        try:
            while (asked := await asking.read(1 << 16)) and not self.shut.is_set():
                requests.write(asked)
                self._passes -= any(name in asked for name in self._names)
                if self._passes == 0:
                    self.shut.set()
            await back
        finally:
            back.cancel()
            requests.close()
            answering.close()


async def _up(answers: asyncio.StreamReader, answering: asyncio.StreamWriter) -> None:
    while answer := await answers.read(1 << 16):
        answering.write(answer)


async def test_a_match_is_never_in_neither(
    store_url: str, prefix: str, tmp_path: Path, rng: random.Random
) -> None:
    signer = keys_in(tmp_path / KEY_FILE).signer("kleos")
    async with store_with_archive(store_url, prefix, tmp_path / "archive") as store:
        log = Log(store, signer)
        matches = [(await played(log, each))[0].match.id for each in range(MATCHES)]
        before = {match: await all_that_is_read(store, match, signer) for match in matches}
        for _ in range(KILLS):
            left = [match for match in matches if await store.stub(match) is None]
            weir = Weir(store_url, left, passes=rng.randrange(1, STEPS * len(left)))
            async with weir.open(tmp_path / "weir") as address:
                running = await _archive(address, prefix, tmp_path)
                await weir.shut.wait()
                await asyncio.sleep(rng.uniform(0, 0.05))  # it may be writing files, or wait for the store
                running.kill()
                assert await running.wait() == -signal.SIGKILL
            for match in matches:
                assert await all_that_is_read(store, match, signer) == before[match]
                shelved = await store.stub(match) is not None
                assert shelved == (await left_in_store(store, match) == [])
        assert await (await _archive(store_url, prefix, tmp_path)).wait() == 0
        for match in matches:
            assert await left_in_store(store, match) == []
            assert await all_that_is_read(store, match, signer) == before[match]


async def _archive(url: str, prefix: str, data: Path) -> asyncio.subprocess.Process:
    """The command, begun, on a store."""
    kleos = str(Path(sys.executable).with_name("kleos"))
    return await asyncio.create_subprocess_exec(
        *(kleos, "archive", "--older-than", "0s", "--data", str(data), "--redis", url),
        env={**os.environ, "PYTHONPATH": str(GAMES), "KLEOS_PREFIX": prefix},
    )
