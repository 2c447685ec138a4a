"""The examples of the document are moves that were made, not moves that somebody thought up."""

from typing import Any, get_args

import msgspec
import pytest

from kleos.api import examples
from kleos.api.publish import own_games
from kleos.core.kernel import Game

GAMES = pytest.mark.parametrize("game", own_games(), ids=lambda game: game.name)
AnyGame = Game[Any, Any, Any]


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
