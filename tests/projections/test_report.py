"""The report of a match tells all of it, to each viewer what that viewer may know, and says what is wrong."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from bundles import MATCH, Cheat, Record, finished, other_effect
from matches import TRUSTED
from tiny import DiceRolled

from kleos.core.kernel import EVERYTHING, SPECTATOR, Viewer
from kleos.core.kernel.visibility import audience
from kleos.core.match.actions import Undo
from kleos.events.bundle import unpack
from kleos.events.verifier import verify
from kleos.projections.evidence import evidence, of_bundle
from kleos.projections.report import MatchReport, report


def told(record: Record, viewer: Viewer) -> MatchReport:
    """The report that a server makes: from all states, for one viewer."""
    mine = None if viewer.seat is None else audience(viewer.seat)
    data = record.bundle(lambda _version, name: viewer.open or name == mine)
    return report(evidence(record.entries, record.matches, viewer), verify(data, TRUSTED), {})


def from_file(record: Record, viewer: Viewer | None = None) -> MatchReport:
    data = record.bundle()
    return report(of_bundle(unpack(data), viewer), verify(data, TRUSTED), {})


def begun(rules: str, moves: int = 20) -> Record:
    """A match that goes on."""
    record = Record(rules, seats=2, seed=1)
    record.sit()
    record.play(moves)
    assert record.match.status == "playing"
    return record


@pytest.mark.parametrize("rules", ["tiny/1", "iliad/1", "cyclades/1"])
def test_a_whole_match_is_told_in_words_that_hide_nothing(rules: str) -> None:
    record = finished(rules, seed=3)
    found = from_file(record)
    assert (found.match, found.status, found.open) == (MATCH, "finished", True)
    assert [each.version for each in found.timeline] == list(range(1, len(record.entries) + 1))
    assert found.verdict.status == "valid"
    for line in found.timeline:
        assert line.words
        assert all(each.words.endswith(".") for each in line.effects), line
        assert line.changes is not None
    assert found.seed == record.match.seed
    assert {each.seat for each in found.pictures} == {None, 0, 1}


def test_fault_121_the_draws_of_a_match_are_numbered_without_a_gap() -> None:
    found = from_file(finished("cyclades/1", seed=3))
    numbers = [
        line.first_draw + place
        for line in found.timeline
        if line.first_draw is not None
        for place, _ in enumerate(line.draws)
    ]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 10


def test_a_server_tells_the_same_as_a_file() -> None:
    record = finished("tiny/1")
    assert told(record, EVERYTHING) == from_file(record)


@pytest.mark.parametrize("viewer", [SPECTATOR, Viewer(0), Viewer(1)])
def test_while_a_match_goes_on_nobody_is_told_what_is_hidden(viewer: Viewer) -> None:
    record = begun("canary/1", 9)
    found = told(record, viewer)
    text = msgspec.json.encode(found).decode()
    hidden = secrets(record, viewer)
    assert len(hidden) > 5
    assert [each for each in hidden if each in text] == []
    if viewer.seat is not None:
        assert all(card in text for card in record.match.state.places[viewer.seat].hand)
    assert found.verdict.status == "incomplete"
    assert {each.seat for each in found.pictures} == {viewer.seat}


def secrets(record: Record, viewer: Viewer) -> set[str]:
    """The names of cards, salts and the seed that the viewer must not know."""
    state = record.match.state
    cards = set(state.deck)
    for place in state.places:
        if place.seat != viewer.seat:
            cards |= {*place.hand, *place.buried}
    salts = {
        msgspec.json.decode(raw)["salt"]
        for entry in record.entries
        for name, raw in entry.openings.items()
        if viewer.seat is None or name != audience(viewer.seat)
    }
    return cards | salts | {record.match.seed}


def test_a_seat_of_a_match_that_is_over_is_shown_what_that_seat_saw() -> None:
    record = finished("tiny/1")
    found = from_file(record, Viewer(0))
    assert {change.seat for line in found.timeline for change in line.changes or ()} == {0}
    assert found.seed is None


def test_what_was_undone_is_marked_and_says_by_what() -> None:
    record = begun("tiny/1", 1)
    decision = record.match.version
    seat = record.match.step.seat if record.match.step else 0
    record.do(record.actor(seat), seat, Undo(to=decision - 1))
    found = told(record, SPECTATOR)
    assert [(each.version, each.undone) for each in found.timeline if each.undone] == [
        (decision, decision + 1)
    ]
    assert found.head == decision - 1


def test_a_match_that_cannot_be_right_is_told_up_to_there_with_what_is_wrong() -> None:
    record = Cheat(other_effect(DiceRolled, die=lambda die: die % 6 + 1))
    found = from_file(record)
    assert found.verdict.status == "invalid"
    assert found.verdict.failure is not None
    assert found.verdict.failure.version == record.spoiled
    assert [each.version for each in found.timeline] == list(range(1, len(record.entries) + 1))


def test_rules_that_are_not_installed_have_no_words_but_the_log_is_told() -> None:
    record = finished("tiny/1")
    data = record.bundle()
    bundle = unpack(data)
    other = msgspec.structs.replace(
        bundle,
        manifest=msgspec.structs.replace(bundle.manifest, rules="chess/1"),
        events=tuple(each.replace(b"tiny/1", b"chess/1") for each in bundle.events),
    )
    found = report(of_bundle(other), verify(data, TRUSTED), {})
    assert (found.title, found.code) == ("tiny", None)
    words = set(itertools.chain.from_iterable((e.words for e in line.effects) for line in found.timeline))
    assert "Dice rolled." in words
    assert all(line.changes is None for line in found.timeline)
