"""An accepted move over HTTP (account, rules, proof, one synced append) against a bare route with one append.

Both servers are processes of their own on the same store; this process is the load generator. The moves are
those of many matches at once: what is legal is asked before each volley, outside the time that counts.
"""

from __future__ import annotations

import asyncio
import random
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from kleos.api.bench.load import Line, Volley, fire, request
from kleos.api.bench.row import Row
from kleos.core.kernel.registry import current

PEER = "a bare Litestar route with one append"
CONNECTIONS = 16
MATCHES = 192
STARTING = 30.0
"""Seconds a server may take to come up."""


async def rows(url: str, seconds: float, game: str) -> AsyncIterator[Row]:
    with tempfile.TemporaryDirectory(prefix="kleos-bench-") as folder:
        kleos = "import sys; from kleos.api.command import main; sys.exit(main())"
        serve = ["-c", kleos, "serve", "--redis", url, "--data", folder]
        async with (
            server("--port", *serve) as real,
            server("", "-m", "kleos.api.bench.bare", url, game) as bare,
        ):
            ours, theirs = await _volleys(real, bare, seconds, game)
    connections = f"{CONNECTIONS} connections"
    yield Row(
        name=f"accepted move over HTTP, {connections}", unit="/s", at_least=0.5,
        ours=statistics.median(each.rate for each in ours),
        peer=statistics.median(each.rate for each in theirs), peer_name=PEER,
    )  # fmt: skip
    yield Row(
        name=f"accepted move over HTTP, p50, {connections}", unit="ms", at_most=2.5,
        ours=statistics.median(each.median_ms for each in ours),
        peer=statistics.median(each.median_ms for each in theirs), peer_name=PEER,
    )  # fmt: skip


async def _volleys(real: int, bare: int, seconds: float, game: str) -> tuple[list[Volley], list[Volley]]:
    """Volleys of moves to both in turn, until each has had ``seconds``."""
    lines = [await Line.open(real) for _ in range(CONNECTIONS)]
    bare_lines = [await Line.open(bare) for _ in range(CONNECTIONS)]
    tables = Tables(lines, game)
    await tables.lay()
    ours: list[Volley] = []
    theirs: list[Volley] = []
    while sum(each.seconds for each in ours) < seconds or sum(each.seconds for each in theirs) < seconds:
        moves = await tables.moves()
        volley = await fire(
            lines, [request("POST", f"{at}/moves", token=tables.token, body=b) for at, b in moves]
        )
        tables.answered(volley)
        ours.append(volley)
        bodies = [request("POST", f"/{number}/moves", body=b) for number, (_, b) in enumerate(moves)]
        volley = await fire(bare_lines, bodies)
        assert all(reply.status == 201 for reply in volley.replies)
        theirs.append(volley)
    return ours[1:] or ours, theirs[1:] or theirs  # the first one warms up


class Tables:
    """Many matches that one player plays alone."""

    def __init__(self, lines: list[Line], game: str, *, matches: int = MATCHES) -> None:
        self._lines = lines
        self._matches = matches
        self._game = game
        self._seats = current(game).seats[0]
        self._at: list[str] = []
        self._views: list[Any] = []
        self._rng = random.Random(0)
        self.token = ""

    async def lay(self) -> None:
        (made,) = await self._done([request("POST", "/v1/players", body={"name": "Bench"})])
        self.token = made["token"]
        self._at = await self._new(self._matches)
        self._views = [None] * self._matches

    async def _new(self, number: int) -> list[str]:
        wanted = {"game": self._game, "seats": self._seats, "seat": 0, "undo": "casual"}
        made = await self._done([request("POST", "/v1/matches", token=self.token, body=wanted)] * number)
        places = [f"/v1/matches/{match['id']}" for match in made]
        for seat in range(1, self._seats):
            joins = [request("POST", f"{at}/seats", token=self.token, body={"seat": seat}) for at in places]
            await self._done(joins)
        return places

    async def _done(self, requests: list[bytes]) -> list[Any]:
        volley = await fire(self._lines, requests)
        refused = [reply.body for reply in volley.replies if reply.status not in (200, 201)]
        if refused:
            raise RuntimeError(f"the server refused: {refused[0].decode()}")
        return [msgspec.json.decode(reply.body) for reply in volley.replies]

    @property
    def versions(self) -> list[int]:
        """The versions of the matches when their moves were last asked for."""
        return [view["version"] for view in self._views]

    async def moves(self) -> list[tuple[str, dict[str, Any]]]:
        """For each table a legal move of a seat to act: the path of its match, and the body."""
        over = [n for n, view in enumerate(self._views) if view is None or view["status"] != "playing"]
        ended = [n for n in over if self._views[n] is not None]
        for n, at in zip(ended, await self._new(len(ended)), strict=True):
            self._at[n] = at
        for n in over:
            match = await self._done([request("GET", self._at[n], token=self.token)])
            self._views[n] = match[0]
        seats = [view["to_act"][0] for view in self._views]
        asked = [
            request("GET", f"{at}/view?seat={seat}", token=self.token)
            for at, seat in zip(self._at, seats, strict=True)
        ]
        self._views = await self._done(asked)
        return [
            (at, {"seat": seat, "move": self._rng.choice(view["moves"])["move"]})
            for at, seat, view in zip(self._at, seats, self._views, strict=True)
        ]

    def answered(self, volley: Volley) -> None:
        for n, reply in enumerate(volley.replies):
            if reply.status != 201:
                raise RuntimeError(f"a legal move was refused: {reply.body.decode()}")
            self._views[n] = msgspec.json.decode(reply.body)["view"]


@asynccontextmanager
async def server(flag: str, *arguments: str) -> AsyncIterator[int]:
    """A Python process that serves on a port of its choice's; the port is its last argument."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    last = (flag, str(port)) if flag else (str(port),)
    with tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, *last, stdout=said, stderr=said
        )
        try:
            deadline = time.monotonic() + STARTING
            while not await _answers(port):
                if process.returncode is not None or time.monotonic() > deadline:
                    said.seek(0)
                    raise RuntimeError(f"{arguments[:2]} did not come up:\n{said.read().decode()[-2000:]}")
                await asyncio.sleep(0.05)
            yield port
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def _answers(port: int) -> bool:
    try:
        line = await Line.open(port)
        reply = await line.ask(request("GET", "/readyz"))
    except OSError:
        return False
    line.transport.close()
    return reply.status == 200
