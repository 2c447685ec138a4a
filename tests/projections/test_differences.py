"""Differences: the patch turns one view into the other exactly, and tells no more than the two views."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleos.core.kernel import EVERYTHING, SPECTATOR, Builtin, Viewer
from kleos.core.match import codec
from kleos.core.match.actions import Consent, Leave, Redo, Start, Undo
from kleos.projections.differences import difference, in_words, patch
from tests.core.match.telling import PLAYERS, Told


def applied(document: Builtin, operations: Any) -> Builtin:
    """RFC 6902, by the letter, for the three operations that a difference uses."""
    holder = {"": msgspec.json.decode(msgspec.json.encode(document))}
    for operation in operations:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")]
        target: Any = holder
        for step in steps[:-1]:
            target = target[int(step)] if isinstance(target, list) else target[step]
        last = steps[-1]
        match operation["op"], target:
            case "add", list():
                assert int(last) <= len(target)
                target.insert(int(last), operation["value"])
            case "remove", list():
                del target[int(last)]
            case "replace", list():
                target[int(last)] = operation["value"]
            case "remove", dict():
                del target[last]
            case "add", dict():
                target[last] = operation["value"]
            case "replace", dict():
                assert last in target, "only what is there is replaced"
                target[last] = operation["value"]
    return holder[""]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", "/", "~", "~1"]),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["", "a", "b/c", "~"]), inner)
    ),
    max_leaves=20,
)


def written(value: Builtin) -> bytes:
    """JSON with its keys in order: ``True`` and 1 differ here."""
    return msgspec.json.encode(value, order="sorted")


@given(JSON, JSON)
def test_a_patch_applied_gives_exactly_the_other_document(before: Builtin, after: Builtin) -> None:
    operations = list(patch(before, after))
    assert written(applied(before, operations)) == written(after)
    assert bool(operations) == (written(before) != written(after))


def test_what_lists_share_at_their_ends_is_left_alone() -> None:
    assert list(patch([1, 2, 3, 4], [1, 3, 4])) == [{"op": "remove", "path": "/1"}]
    assert list(patch([1, 4], [1, 2, 3, 4])) == [
        {"op": "add", "path": "/1", "value": 2},
        {"op": "add", "path": "/2", "value": 3},
    ]
    assert list(patch({"a": [{"b": 1}]}, {"a": [{"b": 2}]})) == [
        {"op": "replace", "path": "/a/0/b", "value": 2}
    ]


@pytest.mark.parametrize("game", ["tiny", "iliad", "cyclades"])
def test_between_any_two_versions_for_every_eye(game: str) -> None:
    told = Told(game, PLAYERS[:3])
    told.when(told.match.creator, Start())
    told.play(60, random.Random(game))
    versions = range(told.start, told.match.version + 1)
    for start in versions[::7]:
        for to in versions[::5]:
            for viewer in (SPECTATOR, Viewer(0), Viewer(2), EVERYTHING):
                low, high = sorted((start, to))
                found = difference(told.past(start), told.past(to), told.events[low:high], viewer)
                seen = [codec(told.match.rules).view(told.past(each).state, viewer) for each in (start, to)]
                assert applied(seen[0], found.patch) == seen[1]
                assert [each.version for each in found.words] == list(range(low + 1, high + 1))


def test_what_a_spectator_is_told_depends_on_nothing_hidden() -> None:
    told = Told("canary", PLAYERS[:2])
    told.when(told.match.creator, Start())
    told.play(30, random.Random("words"))
    hidden = {card for place in told.match.state.places for card in (*place.hand, *place.buried)} | set(
        told.match.state.deck
    )
    spoken = "".join(" ".join(in_words(each, SPECTATOR).words) for each in told.events)
    shown = msgspec.json.encode(
        difference(told.past(told.start), told.match, told.events[told.start :], SPECTATOR)
    ).decode()
    assert not [card for card in hidden if card in spoken + shown]
    mine = "".join(" ".join(in_words(each, Viewer(0)).words) for each in told.events)
    assert [card for card in told.match.state.places[0].buried if card in mine]


def test_every_effect_of_the_match_has_words() -> None:
    told = Told("tiny", (*PLAYERS[:2], "bot"))
    told.when(PLAYERS[0], Start())
    told.step()
    told.step()
    told.when(PLAYERS[0], Undo(to=told.start), 0)
    told.when(PLAYERS[1], Consent(told.match.proposals[0].id), 1)
    told.when(PLAYERS[1], Redo(to=told.start + 1), 1)
    told.when(PLAYERS[0], Leave(0))
    told.when(PLAYERS[1], Leave(1))
    spoken = [words for event in told.events for words in in_words(event, SPECTATOR).words]
    assert "Seat 0 proposes to go back to version 4; seat 1 is asked." in spoken
    assert "Back from version 6 to 4." in spoken
    assert "Seat 2 is played by random." in spoken
    assert spoken[-1] == "The match is over (resignation); won by seat 2."
