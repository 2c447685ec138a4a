"""Undo over the log: any process, any memory, any moment; forks with a parent that can be verified."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from matches import SIGNER, TINY, TRUSTED, command, pledge, seated
from msgspec.structs import replace

from kleos.core.kernel import Forbidden, ProposalVoid, UndoNotAllowed
from kleos.core.match import Match, line, seats_to_act
from kleos.core.match.actions import Consent, Create, Fork, Join, Leave, Redo, Refuse, Undo, Withdraw
from kleos.events.command import Stale
from kleos.events.envelope import unseal
from kleos.events.loading import Loader, UnknownVersion
from kleos.events.log import Log
from kleos.events.merkle import leaf, root
from kleos.events.notary import origin
from kleos.events.note import b64, open_checkpoint
from kleos.events.receipt import Receipt
from kleos.events.replay import rebuild, replay
from kleos.events.store import Store

pytestmark = pytest.mark.anyio
THREE = Create(game="tiny", rules="tiny/1", seats=3, options={}, seat=0)


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store, SIGNER)


@pytest.fixture
async def others(store: Store) -> list[Log]:
    """Other processes, one of which remembers next to nothing and one that saves at every event."""
    return [
        Log(store, SIGNER),
        Log(store, SIGNER, loader=Loader(store, matches=1, histories=1)),
        Log(store, SIGNER, loader=Loader(store, snapshot_every=1)),
    ]


async def three(log: Log) -> Match:
    """Anna, ben and cleo are to pledge."""
    match = (await log.create("anna", THREE)).match
    match = (await log.submit(match.id, "ben", None, Join())).match
    return (await log.submit(match.id, "cleo", None, Join())).match


NAMES = ("anna", "ben", "cleo")


async def pledged(log: Log, match: Match, *seats: int) -> Match:
    for seat in seats:
        match = (await log.submit(match.id, NAMES[seat], seat, pledge(match, seat))).match
    return match


async def test_an_undo_is_an_entry_like_any_other_with_a_receipt(log: Log) -> None:
    match = await pledged(log, await seated(log), 0)
    done = await log.submit(match.id, "anna", 0, Undo(to=2), command=command("u"))
    assert (done.match.version, done.match.head) == (4, 2)
    receipt = Receipt.parse(done.receipt)
    checkpoint = receipt.verify(done.entry.public, origin("play.example", match.id), TRUSTED)
    assert checkpoint.size == 4
    again = await log.submit(match.id, "anna", 0, Undo(to=2), command=command("u"))
    assert again == replace(done, replayed=True)


async def test_every_process_comes_to_the_same_match_whatever_it_remembers(
    log: Log, others: list[Log], store: Store
) -> None:
    """Fault 25."""
    for seed in range(4):
        rng = random.Random(f"processes {seed}")
        made = await log.create("anna", replace(TINY, undo="casual"))
        match = (await log.submit(made.match.id, "anna", None, Join())).match
        while not match.opened and match.version < 40:
            writer = rng.choice([log, *others])
            if rng.random() < 0.4 and match.step is not None:
                heads = [each.head for each in line(match, await writer.past(match.id))][1:]
                match = (await writer.submit(match.id, "anna", 0, Undo(to=rng.choice(heads)))).match
            elif rng.random() < 0.3 and match.undone:
                match = (await writer.submit(match.id, "anna", 1, Redo())).match
            else:
                seat = rng.choice(seats_to_act(match))
                match = (await writer.submit(match.id, "anna", seat, pledge(match, seat))).match
            for reader in (*others, Log(store, SIGNER)):
                assert await reader.load(match.id) == match
        entries = await log.entries(match.id, limit=1000)
        assert rebuild(entries) == match
        told = list(replay(entries))
        fresh = Log(store, SIGNER)
        assert [await fresh.at(match.id, each.version) for each in told] == told


async def test_a_snapshot_older_than_an_undo_is_enough_to_go_on(store: Store) -> None:
    saving = Log(store, SIGNER, loader=Loader(store, snapshot_every=1))
    match = await pledged(saving, await seated(saving), 0)
    plain = Log(store, SIGNER, loader=Loader(store, snapshot_every=1000))
    await plain.load(match.id)
    undone = (await plain.submit(match.id, "anna", 0, Undo(to=2))).match
    fresh = Log(store, SIGNER)
    assert await fresh.load(match.id) == undone
    assert (await fresh.submit(match.id, "anna", 0, pledge(undone, 0, 1))).match.head == 5


async def test_a_free_undo_and_a_proposal_over_the_log(log: Log, others: list[Log]) -> None:
    match = await pledged(log, await three(log), 0, 1)
    proposed = (await others[0].submit(match.id, "cleo", 2, Undo(to=match.version - 2))).match
    name = proposed.proposals[0].id
    assert proposed.proposals[0].needs == (0, 1)
    await others[1].submit(match.id, "anna", 0, Consent(name))
    done = await others[2].submit(match.id, "ben", 1, Consent(name))
    assert done.match.head == match.version - 2
    for reader in (log, *others):
        assert await reader.load(match.id) == done.match


async def test_a_proposal_makes_nobodys_view_stale(log: Log) -> None:
    match = await pledged(log, await three(log), 0)
    await log.submit(match.id, "ben", 1, Undo(to=match.version - 1))
    moved = await log.submit(match.id, "ben", 1, pledge(match, 1), expected=match.version)
    assert moved.match.proposals == ()
    with pytest.raises(Stale):
        await log.submit(match.id, "cleo", 2, pledge(match, 2), expected=match.version)


async def test_what_an_undo_needs_is_refused_by_the_rules(log: Log) -> None:
    match = await seated(log)
    with pytest.raises(UndoNotAllowed):
        await log.submit(match.id, "anna", 0, Undo(to=2))
    with pytest.raises(ProposalVoid):
        await log.submit(match.id, "anna", 0, Consent("p9"))
    with pytest.raises(Forbidden):
        await log.submit(match.id, "anna", 1, Undo(to=2))
    assert (await log.load(match.id)) == match


async def test_a_fork_names_a_root_that_its_parent_can_prove(log: Log, others: list[Log]) -> None:
    match = await pledged(log, await seated(log), 0, 1)
    over = (await log.submit(match.id, "ben", None, Leave(seat=1))).match
    for version in range(2, over.version + 1):
        forked = await others[0].fork("zoe", match.id, Fork(at=version), command=command(f"f{version}"))
        child, parent = forked.match, await log.at(match.id, version)
        assert child.state == parent.state
        assert child.parent is not None
        entries = await log.entries(match.id, limit=version)
        assert child.parent.root == b64(root([leaf(each.public) for each in entries]))
        receipt = await log.receipt(match.id, version)
        signed = open_checkpoint(Receipt.parse(receipt).checkpoint, origin("play.example", match.id), TRUSTED)
        assert b64(signed.root) == child.parent.root
        again = await log.fork("zoe", match.id, Fork(at=version), command=command(f"f{version}"))
        assert again.match.id == child.id
        assert rebuild(await log.entries(child.id)) == await others[1].load(child.id)


async def test_a_fork_of_what_is_not_there_is_unknown(log: Log) -> None:
    match = await seated(log)
    over = (await log.submit(match.id, "ben", None, Leave(seat=1))).match
    with pytest.raises(UnknownVersion) as unknown:
        await log.fork("zoe", match.id, Fork(at=over.version + 1))
    assert unknown.value.current == over.version


async def test_time_of_day_finds_what_was_in_force_then(store: Store) -> None:
    now = 1000
    log = Log(store, SIGNER, clock=lambda: now)
    match = await seated(log)
    now = 2000
    await pledged(log, match, 0)
    now = 3000
    await log.submit(match.id, "anna", 0, Undo(to=2))
    found = [(await log.at_time(match.id, at)).head for at in (1000, 1999, 2000, 2999, 3000, 9999)]
    assert found == [2, 2, 3, 3, 2, 2]


async def raced(logs: list[Log], match: Match, name: str, rng: random.Random) -> tuple[list[str], Match]:
    """Consent, refusal, withdrawal, another undo and a move at once, each through a process of its own."""
    wishes: list[tuple[str, int, Any]] = [
        ("consent", 1, Consent(name)),
        ("refuse", 1, Refuse(name)),
        ("withdraw", 0, Withdraw(name)),
        ("move", 2, pledge(match, 2)),
    ]
    rng.shuffle(wishes)

    async def wish(log: Log, kind: str, seat: int, action: Any) -> str | None:
        try:
            await log.submit(match.id, NAMES[seat], seat, action)
        except ProposalVoid:
            return None
        return kind

    won = await asyncio.gather(*(wish(log, *each) for log, each in zip(logs, wishes, strict=True)))
    return [each for each in won if each], await logs[0].load(match.id)


async def run_races(store: Store, races: int, seed: str) -> set[str]:
    """So many races over proposals; the winners that there were."""
    rng = random.Random(seed)
    logs = [Log(store, SIGNER) for _ in range(4)]
    winners = set()
    for race in range(races):
        match = await pledged(logs[0], await three(logs[0]), 0, 1)
        proposed = (await logs[0].submit(match.id, "anna", 0, Undo(to=match.version - 2))).match
        won, after = await raced(logs, match, proposed.proposals[0].id, rng)
        # The move needs no proposal, so it is made in any case; of the words on the proposal one counts.
        words = [each for each in won if each != "move"]
        assert "move" in won
        assert len(words) <= 1, (race, won)
        kinds = [each.kind for each in await told(logs[3], match.id)][-len(won) :]
        assert sorted(kinds) == sorted(won), (race, kinds, won)
        assert all([await log.load(match.id) == after for log in logs])
        assert after.proposals == ()
        assert seats_to_act(after)
        winners.add(words[0] if words else "move")
    return winners


async def told(log: Log, match_id: str) -> list[Any]:
    return [unseal(each) for each in await log.entries(match_id, limit=1000)]


async def test_fault_33_of_those_who_decide_on_a_proposal_at_once_one_wins(store: Store) -> None:
    assert len(await run_races(store, 25, "a few races")) > 1


@pytest.mark.slow
async def test_fault_33_a_thousand_times(store: Store) -> None:
    assert await run_races(store, 1000, "many races") == {"consent", "refuse", "withdraw", "move"}
