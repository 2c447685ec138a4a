"""Signed moves: neither can the server invent one, nor the player deny it."""

from __future__ import annotations

import random
from typing import Any

import pytest
import tiny
from bundles import MATCH, Record, Signed, key_of, public_key
from matches import SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.core.kernel import Forbidden, choices
from kleos.core.match import Event, Match, Signature, seats_to_act
from kleos.core.match.actions import Create, Join
from kleos.events import canonical, merkle, signing
from kleos.events.command import Stale
from kleos.events.log import Log
from kleos.events.notary import everything, origin
from kleos.events.note import b64, open_checkpoint
from kleos.events.store import Store
from kleos.events.verifier import Report, verify
from tests.verifier import second

pytestmark = pytest.mark.anyio

KEYS = [key_of(f"player{seat}") for seat in (0, 1)]
PUBLIC = [public_key(f"player{seat}") for seat in (0, 1)]
SIGNED = Create(game="tiny", rules="tiny/1", seats=2, options={}, seat=0, signed=True, key=PUBLIC[0])


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store, SIGNER)


async def seated(log: Log) -> Match:
    made = await log.create("anna", SIGNED)
    return (await log.submit(made.match.id, "ben", None, Join(seat=1, key=PUBLIC[1]))).match


async def signature(log: Log, match: Match, seat: int, move: Any) -> Signature:
    """As a client makes it, from the newest checkpoint."""
    head = open_checkpoint(await log.checkpoint(match.id), origin("play.example", match.id), TRUSTED)
    return signing.sign(KEYS[seat], match.id, seat, move, size=head.size, root=head.root)


async def moved(log: Log, match: Match, seat: int) -> Match:
    move = choices(tiny.TINY, match.state, seat)[0].move
    signed = await signature(log, match, seat, move)
    return (await log.submit(match.id, ("anna", "ben")[seat], seat, move, signature=signed)).match


def test_what_is_signed_are_the_canonical_bytes_that_the_page_on_proof_tells() -> None:
    action = {"type": "pledge", "card": 3}
    text = (
        b'{"action":{"card":3,"type":"pledge"},"match":"M","root":"AAE=",'
        b'"seat":1,"size":4,"type":"kleos/move/v1"}'
    )
    assert signing.message("M", 1, action, size=4, root="AAE=") == text
    signed = signing.sign(KEYS[1], "M", 1, action, size=4, root=b"\x00\x01")
    assert signed == Signature(4, "AAE=", b64(KEYS[1].sign(text)))
    assert signing.holds(PUBLIC[1], "M", 1, action, signed) is True


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"size": 5}, PUBLIC[1]),
        ({"root": "AAI="}, PUBLIC[1]),
        ({"signature": b64(bytes(64))}, PUBLIC[1]),
        ({"signature": b64(bytes(63))}, PUBLIC[1]),
        ({"signature": "not Base 64"}, PUBLIC[1]),
        ({}, PUBLIC[0]),
        ({}, b64(bytes(31))),
        ({}, "not Base 64"),
    ],
)
def test_whatever_is_not_the_signature_of_a_key_does_not_hold(change: dict[str, Any], key: str) -> None:
    signed = replace(signing.sign(KEYS[1], "M", 1, {}, size=4, root=b"\x00\x01"), **change)
    assert signing.holds(key, "M", 1, {}, signed) is False


async def test_a_match_of_signed_moves_is_verified_move_by_move(log: Log) -> None:
    """Fault 122."""
    match = await seated(log)
    while acting := seats_to_act(match):
        match = await moved(log, match, acting[0])
    bundle = await log.bundle(match.id, everything)
    report = verify(bundle, TRUSTED)
    assert (report.status, "players" in report.passed) == ("valid", True)
    assert second.check(bundle, [SIGNER.verifier.vkey]) == (None, True)


async def test_the_signature_of_a_hidden_move_is_hidden_with_it(log: Log) -> None:
    match = await moved(log, await seated(log), 0)
    entry = await log.entry(match.id, 3)
    assert canonical.decode(entry.public)["signature"] is None
    assert canonical.decode(bytes(entry.openings["seat:0"]))["payload"]["/signature"]["size"] == 2
    match = await moved(log, await moved(log, match, 1), seats_to_act(await log.load(match.id))[0])
    assert canonical.decode((await log.entry(match.id, 5)).public)["signature"]["size"] == 4


async def test_a_move_that_is_not_signed_or_signed_by_another_is_refused(log: Log) -> None:
    match = await seated(log)
    move, other = (each.move for each in choices(tiny.TINY, match.state, 0)[:2])
    right = await signature(log, match, 0, move)
    for given in (
        None,
        await signature(log, match, 0, other),
        signing.sign(KEYS[1], match.id, 0, move, size=2, root=bytes(32)),
        signing.sign(KEYS[0], match.id, 0, move, size=2, root=bytes(32)),
        replace(right, signature="AAAA"),
    ):
        with pytest.raises(Forbidden) as refused:
            await log.submit(match.id, "anna", 0, move, signature=given)
        assert refused.value.rule == "match.12"
    await log.submit(match.id, "anna", 0, move, signature=right)


