"""An S3-speaking server on loopback, for the tests of the archive."""

import itertools
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

_numbers = itertools.count(1)


class S3:
    """The server at a port, in a process of its own once it is started. It keeps everything in memory."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None
        self.environment = {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "tester",
            "AWS_SECRET_ACCESS_KEY": "of no worth",
            "AWS_REGION": "us-east-1",
        }

    def start(self, log: Path) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._port)]
        with log.open("wb") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        deadline = time.monotonic() + 60
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"no S3 came up:\n{log.read_text()[-2000:]}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=1):
                return True
        except (OSError, urllib.error.URLError):
            return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def bucket(self) -> str:
        """The address of a new bucket."""
        name = f"bucket{next(_numbers)}"
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/{name}", method="PUT")):
            return f"s3://{name}"
