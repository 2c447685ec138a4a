"""What is said of a log beside it: a signed head is one of this log, or the reason is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from bundles import MATCH, Record, cosigned, key_of
from matches import SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.events import merkle
from kleos.events.bundle import unpack
from kleos.events.cosignature import Cosigned
from kleos.events.notary import Notary
from kleos.events.note import Checkpoint, b64
from kleos.events.receipt import Receipt
from kleos.events.steps import Bad
from kleos.events.testimony import Heads, inscribed, kept, witnessed

Told = tuple[str, int | None, str]
TWO_LOGS = "two logs of one match are signed, and together they convict the server"


@cache
def record() -> Record:
    made = Record("tiny/1", seats=2, seed=5)
    made.sit()
    made.play(4)
    return made


def leaves() -> list[bytes]:
    return [merkle.leaf(each.public) for each in record().entries]


@cache
def log() -> Heads:
    roots = [merkle.root(leaves()[:size]) for size in range(1, len(leaves()) + 1)]
    return Heads(unpack(record().bundle()), roots, TRUSTED)


def told(caught: pytest.ExceptionInfo[Bad]) -> Told:
    """Step, version and reason."""
    return caught.value.step, caught.value.version, caught.value.reason


# What was kept


def signed(size: int, root: bytes) -> str:
    return SIGNER.sign(Checkpoint(f"play.example/m/{MATCH}", size, root).text)


def receipt(size: int, index: int) -> str:
    """That for an event, if it is in the log of the first ``size``; with another index it holds no more."""
    right = Receipt.parse(Notary(SIGNER).receipt(MATCH, leaves()[:size], min(index + 1, size)))
    return replace(right, index=index).text


@pytest.mark.parametrize("size", range(1, 7))
def test_every_head_of_the_log_that_was_kept_is_one_of_it(size: int) -> None:
    kept(log(), signed(size, log().roots[size - 1]))
    kept(log(), receipt(size, 0))
    kept(log(), receipt(size, size - 1))
    kept(log(), record().testimony(size).ledger or "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (lambda: "nothing", (None, "not a signed note")),
        (
            lambda: "c2sp.org/tlog-proof@v1\nnothing",
            (None, "not a receipt: c2sp.org/tlog-proof@v1, an index, hashes, and a checkpoint"),
        ),
        (
            lambda: signed(0, log().roots[-1]),
            (None, f"the first 0 events are not those that were signed then: {TWO_LOGS}"),
        ),
        (
            lambda: signed(2, log().roots[0]),
            (None, f"the first 2 events are not those that were signed then: {TWO_LOGS}"),
        ),
        (
            lambda: signed(7, log().roots[-1]),
            (None, "the log had 7 events when that was signed; these are fewer"),
        ),
        (lambda: receipt(3, 3), (4, "the log had 3 events when that was signed")),
        (lambda: receipt(6, 99), (100, "the log had 6 events when that was signed")),
        (
            lambda: receipt(4, 1).replace("index 1", "index 2"),
            (3, "the entry is not the one that was logged at this place"),
        ),
    ],
)
def test_what_was_kept_of_another_log_is_told_from_what_is_of_this_one(
    text: Callable[[], str], reason: tuple[int | None, str]
) -> None:
    with pytest.raises(Bad) as caught:
        kept(log(), text())
    assert told(caught) == ("receipts", *reason)


# The ledger


def test_what_is_wrong_with_a_proof_from_the_ledger_is_said() -> None:
    said = record().testimony(3).ledger or ""
    found = inscribed(replace(log(), bundle=replace(log().bundle, ledger=(said,))))
    assert found is not None
    assert (found.head.size, found.index) == (3, 4)
    assert inscribed(log()) is None
    with pytest.raises(Bad) as caught:
        inscribed(replace(log(), bundle=replace(log().bundle, ledger=("nothing",))))
    reason = "not a receipt: c2sp.org/tlog-proof@v1, an index, hashes, and a checkpoint"
    assert told(caught) == ("ledger", None, reason)


# The witnesses


def beside(*cosignatures: str) -> Heads:
    return replace(log(), bundle=replace(log().bundle, cosignatures=cosignatures))


def witness(who: str, size: int = 6, **rest: Any) -> Cosigned:
    return cosigned(who, record().head(size), **rest)


def sat(player: str | None, seat: int, *, by: str | None = None, kind: str = "seat_filled") -> dict[str, Any]:
    """An event in which a player sits down with a key, that of ``by`` if it is not none."""
    key = b64(key_of(by).public_key().public_bytes_raw()) if by else None
    return {"effects": [{"type": kind, "player": player, "seat": seat, "key": key}]}


def seats(events: list[dict[str, Any]], *who: Cosigned) -> list[int | None]:
    return [each.seat for each in witnessed(beside(*(each.text for each in sorted(who))), events)]


def test_a_witness_is_seated_where_it_last_sat_down_with_its_key() -> None:
    anna = witness("anna")
    assert seats([sat("anna", 1, by="anna")], anna) == [1]
    assert seats([sat("anna", 1, by="anna"), sat("anna", 2, by="anna")], anna) == [2]
    assert seats([sat("anna", 1, by="ben"), sat("anna", 1, by="anna")], anna) == [1]
    assert seats([sat("anna", 1)], anna) == [None]
    assert seats([sat("ben", 1, by="ben")], anna) == [None]


def test_whoever_is_only_invited_sits_nowhere_and_a_bot_is_nobody() -> None:
    anna, nobody = witness("anna"), witness("anna", player="None")
    assert seats([sat("anna", 1, by="anna"), sat("anna", 0, kind="invited")], anna) == [1]
    assert seats([sat("anna", 1, by="anna", kind="invited")], anna) == [None]
    assert seats([sat(None, 1, by="anna")], nobody) == [None]


def test_a_witness_is_told_with_size_and_time() -> None:
    who = [witness("anna", size, at=1_000 + size) for size in (1, 3, 6)]
    found = witnessed(beside(*(each.text for each in who)), [])
    assert [(each.key, each.size, each.at) for each in found] == [
        (who[0].key, size, 1_000 + size) for size in (1, 3, 6)
    ]


@pytest.mark.parametrize(
    ("cosignatures", "reason"),
    [
        (lambda: ["nothing"], "a cosignature is a size, a key, and a signature line"),
        (
            lambda: [each.text for each in (witness("anna", 1), witness("anna", 6), witness("anna", 3))],
            "the cosignatures are not in order",
        ),
        (lambda: [witness("anna", 3).text] * 2, "the cosignatures are not in order"),
        (
            lambda: [replace(witness("anna"), size=7).text],
            "play.example/p/anna cosigned 7 events; these are fewer",
        ),
        (
            lambda: [replace(witness("anna"), size=5).text],
            "the cosignature of play.example/p/anna is not one of this head: size 5, root {root}",
        ),
        (
            lambda: [witness("ben").text],
            "play.example/p/ben sat down with another key than it cosigned with",
        ),
    ],
)
def test_a_cosignature_that_does_not_hold_says_why(
    cosignatures: Callable[[], list[str]], reason: str
) -> None:
    with pytest.raises(Bad) as caught:
        witnessed(beside(*cosignatures()), [sat("ben", 0, by="anna")])
    assert told(caught) == ("witnesses", None, reason.format(root=record().root(5)))
