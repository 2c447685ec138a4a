"""Every kind of change in every place, to matches of every kind: found at the right step and event."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from bundles import Descended, Record, Signed, followed, forked
from matches import SIGNER, TRUSTED

from kleos.core.match.actions import Leave
from kleos.events.bundle import Bundle, pack
from kleos.events.merkle import leaf
from kleos.events.notary import Notary
from kleos.events.verifier import verify
from tests.verifier import second
from tests.verifier.tampering import MATRIX, Case, Tamper, table

PAGE: Final = Path(__file__).parents[2] / "docs" / "proof.md"
LATE: Final = {"dice", "chance", "rules", "states"}
"""Steps that come after ``players``; but for the first, the second verifier cannot take them."""


def begun(record: Record) -> Record:
    """The match after a hundred moves, some of them taken back."""
    record.sit()
    record.play(100, undo=0.1)
    return record


def plain(rules: str, seats: int = 2, **options: Any) -> Record:
    return begun(Record(rules, seats=seats, seed=1, options=options, undo="casual"))


def signed(rules: str) -> Record:
    return begun(Signed(rules, seats=2, seed=3, undo="casual"))


def over(rules: str) -> Record:
    """The match after somebody gave up."""
    record = plain(rules)
    if not record.match.opened:
        record.do("player1", None, Leave(seat=1))
    return record


def child(rules: str) -> Record:
    parent = over(rules)
    record = Descended(forked(parent, parent.match.version // 2))
    record.play(100, undo=0.1)
    return record


def rematch(rules: str) -> Record:
    return begun(Descended(followed(over(rules))))


class Kind(NamedTuple):
    """What a match has, and how it is made."""

    has: frozenset[str]
    make: Callable[[], Record]


MATCHES: Final = {
    "tiny": Kind(frozenset({"dice", "deck", "undo", "card"}), lambda: plain("tiny/1")),
    "iliad": Kind(frozenset({"no dice", "deck", "undo", "card"}), lambda: plain("iliad/1")),
    "iliad in teams": Kind(
        frozenset({"no dice", "deck", "undo", "card"}), lambda: plain("iliad/1", 4, teams=True)
    ),
    "iliad, signed": Kind(frozenset({"no dice", "deck", "undo", "signed"}), lambda: signed("iliad/1")),
    "iliad, forked": Kind(frozenset({"no dice", "undo"}), lambda: child("iliad/1")),
    "iliad, once more": Kind(frozenset({"no dice", "deck", "undo"}), lambda: rematch("iliad/1")),
    "cyclades": Kind(frozenset({"dice", "deck", "undo"}), lambda: plain("cyclades/1")),
    "cyclades, signed": Kind(frozenset({"dice", "deck", "undo", "signed"}), lambda: signed("cyclades/1")),
    "cyclades, forked": Kind(frozenset({"dice", "undo"}), lambda: child("cyclades/1")),
    "cyclades, once more": Kind(frozenset({"dice", "deck", "undo"}), lambda: rematch("cyclades/1")),
}


@cache
def case(name: str) -> Case:
    return Case.of(MATCHES[name].make())


def expected(tamper: Tamper, name: str, bundle: Bundle | bytes, at: int) -> tuple[str, int | None]:
    """The step and the event to be named.

    Where moves are signed, whatever the server changes after the fact spoils the next signature, for that
    is over the head before it; ``players`` comes before all that needs the rules.
    """
    if isinstance(bundle, Bundle) and "signed" in MATCHES[name].has and tamper.step in LATE:
        both = zip(bundle.events, case(name).bundle.events, strict=True)
        changed = next(version for version, (one, other) in enumerate(both, 1) if one != other)
        return "players", case(name).first(lambda event: event["version"] > changed and "signature" in event)
    return tamper.step, at if tamper.blamed else None


@pytest.mark.parametrize(
    ("name", "tamper"),
    [(name, each) for name, kind in MATCHES.items() for each in MATRIX if {each.needs} <= kind.has | {""}],
    ids=lambda each: each if isinstance(each, str) else f"{each.kind}, {each.place}",
)
def test_what_was_changed_is_named_with_its_step_and_event(name: str, tamper: Tamper) -> None:
    spoiled, at = tamper.do(case(name))
    data = spoiled if isinstance(spoiled, bytes) else pack(spoiled)
    bundle = case(name).bundle
    kept = [Notary(SIGNER).receipt(bundle.manifest.match, [leaf(each) for each in bundle.events], 1)]
    report = verify(data, TRUSTED, kept if tamper.step == "receipts" else [])
    assert report.status == "invalid"
    assert report.failure is not None
    wrong = expected(tamper, name, spoiled, at)
    assert (report.failure.step, report.failure.version) == wrong, report.failure.reason
    if wrong[0] not in {*LATE, "receipts"} or wrong[0] == "dice":
        assert second.check(data, [SIGNER.verifier.vkey]).wrong == wrong


def test_a_log_that_was_cut_or_written_anew_is_valid_for_whoever_kept_no_receipt() -> None:
    for tamper in MATRIX:
        if tamper.step == "receipts":
            spoiled, _ = tamper.do(case("iliad"))
            assert isinstance(spoiled, Bundle)
            assert verify(pack(spoiled), TRUSTED).status == "valid"


def test_the_page_on_proof_shows_this_matrix() -> None:
    assert table() in PAGE.read_text("utf-8")
