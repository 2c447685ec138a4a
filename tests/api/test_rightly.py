"""What would have been right where a body is wrong."""

import json

import msgspec
import pytest

from kleos.api import forms
from kleos.api.rightly import words_at
from kleos.core.kernel.registry import pinned


def right(rules: str, sent: object) -> list[str]:
    """The words that ``words_at`` gives for a play that is not of its form."""
    kind = forms.play_form(rules)
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(json.dumps(sent), type=kind)
    return words_at(str(caught.value), kind, sent)


@pytest.mark.parametrize("rules", ["iliad/1", "cyclades/1", "tiny/1"])
@pytest.mark.parametrize("move", [{"type": "pas"}, {"kind": "pass"}])
def test_every_type_of_move_is_named_where_one_is_wrong_or_missing(rules: str, move: object) -> None:
    schema = msgspec.json.schema(pinned(rules).Move)
    types = [json.dumps(each) for each in schema["discriminator"]["mapping"]]
    assert sorted(right(rules, {"seat": 0, "move": move})) == sorted(types)


def test_the_words_of_a_field_are_those_that_this_move_may_have() -> None:
    sent = {"seat": 0, "move": {"type": "offer_to", "god": "hera", "amount": 1}}
    assert right("cyclades/1", sent) == ['"ares"', '"athena"', '"poseidon"', '"zeus"']
    assert '"athena"' not in right("iliad/1", {"seat": 0, "move": {"type": "place", "card": "athena"}})


@pytest.mark.parametrize(
    "sent", [{}, {"seat": "0"}, {"seat": 0, "move": [1]}, [], {"seat": 0, "move": {"type": 3}}]
)
def test_of_what_is_no_word_none_is_named(sent: object) -> None:
    assert right("iliad/1", sent) == []
