"""The check of a whole store: every stream, tree, head, state and feed, against what they must be.

1. Each bucket's feed, from its beginning: never trimmed, it tells of every match's versions one by one.
2. Of every match, the streams hold as many entries as were ever added, with the ids that belong to them; of
   one in the archive there is the bundle that its stub names, and nothing else.
3. Replay its entries, each checked against its digests and its state.
4. What is kept beside them follows from them: the edge of the tree and the signed checkpoint, the notice, the
   commands, the snapshot of the rules in force, the news in the feed.
5. It is the log that this server has signed last, and the one whose heads are in the ledger (see ``audit``).

Nothing is changed. Pure readers of the store: what is found is told, one line each.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kleos.core.match import Match, tidings
from kleos.core.match import News as Meaning
from kleos.events import audit, canonical, digest, merkle, notary
from kleos.events.archive import ArchiveFault
from kleos.events.audit import Audited, Finding
from kleos.events.bundle import Bundle
from kleos.events.envelope import Damaged, Entry
from kleos.events.heads import Heads
from kleos.events.merkle import Edge
from kleos.events.note import Verifier, open_checkpoint
from kleos.events.replay import Diverged, check, step
from kleos.events.snapshot import Position, code_digest, unpack
from kleos.events.standing import Standing
from kleos.events.store import Store
from kleos.events.witnesses import forgotten, kept_in

_PAGE: Final = 500


class Checked(Struct, frozen=True):
    """A match that was looked at: how many events it has, and everything that is wrong with it."""

    match: str
    events: int
    findings: tuple[Finding, ...]
    standing: Standing | None
    """How it stands by its log; None if that cannot be replayed."""


News = dict[int, bytes]
"""What the feed says that each event of a match means to whom, by version; see ``core.match.tidings``."""


async def feeds(store: Store) -> AsyncIterator[tuple[int, dict[str, News], list[Finding]]]:
    """Bucket by bucket, what its feed tells of each match, version by version, and what is wrong with it."""
    for bucket in range(store.buckets):
        told: dict[str, News] = {}
        found: list[Finding] = []
        where, position = store.key(bucket, "feed"), "0"
        while page := await store.feed(bucket, position, _PAGE):
            position = page[-1].position
            for notice in page:
                news = told.setdefault(notice.match, {})
                expected = len(news) + 1
                if notice.version != expected:
                    found.append(
                        Finding(
                            where, None, f"tells of {notice.match} {notice.version} instead of {expected}"
                        )
                    )
                news[notice.version] = notice.news
        if told:
            found += _untrimmed(where, await _stream(store, where))
        yield bucket, told, found


async def examine(
    store: Store,
    match: str,
    *,
    told: News,
    trusted: Sequence[Verifier],
    heads: Heads | None,
    audited: Audited,
    whole: bool,
) -> Checked:
    """Everything about one match, of which the feed says ``told``.

    ``whole``: the ledger has been told of all of them.
    """
    try:
        bundle = await store.archived(match)
        entries, found = await _entries(store, match, archived=bundle is not None)
        commands = await _kept_commands(store, match)
    except ArchiveFault as fault:
        return Checked(match, len(told), (Finding(match, None, str(fault)),), None)
    matches, wrong = _replayed(match, entries)
    found += wrong
    if len(entries) != len(told):
        found.append(Finding(match, None, f"has {len(entries)} events, of which the feed tells {len(told)}"))
    standing = None
    if matches:
        position = Position(matches[-1], _edge(entries))
        standing, wrong = await _standing(store, position.match)
        signers = _signers(match, bundle if standing.imported else None, trusted)
        found += wrong
        found += [each async for each in _beside(store, position, signers)]
        if bundle is None or any(told.values()):  # of a match that was taken in nobody was told anything
            found += _news(matches, told)
        if commands is not None:
            found += _commands(match, entries, commands)
    if heads is not None:
        found += _signed(match, entries, heads)
    leaves = [merkle.leaf(each.public) for each in entries]
    found += audit.compared(match, leaves, audited.of(match), whole=whole)
    origin = notary.origin(audited.host, match) if bundle is None else bundle.manifest.origin
    found += audit.cosigned(origin, match, leaves, await kept_in(store, match))
    found += [
        Finding(match, None, f"a cosignature of player {each} would not be found if that player is erased")
        for each in await forgotten(store, match)
    ]
    return Checked(match, len(entries), tuple(found), standing)


async def _stream(store: Store, key: str) -> dict[str, Any]:
    """XINFO of a stream; empty if there is none."""
    if not await store.connection.call(key, "EXISTS", key):
        return {}
    reply = await store.connection.call(key, "XINFO", "STREAM", key)
    return {name.decode(): value for name, value in zip(reply[::2], reply[1::2], strict=True)}


def _untrimmed(where: str, stream: dict[str, Any]) -> Iterator[Finding]:
    if not stream:
        yield Finding(where, None, "the stream is gone")
    elif stream["length"] != stream["entries-added"] or stream["max-deleted-entry-id"] != b"0-0":
        yield Finding(
            where, None, f"has {stream['length']} entries of the {stream['entries-added']} that were added"
        )


async def _entries(store: Store, match: str, *, archived: bool) -> tuple[list[Entry], list[Finding]]:
    """The entries of a match, and what is wrong with the streams that hold them."""
    found = [each async for each in (_left(store, match) if archived else _streams(store, match))]
    entries: list[Entry] = []
    while page := await store.read(match, after=entries[-1].version if entries else 0, limit=_PAGE):
        for stored in page:
            try:
                entries.append(Entry.of(stored.version, stored.public, stored.sealed))
            except Damaged as error:
                return entries, [*found, Finding(match, stored.version, str(error))]
    return entries, found


async def _streams(store: Store, match: str) -> AsyncIterator[Finding]:
    """What is wrong with the stream of a match."""
    key = store.key(store.bucket(match), f"m:{match}:events")
    for each in _untrimmed(match, await _stream(store, key)):
        yield Finding(match, None, f"events: {each.what}")


async def _left(store: Store, match: str) -> AsyncIterator[Finding]:
    """What the store still has of a match in the archive, beside its stub."""
    for part in ("events", "commands", "snapshot"):
        key = store.key(store.bucket(match), f"m:{match}:{part}")
        if await store.connection.call(key, "EXISTS", key):
            yield Finding(match, None, f"is in the archive, and its {part} in the store too")


def _replayed(match: str, entries: Sequence[Entry]) -> tuple[list[Match], list[Finding]]:
    """The match at each version; none if the entries cannot be replayed, and at which of them it ends."""
    told: list[Match] = []
    for entry in entries:
        try:
            told.append(step(told[-1] if told else None, entry, lambda version: told[version - 1]))
            check(told[-1], entry)
        except (Damaged, Diverged, LookupError) as error:
            return [], [Finding(match, entry.version, str(error))]
    return told, []


def _edge(entries: Sequence[Entry]) -> Edge:
    return reduce(Edge.append, (merkle.leaf(each.public) for each in entries), Edge())


def _news(matches: Sequence[Match], told: News) -> Iterator[Finding]:
    """What the feed says that events mean to whom must follow from the match before and after them."""
    for before, after in pairwise((None, *matches)):
        assert after is not None
        right = Meaning(after.game, after.status, tidings(before, after)).kept
        if told.get(after.version, right) != right:
            what = "what the feed says that it means to whom is not what it means"
            yield Finding(after.id, after.version, what)


class _Signers(NamedTuple):
    """Under which name, and with which keys, the head of a match is signed."""

    origin: str
    keys: Sequence[Verifier]


def _signers(match: str, guest: Bundle | None, trusted: Sequence[Verifier]) -> _Signers:
    """This server's, or those that a match from elsewhere came with."""
    if guest is None:
        return _Signers(notary.origin(trusted[0].name, match), trusted)
    return _Signers(guest.manifest.origin, [Verifier.parse(each) for each in guest.keys])


