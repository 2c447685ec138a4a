"""A player as a witness: keeps the newest head of a log that was seen, and sees to it that logs only grow.

Of a match, every new head is proved to continue the one seen before; at its end the head is cosigned, and the
match is looked up in the server's own log, which has to have grown out of what was seen of it before,
whatever other match that was for. A server's key is believed when it is first seen, and then those that
follow from it. Nothing here delays a move: what cannot be reached is not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from kleos.api.client import JSON, Client
from kleos.api.keyring import Keyring, Known
from kleos.core.match import Signature
from kleos.events import inscription, merkle, notary, rotation, signing, tiles
from kleos.events.cosignature import cosign, player_name
from kleos.events.note import Checkpoint, Unverified, Verifier, open_checkpoint
from kleos.events.receipt import Growth, Receipt
from kleos.events.tiles import HEIGHT, WIDTH, Range, Span, Tile


class Contradiction(Exception):
    """The server contradicts what it has signed before. ``notes`` are what it signed, old and new."""

    def __init__(self, what: str, notes: Sequence[str]) -> None:
        super().__init__(what)
        self.notes = tuple(notes)


class Witness:
    """Watches one match for one player; ``player`` is None for a passer-by."""

    def __init__(self, client: Client, match: str, player: str | None, keyring: Keyring) -> None:
        self.client = client
        self.match = match
        self._player = player
        self._keyring = keyring
        self._key = None if player is None else keyring.key(player)
        self._trusted: tuple[Verifier, ...] = ()
        seat = keyring.seat(match)
        self._note = None if seat is None or seat.server != client.server else seat.checkpoint
        self._head: Checkpoint | None = None

    def saw(self, version: int) -> None:
        """The match is at a version now: its log has to be the one seen so far, or to continue it.

        Raises ``Contradiction``, ``Problem`` or ``Unreachable``.
        """
        if self._head is not None and self._head.size == version:
            return
        note = self.client.checkpoint(self.match)
        new = self._opened(note)
        if self._head is None and self._note is not None:
            self._head = self._opened(self._note)
        if self._head is not None and self._head != new:
            self._grown(self._head, new, note)
        self._head, self._note = new, note
        with suppress(OSError):
            self._keyring.saw_head(self.match, note)

    def _grown(self, old: Checkpoint, new: Checkpoint, note: str) -> None:
        notes = (self._note or "", note)
        if new.size < old.size:
            what = f"it has signed a log of {old.size} events, and has one of {new.size} now"
            raise Contradiction(what, notes)
        if new.size == old.size:
            raise Contradiction(f"it has signed two different logs of {new.size} events", notes)
        try:
            growth = Growth.parse(self.client.growth(self.match, old.size, new.size))
            if growth.verify(old, self._trusted) != new:
                raise Unverified("the proof is of another log")
        except (Unverified, ValueError) as error:
            raise Contradiction(
                f"the log of {new.size} events does not go on from the {old.size} before: {error}", notes
            ) from None

    def signature(self, seat: int, move: JSON) -> JSON | None:
        """The signature of a move at the head seen last, for matches that want one; None without a key."""
        if self._key is None or self._head is None:
            return None
        made: Signature = signing.sign(
            self._key, self.match, seat, move, size=self._head.size, root=self._head.root
        )
        return {"size": made.size, "root": made.root, "signature": made.signature}

    def cosign(self) -> int | None:
        """Say with the player's key what was seen: the number of events; None without a key.

        Raises as ``saw``.
        """
        head = self._head
        if self._key is None or self._player is None or head is None:
            return None
        name = player_name(self._host, self._player)
        self.client.cosign(self.match, head.size, cosign(self._key, name, head, int(time.time())))
        return head.size

    def look_up(self) -> None:
        """Find the match in the server's own log, and that log grown out of what was seen of it before.

        Raises as ``saw``.
        """
        text = self.client.inscription(self.match)
        try:
            found = inscription.prove(text, self._host, self.match, self._trusted)
        except Unverified as error:
            raise Contradiction(
                f"it cannot prove that the match is in its own log: {error}", [text]
            ) from None
        head = self._head
        if head is not None and found.head.size == head.size and found.head.root != head.root:
            raise Contradiction("its own log has another log of this match", [self._note or "", text])
        self._ledger_grown(found.ledger, Receipt.parse(text).checkpoint)

    def _ledger_grown(self, new: Checkpoint, note: str) -> None:
        known = self._keyring.known(self.client.server)
        if known.ledger is not None:
            old = open_checkpoint(known.ledger, new.origin, self._trusted)
            ranges = tiles.consistency(old.size, new.size) if old.size <= new.size else []
            path = [self._root(each, new.size) for each in ranges]
            if not merkle.is_consistent(old.size, old.root, new.size, new.root, path):
                what = "its own log does not go on from what was seen of it before"
                raise Contradiction(what, [known.ledger, note])
        self._keep(replace(known, ledger=note))

    def _root(self, leaves: Range, size: int) -> bytes:
        return tiles.joined([self._hashes(span, size) for span in tiles.spans(leaves)])

    def _hashes(self, span: Span, size: int) -> list[bytes]:
        """Hashes from the one tile that a span lies in, as it is in a log of this size."""
        index = span.start // WIDTH
        width = min(WIDTH, (size >> HEIGHT * span.level) - index * WIDTH)
        octets = self.client.tile(span.level, Tile(index, width).place)
        first = span.start - index * WIDTH
        return [octets[at * 32 : at * 32 + 32] for at in range(first, first + span.count)]

    # Keys

    @property
    def _host(self) -> str:
        return self._trusted[0].name

    def _opened(self, note: str) -> Checkpoint:
        """The head of a match in a note, by a key that is believed."""
        if not self._trusted:
            self._trust()
        origin = notary.origin(self._host, self.match)
        try:
            return open_checkpoint(note, origin, self._trusted)
        except Unverified:
            self._trust(again=True)
        try:
            return open_checkpoint(note, origin, self._trusted)
        except Unverified as error:
            raise Contradiction(f"a head of the log is not signed as it should be: {error}", [note]) from None

    def _trust(self, *, again: bool = False) -> None:
        """The keys known of this server, and those that follow from them; at first sight, all it names.

        If another key has come from nowhere, that is said once: the server may have been set up anew.
        """
        known = self._keyring.known(self.client.server)
        believed = tuple(Verifier.parse(each) for each in known.keys)
        if again or not believed:
            told = self.client.keys()
            keys = tuple(Verifier.parse(each) for each in told["keys"])
            with suppress(Unverified):
                believed = rotation.followed(believed, rotation.chain(keys[0], told["rotations"]))
            if believed and keys[0] not in believed:
                self._keep(Known(tuple(told["keys"])))
                what = "it signs with another key than before, and the old key does not vouch for the new one"
                raise Contradiction(what, [*known.keys, *told["keys"]])
            believed = believed or keys
        self._trusted = believed
        self._keep(replace(known, keys=tuple(each.vkey for each in believed)))

    def _keep(self, known: Known) -> None:
        with suppress(OSError):
            self._keyring.saw(self.client.server, known)
