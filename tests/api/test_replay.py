"""kleos replay: a match seen again, from a server and from a file, in a terminal and away from one."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec import Raw

from kleos.api import replay
from kleos.api.replay import Reel, time_bar
from kleos.api.terminal import folded
from kleos.core.match import Event, Match
from kleos.core.match.actions import Consent, Start, Undo
from kleos.events.envelope import seal
from tests.api.ptys import Screen
from tests.core.match.telling import PLAYERS, Told
from tests.scenarios.client import Client

Look = Callable[..., tuple[int, str, str]]


@pytest.fixture
def look(
    served: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Look:
    """``look(source, "--at", "3")``: exit code, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        monkeypatch.setattr(replay, "DEFAULT_SERVER", served)
        parser = argparse.ArgumentParser()
        replay.add_arguments(parser)
        code = replay.main(parser.parse_args(words))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def told_match() -> Told:
    """A match of Tiny in which Ann and Ben pledge, and go back by consent; it is not over."""
    told = Told("tiny", PLAYERS[:2])
    told.when(PLAYERS[0], Start())
    told.step()
    told.step()
    told.when(PLAYERS[0], Undo(to=told.start), 0)
    told.when(PLAYERS[1], Consent(told.match.proposals[0].id), 1)
    return told


def line(event: Event, after: Match, *audiences: str) -> bytes:
    """A line of the log, with the openings of some audiences (default: all)."""
    entry = seal(event, after, command=b"c", entropy=bytes)
    opened = {name: raw for name, raw in entry.openings.items() if not audiences or name in audiences}
    return msgspec.json.encode({"event": Raw(entry.public), "opened": opened}) + b"\n"


def written(path: Path, told: Told, *audiences: str) -> Path:
    path.write_bytes(
        b"".join(line(*each, *audiences) for each in zip(told.events, told.matches, strict=True))
    )
    return path


def test_a_file_is_told_event_by_event_and_shows_the_table(look: Look, tmp_path: Path) -> None:
    told = told_match()
    code, out, err = look(str(written(tmp_path / "m.ndjson", told)))
    assert (code, err) == (0, "")
    assert re.search(r"   4  \(taken back later\) Seat 0 pledges \d", out)
    assert "Seat 0 proposes to go back to version 3; seat 1 is asked." in out
    assert "Back from version 5 to 3." in out
    assert out.endswith(table(told, told.start) + "\n")
    assert "turned up" in out.lower()


def table(told: Told, version: int) -> str:
    return told.game.table(msgspec.to_builtins(told.past(version).state))


def test_at_a_version_for_a_seat(look: Look, tmp_path: Path) -> None:
    """Fault 53."""
    told = told_match()
    path = str(written(tmp_path / "m.ndjson", told))
    _, out, _ = look(path, "--at", "4", "--seat", "1")
    assert "Seat 0 pledges a card." in out
    assert "hand ? ?" in out
    assert len(re.findall(r"^ +\d+  ", out, re.MULTILINE)) == 4
    _, out, _ = look(path, "--at", "4", "--seat", "spectator")
    assert out.count("hand ? ? ?") == 1


