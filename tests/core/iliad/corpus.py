"""One match of each variant as readable text, kept in ``tests/corpus/iliad`` and reviewed like code.

``python -m tests.core.iliad.corpus`` in the root of the project writes them anew; a change of a rule shows as
a difference that somebody has read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kleos.core.iliad import GAME
from kleos.core.iliad.effects import SiegeBegan, TurnsBegan
from kleos.core.iliad.setup import Options
from kleos.core.kernel import EVERYTHING, KeyedChance, redact
from kleos.core.kernel.playout import playout

FOLDER = Path(__file__).resolve().parents[2] / "corpus" / "iliad"
VARIANTS = {
    "two": (2, Options()),
    "three": (3, Options()),
    "four": (4, Options()),
    "five": (5, Options()),
    "six-in-teams": (6, Options()),
    "four-in-teams": (4, Options(teams=True)),
    "four-in-teams-as-six": (4, Options(teams=True, team4="six")),
}


def transcript(name: str) -> str:
    """The match called ``name`` between greedy and random players in turn, nothing hidden."""
    seats, options = VARIANTS[name]
    fortune, whim = KeyedChance(f"fortune of {name}".encode()), KeyedChance(f"whim of {name}".encode())
    opened = GAME.open(GAME.settle(options, seats), seats, fortune)
    players = [GAME.bots["random" if seat % 2 else "greedy"] for seat in range(seats)]
    lines = [f"Iliad, {name}: {GAME.settle(options, seats)}", *told(opened.effects)]
    state = opened.state
    for step in playout(GAME, state, players, fortune, whim):
        lines += told(step.effects)
        state = step.after
    return "\n".join([*lines, "", GAME.table(redact(state, EVERYTHING)), ""])


def told(effects: Iterable[Any]) -> Iterator[str]:
    """Effects as sentences; that turns begin goes without saying, a siege after an empty line."""
    for effect in effects:
        if isinstance(effect, SiegeBegan):
            yield ""
        if not isinstance(effect, TurnsBegan):
            yield GAME.tell(redact(effect, EVERYTHING))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in VARIANTS:
        (FOLDER / f"{each}.txt").write_text(transcript(each))
