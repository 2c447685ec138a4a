"""kleos play: a whole match in the terminal against a real server, read as a person reads it."""

from __future__ import annotations

import argparse
import fcntl
import io
import os
import pty
import re
import stat
import struct
import sys
import termios
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from kleos.api import play
from kleos.api.keyring import Keyring
from kleos.api.phrases import chosen
from kleos.api.terminal import Terminal, printable

Played = tuple[int, str, str]
Play = Callable[..., Played]


@pytest.fixture
def sit(
    served: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Play:
    """``sit("new", "tiny", typed=[…])``: exit code, output and errors. ``who`` has a keyring of its own."""

    def run(*words: str, typed: Iterable[str] = (), who: str = "ann") -> Played:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / who))
        answers = tmp_path / "typed"
        answers.write_text("".join(f"{line}\n" for line in typed))
        monkeypatch.setattr(play, "DEFAULT_SERVER", served)
        parser = argparse.ArgumentParser()
        play.add_arguments(parser)
        with answers.open() as source:
            monkeypatch.setattr(sys, "stdin", source)
            code = play.main(parser.parse_args(words))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def started(output: str) -> str:
    """The id of the match that an output is about."""
    found = re.search(r"match (\S+)", output)
    assert found, output
    return found[1]


def test_one_person_plays_a_whole_match_against_bots(sit: Play) -> None:
    code, out, err = sit("new", "tiny", "--seats", "3", "--name", "Ariadne", typed=["1", "1 0"] * 20)
    assert (code, err) == (0, "")
    assert "seat 0  Ariadne   <- you" in out
    assert "seat 2  greedy (bot)" in out
    assert "pledge the" in out
    assert "won (rounds)" in out


def test_hidden_hands_stay_hidden(sit: Play) -> None:
    _, out, _ = sit("new", "tiny", "--seats", "2", typed=["1"])
    hands = re.findall(r"seat (\d)   coins +\d+   hand (.*)", out)
    assert {seat for seat, _ in hands} == {"0", "1"}
    for seat, hand in hands:
        assert ("?" in hand) == (seat == "1")
    assert "Seat 1 draws a hidden card" in out


def test_a_number_of_moves_is_made_without_asking_and_the_match_can_be_gone_on_with(sit: Play) -> None:
    code, out, err = sit("new", "tiny", "--auto", "2")
    match = started(out)
    assert (code, err) == (0, "")
    assert out.rstrip().endswith(f"To go on: kleos play {match}") or "won" in out
    code, out, _ = sit(match, typed=["1", "1 0"] * 20)
    assert code == 0
    assert "won (rounds)" in out


def test_leaving_says_how_to_come_back(sit: Play) -> None:
    code, out, err = sit("new", "tiny", typed=["t", "?", "q"])
    assert (code, err) == (0, "")
    assert "the table again" in out
    assert f"To go on: kleos play {started(out)}" in out
    assert sit(started(out), typed=[])[0] == 0, "the end of the input leaves as well"


def test_an_answer_that_is_no_move_is_explained(sit: Play) -> None:
    _, out, _ = sit("new", "tiny", typed=["9", "x", "0", "1 1", "q"])
    assert out.count("a number from 1 to 3, please") == 3
    assert "move 1 takes no further number" in out


def test_words_that_fit_no_situation_are_explained(sit: Play) -> None:
    said = {
        "undo": "there is nothing to take back",
        "undo 7": "there is nothing to take back",
        "redo": "there is nothing to go forward to",
        "yes": "nobody asks you for anything",
        "withdraw": "you have no proposal to withdraw",
        "what": "a number from 1 to 3, please; ? for help",
        "?": "u  undo: what could be taken back",
        "n": "Seat 0 draws the",
    }
    _, out, _ = sit("new", "tiny", "--open", "--auto", "0")
    match = started(out)
    sit(match, "--auto", "0", who="ben")
    _, out, _ = sit(match, typed=said)
    for words in said.values():
        assert words in out


