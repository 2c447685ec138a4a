"""The log over a real store: what is accepted once, what is refused, and what everybody can prove later."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import msgspec
import pytest
import tiny
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kleos.core.kernel import Illegal, MatchFinished, NotYourTurn, Refused, choices
from kleos.core.match import Match
from kleos.core.match.actions import Create, Join, Leave
from kleos.events.loading import Loader, UnknownMatch, UnknownVersion
from kleos.events.log import Command, Committed, Log, Stale
from kleos.events.notary import origin
from kleos.events.note import Signer, open_checkpoint
from kleos.events.receipt import Growth, Receipt
from kleos.events.replay import rebuild, replay
from kleos.events.store import CommandMismatch, Store

pytestmark = pytest.mark.anyio

SIGNER = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
TRUSTED = [SIGNER.verifier]
TINY = Create(game="tiny", rules="tiny/1", seats=2, options={}, seat=0)


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    store = await Store.connect(store_url, prefix=f"test-{uuid.uuid4().hex}")
    yield store
    await store.close()


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store, SIGNER)


def command(name: str, asks: str = "") -> Command:
    return Command(id=name, fingerprint=asks)


async def seated(log: Log) -> Match:
    """A match of Tiny in which anna (seat 0) and ben (seat 1) are to pledge."""
    made = await log.create("anna", TINY)
    return (await log.submit(made.match.id, "ben", None, Join(seat=1))).match


def pledge(match: Match, seat: int, place: int = 0) -> Any:
    return choices(tiny.TINY, match.state, seat)[place].move


async def played(log: Log, seed: int) -> list[Committed]:
    """A whole match with random moves of random seats."""
    rng = random.Random(seed)
    done = [await log.create("anna", TINY)]
    done.append(await log.submit(done[0].match.id, "ben", None, Join()))
    while not done[-1].match.opened:
        match = done[-1].match
        seat = rng.choice(sorted(tiny.TINY.to_act(match.state)))
        move = rng.choice(choices(tiny.TINY, match.state, seat)).move
        done.append(await log.submit(match.id, ("anna", "ben")[seat], seat, move))
    return done


async def test_an_accepted_action_is_the_next_entry_and_has_a_receipt(log: Log) -> None:
    match = await seated(log)
    committed = await log.submit(match.id, "anna", 0, pledge(match, 0))
    assert committed.entry.version == committed.match.version == 3
    assert (committed.replayed, committed.durability) == (False, "fsync")
    assert await log.entries(match.id, after=2) == [committed.entry]
    receipt = Receipt.parse(committed.receipt)
    checkpoint = receipt.verify(committed.entry.public, origin("play.example", match.id), TRUSTED)
    assert (receipt.index, checkpoint.size) == (2, 3)
    assert await log.checkpoint(match.id) == receipt.checkpoint


async def test_the_public_part_has_the_documented_fields_and_no_hidden_card(log: Log) -> None:
    match = await seated(log)
    move = pledge(match, 0)
    committed = await log.submit(match.id, "anna", 0, move, command=command("c1"))
    public = msgspec.json.decode(committed.entry.public)
    assert set(public) == {
        *("v", "match", "version", "at", "kind", "seat", "player", "command"),
        *("action", "effects", "sealed", "state", "rules"),
    }
    assert public["action"] == {"type": "pledge", "card": None}
    assert public["effects"] == [{"type": "pledged", "rule": "tiny.2", "seat": 0, "card": None}]
    assert (public["v"], public["command"], public["kind"], public["player"]) == (1, "c1", "move", "anna")
    assert set(public["sealed"]) == {"seat:0"} == set(committed.entry.openings)
    opening = msgspec.json.decode(committed.entry.openings["seat:0"])
    assert opening["payload"] == {"/action/card": move.card, "/effects/0/card": move.card}


@pytest.mark.parametrize("seed", range(5))
async def test_a_replay_of_the_stream_gives_every_version_again(log: Log, store: Store, seed: int) -> None:
    live = await played(log, seed)
    match_id = live[0].match.id
    entries = await log.entries(match_id, limit=1000)
    assert entries == [each.entry for each in live]
    assert list(replay(entries)) == [each.match for each in live]
    assert rebuild(entries) == live[-1].match
    other = Log(store, SIGNER)
    assert [await other.at(match_id, version) for version in range(1, len(live) + 1)] == [
        each.match for each in live
    ]
    assert await other.load(match_id) == live[-1].match


async def test_every_receipt_can_be_asked_for_again_and_holds_in_every_later_log(log: Log) -> None:
    live = await played(log, seed=7)
    match_id, newest = live[0].match.id, len(live)
    named = origin("play.example", match_id)
    for each in live:
        version = each.entry.version
        assert await log.receipt(match_id, version) == each.receipt
        later = Receipt.parse(await log.receipt(match_id, version, size=newest))
        head = later.verify(each.entry.public, named, TRUSTED)
        assert head == open_checkpoint(await log.checkpoint(match_id), named, TRUSTED)
        first = open_checkpoint(Receipt.parse(each.receipt).checkpoint, named, TRUSTED)
        assert Growth.parse(await log.growth(match_id, version, newest)).verify(first, TRUSTED) == head


async def test_a_command_sent_again_gets_its_first_answer(log: Log, store: Store) -> None:
    match = await seated(log)
    first = await log.submit(match.id, "anna", 0, pledge(match, 0), command=command("c", "same"), expected=2)
    await log.submit(match.id, "ben", 1, pledge(match, 1))
    for process in (log, Log(store, SIGNER)):
        again = await process.submit(
            match.id, "anna", 0, pledge(match, 0), command=command("c", "same"), expected=2
        )
        assert again == msgspec.structs.replace(first, replayed=True)
    assert (await log.load(match.id)).version == 4


async def test_a_command_sent_again_for_something_else_is_a_mismatch(log: Log) -> None:
    match = await seated(log)
    await log.submit(match.id, "anna", 0, pledge(match, 0), command=command("c", "one"))
    with pytest.raises(CommandMismatch):  # refused by the rules as well, and yet
        await log.submit(match.id, "anna", 0, pledge(match, 0, 1), command=command("c", "other"))
    with pytest.raises(CommandMismatch):
        await log.submit(match.id, "ben", 1, pledge(match, 1), command=command("c", "other"))
    assert (await log.load(match.id)).version == 3


async def test_a_create_sent_again_makes_one_match(log: Log, store: Store) -> None:
    makers = [Log(store, SIGNER) for _ in range(10)]
    made = await asyncio.gather(*(each.create("anna", TINY, command=command("c", "x")) for each in makers))
    assert len({each.match.id for each in made}) == 1
    assert len({each.entry.public for each in made}) == 1
    assert sum(not each.replayed for each in made) == 1
    with pytest.raises(CommandMismatch):
        await log.create("anna", TINY, command=command("c", "y"))
    assert (await log.create("anna", TINY)).match.id != made[0].match.id


async def test_fifty_identical_requests_make_one_event(log: Log, store: Store) -> None:
    match = await seated(log)
    logs = [log, Log(store, SIGNER), Log(store, SIGNER)]
    answers = await asyncio.gather(
        *(
            logs[n % 3].submit(match.id, "anna", 0, pledge(match, 0), command=command("c", "f"), expected=2)
            for n in range(50)
        )
    )
    assert len({(each.entry.public, each.receipt) for each in answers}) == 1
    assert (await log.load(match.id)).version == 3


@pytest.mark.parametrize("expected", [2, None])
@pytest.mark.parametrize("processes", [1, 4])
async def test_of_forty_racers_one_wins_and_the_others_hear_why_not(
    store: Store, processes: int, expected: int | None
) -> None:
    logs = [Log(store, SIGNER) for _ in range(processes)]
    match = await seated(logs[0])

    async def race(racer: int) -> str:
        move = pledge(match, 0, racer % 3)
        try:
            await logs[racer % processes].submit(match.id, "anna", 0, move, expected=expected)
        except (Stale, Refused) as refusal:
            return type(refusal).__name__
        return "won"

    results = await asyncio.gather(*(race(racer) for racer in range(40)))
    assert sorted(results) == ["Stale" if expected else "NotYourTurn"] * 39 + ["won"]
    assert (await logs[-1].load(match.id)).version == 3


async def test_simultaneous_decisions_without_an_expected_version_all_count(store: Store) -> None:
    logs = [Log(store, SIGNER) for _ in range(4)]
    made = await logs[0].create("player 0", msgspec.structs.replace(TINY, seats=4, options={"hand": 3}))
    match = made.match
    for seat in range(1, 4):
        match = (await logs[seat].submit(match.id, f"player {seat}", None, Join(seat=seat))).match
    await asyncio.gather(
        *(logs[seat].submit(match.id, f"player {seat}", seat, pledge(match, seat)) for seat in range(4))
    )
    assert (await logs[0].load(match.id)).version == 8


async def test_a_stale_asker_hears_the_current_version(log: Log, store: Store) -> None:
    match = await seated(log)
    behind = Log(store, SIGNER)
    await behind.load(match.id)
    await log.submit(match.id, "anna", 0, pledge(match, 0))
    with pytest.raises(Stale) as refusal:  # its memory agrees with the asker; the append does not
        await behind.submit(match.id, "ben", 1, pledge(match, 1), expected=2)
    assert refusal.value.current == 3
    with pytest.raises(Stale) as refusal:
        await log.submit(match.id, "ben", 1, pledge(match, 1), expected=9)
    assert refusal.value.current == 3


async def test_a_refusal_out_of_an_old_memory_is_thought_over(log: Log, store: Store) -> None:
    match = await seated(log)
    behind = Log(store, SIGNER)
    await behind.load(match.id)
    for seat in (0, 1):
        match = (await log.submit(match.id, ("anna", "ben")[seat], seat, pledge(match, seat))).match
    leader = match.state.leader
    accepted = await behind.submit(match.id, ("anna", "ben")[leader], leader, tiny.Stake(1), expected=4)
    assert accepted.match.version == 5


async def test_a_refusal_changes_nothing(log: Log) -> None:
    match = await seated(log)
    with pytest.raises(Illegal):
        await log.submit(match.id, "anna", 0, tiny.Pledge(99))
    with pytest.raises(Illegal):
        await log.check(match.id, "anna", 0, tiny.Pledge(99))
    assert await log.load(match.id) == match
    once = await log.submit(match.id, "anna", 0, pledge(match, 0))
    with pytest.raises(NotYourTurn):
        await log.submit(match.id, "anna", 0, pledge(match, 0, 1))
    assert await log.load(match.id) == once.match


async def test_a_dry_run_tells_neither_dice_nor_cards_and_leaves_no_trace(log: Log) -> None:
    match = await seated(log)
    event = await log.check(match.id, "anna", 0, pledge(match, 0))
    assert (event.kind, event.version, event.effects) == ("move", 3, ())
    assert await log.load(match.id) == match


async def test_nothing_happens_in_a_finished_match(log: Log) -> None:
    match = await seated(log)
    over = await log.submit(match.id, "ben", None, Leave(seat=1))
    assert over.match.outcome is not None
    with pytest.raises(MatchFinished):
        await log.submit(match.id, "anna", 0, pledge(match, 0))


async def test_what_is_not_there_is_unknown(log: Log) -> None:
    for asked in (
        log.load("nowhere"),
        log.at("nowhere", 1),
        log.at_time("nowhere", 1),
        log.entries("nowhere"),
        log.entry("nowhere", 1),
        log.receipt("nowhere", 1),
        log.growth("nowhere", 1, 2),
        log.checkpoint("nowhere"),
        log.check("nowhere", "anna", 0, Leave(seat=0)),
        log.submit("nowhere", "anna", 0, Leave(seat=0)),
    ):
        with pytest.raises(UnknownMatch):
            await asked
    match = await seated(log)
    assert await log.entries(match.id, after=2) == []
    for asked_of in (
        log.at(match.id, 0),
        log.at(match.id, 3),
        log.at(match.id, -1),
        log.entry(match.id, 0),
        log.entry(match.id, 3),
        log.receipt(match.id, 0),
        log.receipt(match.id, 3),
        log.receipt(match.id, 2, size=1),
        log.growth(match.id, 0, 1),
        log.growth(match.id, 2, 1),
        log.growth(match.id, 1, 3),
        log.at_time(match.id, 0),
    ):
        with pytest.raises(UnknownVersion) as unknown:
            await asked_of
        assert unknown.value.current in (1, 2)


async def test_the_time_of_a_match_never_runs_backwards(store: Store) -> None:
    times = iter([1_000, 5_000, 3_000, 8_000])
    log = Log(store, SIGNER, clock=lambda: next(times))
    match = await seated(log)
    await log.submit(match.id, "anna", 0, pledge(match, 0))
    await log.submit(match.id, "ben", 1, pledge(match, 1))
    told = [msgspec.json.decode(each.public)["at"] for each in await log.entries(match.id)]
    assert told == [1_000, 5_000, 5_000, 8_000]
    assert [(await log.at_time(match.id, at)).version for at in (1_000, 4_999, 5_000, 7_999, 9_999)] == [
        *(1, 1, 3, 3, 4)
    ]


async def test_two_processes_take_turns_without_losing_sight_of_each_other(store: Store) -> None:
    logs = [Log(store, SIGNER), Log(store, SIGNER)]
    match = await seated(logs[0])
    for n in count():
        if match.opened:
            break
        seat = min(tiny.TINY.to_act(match.state))
        match = (await logs[n % 2].submit(match.id, ("anna", "ben")[seat], seat, pledge(match, seat))).match
        assert await logs[(n + 1) % 2].load(match.id) == match
    assert rebuild(await logs[0].entries(match.id)) == match


async def test_a_cancelled_request_leaves_the_log_in_order(log: Log) -> None:
    match = await seated(log)
    for seat in (0, 1):
        task = asyncio.create_task(log.submit(match.id, ("anna", "ben")[seat], seat, pledge(match, seat)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await asyncio.sleep(0.05)  # what was under way may still arrive
    entries = await log.entries(match.id)
    assert await log.load(match.id) == rebuild(entries)


async def test_memory_is_bounded_and_what_was_forgotten_is_read_again(store: Store) -> None:
    log = Log(store, SIGNER, loader=Loader(store, matches=2, histories=1))
    matches = [await seated(log) for _ in range(4)]
    for _ in range(2):
        for match in matches:
            assert await log.at(match.id, 1) != match
            assert await log.load(match.id) == match
            assert await log.receipt(match.id, 2)
