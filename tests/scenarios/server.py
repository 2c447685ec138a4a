"""`kleos serve` as a process of its own, as users run it: started, killed, started again on the same data."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

GAMES = Path(__file__).resolve().parents[1] / "games"
PATIENCE = 30.0
"""Seconds that a server may take to answer after it was started, on a busy machine."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


class Server:
    """One server process, with the games of the tests installed. A restart keeps its port."""

    def __init__(self, home: Path, *arguments: str, **settings: str) -> None:
        """``home`` gets the data, unless ``arguments`` name an outside store, and everything it prints.

        ``settings`` are environment variables: ``KLEOS_WORKERS="2"``.
        """
        self._settings = settings
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.home = home
        self.output = home / "output.txt"
        where = arguments or ("--data", str(home / "data"))
        kleos = str(Path(sys.executable).with_name("kleos"))
        self._command = [kleos, "serve", "--host", "127.0.0.1", "--port", str(self.port), *where]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it is ready to work."""
        self.home.mkdir(parents=True, exist_ok=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("KLEOS_")}
        environment |= {"HOME": str(self.home), "PYTHONPATH": str(GAMES)} | self._settings
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
            )
        deadline = time.monotonic() + PATIENCE
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the server did not come up:\n{self.output.read_text()[-4000:]}")
            time.sleep(0.02)

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=1) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def kill(self) -> None:
        """End it as a power cut would: no handler runs."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def stop(self) -> int:
        """End it as an operator would; its exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        status = self._process.wait(timeout=PATIENCE)
        self._process = None
        return status
