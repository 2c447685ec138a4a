"""Heads: what this server has signed last in each match, remembered outside the store, beside the key.

A store that was set back to an earlier state, by a restored backup, a failover or a hand, looks whole from
inside. This is how the server knows better: a log that is shorter than one it has signed, or another one, is
not gone on with; nor is any under another key than the one signed with so far. A small database that all
processes of one data folder share; it knows no rules.

What was signed in the last moments before a crash may not be in it (see ``FLUSHED_EVERY``): the receipts that
players hold are the full memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec import Struct

FLUSHED_EVERY: Final = 0.2
"""Seconds after which what was seen is written down."""
LEDGER: Final = "ledger"
"""The name of the server's own log among the heads; no match has it."""
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS head (match TEXT PRIMARY KEY, size INTEGER, root BLOB) WITHOUT ROWID"
)
_SIGNER: Final = "CREATE TABLE IF NOT EXISTS signer (one INTEGER PRIMARY KEY CHECK (one = 1), public BLOB)"
_PUT: Final = (
    "INSERT INTO head VALUES (?, ?, ?) ON CONFLICT (match) DO UPDATE "
    "SET size = excluded.size, root = excluded.root WHERE excluded.size > head.size"
)


class Head(Struct, frozen=True):
    """The root over the first ``size`` events of a match, or entries of the ledger, signed by this server."""

    match: str
    size: int
    root: bytes


class Frozen(Exception):
    """The store has not got the log that was signed: the match can be read, and not be gone on with."""

    def __init__(self, signed: Head, size: int) -> None:
        log = "the ledger" if signed.match == LEDGER else f"match {signed.match}"
        entries = "entries" if signed.match == LEDGER else "events"
        super().__init__(
            f"the store has {size} {entries} of {log}, and not the {signed.size} that were signed"
            if size < signed.size
            else f"the store has another log of {log} than the one that was signed"
        )
        self.signed = signed
        self.size = size


class Heads:
    """The newest heads, in a file that is made if it is not there. Close it at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = sqlite3.connect(path, timeout=10.0, isolation_level=None)
        path.chmod(0o600)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute(_TABLE)
        self._file.execute(_SIGNER)
        self._seen: dict[str, Head] = {}

    def close(self) -> None:
        self.flush()
        self._file.close()

    def saw(self, head: Head) -> None:
        """A head was signed, and its event is in the store."""
        self._seen[head.match] = head

    def newest(self, match: str) -> Head | None:
        """The newest head known of a match."""
        seen = self._seen.get(match)
        with closing(self._file.execute("SELECT size, root FROM head WHERE match = ?", (match,))) as found:
            row = found.fetchone()
        kept = None if row is None else Head(match, *row)
        return max(
            (each for each in (seen, kept) if each is not None), key=lambda head: head.size, default=None
        )

    def flush(self) -> None:
        """Write down what was seen."""
        if self._seen:
            rows = [(each.match, each.size, each.root) for each in self._seen.values()]
            self._seen = {}
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany(_PUT, rows)
            self._file.execute("COMMIT")

    def all(self) -> Iterator[Head]:
        """Every match that is known, with its newest head; the ledger is none."""
        self.flush()
        for row in self._file.execute(
            "SELECT match, size, root FROM head WHERE match <> ? ORDER BY match", (LEDGER,)
        ):
            yield Head(*row)

    def forget(self, match: str) -> None:
        """Take the store's word for a match again: what receipts say of it is then a lie."""
        self._seen.pop(match, None)
        self._file.execute("DELETE FROM head WHERE match = ?", (match,))

    def signs_with(self, keys: Sequence[bytes]) -> bytes | None:
        """Remember with which key this server signs: ``keys`` are the public halves of all it ever had, the
        newest first. Returns the one remembered so far if it is none of them; nothing is changed then.
        """
        self._file.execute("BEGIN IMMEDIATE")
        found = self._file.execute("SELECT public FROM signer").fetchone()
        other: bytes | None = None if found is None or found[0] in keys else found[0]
        if other is None:
            self._file.execute("INSERT OR REPLACE INTO signer VALUES (1, ?)", (keys[0],))
        self._file.execute("COMMIT")
        return other
