"""The matches of the corpus come out as they are written there."""

import pytest

from tests.core.corpus import FOLDER, VARIANTS, path, transcript


@pytest.mark.parametrize(("game", "name"), VARIANTS, ids="-".join)
def test_the_match_reads_as_it_did(game: str, name: str) -> None:
    """Faults 59, 70. After a change of rules: ``python -m tests.core.corpus``, then read the difference."""
    assert transcript(game, name).splitlines() == path(game, name).read_text().splitlines()


def test_the_corpus_holds_these_matches_and_no_others() -> None:
    assert {file for file in FOLDER.rglob("*") if file.is_file()} == {path(*each) for each in VARIANTS}