async def _standing(store: Store, match: Match) -> tuple[Standing, list[Finding]]:
    """How the match stands by its log, and whether its notice says so."""
    standing = Standing.of(match)
    try:
        told = Standing.read(await store.notice(match.id) or b"")
        standing = standing.brought_in if told.imported else standing
        same = replace(told, kind=None) == standing
    except Exception:  # whatever stands there: it is not what was written
        same = False
    return standing, [] if same else [Finding(match.id, None, "its notice is not how the match stands")]


async def _beside(store: Store, position: Position, signers: _Signers) -> AsyncIterator[Finding]:
    """What the store keeps beside the entries, for the next writer and for readers in haste."""
    match, edge = position.match, position.edge
    kept = await store.head(match.id)
    if kept is None:
        yield Finding(match.id, None, "has no head")
        return
    version, head = kept
    if version != match.version:
        yield Finding(match.id, None, f"its head is at version {version}, its events end at {match.version}")
    try:
        signed = notary.checkpoint_of(head)
        checkpoint = open_checkpoint(signed, signers.origin, signers.keys)
        if (checkpoint.size, checkpoint.root) != (edge.size, edge.root) or notary.head(edge, signed) != head:
            yield Finding(match.id, None, "its signed head is of another log")
    except Exception as error:  # whatever stands there: it is not what was written
        yield Finding(match.id, None, f"its signed head: {error}")
    snapshot = await store.snapshot(match.id, code_digest(match.rules))
    if snapshot is not None and snapshot[0] == match.version and not _is(position, snapshot[1]):
        yield Finding(match.id, match.version, "its snapshot is not the state that its events lead to")


def _is(position: Position, packed: bytes) -> bool:
    try:
        return unpack(packed) == position
    except (msgspec.DecodeError, zlib.error, ValueError):
        return False


async def _kept_commands(store: Store, match: str) -> dict[bytes, bytes] | None:
    """The commands of a match; None if it came without any."""
    if (stub := await store.stub(match)) is not None:
        return None if stub.commands is None else await store.archive.commands(match, stub)
    key = store.key(store.bucket(match), f"m:{match}:commands")
    kept: dict[bytes, bytes] = await store.connection.call(key, "HGETALL", key)
    return kept


def _commands(match: str, entries: Sequence[Entry], kept: dict[bytes, bytes]) -> Iterator[Finding]:
    """Every event that names a command has one that leads to it, and there is no other."""
    made = {value.partition(b":")[0]: name for name, value in kept.items()}
    for entry in entries:
        name = made.pop(b"%d" % entry.version, None)
        if canonical.decode(entry.public).get("command") != (None if name is None else digest.text(name)):
            yield Finding(match, entry.version, "the command that made it is not known")
    for version in made:
        yield Finding(match, None, f"a command leads to version {version.decode()}, which is not there")


def _signed(match: str, entries: Sequence[Entry], heads: Heads) -> Iterator[Finding]:
    signed = heads.newest(match)
    if signed is None:
        return
    if signed.size > len(entries):
        yield Finding(match, None, f"frozen: {signed.size} events were signed, and {len(entries)} are here")
    elif merkle.root([merkle.leaf(each.public) for each in entries[: signed.size]]) != signed.root:
        yield Finding(match, None, f"frozen: its first {signed.size} events are not those that were signed")
