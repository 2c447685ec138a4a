"""Two bundles side by side: where they part, and whose signatures are under both."""

from __future__ import annotations

import pytest
from bundles import Record, finished
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.core.kernel import choices
from kleos.core.match import seats_to_act
from kleos.events.bundle import unpack
from kleos.events.notary import Notary, everything
from kleos.events.note import Signer
from kleos.events.verifier import verify
from kleos.projections.comparison import Comparison, Judged, compare

STRANGER = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))


def judged(data: bytes) -> Judged:
    return unpack(data), verify(data, TRUSTED)


def compared(one: bytes, other: bytes) -> Comparison:
    return compare(judged(one), judged(other), TRUSTED)


def parted() -> tuple[Record, Record, int]:
    """A server that tells two stories: the same match up to a version, then two different moves."""
    stories = []
    for choice in (0, -1):
        record = Record("tiny/1", seats=2, seed=7)
        record.sit()
        record.step()
        seat = seats_to_act(record.match)[0]
        record.do(record.actor(seat), seat, choices(record.game, record.match.state, seat)[choice].move)
        stories.append(record)
    return stories[0], stories[1], stories[0].match.version


def test_equal_files_are_equal() -> None:
    data = finished("tiny/1").bundle()
    found = compared(data, data)
    assert (found.finding, found.version, found.signed_both) == ("equal", None, ())


def test_two_stories_part_at_one_event_and_the_key_that_signed_both_is_named() -> None:
    one, other, version = parted()
    found = compared(one.bundle(), other.bundle())
    assert (found.finding, found.common, found.version) == ("events", version - 1, version)
    assert found.signed_both == (SIGNER.verifier.vkey,)
    assert "/state" in {each["path"] for each in found.patch}
    left, right = found.sides
    assert left.root != right.root
    assert left.signed_by == right.signed_by == (SIGNER.verifier.vkey,)
    assert (left.kind, left.words != right.words) == ("move", True)
    assert left.doer == right.doer


def test_a_story_that_somebody_else_signed_convicts_nobody() -> None:
    one, other, _ = parted()
    found = compared(one.bundle(), other.bundle(everything, Notary(STRANGER)))
    assert found.finding == "events"
    assert [each.signed_by for each in found.sides] == [(SIGNER.verifier.vkey,), (STRANGER.verifier.vkey,)]
    assert found.signed_both == ()


@pytest.mark.parametrize("longer", [0, 1])
def test_one_file_may_go_on_where_the_other_ends(longer: int) -> None:
    record = Record("tiny/1", seats=2, seed=7)
    record.sit()
    short, length = record.bundle(), len(record.entries)
    record.step()
    files = [short, short]
    files[longer] = record.bundle()
    found = compared(*files)
    assert (found.finding, found.common, found.version) == ("length", length, length + 1)
    assert found.sides[longer].words is not None
    assert found.sides[1 - longer].words is None


def test_files_for_different_eyes_differ_in_what_is_opened() -> None:
    record = Record("tiny/1", seats=2, seed=7)
    record.sit()
    record.step()
    mine = record.bundle(lambda _version, name: name == "seat:0")
    theirs = record.bundle(lambda _version, name: name == "seat:1")
    found = compared(mine, theirs)
    assert (found.finding, found.common) == ("openings", len(record.entries))
    assert [each.status for each in found.sides] == ["incomplete", "incomplete"]


def test_two_matches_are_not_compared() -> None:
    one, other = finished("tiny/1", seed=1), finished("tiny/1", seed=2)
    renamed = unpack(other.bundle())
    elsewhere = replace(renamed, manifest=replace(renamed.manifest, match="4V0MANOTHERMATCH0000000000"))
    with pytest.raises(ValueError, match=r"these are two matches, .* and 4V0MANOTHERMATCH0000000000"):
        compare(judged(one.bundle()), (elsewhere, judged(other.bundle())[1]))
