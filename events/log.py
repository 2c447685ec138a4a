"""The log: the one way in which anything ever happens in a match.

An action becomes an event here: decided by the rules, sealed, put into the match's tree, signed, and appended
in one atomic step. It knows players by opaque ids and knows no HTTP.
"""

from __future__ import annotations

import asyncio
import bisect
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from kleos.core.kernel import Forbidden, Refused
from kleos.core.match import (
    Event,
    Forgotten,
    Match,
    News,
    Past,
    Signature,
    create,
    decide,
    evolve,
    forgotten,
    fork,
    rematch,
    tidings,
)
from kleos.core.match.actions import Create, Fork
from kleos.events import canonical, merkle, notary, signing
from kleos.events.cited import Cited
from kleos.events.command import Command, match_made_by
from kleos.events.envelope import Entropy, Entry, seal
from kleos.events.heads import Frozen, Head, Heads
from kleos.events.loading import Loader, Shelf, UnknownMatch, UnknownVersion
from kleos.events.merkle import Edge
from kleos.events.notary import NONE, Notary, Proofs, Shown, Testimony
from kleos.events.note import Signer, b64
from kleos.events.receipt import Receipt
from kleos.events.snapshot import Position
from kleos.events.standing import Standing
from kleos.events.store import CommandMismatch, Conflict, Store

__all__ = ["Command", "Committed", "Frozen", "Log", "Stale", "UnknownMatch", "UnknownVersion"]

_TRIES: Final = 32
"""How often a lost race is run again. Each loss is somebody else's event, so more is a storm."""


