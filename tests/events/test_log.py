"""The log over a real store: what is accepted, what is refused, and what anybody can prove later."""

import msgspec
import pytest
import tiny
from matches import SIGNER, TRUSTED, command, played, pledge, seated

from kleos.core.kernel import Illegal, MatchFinished, NotYourTurn
from kleos.core.match.actions import Leave
from kleos.events import digest
from kleos.events.command import Stale
from kleos.events.loading import UnknownMatch, UnknownVersion
from kleos.events.log import Log
from kleos.events.notary import origin
from kleos.events.note import open_checkpoint
from kleos.events.receipt import Growth, Receipt
from kleos.events.store import CommandMismatch, Store

pytestmark = pytest.mark.anyio


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store, SIGNER)


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
    assert (public["v"], public["kind"], public["player"]) == (1, "move", "anna")
    assert public["command"] == digest.text(command("c1").id)
    assert set(public["sealed"]) == {"seat:0"} == set(committed.entry.openings)
    opening = msgspec.json.decode(committed.entry.openings["seat:0"])
    assert opening["payload"] == {"/action/card": move.card, "/effects/0/card": move.card}


async def test_an_event_whose_request_had_no_name_names_none(log: Log) -> None:
    match = await seated(log)
    named = await log.submit(match.id, "anna", 0, pledge(match, 0), command=command("c1"))
    unnamed = await log.submit(match.id, "ben", 1, pledge(named.match, 1))
    assert set(msgspec.json.decode(named.entry.public)) - set(msgspec.json.decode(unnamed.entry.public)) == {
        "command"
    }


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
    assert await log.entries(match.id, after=1 << 70) == []
    assert await log.entries(match.id, after=-1) == await log.entries(match.id)
    for asked_of in (
        log.at(match.id, 0),
        log.at(match.id, 3),
        log.at(match.id, -1),
        log.entry(match.id, 0),
        log.entry(match.id, 3),
        log.entry(match.id, 1 << 70),
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
    """Fault 97."""
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
