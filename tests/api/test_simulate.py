"""kleos simulate: figures of matches between bots, repeatable by their seed, saved as transcripts."""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleos.api import simulate
from kleos.core.kernel import transcript


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    parser = argparse.ArgumentParser()
    simulate.add_arguments(parser)
    code = simulate.main(parser.parse_args(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def figures(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, err = run(capsys, *words, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = msgspec.json.decode(out)
    return {key: value for key, value in found.items() if key not in ("seconds", "actions_per_second")}


def test_bots_take_turns_at_the_seats_and_every_match_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = figures(capsys, "tiny", "--seats", "3", "--matches", "10", "--bots", "random,greedy")
    assert found["matches"] == sum(found["endings"].values()) == 10
    assert {name: bot["seats"] for name, bot in found["bots"].items()} == {"random": 15, "greedy": 15}
    assert 10 <= sum(bot["won"] for bot in found["bots"].values()) <= 30
    assert sum(found["won_by_seat"]) == sum(bot["won"] for bot in found["bots"].values())
    assert found["decisions"] == {"mean": 12, "median": 12, "max": 12}, (
        "three rounds of three pledges and a stake"
    )
    assert found["moves"]["max"] == 3


def test_it_tells_which_decisions_facts_and_rules_occurred(capsys: pytest.CaptureFixture[str]) -> None:
    found = figures(capsys, "iliad", "--matches", "2")
    assert sum(kind["times"] for kind in found["kinds"].values()) == 2 * found["decisions"]["mean"]
    assert max(kind["max"] for kind in found["kinds"].values()) == found["moves"]["max"]
    assert found["facts"]["game_ended"] == 2
    assert sum(found["facts"].values()) == sum(found["paragraphs"].values())
    _, told, _ = run(capsys, "iliad", "--matches", "2", "--rules")
    assert all(name in told for name in [*found["kinds"], *found["facts"], *found["paragraphs"]])


def test_it_is_a_command() -> None:
    kleos = Path(sys.executable).with_name("kleos")
    ran = subprocess.run(
        [kleos, "simulate", "iliad", "--matches", "1", "--json"], check=True, capture_output=True
    )
    assert msgspec.json.decode(ran.stdout)["rules"].startswith("iliad/")


def test_the_same_seed_gives_the_same_matches(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for folder in ("one", "two"):
        figures(capsys, "tiny", "--matches", "4", "--seed", "s", "--save", str(tmp_path / folder))
    figures(capsys, "tiny", "--matches", "4", "--seed", "t", "--save", str(tmp_path / "other"))
    one, two, other = (
        [path.read_bytes() for path in sorted((tmp_path / folder).iterdir())]
        for folder in ("one", "two", "other")
    )
    assert len(one) == 4
    assert one == two
    assert not set(one) & set(other)


def test_people_read_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "tiny", "--matches", "5", "--options", '{"preset":"long"}')
    assert code == 0
    assert "5 matches of tiny/1 with 2 seats" in out
    assert re.search(r"^random +at every seat$", out, re.MULTILINE)
    wins = [int(won) for won in re.findall(r"^seat \d +won (\d+) of 5 matches", out, re.MULTILINE)]
    assert len(wins) == 2
    assert sum(wins) >= 5
    assert "actions/s" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("chess",), "there is no game 'chess'"),
        (("tiny", "--seats", "9"), "Tiny has 2 to 4 seats, not 9"),
        (("tiny", "--options", "{"), "--options"),
        (("tiny", "--options", '{"rounds":77}'), "rounds"),
        (("tiny", "--seats", "4", "--options", '{"hand":1}'), "four seats"),
        (("tiny", "--bots", "random,deep"), "Tiny has no bot 'deep'; there are: random, greedy"),
        (("tiny", "--matches", "0"), "--matches must be 1 or more"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_terminal_gets_a_progress_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert run(capsys, "tiny", "--matches", "3")[0] == 0
    assert "1 of 3" in terminal.getvalue()


STATES = """
import hashlib, sys
from kleos.core.kernel import transcript
from kleos.core.match import codec
states = transcript.states(open(sys.argv[1], "rb"))
print(*(hashlib.sha256(codec(sys.argv[2]).state_bytes(state)).hexdigest() for state in states))
"""


@pytest.mark.parametrize("game", ["tiny", "iliad"])
def test_states_rebuilt_in_other_processes_with_other_hash_seeds_are_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, game: str
) -> None:
    figures(capsys, game, "--matches", "1", "--save", str(tmp_path))
    (saved,) = tmp_path.iterdir()
    rules = msgspec.json.decode(saved.read_bytes().splitlines()[0])["rules"]
    rebuilt = set()
    for hash_seed in ("0", "1", "4242"):
        paths = os.pathsep.join(sys.path)
        rebuilt.add(
            subprocess.run(
                [sys.executable, "-c", STATES, saved, rules],
                env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": paths},
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
    assert len(rebuilt) == 1
    assert len(rebuilt.pop().split()) == saved.read_bytes().count(b"\n") - 2, (
        "one state a line but the first and last"
    )


def test_a_transcript_that_does_not_fit_together_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    figures(capsys, "tiny", "--matches", "1", "--save", str(tmp_path))
    (saved,) = tmp_path.iterdir()
    lines = saved.read_bytes().splitlines()
    assert len(list(transcript.states(lines))) == 10
    with pytest.raises(ValueError, match="begins with the rules"):
        list(transcript.states(lines[1:]))
    with pytest.raises(ValueError, match="the outcome is not"):
        list(transcript.states(lines[:-2] + lines[-1:]))
    with pytest.raises(LookupError):
        list(transcript.states([lines[0].replace(b"tiny/1", b"tiny/7")]))