async def test_a_signature_is_good_at_the_head_that_was_signed_and_at_no_other(log: Log) -> None:
    match = await seated(log)
    move = choices(tiny.TINY, match.state, 1)[0].move
    early = await signature(log, match, 1, move)
    await moved(log, match, 0)
    with pytest.raises(Stale):
        await log.submit(match.id, "ben", 1, move, signature=early)


async def test_who_plays_where_moves_are_signed_brings_a_key(log: Log) -> None:
    with pytest.raises(Forbidden):
        await log.create("anna", replace(SIGNED, key=None))
    made = await log.create("anna", SIGNED)
    with pytest.raises(Forbidden):
        await log.submit(made.match.id, "ben", None, Join(seat=1))
    bot = await log.submit(made.match.id, "anna", None, Join(seat=1, bot="random"))
    assert bot.match.status == "playing", "bots do not sign"


class Forging(Signed):
    """A match written down by a server that spoils one signature."""

    def __init__(self, forge: str | None = None, since: int = 0) -> None:
        self.forge = forge
        self.since = since
        self.forged: int | None = None
        super().__init__("tiny/1", seats=2)
        self.sit()
        self.play()

    def signature(self, event: Event) -> Signature | None:
        right = super().signature(event)
        assert right is not None
        if self.forge is None or event.version < self.since or self.forged is not None:
            return right
        self.forged = event.version
        assert event.seat is not None
        root = merkle.root([merkle.leaf(each.public) for each in self.entries])
        match self.forge:
            case "none":
                return None
            case "head":
                seat, size = event.seat, right.size - 1
                return signing.sign(KEYS[seat], MATCH, seat, event.action, size=size, root=root)
            case "earlier":
                size, root = (
                    right.size - 1,
                    merkle.root([merkle.leaf(each.public) for each in self.entries[:-1]]),
                )
                return signing.sign(KEYS[event.seat], MATCH, event.seat, event.action, size=size, root=root)
            case "root":
                other = bytes(32)
                return signing.sign(
                    KEYS[event.seat], MATCH, event.seat, event.action, size=right.size, root=other
                )
            case "key":
                stranger = KEYS[1 - event.seat]
                return signing.sign(stranger, MATCH, event.seat, event.action, size=right.size, root=root)
            case _:
                return replace(right, signature=b64(random.Random(1).randbytes(64)))


def failure(report: Report) -> tuple[str, int | None]:
    assert report.failure is not None, report
    return report.failure.step, report.failure.version


@pytest.mark.parametrize("since", [3, 5], ids=["a hidden move", "a move that all see"])
@pytest.mark.parametrize("forge", ["none", "head", "earlier", "root", "key", "noise"])
def test_a_move_that_the_server_invented_is_found_by_both_verifiers(forge: str, since: int) -> None:
    honest, cheat = Forging(), Forging(forge, since)
    assert cheat.forged == since
    assert verify(honest.bundle(), TRUSTED).status == "valid"
    assert failure(verify(cheat.bundle(), TRUSTED)) == ("players", cheat.forged)
    assert second.check(cheat.bundle(), [SIGNER.verifier.vkey]).wrong == ("players", cheat.forged)
    partly = honest.bundle(lambda _version, audience: audience == "seat:0")
    assert verify(partly, TRUSTED).status == "incomplete"
    assert second.check(partly, [SIGNER.verifier.vkey]) == (None, False)


def test_a_signature_at_a_seat_without_a_key_is_nobodys() -> None:
    class Signing(Record):
        """A match that asks for no signatures and brings no keys; one move is signed all the same."""

        def _add(self, event: Event) -> None:
            if event.version == 5:
                root = merkle.root([merkle.leaf(each.public) for each in self.entries])
                signed = signing.sign(KEYS[0], MATCH, event.seat or 0, event.action, size=4, root=root)
                event = replace(event, signature=signed)
            super()._add(event)

    made = Signing("tiny/1", seats=2)
    made.sit()
    made.play()
    assert failure(verify(made.bundle(), TRUSTED)) == ("players", 5)


def test_a_bot_among_people_who_sign_does_not() -> None:
    made = Signed("tiny/1", seats=3)
    made.sit(bots=1)
    made.play()
    events = [canonical.decode(each.public) for each in made.entries]
    assert {("signature" in each, each["player"] is None) for each in events if each["kind"] == "move"} == {
        *((True, False), (False, True)),
    }
    assert verify(made.bundle(), TRUSTED).status == "valid"
