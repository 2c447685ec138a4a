"""The ledger as it is kept: one log for the whole server, in one hash slot of its own, beside no match.

::

    kleos:{ledger}:entries   stream  <place + 1>-0 -> e, the bytes of an entry
    kleos:{ledger}:state     hash    size and edge of its tree, and how far each bucket's feed was followed
    kleos:{ledger}:matches   hash    match id -> size and place of its newest entry
    kleos:{ledger}:level<n>  string  the hashes of level n, 32 bytes each (level 0 are the entries)

It is appended to in batches, each an atomic step that names the size it was made for: of several writers one
goes first, and the others see it. Its head is signed only as it stands in the store, so nothing is ever
signed that was not kept. Whose entries they are, and when they are due, is for ``projections.scribe``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from kleos.events import inscription, merkle, tiles
from kleos.events.heads import LEDGER, Frozen, Head, Heads
from kleos.events.library import Library
from kleos.events.merkle import Edge
from kleos.events.note import Checkpoint, Signer
from kleos.events.receipt import Receipt
from kleos.events.store import Store
from kleos.events.tiles import LEVELS, Range, Span

FUNCTIONS: Final = Library.read("kleos.events", "inscribe")


class State(Struct, frozen=True):
    """Where the ledger stands: its tree, the rotations in it, and the position in each bucket's feed."""

    edge: Edge = Edge()
    rotations: int = 0
    positions: Mapping[int, str] = {}


class Place(Struct, frozen=True):
    """The newest entry of a match: ``size`` events, told at ``index`` of the ledger."""

    size: int
    index: int


class Ledger:
    """The ledger of a store. ``heads`` remembers what was signed; one that was set back is ``Frozen``."""

    def __init__(self, store: Store, signer: Signer, *, heads: Heads | None = None) -> None:
        self._store = store
        self._signer = signer
        self._heads = heads
        self.origin = inscription.origin(signer.name)

    def key(self, part: str) -> str:
        """The key of one part of it."""
        return self._store.apart(LEDGER, part)

    # Writing

    async def state(self) -> State:
        """Where it stands now; empty if nothing was ever appended.

        Raises ``Frozen`` if the store has not got the ledger that was signed last. What was signed is looked
        up first: the store had it before it was signed, so it has it afterwards.
        """
        signed = self._heads.newest(LEDGER) if self._heads is not None else None
        state = await self.kept()
        if signed is not None and signed.size > 0:
            await self._compare(state.edge, signed)
        return state

    async def kept(self) -> State:
        """Where it stands in the store, whatever was signed."""
        kept = await self._store.connection.call(self.key("state"), "HGETALL", self.key("state"))
        edge = kept.pop(b"edge", b"")
        size, rotations = int(kept.pop(b"size", 0)), int(kept.pop(b"rotations", 0))
        hashes = tuple(edge[at : at + 32] for at in range(0, len(edge), 32))
        positions = {int(bucket): position.decode() for bucket, position in kept.items()}
        return State(Edge(size, hashes), rotations, positions)

    async def append(
        self,
        seen: State,
        entries: Sequence[bytes],
        *,
        places: Mapping[str, Place],
        positions: Mapping[int, str],
        rotations: int,
    ) -> bool:
        """Add entries to the ledger as it was seen, with the positions in the feeds up to which it then goes.

        False if somebody else has appended since: then nothing is written. Raises ``StoreUnavailable``.
        """
        edge, completed = seen.edge, []
        for entry in entries:
            edge, hashes = tiles.grown(edge, merkle.leaf(entry))
            completed += hashes
        fields = {"edge": b"".join(edge.hashes), "rotations": rotations} | {
            str(bucket): position for bucket, position in positions.items()
        }
        told = {match: f"{place.size}:{place.index}" for match, place in places.items()}
        arguments = (
            seen.edge.size,
            *(len(entries), *entries),
            *_flat(list(fields.items())),
            *_flat(list(told.items())),
            *_flat(completed),
        )
        levels = [f"level{number}" for number in range(1, LEVELS)]
        keys = [self.key(part) for part in ("entries", "state", "matches", *levels)]
        (code, _), _ = await self._store.commit(FUNCTIONS, "inscribe", keys, arguments)
        return bool(code == b"appended")

    # Reading

    async def places(self, matches: Sequence[str]) -> list[Place | None]:
        """The newest entry of each of some matches."""
        if not matches:
            return []
        key = self.key("matches")
        kept = await self._store.connection.call(key, "HMGET", key, *matches)
        return [None if each is None else Place(*map(int, each.split(b":"))) for each in kept]

    async def every_place(self) -> dict[str, Place]:
        """The newest entry of every match, by its id."""
        kept = await self._store.connection.call(self.key("matches"), "HGETALL", self.key("matches"))
        return {match.decode(): Place(*map(int, place.split(b":"))) for match, place in kept.items()}

    async def entries(self, start: int, count: int) -> list[bytes]:
        """Entries from a place on, at most ``count``, and none behind a gap."""
        key = self.key("entries")
        page = await self._store.connection.call(key, "XRANGE", key, f"{start + 1}-0", "+", "COUNT", count)
        return [
            fields[b"e"]
            for number, (place, fields) in enumerate(page, start + 1)
            if place == b"%d-0" % number
        ]

    async def added(self) -> int:
        """How many entries were ever added to the stream."""
        key = self.key("entries")
        if not await self._store.connection.call(key, "EXISTS", key):
            return 0
        reply = await self._store.connection.call(key, "XINFO", "STREAM", key)
        told = dict(zip(reply[::2], reply[1::2], strict=True))
        return int(told[b"entries-added"])

    async def hashes(self, span: Span) -> list[bytes]:
        """Hashes of a level, as many of them as there are."""
        if span.level == 0:
            return [merkle.leaf(each) for each in await self.entries(span.start, span.count)]
        key = self.key(f"level{span.level}")
        first, last = span.start * 32, (span.start + span.count) * 32 - 1
        kept: bytes = await self._store.connection.call(key, "GETRANGE", key, first, last)
        return [kept[at : at + 32] for at in range(0, len(kept), 32)]

    async def root(self, leaves: Range) -> bytes:
        """The root over a range that occurs in proofs."""
        return tiles.joined([await self.hashes(span) for span in tiles.spans(leaves)])

    # Proof

    async def checkpoint(self) -> str:
        """The signed head. Raises as ``state``."""
        return self._sign((await self.state()).edge)

    async def proof(self, match: str) -> str | None:
        """The proof that the newest entry of a match is in the ledger; None if it has none.

        Raises as ``state``.
        """
        edge = (await self.state()).edge
        (place,) = await self.places([match])
        if place is None or place.index >= edge.size:
            return None
        path = [await self.root(each) for each in tiles.inclusion(place.index, edge.size)]
        (entry,) = await self.entries(place.index, 1)
        return Receipt(place.index, tuple(path), self._sign(edge), entry).text

    def _sign(self, edge: Edge) -> str:
        if self._heads is not None:
            self._heads.saw(Head(LEDGER, edge.size, edge.root))
        return self._signer.sign(Checkpoint(self.origin, edge.size, edge.root).text)

    async def _compare(self, edge: Edge, signed: Head) -> None:
        """Raises ``Frozen`` unless the ledger with this edge begins with what was signed."""
        if edge.size >= signed.size and await self.root(Range(0, signed.size)) == signed.root:
            return
        raise Frozen(signed, edge.size)


def _flat(pairs: Sequence[tuple[Any, Any]]) -> tuple[Any, ...]:
    return (len(pairs), *(each for pair in pairs for each in pair))
