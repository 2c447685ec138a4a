"""The examples of the document are moves that were made, not moves that somebody thought up."""

from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator

from kleos.api import examples
from kleos.api.app import describe
from kleos.api.codes import PROBLEMS
from kleos.api.examples import recorded
from kleos.api.problems import MEDIA
from kleos.api.publish import own_games
from kleos.core.kernel import Game

GAMES = pytest.mark.parametrize("game", own_games(), ids=lambda game: game.name)
AnyGame = Game[Any, Any, Any]
DOCUMENT: dict[str, Any] = msgspec.json.decode(describe(own_games()))


def _tags(union: Any) -> set[str]:
    return {kind.__struct_config__.tag for kind in get_args(union)}


@GAMES
def test_every_move_has_an_example_that_is_one(game: AnyGame) -> None:
    found = examples.of(game)
    assert found is not None
    assert found.moves.keys() == _tags(game.Move)
    for move in found.moves.values():
        msgspec.convert(move, game.Move)


@GAMES
def test_the_examples_are_what_the_rules_say_today(game: AnyGame) -> None:
    """A change of rules or bots that changes them is seen: `kleos openapi --examples` records anew."""
    found = (examples.FOLDER / f"{game.name}.json").read_bytes()
    assert found == examples.encoded(examples.record(game)), "run `kleos openapi --examples`"


@GAMES
def test_all_but_the_rarest_effects_have_an_example(game: AnyGame) -> None:
    found = examples.of(game)
    assert found is not None
    assert found.effects.keys() <= _tags(game.Effect)
    assert len(found.effects) > 0.9 * len(_tags(game.Effect))


# Answers


OPERATIONS = {
    operation["operationId"]: operation for path in DOCUMENT["paths"].values() for operation in path.values()
}
SILENT = {*recorded.KEPT_OUT, "read_board", "read_bundle", "read_tile", "read_entries", "cosign"}
"""Those that answer with a file, a page, a picture, a document of its own, or take the key of a witness."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_shows_an_answer_that_was_given(name: str) -> None:
    answers = OPERATIONS[name]["responses"]
    told = [answer for status, answer in answers.items() if status < "3" and "content" in answer]
    shown = [content for answer in told for content in answer["content"].values() if "example" in content]
    assert bool(shown) == (bool(told) and name not in SILENT)
    for content in shown:
        Draft202012Validator(content["schema"] | {"components": DOCUMENT["components"]}).validate(
            content["example"]
        )


def test_every_problem_is_shown() -> None:
    components = DOCUMENT["components"]
    schema = Draft202012Validator(components["schemas"]["ProblemBody"] | {"components": components})
    refused = [
        answer["content"]
        for each in OPERATIONS.values()
        for answer in each["responses"].values()
        if MEDIA in answer.get("content", ())
    ]
    assert {code for content in refused for code in content[MEDIA]["examples"]} == components[
        "examples"
    ].keys()
    assert PROBLEMS.keys() - components["examples"].keys() == {"method_not_allowed"}
    for code, example in components["examples"].items():
        schema.validate(example["value"])
        assert (example["value"]["code"], example["value"]["status"]) == (code, PROBLEMS[code].status)


def test_nothing_is_on_file_that_no_operation_answers() -> None:
    for name, by_status in recorded.on_file().items():
        for status, by_media in by_status.items():
            assert by_media.keys() <= OPERATIONS[name]["responses"][status]["content"].keys()


def test_what_is_shown_is_short_and_still_what_it_was() -> None:
    assert recorded.shortened({"items": [1, 2, 3], "next": "3"}) == {"items": [1, 2], "next": "3"}
    assert recorded.shortened("a\n" * 1000) == "a\n" * (recorded.LONGEST // 2)
