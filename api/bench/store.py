"""The store: atomic appends, what an event takes, and how fast a state comes back."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
from redis.asyncio import Redis

from kleos.api.bench.row import Row
from kleos.api.bench.sample import Sample, fresh_log, played, played_on, sample
from kleos.events.command import Command
from kleos.events.loading import Loader
from kleos.events.store import FUNCTIONS, Store

TASKS = 16
ROUNDS = 4
LONG = 1000
"""Events of the match that is read."""
WHOLE = 16
"""Matches whose size is taken."""
BYTES_AN_EVENT = {"iliad": 500.0, "cyclades": 900.0}
"""The most that an event may take in the store, by game."""

Append = Callable[[str, int], Awaitable[object]]
"""Appends event ``version`` to a match."""


async def rows(url: str, seconds: float, game: str) -> AsyncIterator[Row]:
    store = await Store.connect(url)
    bare = Redis.from_url(url, max_connections=TASKS, retry=None)
    try:
        yield await _appends(store, bare, await sample(store, game), seconds)
        for each in BYTES_AN_EVENT:
            yield await _size(store, each)
        async for row in _reading(store, game):
            yield row
    finally:
        await bare.aclose()
        await store.close()


async def _appends(store: Store, bare: Redis, carried: Sample, seconds: float) -> Row:
    async def ours(match: str, version: int) -> object:
        return await store.append(
            match,
            expected=version - 1,
            command=Command.named("bench", b"%d" % version),
            **msgspec.structs.asdict(carried),
        )

    function = FUNCTIONS.function("append")
    rest = (carried.public, carried.sealed, carried.head)

    async def theirs(match: str, version: int) -> object:
        tag = f"bare:{{{match}}}"
        keys = [f"{tag}:{part}" for part in ("events", "commands", "head", "feed")]
        named = Command.named("bench", b"%d" % version).id
        told = (match, carried.notice, carried.news)
        return await bare.fcall(function, len(keys), *keys, version - 1, named, b"", *rest, *told)

    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    for number in range(ROUNDS):
        for name, append in (("ours", ours), ("theirs", theirs)):
            rates[name].append(await _rate(append, f"{name}{number}", seconds / ROUNDS))
    return Row(
        name=f"atomic append through the store, {TASKS} tasks",
        unit="/s",
        ours=statistics.median(rates["ours"]),
        peer=statistics.median(rates["theirs"]),
        peer_name="the same Function called by redis-py",
        at_least=0.7,
    )


async def _rate(append: Append, name: str, seconds: float) -> float:
    """Appends a second, by tasks that each write to a match of their own."""
    done = 0
    began = time.perf_counter()

    async def write(task: int) -> None:
        nonlocal done
        version = 1
        while time.perf_counter() - began < seconds:
            await append(f"{name}-{task}", version)
            version += 1
            done += 1

    await asyncio.gather(*(write(task) for task in range(TASKS)))
    return done / (time.perf_counter() - began)


async def _size(store: Store, game: str) -> Row:
    """Memory of all keys of whole matches, snapshots included, over the number of their events."""
    events = octets = 0
    for _ in range(WHOLE):
        match = await played(fresh_log(store), game)
        events += match.version
        for part in ("events", "commands", "head", "snapshot"):
            key = store.key(store.bucket(match.id), f"m:{match.id}:{part}")
            octets += await store.connection.call(key, "MEMORY", "USAGE", key, "SAMPLES", 0) or 0
    return Row(
        name=f"stored bytes per event, {game}",
        unit="B",
        ours=octets / events,
        at_most=BYTES_AN_EVENT[game],
    )


async def _reading(store: Store, game: str) -> AsyncIterator[Row]:
    """A state at any version, warm; and a match nobody remembers, against reading its entries alone."""
    log = fresh_log(store)
    match = await played_on(log, game, LONG)
    await log.at(match.id, match.version - 1)
    took = []
    for version in range(1, match.version + 1):
        began = time.perf_counter()
        await log.at(match.id, version)
        took.append(1000 * (time.perf_counter() - began))
    yield Row(name="state at any version, warm, median", unit="ms", ours=statistics.median(took), at_most=1.0)

    async def cold() -> None:
        await Loader(store).newest(match.id)

    async def read() -> None:
        for stored in await store.read(match.id, limit=match.version):
            msgspec.json.decode(stored.public)

    async def replayed() -> None:
        await Loader(store).history(match.id)

    ours, theirs = await _medians_ms(cold, read)
    yield Row(
        name=f"cold load of a match of {match.version} events",
        unit="ms",
        ours=ours,
        peer=theirs,
        peer_name="XRANGE and msgspec decode of the same entries",
        at_most=3.0,
    )
    [whole] = await _medians_ms(replayed, times=3)
    yield Row(name=f"every state of {match.version} events, cold", unit="ms", ours=whole)


async def _medians_ms(*calls: Callable[[], Awaitable[None]], times: int = 20) -> list[float]:
    """The median time of each call; they are made in turn, so that a busy machine slows all alike."""
    took: list[list[float]] = [[] for _ in calls]
    for _ in range(times):
        for call, each in zip(calls, took, strict=True):
            began = time.perf_counter()
            await call()
            each.append(1000 * (time.perf_counter() - began))
    return [statistics.median(each) for each in took]
