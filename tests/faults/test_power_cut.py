"""A power cut, at each of the last moments: what was acknowledged is there, and nothing is half there.

1. Append events one by one; note how long the store's log file is at each acknowledgement: that much is on
   the disk for sure, whatever else is.
2. For each of these moments, start a store on a copy of the folder whose log file ends there.
3. It has exactly the events that were acknowledged by then.
4. A file that ends within a record is a damaged one. The store must say so, not start with a shorter log.
"""

import os
import shutil
from pathlib import Path

import pytest

from kleos.events.command import Command
from kleos.events.embedded import Embedded, NoServer
from kleos.events.store import Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

EVENTS = 40
CUTS = 12


def log_file(folder: Path) -> Path:
    (found,) = (folder / "appendonlydir").glob("*.incr.aof")
    return found


async def append(store: Store, version: int) -> None:
    """Make event ``version`` of match m."""
    await store.append(
        "m", expected=version - 1, command=Command(b"c%d" % version), public=b"public %d" % version,
        sealed=b"sealed %d" % version, head=b"head %d" % version, notice=b"{}",
    )  # fmt: skip


async def written(folder: Path) -> list[int]:
    """Append events; the length of the log file when each had been acknowledged, the first being of none."""
    async with await Embedded.start(folder) as server:
        store = await Store.connect(server.url)
        lengths = [log_file(folder).stat().st_size]
        for version in range(1, EVENTS + 1):
            await append(store, version)
            lengths.append(log_file(folder).stat().st_size)
        await store.close()
    return lengths


def cut(folder: Path, to: Path, length: int) -> Path:
    """A copy of the folder whose log file has only its first bytes."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("lock", "*.sock"))
    os.truncate(log_file(to), length)
    return to


async def test_what_was_acknowledged_before_the_cut_is_there_whole(tmp_path: Path) -> None:
    lengths = await written(tmp_path / "data")
    assert lengths == sorted(set(lengths)), "each acknowledgement follows a write"
    for version in range(EVENTS - CUTS, EVENTS + 1):
        folder = cut(tmp_path / "data", tmp_path / f"cut{version}", lengths[version])
        async with await Embedded.start(folder) as server:
            store = await Store.connect(server.url)
            stored = await store.read("m")
            assert [each.version for each in stored] == list(range(1, version + 1))
            assert [(each.public, each.sealed) for each in stored] == [
                (b"public %d" % n, b"sealed %d" % n) for n in range(1, version + 1)
            ]
            assert await store.head("m") == (version, b"head %d" % version)
            assert len(await store.feed(store.bucket("m"))) == version
            await append(store, version + 1)
            await store.close()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
async def test_a_log_that_ends_within_a_record_is_not_taken_for_a_shorter_log(
    tmp_path: Path, part: float
) -> None:
    lengths = await written(tmp_path / "data")
    before, after = lengths[-2:]
    folder = cut(tmp_path / "data", tmp_path / "cut", before + int(part * (after - before)))
    with pytest.raises(NoServer, match="--repair"):
        await Embedded.start(folder)
