"""The keyring is shared by several terminals: whatever they write at once, all of it is kept."""

from __future__ import annotations

import json
import multiprocessing
import stat
from pathlib import Path

from kleos.api.keyring import Keyring, Known
from tests.api.ptys import Screen

WRITERS = 3
EACH = 25


def _write(path: Path, writer: int) -> None:
    ring = Keyring(path)
    for number in range(EACH):
        name = f"{writer}.{number}"
        ring.keep_account(name, f"token {name}", name, ring.new_key())
        ring.remember(name, "shared", f"token {name}")
        ring.saw_head(name, f"head {name}")
        ring.saw(name, Known(ledger=name))


def test_terminals_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kleos" / "play.json"
    fresh = multiprocessing.get_context("spawn")
    processes = [fresh.Process(target=_write, args=(path, writer)) for writer in range(WRITERS)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    assert [each.exitcode for each in processes] == [0] * WRITERS
    ring = Keyring(path)
    for name in (f"{writer}.{number}" for writer in range(WRITERS) for number in range(EACH)):
        seat = ring.seat(name)
        assert seat is not None
        assert (seat.token, seat.checkpoint) == (f"token {name}", f"head {name}")
        assert ring.token(name) == f"token {name}"
        assert ring.key(name) is not None
        assert ring.known(name).ledger == name
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}


def test_a_keyring_that_was_open_before_knows_what_another_wrote(tmp_path: Path) -> None:
    path = tmp_path / "play.json"
    early, late = Keyring(path), Keyring(path)
    late.remember("m", "s", "t")
    early.saw("s", Known(ledger="l"))
    assert early.token("s") == Keyring(path).token("s") == "t"
    assert late.known("s").ledger == "l"


def test_what_could_not_be_written_is_known_and_is_written_with_the_next_change(tmp_path: Path) -> None:
    folder = tmp_path / "kleos"
    folder.write_text("not a folder")
    ring = Keyring(folder / "play.json")
    try:
        ring.remember("m", "s", "t")
    except OSError:
        folder.unlink()
    assert ring.token("s") == "t"
    ring.saw("s", Known())
    assert Keyring(folder / "play.json").token("s") == "t"


def test_two_who_begin_at_once_in_an_empty_home_are_one_account(served: str, tmp_path: Path) -> None:
    words = ("play", "new", "tiny", "--server", served)
    with Screen(tmp_path, *words) as one, Screen(tmp_path, *words) as other:
        for each in (one, other):
            each.answer("(? for help): ", "q")
            assert each.ended() == 0
    kept = json.loads((tmp_path / "kleos" / "play.json").read_bytes())
    assert (len(kept["players"]), len(kept["matches"])) == (1, 2)
    assert {each["token"] for each in kept["matches"].values()} == {kept["servers"][served]}
