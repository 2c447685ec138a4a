"""What the terminal remembers between two runs: which token plays at which server and in which match.

One JSON file that only its owner can read, in the user's state folder (XDG: ``$XDG_STATE_HOME/kleos``).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec
from msgspec import Struct


class Seat(Struct, frozen=True):
    """How a match is reached again. ``token`` is None for somebody who only watches."""

    server: str
    token: str | None = None


class _Kept(Struct):
    servers: dict[str, str] = msgspec.field(default_factory=dict)
    matches: dict[str, Seat] = msgspec.field(default_factory=dict)


class Keyring:
    """Tokens by server and by match. A file that cannot be read counts as empty."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _state_folder() / "play.json"
        self._kept = _Kept()
        with contextlib.suppress(OSError, msgspec.DecodeError):
            self._kept = msgspec.json.decode(self._path.read_bytes(), type=_Kept)

    def token(self, server: str) -> str | None:
        """The token of the account last used at a server."""
        return self._kept.servers.get(server)

    def seat(self, match: str) -> Seat | None:
        return self._kept.matches.get(match)

    def remember(self, match: str, server: str, token: str | None) -> None:
        """Write down how to come back to a match, replacing the file at once and whole."""
        self._kept.matches[match] = Seat(server, token)
        if token is not None:
            self._kept.servers[server] = token
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent)  # made with mode 0600
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(self._kept))
        Path(name).replace(self._path)


def _state_folder() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "kleos"
