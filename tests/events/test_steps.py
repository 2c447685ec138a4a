"""Steps that look at one thing each: the form of an event, its openings, the links that its dice hang on."""

from __future__ import annotations

from typing import Any

import pytest

from kleos.core.match.chance import LINKS, earlier
from kleos.events import canonical, digest
from kleos.events.bundle import Bundle, Manifest
from kleos.events.steps import Bad, at_hand, dice, formed, in_time, opened

Builtins = dict[str, Any]
EVENT: Builtins = {
    "v": 1,
    "match": "M",
    "version": 1,
    "at": 7,
    "kind": "create",
    "seat": 0,
    "player": "anna",
    "command": "c",
    "action": {"type": "create"},
    "effects": [],
    "sealed": {},
    "state": "s",
    "rules": "tiny/1",
}
CREATED: Builtins = {"type": "match_created", "parent": None}


def bundle(public: bytes, openings: bytes = b"{}") -> Bundle:
    manifest = Manifest(1, "kleos/1", "M", "play.example/m/M", "tiny/1")
    return Bundle(manifest, (public,), (openings,), ("",), ("",))


def form(**fields: Any) -> Builtins:
    return formed(bundle(canonical.encode(EVENT | fields)), 1)


def told(caught: pytest.ExceptionInfo[Bad]) -> tuple[str, int | None, str]:
    """Step, version and reason."""
    bad = caught.value
    assert str(bad) == bad.reason
    return bad.step, bad.version, bad.reason


# The form


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"seat": None, "player": None},
        {"signature": None},
        {"signature": {"size": 0}},
        {"effects": [{"type": "a"}, {"type": "b", "more": 1}], "sealed": {"server": "digest"}},
    ],
)
def test_an_event_in_form_is_returned_as_it_is(fields: Builtins) -> None:
    assert form(**fields) == EVENT | fields


def test_a_request_without_a_name_leaves_no_command() -> None:
    event = {field: value for field, value in EVENT.items() if field != "command"}
    assert formed(bundle(canonical.encode(event)), 1) == event


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("v", "1"), ("v", True), ("match", 1), ("match", None), ("version", "1"), ("version", True)),
        *(("at", "7"), ("at", True), ("at", None), ("kind", None), ("seat", "0"), ("seat", False)),
        *(
            ("player", 0),
            ("command", 0),
            ("command", None),
            ("action", []),
            ("action", None),
            ("effects", {}),
        ),
        *(("sealed", []), ("sealed", None), ("state", None), ("rules", None), ("signature", "s")),
    ],
)
def test_every_field_has_its_type(field: str, value: Any) -> None:
    with pytest.raises(Bad) as caught:
        form(**{field: value})
    assert told(caught) == ("form", 1, f"its field {field} is of the wrong type")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"v": 2}, "its v is 2, where 1 is expected"),
        ({"match": "N"}, "its match is 'N', where 'M' is expected"),
        ({"version": 2}, "its version is 2, where 1 is expected"),
        ({"rules": "tiny/2"}, "its rules is 'tiny/2', where 'tiny/1' is expected"),
        ({"effects": [CREATED, 1]}, "an effect is an object with a type"),
        ({"effects": [CREATED, {}]}, "an effect is an object with a type"),
        ({"effects": [CREATED, {"type": 1}]}, "an effect is an object with a type"),
        ({"sealed": {"server": "s", "seat:0": 1}}, "its field sealed is a map from audiences to digests"),
        (
            {"more": 1},
            "an event has the fields action, at, command, effects, kind, match, player, rules, sealed, seat, "
            "signature, state, v, version, and no others",
        ),
    ],
)
def test_what_is_out_of_form_is_told_with_what_would_be_right(fields: Builtins, reason: str) -> None:
    with pytest.raises(Bad) as caught:
        form(**fields)
    assert told(caught) == ("form", 1, reason)


def test_bytes_that_are_not_canonical_are_told_as_such() -> None:
    with pytest.raises(Bad) as caught:
        formed(bundle(b'{"v": 1}'), 1)
    assert told(caught) == ("form", 1, "JSON, but not in canonical form")


def test_events_may_come_in_one_millisecond_but_not_before_each_other() -> None:
    first = EVENT | {"effects": [CREATED, {"type": "seat_filled"}]}
    in_time([first, EVENT | {"version": 2}, EVENT | {"version": 3, "at": 8}])
    with pytest.raises(Bad) as caught:
        in_time([first, EVENT | {"version": 2, "at": 8}, EVENT | {"version": 3}])
    assert told(caught) == ("form", 3, "it is older than the event before it")


@pytest.mark.parametrize(
    "effects",
    [[], [{"type": "match_created"}], [{"type": "match_started", "parent": None}], [{"type": "a"}, CREATED]],
)
def test_the_first_effect_creates_the_match_and_says_whether_it_has_a_parent(effects: list[Builtins]) -> None:
    with pytest.raises(Bad) as caught:
        in_time([EVENT | {"effects": effects}])
    assert told(caught) == ("form", 1, "the first event of a match creates it")


# The openings


def committed(opening: Any) -> tuple[Bundle, Builtins]:
    """An event in which something is sealed for seat 0, and a bundle with this opening of it."""
    raw = canonical.encode(opening)
    found = digest.text(digest.digest("kleos/sealed/v1", b"seat:0", raw))
    return bundle(b"", b'{"seat:0":%b}' % raw), EVENT | {"sealed": {"seat:0": found}}


