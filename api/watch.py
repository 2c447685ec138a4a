"""What a player is told of a witness's work in the terminal: nothing, unless the server contradicts itself.

A server that cannot be asked is not accused; one that contradicts what it has signed is, once, aloud, and the
evidence is kept in a file. The match goes on: what to make of it is for the players to say.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from kleos.api.client import JSON, Problem, Unreachable
from kleos.api.keyring import Keyring
from kleos.api.terminal import Terminal
from kleos.api.witness import Contradiction, Witness


class Watch:
    """A witness at a terminal."""

    def __init__(self, witness: Witness, keyring: Keyring, terminal: Terminal) -> None:
        self.client = witness.client
        self.match = witness.match
        self._witness = witness
        self._keyring = keyring
        self._terminal = terminal
        self._convicted = False

    def saw(self, version: int) -> None:
        """The match is at a version now."""
        self._look(lambda: self._witness.saw(version))

    def signature(self, seat: int, move: JSON) -> JSON | None:
        """What signs a move of a match that wants it signed."""
        return self._witness.signature(seat, move)

    def end(self) -> None:
        """The match is over: cosign it, and find it in the server's own log."""
        self._look(self._cosign)
        self._look(self._witness.look_up)

    def _cosign(self) -> None:
        size = self._witness.cosign()
        if size is not None:
            self._terminal.plain(f"Your key has cosigned the log of {size} events.")

    def _look(self, look: Callable[[], None]) -> None:
        if self._convicted:
            return
        try:
            look()
        except Contradiction as found:
            self._convicted = True
            self._accuse(found)
        except (Problem, Unreachable):
            pass  # it is no lie not to answer

    def _accuse(self, found: Contradiction) -> None:
        self._terminal.warning(f"THE SERVER CONTRADICTS ITSELF: {found}.")
        with suppress(OSError):
            place = self._keyring.keep_evidence(self.match, found.notes)
            self._terminal.warning(f"What it has signed is kept in {place}. Show it to the other players.")
