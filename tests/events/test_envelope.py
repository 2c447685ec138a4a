"""The envelope: nothing is lost in it, nothing shows through it, and no byte of it can be changed unseen."""

from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from kleos.core.kernel import choices
from kleos.core.match import Event, Match, create, decide, evolve
from kleos.core.match.actions import Create, Join
from kleos.events import canonical
from kleos.events.envelope import Damaged, Entry, commitment, seal, state_digest, unseal
from kleos.events.merkle import Edge, leaf
from kleos.events.replay import Diverged, rebuild, replay, step
from kleos.events.snapshot import Position, code_digest, pack, source_digest, unpack


def whole_match() -> list[tuple[Event, Match]]:
    """A match of Tiny from its creation to its end: each event with the match after it."""
    action = Create(game="tiny", rules="tiny/1", seats=2, options={}, seat=0)
    event = create("M", "anna", action, seed="5a" * 32, at=1_000)
    told = [(event, evolve(None, event))]
    asked: list[tuple[str, int | None, Any]] = [("ben", None, Join())]
    while not told[-1][1].opened:
        match = told[-1][1]
        if not asked:
            seat = min(tiny.TINY.to_act(match.state))
            asked.append((("anna", "ben")[seat], seat, choices(tiny.TINY, match.state, seat)[-1].move))
        event = decide(match, *asked.pop(), at=1_000 + match.version)
        told.append((event, evolve(match, event)))
    return told


MATCH = whole_match()
_salts = (n.to_bytes(16, "big") for n in count())
ENTRIES = [
    seal(event, match, command=b"c%d" % match.version, entropy=lambda _: next(_salts))
    for event, match in MATCH
]
PLEDGE = ENTRIES[2]


def test_unsealing_gives_the_event_back() -> None:
    assert [unseal(entry) for entry in ENTRIES] == [event for event, _ in MATCH]
    stored = [(entry.version, entry.public, entry.sealed) for entry in ENTRIES]
    assert [Entry.of(*each) for each in stored] == ENTRIES


def test_every_part_is_in_canonical_form() -> None:
    for entry in ENTRIES:
        assert canonical.encode(canonical.decode(entry.public)) == entry.public
        if entry.sealed:
            assert canonical.encode(canonical.decode(entry.sealed)) == entry.sealed


def test_the_seed_and_the_deck_are_for_the_server_alone() -> None:
    assert set(ENTRIES[0].openings) == {"server"}
    assert b"5a5a" not in ENTRIES[0].public
    assert set(ENTRIES[1].openings) == {"server", "seat:0", "seat:1"}


def test_equal_secrets_look_different() -> None:
    event, match = MATCH[2]
    again = seal(event, match, command=b"c3", entropy=lambda _: bytes(16))
    public, other = msgspec.json.decode(PLEDGE.public), msgspec.json.decode(again.public)
    assert public.pop("sealed") != other.pop("sealed")
    assert public == other


@given(st.data())
def test_no_byte_of_an_opening_can_be_changed(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from([each for each in ENTRIES if each.sealed]))
    changed = bytearray(entry.sealed)
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(Damaged):
        unseal(Entry.of(entry.version, entry.public, bytes(changed)))


def openings(*changes: tuple[str, bytes | None]) -> Entry:
    changed = {**PLEDGE.openings, **{name: Raw(raw) for name, raw in changes if raw is not None}}
    missing = {name for name, raw in changes if raw is None}
    return replace(PLEDGE, openings={name: raw for name, raw in changed.items() if name not in missing})


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (openings(("seat:0", None)), "opened for"),
        (openings(("seat:1", b"{}")), "opened for"),
        (openings(("seat:0", b'{"payload":{},"salt":""}')), "does not fit its digest"),
        (replace(PLEDGE, public=PLEDGE.public + b" "), "canonical"),
        (replace(PLEDGE, public=b"{}"), "sealed"),
        (replace(PLEDGE, public=b"[]"), "indices"),
        (replace(PLEDGE, version=4), "it says that it is 3"),
        (replace(PLEDGE, public=PLEDGE.public.replace(b'"v":1', b'"v":2')), "format 2"),
    ],
)
def test_an_entry_that_is_not_what_was_written_is_damaged(entry: Entry, why: str) -> None:
    with pytest.raises(Damaged, match=why):
        unseal(entry)


