"""Visibility: what is declared is shown, to whom it is declared, and nothing else to anybody."""

from __future__ import annotations

import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType

from kleos.core.kernel import EVERYTHING, SPECTATOR, Counted, Owned, Public, Secret, Viewer, redact
from kleos.core.kernel.visibility import Sight, audience, merge, split, viewed


class Card(Struct, frozen=True):
    face: Public[str]


class Purse(Struct, frozen=True):
    coins: Public[int]
    hoard: Secret[int] = 0


class Player(Struct, frozen=True):
    seat: Public[int]
    name: Public[str]
    hand: Owned[Counted[tuple[Card, ...]]]
    purse: Owned[Purse]
    undeclared: int = 7


class Stone(Struct, frozen=True, tag=True):
    weight: Public[int]


class Chest(Struct, frozen=True, tag=True):
    seat: Public[int]
    inside: Owned[Counted[tuple[str, ...]]]


class Room(Struct, frozen=True):
    players: Public[tuple[Player, ...]]
    deck: Secret[Counted[tuple[Card, ...]]]
    thing: Public[Stone | Chest | None] = None
    note: Public[str | UnsetType] = UNSET


def player(seat: int) -> Player:
    return Player(seat=seat, name="abc"[seat], hand=(Card(f"h{seat}"), Card("x")), purse=Purse(5, hoard=9))


ROOM = Room(players=(player(0), player(1)), deck=(Card("d1"), Card("d2")), thing=Chest(1, ("gold",)))


def test_a_seat_sees_its_own_hand_and_how_many_cards_the_others_hold() -> None:
    seen = redact(ROOM, Viewer(0))
    assert seen["players"][0]["hand"] == [{"face": "h0"}, {"face": "x"}]
    assert seen["players"][1]["hand"] == [None, None]


def test_an_owned_value_without_count_is_null_to_others() -> None:
    assert redact(ROOM, Viewer(0))["players"][1]["purse"] is None


def test_sight_only_narrows_a_secret_inside_an_owned_field_is_hidden_from_its_owner() -> None:
    assert redact(ROOM, Viewer(0))["players"][0]["purse"] == {"coins": 5, "hoard": None}


def test_nobody_sees_the_deck_but_everybody_its_size() -> None:
    for viewer in (SPECTATOR, Viewer(0), Viewer(1)):
        assert redact(ROOM, viewer)["deck"] == [None, None]


def test_a_field_without_declaration_reaches_nobody() -> None:
    for viewer in (SPECTATOR, Viewer(0), Viewer(1)):
        assert all(each["undeclared"] is None for each in redact(ROOM, viewer)["players"])


def test_a_spectator_sees_no_hand() -> None:
    assert [each["hand"] for each in redact(ROOM, SPECTATOR)["players"]] == [[None, None]] * 2


def test_what_is_in_a_union_belongs_to_the_seat_it_names() -> None:
    assert redact(ROOM, Viewer(1))["thing"] == {"type": "Chest", "seat": 1, "inside": ["gold"]}
    assert redact(ROOM, Viewer(0))["thing"] == {"type": "Chest", "seat": 1, "inside": [None]}


def test_everything_is_open_in_the_end_and_reads_as_it_encodes() -> None:
    assert redact(ROOM, EVERYTHING) == msgspec.json.decode(msgspec.json.encode(ROOM))


def test_an_owned_field_belongs_to_the_given_owner_where_no_struct_names_a_seat() -> None:
    class Whisper(Struct, frozen=True):
        word: Owned[str]

    assert redact(Whisper("sesame"), Viewer(2), owner=2) == {"word": "sesame"}
    assert redact(Whisper("sesame"), Viewer(2), owner=1) == {"word": None}
    assert redact(Whisper("sesame"), Viewer(2)) == {"word": None}, "nobody owns it"


def test_a_hidden_field_of_another_seat_inside_an_owned_one_is_seen_by_neither() -> None:
    class Gift(Struct, frozen=True):
        seat: Public[int]
        inside: Owned[Chest]

    gift = Gift(0, Chest(1, ("gold",)))
    assert redact(gift, Viewer(0))["inside"]["inside"] == [None]
    assert redact(gift, Viewer(1))["inside"] is None


def test_hiding_inside_a_container_that_the_redactor_cannot_walk_is_an_error_not_a_leak() -> None:
    class Shelf(Struct, frozen=True):
        boxes: Public[dict[str, Chest]]

    with pytest.raises(TypeError, match="hidden fields cannot be inside"):
        redact(Shelf({"a": Chest(0, ())}), SPECTATOR)


