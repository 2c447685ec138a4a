"""The keyring is shared by several terminals: whatever they write at once, all of it is kept."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from kleos.api.client import Client
from kleos.api.keyring import Keyring, Known
from kleos.api.play import account_for

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
    path, both = tmp_path / "play.json", threading.Barrier(2)

    class Slow(Keyring):
        """Between looking for an account and registering one it gives the other time to look as well."""

        def token(self, server: str) -> str | None:
            found = super().token(server)
            with suppress(threading.BrokenBarrierError):
                both.wait(0.5)
            return found

    def begin() -> str | None:
        client = Client(served)
        account_for(argparse.Namespace(token=None, name=None), client, Slow(path))
        return client.token

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.submit(begin), threads.submit(begin)
    assert one.result() == other.result() == Keyring(path).token(served)
    assert len(json.loads(path.read_bytes())["players"]) == 1
