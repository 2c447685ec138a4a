"""kleos archive, killed at any moment: every match is whole, in the store or in the archive."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

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


async def test_a_match_is_never_in_neither(store_url: str, prefix: str, tmp_path: Path) -> None:
    seed = int(os.environ.get("TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"TEST_SEED={seed}")
    rng = random.Random(seed)
    signer = keys_in(tmp_path / KEY_FILE).signer("kleos")
    async with store_with_archive(store_url, prefix, tmp_path / "archive") as store:
        log = Log(store, signer)
        matches = [(await played(log, each))[0].match.id for each in range(MATCHES)]
        before = {match: await all_that_is_read(store, match, signer) for match in matches}
        killed = 0
        for _ in range(KILLS):
            killed += _run(store_url, prefix, tmp_path, dies_after=rng.uniform(0, 0.3)) != 0
            for match in matches:
                assert await all_that_is_read(store, match, signer) == before[match]
                shelved = await store.stub(match) is not None
                assert shelved == (await left_in_store(store, match) == [])
        assert killed
        assert _run(store_url, prefix, tmp_path) == 0
        for match in matches:
            assert await left_in_store(store, match) == []
            assert await all_that_is_read(store, match, signer) == before[match]


def _run(url: str, prefix: str, data: Path, dies_after: float | None = None) -> int:
    """Run it, to its end or to ``dies_after`` seconds after it has begun to move matches; its exit code."""
    command = [str(Path(sys.executable).with_name("kleos")), "archive", "--older-than", "0s", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(GAMES), "KLEOS_PREFIX": prefix}
    running = subprocess.Popen(
        [*command, "--data", str(data), "--redis", url], env=environment, stdout=subprocess.PIPE
    )
    assert running.stdout is not None
    if dies_after is not None:
        running.stdout.readline()
        time.sleep(dies_after)
        running.kill()
    running.stdout.read()
    running.stdout.close()
    return running.wait()
