"""The fields of the games' types, described in the document in the words that stand in the code."""

import pytest

from kleos.api.components import Components
from kleos.api.field_words import structs, words_of
from kleos.core.cyclades.state import State, Turn
from kleos.core.kernel.registry import pinned


@pytest.mark.parametrize("rules", ["iliad/1", "cyclades/1"])
def test_every_field_of_a_state_is_described(rules: str) -> None:
    game = pinned(rules)
    bare = {
        f"{kind.__name__}.{field}"
        for kind in structs([game.State])
        for field in kind.__struct_fields__
        if field not in words_of(kind)
    }
    assert bare == set()


def test_the_words_of_a_field_are_those_below_it_on_one_line() -> None:
    assert words_of(State)["cycle"] == "The cycle that is played, counted from 1; 0 before the first."
    assert words_of(Turn)["recruits"] == "Recruits of this turn; for Apollo, whether his gift was taken."


@pytest.mark.parametrize(("rules", "name"), [("iliad/1", "Iliad"), ("cyclades/1", "Cyclades")])
def test_the_document_has_them_of_states_moves_and_effects(rules: str, name: str) -> None:
    game = pinned(rules)
    components = Components([game]).components
    shown = components[f"{name}State"]["properties"]
    said = words_of(game.State)
    assert {field: about["description"] for field, about in shown.items()} == said
    effects = [
        each
        for part, each in components.items()
        if part.startswith(name) and "rule" in each.get("properties", {})
    ]
    assert len(effects) > 20
    assert {each["properties"]["rule"]["description"] for each in effects} == {
        "The paragraph of the rules that it follows."
    }