def test_parts_are_kept_by_audience_at_the_places_they_come_from() -> None:
    public, parts = split(ROOM, at="/state")
    assert public == redact(ROOM, SPECTATOR)
    assert set(parts) == {audience(0), audience(1), "server"}
    assert parts["seat:1"]["/state/players/1/hand"] == [{"face": "h1"}, {"face": "x"}]
    assert parts["seat:0"]["/state/players/0/purse"] == {"coins": 5, "hoard": None}
    assert parts["server"]["/state/players/0/purse/hoard"] == 9


@pytest.mark.parametrize("pointer", ["/nowhere/0", "/list/7", "/list/x", "/text/deeper"])
def test_a_part_that_fits_nowhere_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="which is not in the event"):
        merge({"list": [1], "text": "t"}, [{pointer: 1}])


def test_merging_changes_nothing_that_was_given() -> None:
    public, parts = split(ROOM)
    before = msgspec.json.encode([public, parts])
    merge(public, list(parts.values()))
    assert msgspec.json.encode([public, parts]) == before


def test_the_type_of_a_view_admits_null_exactly_where_something_can_be_hidden() -> None:
    seen = viewed(Room)
    for viewer in (SPECTATOR, Viewer(0), EVERYTHING):
        msgspec.convert(redact(ROOM, viewer), seen)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(redact(ROOM, SPECTATOR) | {"players": None}, seen)
    assert seen.__name__ == "Room"
    assert viewed(Card) is Card


# Any shape of state: structs are made up, with sights of all kinds, and looked at by everybody.

COUNTED: Any = Counted
SEQUENCE: Any = tuple
SIGHTS: list[Any] = [Sight.PUBLIC, Sight.OWNED, Sight.SECRET, None]


@st.composite
def made_up(draw: st.DrawFn, depth: int = 0) -> tuple[Any, st.SearchStrategy[Any]]:
    """A struct type with fields of random sight, and the strategy for its values."""
    kinds = ["number", "text", "numbers"] + (["struct", "structs"] if depth < 2 else [])
    fields: list[tuple[str, Any]] = []
    values: list[st.SearchStrategy[Any]] = []
    if draw(st.booleans()):
        fields.append(("seat", Public[int]))
        values.append(st.integers(0, 2))
    for place in range(draw(st.integers(1, 3))):
        kind, value = draw(_kind(draw(st.sampled_from(kinds)), depth))
        many = typing.get_origin(kind) is tuple
        sight = draw(st.sampled_from(SIGHTS))
        counted = COUNTED[kind] if many and draw(st.booleans()) else kind
        fields.append((f"f{place}", counted if sight is None else typing.Annotated[counted, sight]))
        values.append(value)
    made = msgspec.defstruct("Made", fields, frozen=True)
    return made, st.tuples(*values).map(lambda each: made(*each))


@st.composite
def _kind(draw: st.DrawFn, name: str, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
    if name == "number":
        return int, st.integers(0, 99)
    if name == "text":
        return str, st.text("abc", max_size=3)
    if name == "numbers":
        return tuple[int, ...], st.lists(st.integers(0, 99), max_size=3).map(tuple)
    inner, value = draw(made_up(depth + 1))
    return (
        (inner, value) if name == "struct" else (SEQUENCE[inner, ...], st.lists(value, max_size=2).map(tuple))
    )


@given(st.data())
def test_public_part_and_parts_together_are_the_whole(data: st.DataObject) -> None:
    _, values = data.draw(made_up())
    value = data.draw(values)
    public, parts = split(value)
    assert merge(public, list(parts.values())) == msgspec.json.decode(msgspec.json.encode(value))
    assert public == redact(value, SPECTATOR)
    assert redact(value, EVERYTHING) == msgspec.json.decode(msgspec.json.encode(value))
    for seat in range(3):
        assert redact(value, Viewer(seat)) == merge(public, [parts.get(audience(seat), {})])


@given(st.data())
def test_no_view_depends_on_what_it_hides(data: st.DataObject) -> None:
    """Fault 39.

    Two values whose views agree once nothing but the hidden parts was changed: rebuilt from new parts."""
    kind, values = data.draw(made_up())
    value = data.draw(values)
    seat = data.draw(st.integers(0, 2))
    public, parts = split(value)
    hidden = {name: _changed(part) for name, part in parts.items() if name != audience(seat)}
    other = msgspec.convert(merge(public, [parts.get(audience(seat), {}), *hidden.values()]), kind)
    assert redact(other, Viewer(seat)) == redact(value, Viewer(seat))


def _changed(value: Any) -> Any:
    """The same shape with other numbers and texts; seats stay, for they say whose a thing is."""
    match value:
        case dict():
            return {key: each if key == "seat" else _changed(each) for key, each in value.items()}
        case list():
            return [_changed(each) for each in value]
        case int():
            return value + 1
        case str():
            return value + "!"
        case _:
            return value
