"""`kleos serve` as a program: how it starts, what it refuses, how it ends."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from kleos.api.settings import HEADS_FILE, KEY_FILE
from kleos.events.embedded import find_server
from kleos.events.heads import Heads
from kleos.events.keys import keys_in
from kleos.events.note import vkey_of
from tests.api.ptys import Screen
from tests.scenarios.client import Client
from tests.scenarios.server import PATIENCE, Server, free_port

KLEOS = str(Path(sys.executable).with_name("kleos"))


def kleos(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KLEOS_")}
    return subprocess.run(
        [KLEOS, *arguments], capture_output=True, text=True, timeout=60, check=False, env=clean | environment
    )


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["serve", "--port", "many"], {}),
        (["serve", "--port", "70000"], {}),
        (["serve", "--workers", "0"], {}),
        (["serve", "--nonsense"], {}),
        (["serve"], {"KLEOS_PROT": "1"}),
        (["fly"], {}),
        ([], {}),
    ],
)
def test_wrong_usage_is_told_so(arguments: list[str], environment: dict[str, str]) -> None:
    done = kleos(*arguments, **environment)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_a_taken_port_is_told_in_one_line(server: Server, tmp_path: Path) -> None:
    done = kleos("serve", "--port", str(server.port), "--data", str(tmp_path))
    assert done.returncode == 1
    assert str(server.port) in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("fsck",), ("rules", "check"), ("archive",)])
def test_a_folder_in_use_is_told_so(server: Server, command: tuple[str, ...]) -> None:
    done = kleos(*command, "--data", str(server.home / "data"))
    assert done.returncode == 1
    assert "in use" in done.stderr
    assert "stop that first" in done.stderr
    beside = f"--redis unix://{server.home / 'data' / 'valkey.sock'}"
    assert (beside in done.stderr) == (command[0] != "serve")


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = kleos("serve", "--port", "0", "--data", str(tmp_path / "file"))
    assert done.returncode == 1
    assert "cannot be made a data folder: file exists" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("archive",)])
def test_another_key_than_was_signed_with_so_far_is_told_in_one_line(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    keys_in(tmp_path / KEY_FILE)
    with closing(Heads(tmp_path / HEADS_FILE)) as heads:
        assert heads.signs_with([bytes(32)]) is None
    done = kleos(*command, "--data", str(tmp_path))
    assert done.returncode == 1
    assert f"but this server signs with {vkey_of('kleos', bytes(32))}: put back the file" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_store_that_may_lose_events_is_refused_in_one_line(tmp_path: Path, workers: str) -> None:
    socket = tmp_path / "unsafe.sock"
    unsafe = ["--port", "0", "--unixsocket", str(socket), "--appendonly", "no", "--dir", str(tmp_path)]
    with subprocess.Popen([find_server(), *unsafe], stdout=subprocess.DEVNULL) as store:
        while not socket.exists():
            assert store.poll() is None
            time.sleep(0.01)
        url = f"unix://{socket}"
        done = kleos("serve", "--port", "0", "--redis", url, "--data", str(tmp_path), "--workers", workers)
        store.terminate()
    assert done.returncode == 1
    assert "appendonly" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_it_says_where_it_is_and_how_to_play(server: Server) -> None:
    said = server.output.read_text()
    assert server.url in said
    assert f"{server.url}/docs" in said
    assert f"kleos play new iliad --auto 1 --server {server.url}" in said


@pytest.mark.parametrize(("flags", "logged"), [((), False), (("--access-log",), True)])
def test_on_a_terminal_requests_are_logged_if_asked_for(
    tmp_path: Path, flags: tuple[str, ...], logged: bool
) -> None:
    """So the lines that say where the server is stay in sight."""
    with Screen(tmp_path, "serve", "--port", "0", "--data", str(tmp_path / "data"), *flags) as screen:
        screen.until("Kleos is at")
        url = screen.until("\n").strip()
        screen.until("Ctrl-C stops it.")
        with urllib.request.urlopen(f"{url}/readyz", timeout=PATIENCE) as answer:
            assert answer.status == 200
        screen.interrupt()
        assert screen.ended() == 0
        assert ('"path":"/readyz"' in screen.seen) == logged
        assert ("--access-log logs them" in screen.seen) != logged


def test_no_secret_is_in_the_access_log(server: Server) -> None:
    """Fault 47."""
    player = Client(server.url).register("Secretive")
    player.get("/v1/players/me")
    player.close()
    deadline = time.monotonic() + PATIENCE
    while '"path":"/v1/players/me"' not in (said := server.output.read_text()):
        assert time.monotonic() < deadline, "the request is not logged"
        time.sleep(0.02)
    assert player.token not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_its_store(tmp_path: Path, number: signal.Signals) -> None:
    port = free_port()
    arguments = [KLEOS, "serve", "--port", str(port), "--data", str(tmp_path / "data")]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        wait_until_ready(port)
        running.send_signal(number)
        assert running.wait(timeout=20) == 0
        assert running.stderr is not None
        assert b"Traceback" not in running.stderr.read()
    assert not (tmp_path / "data" / "valkey.sock").exists()


def wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
                assert answer.status == 200
                return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_workers_share_the_port_and_the_store(tmp_path: Path) -> None:
    port = free_port()
    arguments = [KLEOS, "serve", "--port", str(port), "--data", str(tmp_path / "data"), "--workers", "2"]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_until_ready(port)
        url = f"http://127.0.0.1:{port}"
        players = [Client(url, patience=10).register(f"Player {n}") for n in range(6)]
        match = players[0].create("iliad", 6)
        for seat, player in enumerate(players[1:], start=1):
            player.join(match, seat)
        views = [player.view(match, seat)[0] for seat, player in enumerate(players)]
        assert {view["version"] for view in views} == {6}
        for player in players:
            player.close()
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=20) == 0


def test_the_games_are_listed() -> None:
    done = kleos("games")
    assert done.returncode == 0
    assert "iliad/1" in done.stdout


def test_a_torn_log_is_refused_with_the_cure_and_repaired_on_request(tmp_path: Path) -> None:
    data = tmp_path / "data"
    server = Server(tmp_path)
    server.start()
    player = Client(server.url).register("Ariadne")
    player.close()
    assert server.stop() == 0
    (log,) = (data / "appendonlydir").glob("*.incr.aof")
    with log.open("ab") as file:
        file.write(b"*5\r\n$4\r\nHSET\r\n$10\r\nhalf")

    refused = kleos("serve", "--port", "0", "--data", str(data))
    assert refused.returncode == 1
    assert "--repair" in refused.stderr
    repaired = Server(tmp_path, "--data", str(data), "--repair")
    repaired.start()
    again = Client(repaired.url)
    again.token = player.token
    assert again.get("/v1/players/me")["player"]["name"] == "Ariadne"
    again.close()
    assert repaired.stop() == 0
    server.start()
    assert server.stop() == 0
