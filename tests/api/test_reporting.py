"""The verdict in a report is on the keys that a match was signed with."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bundles import cosigned
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import SIGNER, TRUSTED, played
from shelves import NOTARY, store_with_archive

from kleos.api.reporting import Reports
from kleos.core.kernel import EVERYTHING
from kleos.events.accounts import Accounts
from kleos.events.importing import take_in
from kleos.events.log import Log
from kleos.events.notary import NONE, Testimony, everything
from kleos.events.note import Signer, open_checkpoint
from kleos.events.rotation import keys_of, rotate
from kleos.events.shelving import shelve
from kleos.events.store import Store
from kleos.projections.report import MatchReport

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(store_url: str, prefix: str, tmp_path: Path) -> AsyncIterator[Store]:
    async with store_with_archive(store_url, prefix, tmp_path / "archive") as store:
        yield store


KEY = Ed25519PrivateKey.from_private_bytes(bytes(reversed(range(32))))


async def told(store: Store, match: str, signer: Signer, said: Testimony = NONE) -> MatchReport:
    log = Log(store, signer)
    reports = Reports(log, Accounts(store), keys_of(signer))
    return await reports.of(await log.load(match), EVERYTHING, {}, said)


async def test_of_a_match_in_the_archive_also_when_the_key_has_changed_since(store: Store) -> None:
    match = (await played(Log(store, SIGNER), seed=4))[0].match.id
    await shelve(store, NOTARY, match)
    note = rotate(SIGNER, Signer(SIGNER.name, KEY), 1)
    verdict = (await told(store, match, Signer(SIGNER.name, KEY, [note]))).verdict
    assert (verdict.status, verdict.signed_by, verdict.trusted) == ("valid", (SIGNER.verifier.vkey,), True)


async def test_tells_who_has_cosigned_a_match_since_it_is_in_the_archive(store: Store) -> None:
    log = Log(store, SIGNER)
    match = (await played(log, seed=4))[0].match.id
    await shelve(store, NOTARY, match)
    note = await log.checkpoint(match)
    line = cosigned("passer-by", open_checkpoint(note, note.partition("\n")[0], TRUSTED))
    verdict = (await told(store, match, SIGNER, Testimony(None, (line,)))).verdict
    assert [(each.key, each.size) for each in verdict.cosigned] == [(line.key, verdict.events)]


async def test_of_a_match_from_elsewhere_by_the_keys_that_it_brought(
    store: Store, store_url: str, prefix: str, tmp_path: Path
) -> None:
    async with store_with_archive(store_url, f"{prefix}there", tmp_path / "there") as origin:
        there = Log(origin, SIGNER)
        match = (await played(there, seed=4))[0].match.id
        data = await there.bundle(match, everything)
    here = Signer("other.example", KEY)
    await take_in(store, keys_of(here), data)
    verdict = (await told(store, match, here)).verdict
    assert (verdict.status, verdict.signed_by, verdict.trusted) == ("valid", (SIGNER.verifier.vkey,), False)