@pytest.mark.parametrize(("seat", "code"), [("1", 2), ("5", 2), ("0", 0)])
def test_of_the_seats_of_a_match_one_plays_ones_own(sit: Play, seat: str, code: int) -> None:
    _, out, _ = sit("new", "tiny", "--seats", "3", "--auto", "0")
    ended, _, err = sit(started(out), "--seat", seat, "--auto", "0")
    assert ended == code
    assert err == ("" if code == 0 else f"kleos play: seat {seat} is not yours; yours: 0\n")


def test_two_people_play_and_a_third_watches(sit: Play, served: str) -> None:
    """Ben sits down last, so the match starts; both play by turns until it is over."""
    _, out, _ = sit("new", "tiny", "--open", "--auto", "0", "--name", "Ann")
    match = started(out)
    assert f"Others join with: kleos play {match} --server {served}" in out
    _, out, _ = sit(match, "--server", served, "--name", "Ben", "--auto", "0", who="ben")
    assert "seat 1  Ben   <- you" in out
    _, watched, _ = sit(match, "--server", served, "--auto", "0", who="cleo")
    assert "<- you" not in watched
    assert "You are watching." in watched
    ben = ""
    while "won" not in ben:
        sit(match, "--auto", "1")
        _, ben, _ = sit(match, "--auto", "1", who="ben")
    _, ann, _ = sit(match)
    assert "won (rounds)" in ann
    assert ("you!" in ann) or ("you!" in ben)
    _, watched, _ = sit(match, "--server", served, "--auto", "0", who="cleo")
    assert "won (rounds)." in watched


def test_who_won_is_said_once_and_whether_that_was_you(sit: Play) -> None:
    _, out, _ = sit("new", "iliad", "--auto", "1000")
    final = re.findall(r"^.*\b(?:won|wins?) \(.*$", out, re.MULTILINE)
    assert len(final) == 1
    assert re.fullmatch(r"seat 0.* won \(\w+\): you!|You lost: seat 1 won \(\w+\)\.", final[0])


def test_who_sits_in_a_match_is_not_silently_somebody_else(sit: Play) -> None:
    _, out, _ = sit("new", "tiny", "--name", "Anna", "--auto", "0")
    match = started(out)
    code, out, err = sit(match, "--name", "Bert")
    assert (code, out) == (2, "")
    assert "you sit in this match as Anna, not as Bert" in err
    _, out, _ = sit("new", "tiny", "--name", "Bert", "--auto", "0")
    assert "Bert   <- you" in out
    _, out, _ = sit("new", "tiny", "--auto", "0")
    assert "Bert   <- you" in out, "the account last used is used from now on"
    assert "Anna   <- you" in sit(match, "--name", "Anna", "--auto", "0")[1]


def test_a_free_undo_is_said_to_end_with_the_decision_of_another(sit: Play) -> None:
    until = "free: until another seat has decided"
    _, out, _ = sit("new", "tiny", "--open", "--auto", "0")
    sit(started(out), "--auto", "0", who="ben")
    assert until in sit(started(out), typed=["q"])[1]


def test_resigning_ends_a_match_of_two(sit: Play) -> None:
    _, out, _ = sit("new", "tiny", typed=["resign", "no", "resign", "yes"])
    assert "You lost: seat 1 won (resignation).\n" in out
    assert out.count("won (") + out.count("won by") == 1
    _, out, _ = sit("new", "tiny", typed=["q"])
    code, out, _ = sit(started(out), "--resign")
    assert (code, out) == (0, "You gave up seat 0.\n")