def test_an_opening_that_fits_gives_its_payload() -> None:
    payload = {"/action/card": 7}
    assert opened(*committed({"payload": payload, "salt": "s"})) == {"seat:0": payload}
    assert opened(bundle(b""), EVENT) == {}


@pytest.mark.parametrize("opening", [{"salt": "s"}, {"payload": 1, "salt": "s"}, {"payload": None}, [], None])
def test_an_opening_that_fits_and_opens_nothing_is_refused(opening: Any) -> None:
    with pytest.raises(Bad) as caught:
        opened(*committed(opening))
    assert told(caught) == ("commitments", 1, "the opening for seat:0 has no payload")


def test_a_signature_is_judged_by_what_is_open_of_the_action_and_of_itself() -> None:
    payloads = {"seat:0": {"/action/card": 7, "/effects/0/card": 7, "/signature": {"size": 2}}, "server": {}}
    assert at_hand(payloads) == [{"/action/card": 7, "/signature": {"size": 2}}, {}]


# The links


NEWEST = bytes(range(32))


def link(version: int, *, length: int = LINKS) -> str:
    """The link of a version, or the anchor for 0, of a chain that ends in ``NEWEST``."""
    return earlier(NEWEST, length - version).hex()


def at(version: int, *effects: Builtins) -> Builtins:
    return EVENT | {"version": version, "effects": list(effects)}


def first(anchor: Any) -> Builtins:
    return at(1, CREATED | {"dice": anchor}, {"type": "seat_filled"})


def rolled(found: Any) -> Builtins:
    return {"type": "dice_opened", "link": found}


def anchored(found: Any) -> Builtins:
    return {"type": "dice_anchored", "anchor": found}


def test_links_hash_back_over_those_that_were_not_opened_as_far_as_the_chain_goes() -> None:
    dice([first(link(0)), at(2, rolled(link(2))), at(9, rolled(link(9))), at(LINKS, rolled(link(LINKS)))])
    dice([at(1, CREATED | {"dice": link(0)}, rolled(link(1)))])


def test_a_second_chain_begins_in_the_event_before_its_first_link_and_ends_as_the_first_one_did() -> None:
    begun = [first(link(0)), at(LINKS, rolled(link(LINKS)), anchored(link(0)))]
    dice([*begun, at(LINKS + 1, rolled(link(1))), at(2 * LINKS, rolled(link(LINKS)))])
    with pytest.raises(Bad) as caught:
        dice([*begun, at(LINKS + 1, rolled(link(2)))])
    assert told(caught) == (*("dice", LINKS + 1), "its dice do not hang on the chain that was committed to")


@pytest.mark.parametrize(
    "opened_first",
    [[], [at(5, rolled(link(5, length=LINKS + 1)))], [at(LINKS, rolled(link(LINKS, length=LINKS + 1)))]],
)
def test_a_chain_goes_no_further_than_to_the_next_anchor_whatever_it_hangs_on(
    opened_first: list[Builtins],
) -> None:
    longer = first(link(0, length=LINKS + 1))
    with pytest.raises(Bad) as caught:
        dice([longer, *opened_first, at(LINKS + 1, rolled(link(LINKS + 1, length=LINKS + 1)))])
    assert told(caught) == (*("dice", LINKS + 1), "the chain that its dice hang on is not anchored")


def test_the_dice_of_an_event_hang_on_one_link() -> None:
    with pytest.raises(Bad) as caught:
        dice([first(link(0)), at(2, rolled(link(2)), rolled(link(2)))])
    assert told(caught) == ("dice", 2, "the chain that its dice hang on is not anchored")


@pytest.mark.parametrize("version", [2, LINKS - 1, LINKS + 1])
def test_a_chain_is_anchored_where_the_one_before_ends_and_nowhere_else(version: int) -> None:
    with pytest.raises(Bad) as caught:
        dice([first(link(0)), at(version, anchored(link(0)))])
    reason = "a chain is anchored in every 2048th event, and in no other"
    assert told(caught) == ("dice", version, reason)


@pytest.mark.parametrize("secret", [None, 1, "", "0" * 63, "0" * 65, "0" * 64 + "\n", "A" * 64, "g" * 64])
def test_links_and_anchors_are_32_bytes_in_hexadecimal(secret: Any) -> None:
    for version, kind, field, events in (
        (1, "match_created", "dice", [first(secret), at(2)]),
        (2, "dice_opened", "link", [first(link(0)), at(2, rolled(secret)), at(3)]),
        (LINKS, "dice_anchored", "anchor", [first(link(0)), at(LINKS, anchored(secret)), at(LINKS + 1)]),
    ):
        with pytest.raises(Bad) as caught:
            dice(events)
        assert told(caught) == ("dice", version, f"{kind} has no {field} of 32 bytes in hexadecimal")


def test_a_first_event_without_an_anchor_has_no_dice_to_check() -> None:
    with pytest.raises(Bad) as caught:
        dice([at(1, CREATED), at(2)])
    assert told(caught) == ("dice", 1, "match_created has no dice of 32 bytes in hexadecimal")