class Stale(Exception):
    """The match is no longer at the version that the asker saw; ``current`` is its version."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the match is at version {current}")
        self.current = current


class Committed(Struct, frozen=True):
    """An event that is in the log: its entry, the match after it, its receipt, and how safely it is kept.

    ``replayed``: the command was in the log already (or the first reply was lost on its way from the store);
    everything here is the answer of then.
    """

    entry: Entry
    match: Match
    receipt: str
    durability: str
    replayed: bool


def _now() -> int:
    return time.time_ns() // 1_000_000


Step = Callable[[str], AbstractContextManager[object]]


def untraced(_name: str) -> AbstractContextManager[object]:
    """A step that nobody looks at."""
    return _UNTRACED


_UNTRACED: Final = nullcontext()


class Log:
    """The log of all matches over a store; share one in a process. Safe with any number of processes."""

    def __init__(
        self,
        store: Store,
        signer: Signer,
        *,
        clock: Callable[[], int] = _now,
        entropy: Entropy = secrets.token_bytes,
        loader: Loader | None = None,
        heads: Heads | None = None,
        step: Step = untraced,
    ) -> None:
        """``clock`` gives milliseconds since the epoch; ``signer`` is named by the server's public host.

        ``heads`` remembers what was signed, so that a store that was set back is not gone on with.
        ``step`` is entered around each step of a command, by name, for whoever wants to see what takes long.
        """
        self._store = store
        self._notary = Notary(signer)
        self._clock = clock
        self._entropy = entropy
        self._loader = loader or Loader(store)
        self._heads = heads
        self._step = step

    # Writing

    async def create(self, player: str, action: Create, *, command: Command | None = None) -> Committed:
        """Lay out a match for ``player``. Raises ``Refused``, ``CommandMismatch`` or ``StoreUnavailable``."""
        match_id = self._made_by(command)
        event = create(match_id, player, action, seed=self._entropy(32).hex(), at=self._clock())
        return await self._lay_out(event, command)

    async def fork(
        self, player: str, parent_id: str, action: Fork, *, command: Command | None = None
    ) -> Committed:
        """Lay out a match that starts from a version of another.

        Raises as ``create``; ``UnknownMatch``, or ``UnknownVersion`` of the parent.
        """
        newest = (await self._loader.newest(parent_id)).match.version
        history = await self._loader.history(parent_id, max(action.at, newest))
        parent = history.matches[-1]
        event = fork(
            self._made_by(command),
            player,
            parent,
            history.at(action.at),
            action,
            root=b64(merkle.root(history.leaves[: action.at])),
            seed=self._entropy(32).hex(),
            at=max(self._clock(), parent.updated_at),  # so that the two logs tell which state it was in
        )
        return await self._lay_out(event, command)

    async def rematch(self, player: str, parent_id: str) -> Committed:
        """Lay out the match that follows another; there is one, whoever asks, and however often.

        Raises as ``create``, or ``UnknownMatch``.
        """
        parent = (await self._loader.newest(parent_id)).match
        command = Command.named("kleos/rematch/v1", parent_id.encode())
        seed = self._entropy(32).hex()
        at = max(self._clock(), parent.updated_at)
        event = rematch(self._made_by(command), player, parent, seed=seed, at=at)
        return await self._lay_out(event, command)

    def _made_by(self, command: Command | None) -> str:
        return match_made_by(command.id if command else self._entropy(16))

    async def _lay_out(self, event: Event, command: Command | None) -> Committed:
        """Append the first event of a match."""
        signed = self._heads.newest(event.match) if self._heads else None
        if signed is not None and await self._store.head(event.match) is None:
            raise Frozen(signed, 0)
        shelf = self._loader.shelf(event.match)
        match = evolve(None, event)
        try:
            async with shelf:
                return await self._append(shelf, None, event, match, command)
        except _AcceptedBefore as before:
            return await self._original(event.match, before.version)

    async def submit(
        self,
        match_id: str,
        actor: str | None,
        seat: int | None,
        action: Any,
        *,
        command: Command | None = None,
        expected: int | None = None,
        signature: Signature | None = None,
    ) -> Committed:
        """Do what ``actor`` asks for ``seat``, or raise why not; a refusal changes nothing.

        1. Take the match from memory, else load it. Memory may be behind: steps 2 and 5 find out.
        2. Compare ``expected``, if given, with the versions since when there was only talk, and let the rules
           decide; earlier versions that they ask for are loaded. If either says no, load the tail; if the
           match has moved on, do this step again, else the answer stands. So it is with a ``signature``,
           which binds the move to one head.
        3. Seal the event, put its leaf into the tree, sign the new checkpoint.
        4. Append, provided the match is still at the version that was decided on.
        5. If it is not, somebody was faster: load the tail and go on with step 2. If a longer log, or another
           one, was signed than there is, the match is ``Frozen``.

        A command that was accepted before is answered with what it led to, whatever has happened since:
        the append finds it, or else the look-up before a refusal is given. Raises ``UnknownMatch``,
        ``Refused``, ``Stale``, ``Frozen``, ``CommandMismatch`` or ``StoreUnavailable``.
        """
        shelf = self._loader.shelf(match_id)
        try:
            async with shelf:
                return await self._decide_and_append(
                    match_id,
                    shelf,
                    lambda at, past: signed(self._decide(at.match, actor, seat, action, past), at, signature),
                    command,
                    expected,
                )
        except _AcceptedBefore as before:
            return await self._original(match_id, before.version)
        except (Refused, Stale):
            done = await self.accepted(match_id, command) if command else None
            if done is None:
                raise
            return done

    async def accepted(self, match_id: str, command: Command) -> Committed | None:
        """What a command led to before; None if it was never accepted. Raises ``CommandMismatch``."""
        found = await self._store.command(match_id, command.id)
        if found is None:
            return None
        version, fingerprint = found
        if fingerprint != command.fingerprint:
            raise CommandMismatch(version)
        return await self._original(match_id, version)

    async def check(self, match_id: str, actor: str | None, seat: int | None, action: Any) -> Event:
        """The event that ``submit`` would begin to make now, without its effects; or the same refusals.

        What would follow may turn on dice and on hidden cards: telling it would let a player look first
        and choose afterwards. Whether the action is legal tells nothing that the player does not know.
        """
        position = await self._loader.newest(match_id)
        return replace(self._decide(position.match, actor, seat, action, forgotten), effects=())

    def _decide(self, match: Match, actor: str | None, seat: int | None, action: Any, past: Past) -> Event:
        return decide(match, actor, seat, action, at=max(self._clock(), match.updated_at), past=past)

    async def _decide_and_append(
        self,
        match_id: str,
        shelf: Shelf,
        decision: _Decision,
        command: Command | None,
        expected: int | None,
    ) -> Committed:
        remembered = shelf.position
        position = remembered or await self._refreshed(match_id, shelf)
        for lost in range(_TRIES):
            try:
                if expected is not None and not position.match.since <= expected <= position.match.version:
                    raise Stale(position.match.version)
                with self._step("decide"):
                    event, after = await self._judge(match_id, shelf, position, decision)
            except (Refused, Stale):
                if position is not remembered:
                    raise
                position = await self._refreshed(match_id, shelf)
                if position is remembered:
                    raise
                continue
            if self._beside(position):
                position = await self._refreshed(match_id, shelf)
                if signed := self._beside(position):
                    raise Frozen(signed, position.edge.size)
                continue
            try:
                return await self._append(shelf, position, event, after, command)
            except Conflict as conflict:
                if conflict.current < position.edge.size:
                    head = Head(match_id, position.edge.size, position.edge.root)
                    raise Frozen(head, conflict.current) from None
            await asyncio.sleep(random.uniform(0, 0.002 * lost))
            position = await self._refreshed(match_id, shelf)
        raise Stale(position.match.version)

    async def _refreshed(self, match_id: str, shelf: Shelf) -> Position:
        with self._step("load"):
            return await self._loader.refresh(match_id, shelf)

    def _beside(self, position: Position) -> Head | None:
        """The head that was signed, if it is not one of this log's."""
        signed = self._heads.newest(position.match.id) if self._heads else None
        edge = position.edge
        if signed is None or signed.size < edge.size or (signed.size, signed.root) == (edge.size, edge.root):
            return None
        return signed

    async def _judge(
        self, match_id: str, shelf: Shelf, position: Position, decision: _Decision
    ) -> tuple[Event, Match]:
        """The event that follows, and the match after it."""
        past = self._loader.past(shelf)
        try:
            event = decision(position, past)
            return event, evolve(position.match, event, past)
        except Forgotten:
            past = await self._loader.recall(match_id, shelf)
            event = decision(position, past)
            return event, evolve(position.match, event, past)

    async def _append(
        self, shelf: Shelf, position: Position | None, event: Event, match: Match, command: Command | None
    ) -> Committed:
        before = position.edge if position else Edge()
        with self._step("seal"):
            entry = seal(event, match, command=command.id if command else None, entropy=self._entropy)
            edge = before.append(merkle.leaf(entry.public))
            checkpoint = self._notary.checkpoint(match.id, edge.size, edge.root)
        told = tidings(position.match if position else None, match)
        with self._step("append"):
            appended = await self._store.append(
                match.id,
                expected=before.size,
                command=command,
                public=entry.public,
                sealed=entry.sealed,
                head=notary.head(edge, checkpoint),
                notice=Standing.of(match, event.kind).notice,
                news=News(match.game, match.status, told).kept,
            )
        if appended.replayed:
            raise _AcceptedBefore(appended.version)
        if self._heads:
            self._heads.saw(Head(match.id, edge.size, edge.root))
        await self._loader.keep(shelf, Position(match, edge))
        receipt = Receipt(before.size, before.proof_of_next(), checkpoint)
        return Committed(entry, match, receipt.text, appended.durability, replayed=False)

    async def _original(self, match_id: str, version: int) -> Committed:
        """The answer that was given when this version was made."""
        history = await self._loader.history(match_id, version)
        return Committed(
            entry=await self.entry(match_id, version),
            match=history.matches[version - 1],
            receipt=(await self._proofs(match_id)).receipt(match_id, history.leaves[:version], version),
            durability=self._store.durability,
            replayed=True,
        )

    def now(self) -> int:
        """The time that an event would carry now, in milliseconds since the epoch."""
        return self._clock()

    # Reading. All of these raise ``UnknownMatch``, and ``UnknownVersion`` where a version is asked for.

    async def load(self, match_id: str) -> Match:
        """The match as it stands."""
        with self._step("load"):
            return (await self._loader.newest(match_id)).match

    def remembered(self, match_id: str) -> Match | None:
        """The match as this process last knew it, without asking anybody: it may have moved on since.

        Good for what never changes in a match, and for telling where it stood after a refusal.
        """
        position = self._loader.shelf(match_id).position
        return None if position is None else position.match

    async def at(self, match_id: str, version: int) -> Match:
        """The match as it stood after event ``version``."""
        position = self._loader.shelf(match_id).position
        if position is not None and position.match.version == version:
            return position.match
        return (await self._loader.history(match_id, version)).matches[version - 1]

    async def past(self, match_id: str, version: int | None = None) -> Past:
        """The match at all its versions, up to ``version`` at least (default: up to now)."""
        return (await self._loader.history(match_id, version)).at

    async def between(self, match_id: str, after: int, to: int) -> AsyncIterator[Entry]:
        """The entries after one version up to another."""
        async for entry in self._loader.entries(match_id, after=after):
            if entry.version > to:
                return
            yield entry

    async def at_time(self, match_id: str, at: int) -> Match:
        """The match as it stood at a time, in milliseconds since the epoch."""
        history = await self._loader.history(match_id)
        version = bisect.bisect_right(history.matches, at, key=lambda match: match.updated_at)
        if version == 0:
            raise UnknownVersion(len(history.matches))
        return history.matches[version - 1]

    async def entries(self, match_id: str, *, after: int = 0, limit: int = 200) -> list[Entry]:
        """The entries after a version, at most ``limit``; none if that is the newest."""
        after = min(max(after, 0), canonical.LARGEST)
        page = await self._store.read(match_id, after=after, limit=limit)
        if not page and await self._store.head(match_id) is None:
            raise UnknownMatch(match_id)
        return [Entry.of(each.version, each.public, each.sealed) for each in page]

    async def entry(self, match_id: str, version: int) -> Entry:
        """One entry."""
        for found in await self.entries(match_id, after=max(version, 1) - 1, limit=1):
            if found.version == version:
                return found
        raise UnknownVersion((await self.load(match_id)).version)

    # Proof

    async def checkpoint(self, match_id: str) -> str:
        """The newest signed checkpoint of the match."""
        head = await self._store.head(match_id)
        if head is None:
            raise UnknownMatch(match_id)
        return notary.checkpoint_of(head[1])

    async def root(self, match_id: str, size: int) -> bytes:
        """The root over the first ``size`` events."""
        history = await self._loader.history(match_id, size)
        return merkle.root(history.leaves[:size])

    async def receipt(self, match_id: str, version: int, *, size: int | None = None) -> str:
        """The receipt of event ``version`` in the log of ``size`` events (default: as first given)."""
        size = version if size is None else size
        history = await self._loader.history(match_id, max(version, size))
        if not 1 <= version <= size:
            raise UnknownVersion(size)
        return (await self._proofs(match_id)).receipt(match_id, history.leaves[:size], version)

    async def growth(self, match_id: str, old: int, new: int) -> str:
        """The proof that the log of ``new`` events begins with that of ``old``."""
        history = await self._loader.history(match_id, max(old, new))
        if not 1 <= old <= new:
            raise UnknownVersion(new)
        return (await self._proofs(match_id)).growth(match_id, history.leaves[:new], old)

    async def bundle(self, match_id: str, shows: Shown, said: Testimony = NONE) -> bytes:
        """The match in one file, with the openings that ``shows`` allows, and what is ``said`` of its log."""
        if (kept := await self._store.archived(match_id)) is not None:
            return await asyncio.to_thread(Cited(kept).shown, shows)
        entries = [each async for each in self._loader.entries(match_id)]
        if not entries:
            raise UnknownMatch(match_id)
        return await asyncio.to_thread(self._notary.bundle, match_id, entries, shows, said)

    async def _proofs(self, match_id: str) -> Proofs:
        """Whose signatures the proofs of a match rest on."""
        kept = await self._store.archived(match_id)
        return self._notary if kept is None else Cited(kept)


def signed(event: Event, position: Position, signature: Signature | None) -> Event:
    """The event with the signature that it needs, or may have (match.12); raises ``Refused`` or ``Stale``."""
    match = position.match
    if signature is None:
        if match.signed and event.kind == "move" and event.player is not None:
            raise Forbidden("moves of this match are signed", rule="match.12", seat=event.seat)
        return event
    key = None if event.seat is None else match.seats[event.seat].key
    if event.kind != "move" or event.seat is None or key is None:
        raise Forbidden("only a move can be signed, of a seat with a key", rule="match.12", seat=event.seat)
    if signature.size != position.edge.size:
        raise Stale(match.version)
    if signature.root != b64(position.edge.root):
        raise Forbidden(
            "the root that was signed is not that of this match", rule="match.12", seat=event.seat
        )
    if not signing.holds(key, match.id, event.seat, event.action, signature):
        raise Forbidden("the signature is not that of the seat's key", rule="match.12", seat=event.seat)
    return replace(event, signature=signature)


_Decision = Callable[[Position, Past], Event]


class _AcceptedBefore(Exception):
    """The command is in the log already, as ``version``."""

    def __init__(self, version: int) -> None:
        super().__init__(f"accepted as version {version}")
        self.version = version
