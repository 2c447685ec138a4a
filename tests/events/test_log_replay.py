"""The log replayed: from the stream alone, in fresh processes, from snapshots, under other rules."""

import asyncio
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import msgspec
import pytest
import tiny
from matches import SIGNER, played, pledge, seated

from kleos.core.kernel.registry import games
from kleos.core.match import codec
from kleos.events.loading import Loader
from kleos.events.log import Log
from kleos.events.replay import Diverged, rebuild, replay
from kleos.events.snapshot import code_digest, unpack
from kleos.events.store import Store

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("rules", games())
async def test_a_replay_of_the_stream_gives_every_version_again(
    any_store: Store, rules: str, seed: int
) -> None:
    log = Log(any_store, SIGNER)
    live = await played(log, seed, rules)
    match_id = live[0].match.id
    entries = await log.entries(match_id, limit=len(live) + 1)
    assert entries == [each.entry for each in live]
    assert list(replay(entries)) == [each.match for each in live]
    assert rebuild(entries) == live[-1].match
    other = Log(any_store, SIGNER)
    assert [await other.at(match_id, version) for version in range(1, len(live) + 1)] == [
        each.match for each in live
    ]
    assert await other.load(match_id) == live[-1].match


async def test_a_match_is_found_by_its_snapshot_and_what_came_after(store: Store) -> None:
    log = Log(store, SIGNER, loader=Loader(store, snapshot_every=4))
    live = await played(log, seed=3)
    key = code_digest("tiny/1")
    found = await store.snapshot(live[0].match.id, key)
    assert found is not None
    version, packed = found
    assert version == max(range(4, len(live) + 1, 4))
    assert unpack(packed).match == live[version - 1].match
    other = Log(store, SIGNER)
    assert await other.load(live[0].match.id) == live[-1].match


async def test_a_match_goes_on_from_a_snapshot_with_the_same_tree(store: Store) -> None:
    match = await seated(Log(store, SIGNER, loader=Loader(store, snapshot_every=2)))
    committed = await Log(store, SIGNER).submit(match.id, "anna", 0, pledge(match, 0))
    assert await Log(store, SIGNER).receipt(match.id, 3) == committed.receipt


async def test_a_log_that_the_rules_no_longer_lead_to_is_not_played_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 62."""
    match = await seated(Log(store, SIGNER))
    blank = tiny.Tiny.blank
    monkeypatch.setattr(
        tiny.Tiny,
        "blank",
        lambda game, options, seats: msgspec.structs.replace(blank(game, options, seats), bank=7),
    )
    with pytest.raises(Diverged):
        await Log(store, SIGNER).submit(match.id, "anna", 0, pledge(match, 0))


FRESH = """
import sys
from base64 import b64decode
from kleos.events.envelope import Entry
from kleos.events.replay import replay
from kleos.core.match import codec
entries = []
for number, line in enumerate(sys.stdin, 1):
    public, sealed = map(b64decode, line.rstrip("\\n").split(":"))
    entries.append(Entry.of(number, public, sealed))
for match in replay(entries):
    print(codec(match.rules).state_bytes(match.state).hex())
"""


@pytest.mark.parametrize("hash_seed", ["1", "77"])
@pytest.mark.parametrize("rules", games())
async def test_a_fresh_process_with_another_hash_seed_rebuilds_every_version(
    store: Store, rules: str, hash_seed: str
) -> None:
    """Fault 75."""
    live = await played(Log(store, SIGNER), seed=11, rules=rules)
    lines = "".join(
        f"{b64encode(each.entry.public).decode()}:{b64encode(each.entry.sealed).decode()}\n" for each in live
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(tiny.__file__).parent)}
    fresh = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", FRESH],
        input=lines,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    states = [codec(rules).state_bytes(each.match.state).hex() for each in live]
    assert fresh.stdout.split() == states
