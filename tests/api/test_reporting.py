"""The verdict in a report is on the keys that a match was signed with."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import SIGNER, played
from shelves import NOTARY, store_with_archive

from kleos.api.reporting import Reports
from kleos.core.kernel import EVERYTHING
from kleos.events.accounts import Accounts
from kleos.events.importing import take_in
from kleos.events.log import Log
from kleos.events.notary import everything
from kleos.events.note import Signer
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


async def told(store: Store, match: str, signer: Signer) -> MatchReport:
    log = Log(store, signer)
    return await Reports(log, Accounts(store), keys_of(signer)).of(await log.load(match), EVERYTHING, {})


async def test_of_a_match_in_the_archive_also_when_the_key_has_changed_since(store: Store) -> None:
    match = (await played(Log(store, SIGNER), seed=4))[0].match.id
    await shelve(store, NOTARY, match)
    note = rotate(SIGNER, Signer(SIGNER.name, KEY), 1)
    verdict = (await told(store, match, Signer(SIGNER.name, KEY, [note]))).verdict
    assert (verdict.status, verdict.signed_by, verdict.trusted) == ("valid", (SIGNER.verifier.vkey,), True)


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