def test_a_file_without_the_hidden_parts_is_told_but_not_shown(look: Look, tmp_path: Path) -> None:
    path = str(written(tmp_path / "m.ndjson", told_match(), "seat:1"))
    code, out, _ = look(path)
    assert code == 0
    assert "Seat 0 pledges a card." in out
    assert "coins" not in out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "does not hold a match"),
        (b"[1]\n", "is not the log of a match"),
        (b'{"event":{"version":2},"opened":{}}\n', "from its first event on"),
        (b"\xff\n", "is not the log of a match"),
    ],
)
def test_what_is_no_log_is_said_so(look: Look, tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    code, _, err = look(str(path))
    assert code == 1
    assert says in err


def test_a_changed_file_is_damaged(look: Look, tmp_path: Path) -> None:
    path = written(tmp_path / "m.ndjson", told_match())
    path.write_bytes(path.read_bytes().replace(b'"payload":{"/action/card":', b'"payload":{"/action/card":1'))
    code, _, err = look(str(path))
    assert code == 1
    assert "damaged" in err


def test_wrong_usage(look: Look, tmp_path: Path) -> None:
    path = str(written(tmp_path / "m.ndjson", told_match()))
    for words, says in (
        (("--at", "99"), "the versions are 1 to 7"),
        (("--at", "0"), "the versions are 1 to 7"),
        (("--seat", "x"), "a number, or spectator"),
        (("--speed", "0"), "above 0"),
    ):
        code, _, err = look(path, *words)
        assert code == 2
        assert says in err
    assert look("NOWHERE")[0] == 1


def test_a_served_match_is_seen_like_its_file(look: Look, served: str, tmp_path: Path) -> None:
    players = [Client(served).register(name) for name in ("Ariadne", "Bacchus")]
    match = players[0].create("tiny", 2)
    players[1].join(match, 1)
    for seat, client in enumerate(players):
        view, etag = client.view(match, seat)
        client.move(match, seat, view["moves"][0]["move"], etag)
    name = match.rpartition("/")[2]
    code, out, _ = look(name, "--token", players[0].token)
    assert code == 0
    assert re.search(r"Seat 0 pledges \d", out)
    assert "Seat 1 pledges a card." in out
    players[0].ask("DELETE", f"{match}/seats/0")
    log = players[1].ask("GET", f"{match}/events", Accept="application/x-ndjson")
    path = tmp_path / "m.ndjson"
    path.write_bytes(log.body)
    from_file, from_server = look(str(path))[1], look(name)[1]
    assert from_file.splitlines()[1:] == from_server.splitlines()[1:]
    assert "resigns" in from_file
    bundle = tmp_path / "m.kleos"
    bundle.write_bytes(players[1].ask("GET", f"{match}/bundle").body)
    assert look(str(bundle))[1].splitlines()[1:] == from_server.splitlines()[1:]
    for each in players:
        each.close()


# Where one is in a film


def pressed(reel: Reel, *keys: str) -> Reel:
    for key in keys:
        reel = reel.press(key)
    return reel


def test_keys_step_jump_and_go_to_a_version() -> None:
    reel = Reel(at=5, length=20)
    assert pressed(reel, "left").at == 4
    assert pressed(reel, "right", "right").at == 7
    assert pressed(reel, "home", "left").at == 1
    assert pressed(reel, "end", "right").at == 20
    assert pressed(reel, "1", "2", "enter") == Reel(at=12, length=20)
    assert pressed(reel, "9", "9", "enter").at == 20
    assert pressed(reel, "1", "other", "enter") == reel
    assert pressed(reel, "0", "enter").at == 1


def test_it_plays_to_the_end_and_stops() -> None:
    reel = pressed(Reel(at=18, length=20), "play").tick()
    assert (reel.at, reel.playing) == (19, True)
    assert reel.tick() == reel.tick().tick() == Reel(at=20, length=20)
    assert pressed(reel, "play").tick().at == 19


def test_it_follows_a_match_that_goes_on() -> None:
    reel = pressed(Reel(at=3, length=20), "follow")
    assert reel.at == 20
    assert reel.grown(25).at == 25
    assert pressed(reel, "left").grown(25).at == 19


@pytest.mark.parametrize("width", [1, 9, 20, 80])
@pytest.mark.parametrize("length", [1, 2, 7, 1000])
def test_the_time_bar_fits_and_its_mark_moves_only_forward(width: int, length: int) -> None:
    bars = [time_bar(at, length, width) for at in range(1, length + 1)]
    assert all(len(bar) <= max(width, len(f"{at} ├●┤ {length}")) for at, bar in enumerate(bars, start=1))
    places = [bar.index("●") - bar.index("├") for bar in bars]
    assert places[0] == 1
    assert all(bar.count("●") == 1 for bar in bars)
    assert time_bar(length, length, width).endswith(f"●┤ {length}") or length == 1


def test_versions_taken_back_are_dotted_in_the_time_bar() -> None:
    assert time_bar(9, 9, 15, {3, 4}) == "9 ├──┄┄────●┤ 9"
    assert time_bar(3, 9, 15, {3, 4}) == "3 ├──●┄─────┤ 9"


@pytest.mark.parametrize("columns", [1, 7, 20, 200])
def test_a_line_is_folded_and_not_cut(columns: int) -> None:
    line = "    seat 0: hoplite 4, hoplite 3, a-very-long-word-without-a-blank"
    lines = folded(line, columns)
    assert all(len(each) <= max(2, columns) for each in lines)
    assert "".join("".join(lines).split()) == "".join(line.split())
    assert lines[0].startswith("    s") or columns < 20
    assert folded("", columns) == [""]


def test_help_covers_the_table_until_the_next_key() -> None:
    reel = Reel(at=5, length=20).press("help")
    assert reel.helping
    assert pressed(reel, "right") == Reel(at=5, length=20)


def test_a_table_that_is_too_high_is_scrolled() -> None:
    assert pressed(Reel(at=5, length=20), "down", "page down", "up").top == 10
    assert pressed(Reel(at=5, length=20), "down", "page up").top == 0


def test_on_a_terminal_it_is_steered_by_keys_and_leaves_the_screen_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path / "m.ndjson", told_match())
    with Screen(tmp_path, "replay", str(path), columns=60, rows=12) as screen:
        for shown, then in (
            ("┄┄────────●┤ 7", "\x1b[D"),
            ("6 ├", "?"),
            ("scroll a table that", "x"),
            ("6 ├", "g"),
            ("1 ├", "4\n"),
            ("4 ├", ""),
            ("(taken back later)", "q"),
        ):
            screen.until(shown)
            screen.type(then)
        screen.until("Seat 0 pledges")
        assert screen.ended() == 0
        assert screen.seen.rstrip().endswith("\x1b[?1049l")


def test_a_match_that_goes_on_is_followed(served: str, tmp_path: Path) -> None:
    ann, ben = (Client(served).register(name) for name in ("Ariadne", "Bacchus"))
    match = ann.create("tiny", 2)
    ben.join(match, 1)
    with Screen(tmp_path, "replay", match.rpartition("/")[2], "--server", served) as screen:
        screen.until("2 ├")
        screen.type("f")
        view, etag = ann.view(match, 0)
        ann.move(match, 0, view["moves"][0]["move"], etag)
        screen.until("3 ├")
        screen.until("Seat 0 pledges a card.")
        screen.type("q")
        assert screen.ended() == 0
    for each in (ann, ben):
        each.close()
