"""kleos rules check: every stored match is decided once more, and the first event that differs is named."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import tiny
from matches import SIGNER, played

from kleos.api.command import main
from kleos.core.kernel import Outcome
from kleos.events.embedded import Embedded
from kleos.events.log import Log
from kleos.events.store import Store


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with two matches of Tiny in it."""

    async def fill() -> None:
        async with await Embedded.start(tmp_path) as server:
            store = await Store.connect(server.url)
            for seed in (1, 2):
                await played(Log(store, SIGNER), seed)
            await store.close()

    asyncio.run(fill())
    return tmp_path


def test_rules_that_did_not_change_come_to_the_same(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "check", "--data", str(data)]) == 0
    assert "2 matches come out the same, 0 do not" in capsys.readouterr().out


def test_a_change_of_the_rules_names_the_first_event_of_every_match_that_it_reaches(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 59."""
    right = tiny.Tiny.outcome

    def otherwise(game: tiny.Tiny, state: Any) -> Outcome | None:
        outcome = right(game, state)
        return outcome and Outcome(outcome.winners, outcome.ranking, outcome.scores, "another")

    monkeypatch.setattr(tiny.Tiny, "outcome", otherwise)
    assert main(["rules", "check", "--data", str(data)]) == 1
    told = capsys.readouterr().out
    assert "0 matches come out the same, 2 do not" in told
    assert told.count("match_ended: not what follows in outcome") == 2
    assert main(["rules", "check", "--data", str(data), "--json"]) == 1
    assert capsys.readouterr().out.count('"version":') == 2
