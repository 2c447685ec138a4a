"""The matches of the corpus come out as they are written there."""

import pytest

from tests.core.iliad.corpus import FOLDER, VARIANTS, transcript


@pytest.mark.parametrize("name", VARIANTS)
def test_the_match_reads_as_it_did(name: str) -> None:
    """After a change of rules: ``python -m tests.core.iliad.corpus``, then read the difference."""
    assert transcript(name).splitlines() == (FOLDER / f"{name}.txt").read_text().splitlines()


def test_the_corpus_holds_these_matches_and_no_others() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(VARIANTS)