def test_rules_that_are_not_installed_are_no_damage() -> None:
    with pytest.raises(LookupError, match="tiny/0 are not installed"):
        unseal(replace(PLEDGE, public=PLEDGE.public.replace(b"tiny/1", b"tiny/0")))


def test_openings_that_cannot_be_read_are_damage() -> None:
    with pytest.raises(Damaged, match="cannot be read"):
        Entry.of(1, b"{}", b"[]")


def test_a_commitment_is_bound_to_its_audience() -> None:
    assert commitment("seat:0", b"{}") != commitment("seat:1", b"{}")


def test_how_a_match_stands_is_told_in_canonical_bytes() -> None:
    assert all(canonical.decode(match.standing)["version"] == match.version for _, match in MATCH)


def test_the_state_digest_tells_every_version_apart_and_hides_equal_states() -> None:
    assert len({state_digest(match) for _, match in MATCH}) == len(MATCH)


@pytest.mark.parametrize("field", Match.__struct_fields__)
def test_the_state_digest_covers_every_field_of_a_match(field: str) -> None:
    _, match = MATCH[2]
    other = {
        "rules": "canary/1",
        "seed": "5b" * 32,
        "seats": (replace(match.seats[0], resigned=True), match.seats[1]),
        "state": replace(match.state, bank=1),
    }.get(field, "something else")
    assert state_digest(replace(match, **{field: other})) != state_digest(match)


def test_a_replay_gives_every_version_and_refuses_gaps_and_strangers() -> None:
    assert list(replay(ENTRIES)) == [match for _, match in MATCH]
    assert rebuild(ENTRIES[:5]) == MATCH[4][1]
    with pytest.raises(Damaged, match="where 4 comes next"):
        rebuild([*ENTRIES[:3], *ENTRIES[4:]])
    with pytest.raises(Damaged, match="where 1 comes next"):
        rebuild(ENTRIES[1:])
    with pytest.raises(Damaged, match="of match M"):
        step(replace(MATCH[1][1], id="N"), ENTRIES[2])


def test_under_other_rules_a_replay_names_the_first_event_that_strays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fault 65."""
    rules = tiny.Tiny.evolve

    def generous(game: tiny.Tiny, state: tiny.Table, effect: object) -> tiny.Table:
        state = rules(game, state, effect)
        return replace(state, bank=state.bank + 1) if isinstance(effect, tiny.DiceRolled) else state

    monkeypatch.setattr(tiny.Tiny, "evolve", generous)
    first = next(event.version for event, _ in MATCH if isinstance(event.action, tiny.Stake))
    with pytest.raises(Diverged, match=f"at version {first} under tiny/1"):
        rebuild(ENTRIES)


def test_a_snapshot_is_the_position_it_was_made_of() -> None:
    edge = Edge()
    for entry, (_, match) in zip(ENTRIES, MATCH, strict=True):
        edge = edge.append(leaf(entry.public))
        assert unpack(pack(Position(match, edge))) == Position(match, edge)


def test_snapshots_are_filed_under_the_code_that_made_them(tmp_path: Path) -> None:
    source = tmp_path / "rules.py"
    found = set()
    for text in ("", "a", "b"):
        source.write_text(text)
        found.add(source_digest([tmp_path]))
    source.rename(tmp_path / "other.py")
    assert source_digest([tmp_path]) not in found
    assert len(found) == 3
    assert code_digest("tiny/1") != source_digest([tmp_path])
    with pytest.raises(LookupError):
        code_digest("tiny/0")
