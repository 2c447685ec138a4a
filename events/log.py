"""The log: the one way in which anything ever happens in a match.

An action becomes an event here: decided by the rules, sealed, put into the match's tree, signed, and appended
in one atomic step. It knows players by opaque ids and knows no HTTP.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from kleos.core.kernel import Refused
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
from kleos.events import merkle, notary
from kleos.events.binding import signed
from kleos.events.command import Command, Committed, Stale, match_made_by
from kleos.events.envelope import Entropy, seal
from kleos.events.heads import Frozen, Head, Heads
from kleos.events.loading import Loader, Shelf
from kleos.events.merkle import Edge
from kleos.events.notary import Notary
from kleos.events.note import Signer, b64
from kleos.events.reading import Reader, Step, untraced
from kleos.events.receipt import Receipt
from kleos.events.snapshot import Position
from kleos.events.standing import Standing
from kleos.events.store import CommandMismatch, Conflict, Store

_TRIES: Final = 32
"""How often a lost race is run again. Each loss is somebody else's event, so more is a storm."""


def _now() -> int:
    return time.time_ns() // 1_000_000


class Log(Reader):
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
        super().__init__(store, Notary(signer), loader or Loader(store), step)
        self._clock = clock
        self._entropy = entropy
        self._heads = heads

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


_Decision = Callable[[Position, Past], Event]


class _AcceptedBefore(Exception):
    """The command is in the log already, as ``version``."""

    def __init__(self, version: int) -> None:
        super().__init__(f"accepted as version {version}")
        self.version = version
