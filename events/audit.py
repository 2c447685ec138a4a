"""The check of the ledger, and of every match against it: what is missing or replaced is named.

1. The ledger is the tree of its entries: nothing trimmed, the edge and the hashes of every level as they
   follow.
2. Every entry is the head of a match or a rotation of the key, and a match's heads only grow.
3. A match is the one whose heads stand in the ledger, up to its newest event unless its feed was not followed
   so far; its cosignatures hold.
4. No entry tells of a match that is not here.

Nothing is changed. Pure readers of the store.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from kleos.events import inscription, merkle, tiles
from kleos.events.cosignature import Cosigned, Witness
from kleos.events.heads import LEDGER, Frozen
from kleos.events.ledger import Ledger, Place, State
from kleos.events.merkle import Edge
from kleos.events.note import Checkpoint, Unverified
from kleos.events.rotation import HEADING, Rotation
from kleos.events.tiles import LEVELS, Span

_PAGE: Final = 500


class Finding(Struct, frozen=True):
    """Something that is wrong, of a match, a bucket's feed or the ledger; ``version`` where one event is to
    blame."""

    where: str
    version: int | None
    what: str


class Told(Struct, frozen=True):
    """Entry ``index`` of the ledger is this head of a match."""

    index: int
    head: Checkpoint


class Audited(Struct, frozen=True):
    """The ledger: the heads it tells, by the names that matches have in it, and what is wrong with it.

    ``ids`` are the matches that have these names, as far as the store knows.
    """

    host: str
    told: Mapping[str, Sequence[Told]]
    ids: Mapping[str, str]
    state: State
    findings: tuple[Finding, ...]

    def of(self, match: str) -> Sequence[Told]:
        """What it tells of a match."""
        return self.told.get(inscription.name_of(match), ())

    def missing(self, matches: Sequence[str]) -> Iterator[Finding]:
        """What it tells of matches that are not among these."""
        here = {inscription.name_of(match) for match in matches}
        for name, heads in self.told.items():
            if name not in here:
                head = heads[-1].head
                what = f"entry {heads[-1].index} tells of {head.size} events of a match that is not here"
                yield Finding(LEDGER, None, f"{what}: {self.ids.get(name, name)}")


async def audit(ledger: Ledger, host: str) -> Audited:
    """Everything about the ledger itself."""
    found: list[Finding] = []
    try:
        state = await ledger.state()
    except Frozen as frozen:
        found.append(Finding(LEDGER, None, f"frozen: {frozen}"))
        state = await ledger.kept()
    entries: list[bytes] = []
    while page := await ledger.entries(len(entries), _PAGE):
        entries += page
    if await ledger.added() != len(entries):
        found.append(Finding(LEDGER, None, f"has {len(entries)} entries, and not those that were added"))
    found += [each async for each in _levels(ledger, state, entries)]
    told, wrong = _read(host, entries, state.rotations)
    places = await ledger.every_place()
    found += [*wrong, *_misplaced(places, told)]
    return Audited(host, told, {inscription.name_of(match): match for match in places}, state, tuple(found))


def _read(host: str, entries: Sequence[bytes], rotations: int) -> tuple[dict[str, list[Told]], list[Finding]]:
    """The heads in the entries, by name, and what is wrong with entries."""
    told: dict[str, list[Told]] = {}
    found: list[Finding] = []
    for index, entry in enumerate(entries):
        try:
            if entry.startswith(HEADING.encode()):
                Rotation.parse(entry.decode())
                rotations -= 1
            else:
                head = Checkpoint.parse(entry.decode())
                told.setdefault(_name(head, host), []).append(Told(index, head))
        except (ValueError, Unverified) as error:
            found.append(Finding(LEDGER, None, f"entry {index}: {error}"))
    if rotations != 0:
        found.append(Finding(LEDGER, None, "it has not as many rotations of the key as it counts"))
    return told, found


def _misplaced(places: Mapping[str, Place], told: Mapping[str, Sequence[Told]]) -> Iterator[Finding]:
    newest = {name: Place(heads[-1].head.size, heads[-1].index) for name, heads in told.items()}
    for match, place in places.items():
        if newest.get(inscription.name_of(match)) != place:
            yield Finding(LEDGER, None, f"its newest entry of match {match} is not where it is looked for")


async def _levels(ledger: Ledger, state: State, entries: Sequence[bytes]) -> AsyncIterator[Finding]:
    """Whether the edge and the hashes that are kept are those of the entries."""
    edge, levels = Edge(), {level: list[bytes]() for level in range(1, LEVELS)}
    for entry in entries:
        edge, completed = tiles.grown(edge, merkle.leaf(entry))
        for level, top in completed:
            levels[level].append(top)
    if edge != state.edge:
        yield Finding(LEDGER, None, f"its {len(entries)} entries do not lead to the head it is at")
    for level, hashes in levels.items():
        if await ledger.hashes(Span(level, 0, len(hashes) + 1)) != hashes:
            yield Finding(LEDGER, None, f"its hashes of level {level} are not those of its entries")


def _name(head: Checkpoint, host: str) -> str:
    origin, _, name = head.origin.rpartition("/")
    if origin != inscription.origin(host) or len(name) != len(inscription.name_of("")):
        raise ValueError(f"{head.origin} is not the name of a match")
    return name


def compared(match: str, leaves: Sequence[bytes], told: Sequence[Told], *, whole: bool) -> Iterator[Finding]:
    """A match against what the ledger tells of it; all of it should be told if ``whole``."""
    roots = _roots(leaves)
    before = 0
    for each in told:
        size = each.head.size
        if size <= before:
            yield Finding(
                match, None, f"entry {each.index} of the ledger has {size} events of it after {before}"
            )
        before = max(before, size)
        if size > len(leaves):
            what = f"the ledger has {size} events of it (entry {each.index}), and {len(leaves)} are here"
            yield Finding(match, None, what)
        elif size < 1 or roots[size - 1] != each.head.root:
            what = (
                f"its first {size} events are not those in the ledger (entry {each.index}): it was replaced"
            )
            yield Finding(match, None, what)
    if whole and before < len(leaves):
        yield Finding(
            match, None, f"the ledger has {before} of its {len(leaves)} events, though it was told of all"
        )


def cosigned(
    origin: str, match: str, leaves: Sequence[bytes], lines: Sequence[Cosigned]
) -> Iterator[Finding]:
    """The cosignatures that are kept of a match whose checkpoints are of this origin."""
    roots = _roots(leaves)
    for each in lines:
        try:
            if each.size > len(roots):
                raise Unverified(f"of {each.size} events, and {len(roots)} are here")
            head = Checkpoint(origin, each.size, roots[each.size - 1])
            Witness.parse(each.key).time_of(each.line, head)
        except (ValueError, Unverified) as error:
            yield Finding(match, None, f"a cosignature: {error}")


def _roots(leaves: Sequence[bytes]) -> list[bytes]:
    edge, roots = Edge(), []
    for each in leaves:
        edge = edge.append(each)
        roots.append(edge.root)
    return roots
