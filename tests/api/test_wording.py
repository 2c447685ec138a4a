"""What went wrong is told without a word of the language this is written in."""

from pathlib import Path

import pytest

from kleos.api.wording import in_json_words, in_plain_words


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Expected `int | null`, got `str`", "Expected an integer or null, got a string"),
        ("Expected `str` of length >= 3", "Expected a string of length >= 3"),
        ("Invalid enum value 'int'", "Invalid enum value 'int'"),
    ],
)
def test_types_are_named_as_in_json(said: str, told: str) -> None:
    assert in_json_words(said) == told


def test_an_error_of_the_system_is_a_sentence_without_a_number(tmp_path: Path) -> None:
    missing = tmp_path / "nothing"
    with pytest.raises(OSError, match="Errno") as caught:
        missing.read_bytes()
    assert in_plain_words(caught.value) == f"{missing}: no such file or directory"
    assert in_plain_words(TimeoutError("timed out")) == "timed out"
