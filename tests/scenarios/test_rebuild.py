"""A match is its stream: whoever reads it comes to the same state at every version."""

import asyncio
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.core.kernel import KeyedChance, choices, random_move
from kleos.core.kernel.registry import current, pinned
from kleos.core.match import seats_to_act
from kleos.core.match.actions import Create, Join
from kleos.events.log import Log
from kleos.events.note import Signer
from kleos.events.store import Store
from tests.scenarios.rebuilt import fingerprint
from tests.scenarios.server import GAMES

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("game", "matches"),
    [("iliad", 4), ("tiny", 4), pytest.param("iliad", 200, marks=pytest.mark.slow)],
)
async def test_the_stream_alone_gives_the_live_state_at_every_version(
    store_url: str, prefix: str, rng: random.Random, game: str, matches: int
) -> None:
    store = await Store.connect(store_url, prefix=prefix)
    log = Log(store, Signer("play.example", Ed25519PrivateKey.generate()))
    some = asyncio.Semaphore(16)

    async def live(seats: int, seed: bytes) -> tuple[str, list[str]]:
        async with some:
            return await played(log, game, seats, KeyedChance(seed))

    sizes = current(game).seats
    lives = dict(await asyncio.gather(*(live(rng.choice(sizes), rng.randbytes(32)) for _ in range(matches))))
    await store.close()
    for seed in ("1", "2"):
        assert rebuilt(store_url, prefix, list(lives), seed) == lives


async def played(log: Log, game: str, seats: int, chance: KeyedChance) -> tuple[str, list[str]]:
    """A whole match with random moves: its id, and what it was at each version."""
    create = Create(game=game, rules=current(game).rules, seats=seats, options={}, undo="casual", seat=0)
    match = (await log.create("ariadne", create)).match
    states = [fingerprint(match)]
    for seat in range(1, seats):
        match = (await log.submit(match.id, "ariadne", None, Join(seat=seat))).match
        states.append(fingerprint(match))
    while acting := seats_to_act(match):
        seat = acting[chance.pick(len(acting))]
        legal = choices(pinned(match.rules), match.state, seat)
        move = random_move(None, legal, seat, chance)
        match = (await log.submit(match.id, "ariadne", seat, move)).match
        states.append(fingerprint(match))
    assert match.status == "finished"
    return match.id, states


def rebuilt(url: str, prefix: str, ids: list[str], hash_seed: str) -> dict[str, list[str]]:
    """The same matches as a fresh process finds them, its hashes of strings seeded otherwise than ours."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.scenarios.rebuilt", url, prefix],
        input="\n".join(ids),
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(GAMES)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return dict(zip(ids, (line.split() for line in ended.stdout.splitlines()), strict=True))
