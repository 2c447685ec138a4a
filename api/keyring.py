"""What the terminal remembers between two runs: which token plays at which server and in which match, the
keys that players sign with, and what servers have signed so far.

One JSON file that only its owner can read, in the user's state folder (XDG: ``$XDG_STATE_HOME/kleos``).
Several terminals share it: each change is made to what the file has at that moment, under a lock. What
convicts a server is put into a file of its own beside it.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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


_Change = Callable[[_Kept], None]


class Keyring:
    """Tokens by server and by match. A file that cannot be read counts as empty.

    What cannot be written raises ``OSError`` and is known to this keyring all the same; it is written down
    with the next change that can be.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _state_folder() / "play.json"
        self._unwritten: list[_Change] = []

    def token(self, server: str) -> str | None:
        """The token of the account last used at a server."""
        return self._kept().servers.get(server)

    def seat(self, match: str) -> Seat | None:
        return self._kept().matches.get(match)

    def remember(self, match: str, server: str, token: str | None) -> None:
        """Write down how to come back to a match."""

        def change(kept: _Kept) -> None:
            seat = kept.matches.get(match)
            seen = seat.checkpoint if seat is not None and seat.server == server else None
            kept.matches[match] = Seat(server, token, seen)
            if token is not None:
                kept.servers[server] = token

        self._write(change)

    @contextmanager
    def registering(self) -> Iterator[None]:
        """Of the terminals that are about to register an account, one does and the others then find it."""
        try:
            lock = self._locked("registering")
        except OSError:  # where nothing can be written there is nothing to find
            yield
            return
        with os.fdopen(lock):
            yield

    def new_key(self) -> Ed25519PrivateKey:
        """A key for a player who is about to be registered."""
        return Ed25519PrivateKey.generate()

    def keep_account(self, server: str, token: str, player: str, key: Ed25519PrivateKey) -> None:
        """Write down an account that was just registered: it is the one used at its server from now on."""
        octets = b64(key.private_bytes_raw())

        def change(kept: _Kept) -> None:
            kept.servers[server] = token
            kept.players[player] = octets

        self._write(change)

    def key(self, player: str) -> Ed25519PrivateKey | None:
        """The key of a player, if it is here."""
        kept = self._kept().players.get(player)
        return None if kept is None else Ed25519PrivateKey.from_private_bytes(from_b64(kept))

    def known(self, server: str) -> Known:
        """What is known of a server."""
        return self._kept().known.get(server, Known())

    def saw(self, server: str, known: Known) -> None:
        """Write down what a server has signed."""

        def change(kept: _Kept) -> None:
            kept.known[server] = known

        self._write(change)

    def saw_head(self, match: str, checkpoint: str) -> None:
        """Write down the newest head of a match that is remembered."""

        def change(kept: _Kept) -> None:
            seat = kept.matches.get(match)
            if seat is not None:
                kept.matches[match] = Seat(seat.server, seat.token, checkpoint)

        self._write(change)

    def keep_evidence(self, match: str, notes: Sequence[str]) -> Path:
        """Put signed notes that contradict each other into a file; where it is."""
        path = self._path.with_name(f"evidence-{match}.txt")
        path.write_text("\n".join(notes), "utf-8")
        return path

    def _kept(self) -> _Kept:
        """What the file has now, and what could not be written into it."""
        kept = _Kept()
        with suppress(OSError, msgspec.DecodeError):
            kept = msgspec.json.decode(self._path.read_bytes(), type=_Kept)
        for change in self._unwritten:
            change(kept)
        return kept

    def _write(self, change: _Change) -> None:
        """Make a change while nobody else does, replacing the file at once and whole."""
        self._unwritten.append(change)
        with os.fdopen(self._locked("lock")):
            handle, name = tempfile.mkstemp(dir=self._path.parent)  # made with mode 0600
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.encode(self._kept()))
            Path(name).replace(self._path)
        self._unwritten.clear()

    def _locked(self, purpose: str) -> int:
        """A file beside the keyring, locked until it is closed; the keyring itself is replaced too often."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._path.with_suffix(f".{purpose}"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock


def _state_folder() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "kleos"
