"""Cosignatures as they are kept: over the head that is shown, of a time, and no longer than the account."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundles import cosigned, key_of
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import SIGNER, TINY, TRUSTED, played
from shelves import store_with_archive

from kleos.core.kernel.errors import Forbidden
from kleos.core.match import Match
from kleos.events.accounts import Accounts, Player
from kleos.events.audit import audit
from kleos.events.bundle import unpack
from kleos.events.cosignature import Cosigned, Witness
from kleos.events.fsck import examine
from kleos.events.importing import take_in
from kleos.events.ledger import Ledger
from kleos.events.log import Log
from kleos.events.notary import Notary, Testimony, everything
from kleos.events.note import Checkpoint, Signer, b64, open_checkpoint
from kleos.events.shelving import shelve
from kleos.events.store import Store
from kleos.events.verifier import verify
from kleos.events.witnesses import AHEAD, Witnesses

pytestmark = pytest.mark.anyio
NOW = 1_767_225_700
HERE = Signer("here.example", Ed25519PrivateKey.from_private_bytes(bytes(reversed(range(32)))))


async def anna(store: Store) -> Player:
    player, _ = await Accounts(store).register("Anna", b64(key_of("anna").public_key().public_bytes_raw()))
    return player


def witnesses(store: Store, signer: Signer) -> Witnesses:
    return Witnesses(store, Log(store, signer), signer.name, clock=lambda: NOW * 1000)


async def shown(store: Store, match: str) -> Checkpoint:
    """The head in the checkpoint of a match that was signed by ``SIGNER``."""
    note = await Log(store, SIGNER).checkpoint(match)
    return open_checkpoint(note, note.partition("\n")[0], TRUSTED)


async def test_a_match_from_elsewhere_is_cosigned_under_the_name_that_its_checkpoint_shows(
    store_url: str, prefix: str, tmp_path: Path
) -> None:
    async with (
        store_with_archive(store_url, f"{prefix}there", tmp_path / "there") as there,
        store_with_archive(store_url, f"{prefix}here", tmp_path / "here") as here,
    ):
        name = (await played(Log(there, SIGNER), seed=4))[0].match.id
        await take_in(here, [HERE.verifier], await Log(there, SIGNER).bundle(name, everything))
        player, kept = await anna(here), witnesses(here, HERE)
        match, head = await Log(here, HERE).load(name), await shown(here, name)
        line = cosigned("anna", head, host=HERE.name, player=player.id, at=NOW).line
        given = await kept.cosign(match, player, head.size, line)
        note = await kept.below(name, await Log(here, HERE).checkpoint(name))
        assert note.split("\n")[-2] == line
        assert Witness.parse(given.key).time_of(line, open_checkpoint(note, head.origin, TRUSTED)) == NOW
        audited = await audit(Ledger(here, HERE), HERE.name)
        checked = await examine(
            here,
            name,
            told=dict.fromkeys(range(1, head.size + 1), b""),
            trusted=[HERE.verifier],
            heads=None,
            audited=audited,
            whole=False,
        )
        assert checked.findings == ()


async def test_a_cosignature_says_when_and_not_a_time_that_is_yet_to_come(store: Store) -> None:
    player, kept = await anna(store), witnesses(store, SIGNER)
    match = (await Log(store, SIGNER).create(player.id, TINY)).match
    head = await shown(store, match.id)
    for at in (0, NOW + AHEAD + 1, NOW + AHEAD):
        line = cosigned("anna", head, host=SIGNER.name, player=player.id, at=at).line
        if at == NOW + AHEAD:
            assert (await kept.cosign(match, player, 1, line)).line == line
        else:
            with pytest.raises(Forbidden, match="time"):
                await kept.cosign(match, player, 1, line)


async def test_who_is_forgotten_has_cosigned_nothing(store: Store) -> None:
    player, kept = await anna(store), witnesses(store, SIGNER)
    other, _ = await Accounts(store).register("Ben", b64(key_of("ben").public_key().public_bytes_raw()))
    log = Log(store, SIGNER)
    made = [(await log.create(creator, TINY)).match for creator in (player.id, "zoe")]
    for match in made:
        head = await shown(store, match.id)
        for who, name in ((player, "anna"), (other, "ben")):
            line = cosigned(name, head, host=SIGNER.name, player=who.id, at=NOW).line
            await kept.cosign(match, who, 1, line)
    await kept.forget(player.id)
    for match in made:
        assert [each.line.split(" ")[1] for each in await kept.of(match.id)] == [
            f"{SIGNER.name}/p/{other.id}"
        ]
    await kept.forget(player.id)


async def test_what_is_cosigned_in_the_archive_is_in_the_bundle_from_then_on(
    store_url: str, prefix: str, tmp_path: Path
) -> None:
    async with store_with_archive(store_url, prefix, tmp_path) as store:
        log = Log(store, SIGNER)
        name = (await played(log, seed=4))[0].match.id
        match, head, kept = await log.load(name), await shown(store, name), witnesses(store, SIGNER)
        before = Checkpoint(head.origin, head.size - 1, await log.root(name, head.size - 1))
        player = await anna(store)

        async def cosign(at: Checkpoint) -> Cosigned:
            line = cosigned("anna", at, host=SIGNER.name, player=player.id, at=NOW).line
            return await kept.cosign(match, player, at.size, line)

        first = await cosign(before)
        await shelve(store, Notary(SIGNER), name, said=Testimony(None, await kept.of(name)))
        assert await told(log, kept, name) == (first.text,)
        newer = await cosign(head)
        passer_by = await _passer_by(store, kept, match, head)
        assert await told(log, kept, name) == tuple(sorted((newer.text, passer_by.text)))


async def _passer_by(store: Store, kept: Witnesses, match: Match, head: Checkpoint) -> Cosigned:
    key = b64(key_of("passer-by").public_key().public_bytes_raw())
    player, _ = await Accounts(store).register("Zoe", key)
    line = cosigned("passer-by", head, host=SIGNER.name, player=player.id, at=NOW).line
    return await kept.cosign(match, player, head.size, line)


async def told(log: Log, kept: Witnesses, match: str) -> tuple[str, ...]:
    """The cosignatures in the bundle of a match, which is valid with them."""
    data = await log.bundle(match, everything, Testimony(None, await kept.of(match)))
    report = verify(data, TRUSTED)
    assert (report.status, "witnesses" in report.passed) == ("valid", True)
    return unpack(data).cosignatures