def test_the_token_is_kept_where_only_its_owner_can_read_it(sit: Play, tmp_path: Path) -> None:
    sit("new", "tiny", typed=["q"])
    kept = tmp_path / "ann" / "kleos" / "play.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_where_nothing_can_be_kept_one_plays_all_the_same(sit: Play, tmp_path: Path) -> None:
    (tmp_path / "ann").write_text("not a folder")
    code, out, err = sit("new", "tiny", "--auto", "20")
    assert (code, err) == (0, "")
    assert "The way back will not be remembered" in out
    assert "won (rounds)" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("new",), "which game?"),
        (("new", "chess"), "there is no game 'chess'"),
        (("some-match", "tiny"), "only after `new`"),
        (("new", "tiny", "--resign"), "needs the id"),
        (("new", "tiny", "--options", "{"), "--options"),
        (("new", "tiny", "--bot", "deep"), "Tiny has no bot 'deep'; there are: random, greedy"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(sit: Play, words: tuple[str, ...], says: str) -> None:
    code, out, err = sit(*words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("new", "tiny", "--seats", "9"), "Tiny has 2 to 4 seats, not 9"),
        (("no-such-match",), ""),
        (("new", "tiny", "--token", "forged"), ""),
    ],
)
def test_what_the_server_refuses_is_told_in_its_words(sit: Play, words: tuple[str, ...], says: str) -> None:
    code, _, err = sit(*words)
    assert code == 1
    assert says in err
    assert "Traceback" not in err


def test_no_server_is_a_message_and_not_a_trace(sit: Play) -> None:
    code, out, err = sit("new", "tiny", "--server", "http://127.0.0.1:9")
    assert (code, out) == (1, "")
    assert "no answer from http://127.0.0.1:9: connection refused" in err
    assert "kleos serve" in err


# The parts


MOVES: list[dict[str, Any]] = [
    {"move": {"type": "pledge", "card": 4}, "undo": "free"},
    {"move": {"type": "stake", "amount": 0}, "range": {"amount": [0, 7]}, "undo": "free"},
    {"move": {"type": "stake", "amount": 2}, "range": {"amount": [2, 2]}, "undo": "free"},
]


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("1", {"type": "pledge", "card": 4}),
        ("2 0", {"type": "stake", "amount": 0}),
        ("2 7", {"type": "stake", "amount": 7}),
        ("3", {"type": "stake", "amount": 2}),
        ("3 2", {"type": "stake", "amount": 2}),
    ],
)
def test_moves_are_chosen_by_number(answer: str, move: dict[str, object]) -> None:
    assert chosen(MOVES, answer) == move


@pytest.mark.parametrize("answer", ["0", "4", "-1", "one", "1 1", "2", "2 8", "2 -1", "2 x", "3 3"])
def test_an_answer_that_means_no_move_says_what_would(answer: str) -> None:
    with pytest.raises(ValueError, match="number"):
        chosen(MOVES, answer)


def test_a_keyring_that_cannot_be_read_is_empty_and_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "play.json"
    path.write_text("{torn")
    ring = Keyring(path)
    assert ring.token("s") is None
    ring.remember("m", "s", "t")
    again = Keyring(path)
    assert again.token("s") == "t"
    seat = again.seat("m")
    assert seat is not None
    assert (seat.server, seat.token) == ("s", "t")


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(out: io.StringIO) -> str:
        Terminal(io.StringIO(), out).heading("Kleos")
        return out.getvalue()

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shown(io.StringIO()) == "Kleos\n"
    assert shown(Screen()) == "\x1b[1mKleos\x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown(Screen()) == "Kleos\n"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert shown(Screen()) == "Kleos\n"


@pytest.mark.parametrize("coloured", [False, True])
def test_lines_are_folded_between_words_to_the_width_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, *, coloured: bool
) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 20, 0, 0))
    monkeypatch.setenv("TERM", "xterm" if coloured else "dumb")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with os.fdopen(theirs, "w") as out:
        terminal = Terminal(io.StringIO(), out)
        terminal.plain("in reserve 6 troops and 2 fleets")
        terminal.choice(3, "build a fortress", "(undo: free)")
        out.flush()
        shown = ""
        while "free)" not in shown:
            shown += os.read(ours, 4096).decode()
    os.close(ours)
    assert ("\x1b[2m(undo: free)\x1b[0m" in shown) == coloured
    assert re.sub(r"\x1b\[\d*m", "", shown).split("\r\n")[:4] == [
        "in reserve 6 troops",
        "    and 2 fleets",
        "  3 build a fortress",
        "      (undo: free)",
    ]


def test_control_codes_from_elsewhere_never_reach_the_terminal() -> None:
    assert printable("Ann\x1b[2J\a\nBen\x9b") == "Ann[2J\nBen"
