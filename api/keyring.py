"""What the terminal remembers between two runs: which token plays at which server and in which match, the
keys that players sign with, and what servers have signed so far.

One JSON file that only its owner can read, in the user's state folder (XDG: ``$XDG_STATE_HOME/kleos``). What
convicts a server is put into a file of its own beside it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from kleos.events.note import b64, from_b64


class Seat(Struct, frozen=True):
    """How a match is reached again. ``token`` is None for somebody who only watches.

    ``checkpoint`` is the newest head of its log that was seen, as the server signed it.
    """

    server: str
    token: str | None = None
    checkpoint: str | None = None


class Known(Struct, frozen=True):
    """What is known of a server: its verifier keys, and the newest head of its own log, as it signed it."""

    keys: tuple[str, ...] = ()
    ledger: str | None = None


class _Kept(Struct):
    servers: dict[str, str] = msgspec.field(default_factory=dict)
    matches: dict[str, Seat] = msgspec.field(default_factory=dict)
    players: dict[str, str] = msgspec.field(default_factory=dict)
    known: dict[str, Known] = msgspec.field(default_factory=dict)


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
        seat = self._kept.matches.get(match)
        seen = seat.checkpoint if seat is not None and seat.server == server else None
        self._kept.matches[match] = Seat(server, token, seen)
        if token is not None:
            self._kept.servers[server] = token
        self._write()

    def new_key(self) -> Ed25519PrivateKey:
        """A key for a player who is about to be registered."""
        return Ed25519PrivateKey.generate()

    def keep_key(self, player: str, key: Ed25519PrivateKey) -> None:
        """Have a player's key at hand from now on; it is written down with the next match."""
        self._kept.players[player] = b64(key.private_bytes_raw())

    def key(self, player: str) -> Ed25519PrivateKey | None:
        """The key of a player, if it is here."""
        kept = self._kept.players.get(player)
        return None if kept is None else Ed25519PrivateKey.from_private_bytes(from_b64(kept))

    def known(self, server: str) -> Known:
        """What is known of a server."""
        return self._kept.known.get(server, Known())

    def saw(self, server: str, known: Known) -> None:
        """Write down what a server has signed."""
        self._kept.known[server] = known
        self._write()

    def saw_head(self, match: str, checkpoint: str) -> None:
        """Write down the newest head of a match that is remembered."""
        seat = self._kept.matches.get(match)
        if seat is not None:
            self._kept.matches[match] = Seat(seat.server, seat.token, checkpoint)
            self._write()

    def keep_evidence(self, match: str, notes: Sequence[str]) -> Path:
        """Put signed notes that contradict each other into a file; where it is."""
        path = self._path.with_name(f"evidence-{match}.txt")
        path.write_text("\n".join(notes), "utf-8")
        return path

    def _write(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent)  # made with mode 0600
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(self._kept))
        Path(name).replace(self._path)


def _state_folder() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "kleos"
