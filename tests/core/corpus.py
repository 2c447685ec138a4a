"""One match of each variant of each game as readable text, kept in ``tests/corpus`` and reviewed like code.

``python -m tests.core.corpus`` in the root of the project writes them anew; a change of a rule shows as a
difference that somebody has read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kleos.core import cyclades, iliad
from kleos.core.cyclades.effects import CycleBegun, OnlyChoice
from kleos.core.cyclades.vocabulary import Options as CycladesOptions
from kleos.core.iliad.effects import SiegeBegan, TurnsBegan
from kleos.core.iliad.setup import Options as IliadOptions
from kleos.core.kernel import EVERYTHING, Game, KeyedChance, redact
from kleos.core.kernel.playout import playout

FOLDER = Path(__file__).resolve().parents[1] / "corpus"
GAMES: Mapping[str, Game[Any, Any, Any]] = {"iliad": iliad.GAME, "cyclades": cyclades.GAME}
_COUNTED = {"two": 2, "three": 3, "four": 4, "five": 5}
VARIANTS: Mapping[tuple[str, str], tuple[int, Any]] = {
    ("iliad", "two"): (2, IliadOptions()),
    ("iliad", "three"): (3, IliadOptions()),
    ("iliad", "four"): (4, IliadOptions()),
    ("iliad", "five"): (5, IliadOptions()),
    ("iliad", "six-in-teams"): (6, IliadOptions()),
    ("iliad", "four-in-teams"): (4, IliadOptions(teams=True)),
    ("iliad", "four-in-teams-as-six"): (4, IliadOptions(teams=True, team4="six")),
    **{("cyclades", name): (seats, CycladesOptions()) for name, seats in _COUNTED.items()},
    **{
        ("cyclades", f"{name}-by-the-rulebook"): (seats, CycladesOptions(preset="rulebook"))
        for name, seats in _COUNTED.items()
    },
}
"""Game and name of each match: how many seats, and the options."""
_GOES_WITHOUT_SAYING = (TurnsBegan, OnlyChoice)
_CHAPTERS = (SiegeBegan, CycleBegun)


def transcript(game: str, name: str) -> str:
    """The match of that name between greedy and random players in turn, nothing hidden."""
    rules = GAMES[game]
    seats, options = VARIANTS[game, name]
    settled = rules.settle(options, seats)
    fortune, whim = KeyedChance(f"fortune of {name}".encode()), KeyedChance(f"whim of {name}".encode())
    opened = rules.open(settled, seats, fortune)
    players = [rules.bots["random" if seat % 2 else "greedy"] for seat in range(seats)]
    lines = [f"{rules.title}, {name}: {settled}", *told(rules, opened.effects)]
    state = opened.state
    for step in playout(rules, state, players, fortune, whim):
        lines += told(rules, step.effects)
        state = step.after
    return "\n".join([*lines, "", rules.table(redact(state, EVERYTHING)), ""])


def told(game: Game[Any, Any, Any], effects: Iterable[Any]) -> Iterator[str]:
    """Effects as sentences; a siege or a cycle begins after an empty line."""
    for effect in effects:
        if isinstance(effect, _CHAPTERS):
            yield ""
        if not isinstance(effect, _GOES_WITHOUT_SAYING):
            yield game.tell(redact(effect, EVERYTHING))


def path(game: str, name: str) -> Path:
    return FOLDER / game / f"{name}.txt"


if __name__ == "__main__":
    for each in VARIANTS:
        path(*each).parent.mkdir(parents=True, exist_ok=True)
        path(*each).write_text(transcript(*each))
