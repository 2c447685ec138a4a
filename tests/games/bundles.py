"""Bundles of whole matches, made as the server makes them but without a store, for the tests of proofs."""

import hashlib
import random
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import SIGNER
from msgspec.structs import replace

from kleos.core.kernel import choices
from kleos.core.kernel.registry import pinned
from kleos.core.match import (
    HOUSE,
    Event,
    Match,
    Signature,
    create,
    decide,
    evolve,
    fork,
    rematch,
    seats_to_act,
    targets,
)
from kleos.core.match.actions import Create, Fork, Join, Leave, Redo, Undo
from kleos.events import inscription, merkle, signing
from kleos.events.cosignature import Cosigned, Witness, cosign, player_name
from kleos.events.envelope import Entry, seal
from kleos.events.notary import NONE, Notary, Shown, Testimony, everything
from kleos.events.notary import origin as origin_of
from kleos.events.note import Checkpoint, Signer, b64
from kleos.events.receipt import Receipt

MATCH = "4V0MTESTMATCH0000000000000"
CHILD = "4V0MTESTSPRAY0000000000000"


class Record:
    """A match that is being written down. Everything in it follows from ``seed``."""

    def __init__(self, rules: str, *, seats: int, seed: int = 0, **rest: Any) -> None:
        self._begin(rules, f"{rules} {seats} {seed}")
        layout = Create(
            game=self.game.name, rules=rules, seats=seats, options=rest.pop("options", {}), seat=0, **rest
        )
        secret = self.rng.randbytes(32).hex()
        self._add(create(MATCH, "player0", layout, seed=secret, at=1_767_225_600_000))

    def _begin(self, rules: str, seed: str) -> None:
        self.rng = random.Random(seed)
        self.game = pinned(rules)
        self.matches: list[Match] = []
        self.entries: list[Entry] = []

    @property
    def match(self) -> Match:
        return self.matches[-1]

    def past(self, version: int) -> Match:
        return self.matches[version - 1]

    def _add(self, event: Any) -> None:
        match = evolve(self.matches[-1] if self.matches else None, event, self.past)
        command = b"command %d" % event.version
        self.entries.append(seal(event, match, command=command, entropy=self.salt))
        self.matches.append(match)

    def salt(self, size: int) -> bytes:
        return self.rng.randbytes(size)

    def do(self, actor: str | None, seat: int | None, action: Any) -> None:
        at = self.match.updated_at + self.rng.randrange(5_000)
        self._add(decide(self.match, actor, seat, action, at=at, past=self.past))

    def actor(self, seat: int) -> str | None:
        held = self.match.seats[seat]
        return HOUSE if held.mechanical else held.player

    def sit(self, *, bots: int = 0) -> None:
        """Fill the seats, the last ones with bots."""
        for seat in range(1, len(self.match.seats)):
            if seat >= len(self.match.seats) - bots:
                self.do("player0", None, Join(seat=seat, bot="random"))
            else:
                self.do(f"player{seat}", None, self.joining(seat))

    def joining(self, seat: int) -> Join:
        """How a person sits down: everybody brings entropy."""
        return Join(seat=seat, entropy=f"entropy-of-{seat}")

    def step(self) -> None:
        """Any move of any seat to act."""
        seat = self.rng.choice(seats_to_act(self.match))
        legal = self.rng.choice(choices(self.game, self.match.state, seat))
        self.do(self.actor(seat), seat, legal.move)

    def play(self, moves: int = 10_000, *, undo: float = 0.0, redo: float = 0.0, resign: float = 0.0) -> None:
        """So many moves, or to the end; some are taken back or put forth again, and somebody may give up."""
        for _ in range(moves):
            if self.match.opened:
                return
            self.step()
            if self.match.status == "playing" and self.rng.random() < undo:
                self._take_back()
            if redo and self.match.undone and self.rng.random() < redo:
                seat = self.rng.choice([each.seat for each in self.match.seats if not each.mechanical])
                self.do(self.actor(seat), seat, Redo())
            if self.match.status == "playing" and self.rng.random() < resign:
                seat = self.rng.choice([each.seat for each in self.match.seats if not each.mechanical])
                self.do(self.actor(seat), None, Leave(seat=seat))

    def _take_back(self) -> None:
        seat = self.rng.choice([each.seat for each in self.match.seats if not each.mechanical])
        free = [each.version for each in targets(self.match, seat, self.past) if each.cost == "free"]
        if free:
            self.do(self.actor(seat), seat, Undo(to=self.rng.choice(free[:3])))

    def bundle(
        self,
        shows: Shown = everything,
        notary: Notary | None = None,
        *,
        signer: Signer = SIGNER,
        said: Testimony = NONE,
    ) -> bytes:
        return (notary or Notary(signer)).bundle(self.match.id, self.entries, shows, said)

    def head(self, size: int | None = None) -> Checkpoint:
        """The head of the log of ``size`` events."""
        leaves = [merkle.leaf(each.public) for each in self.entries[:size]]
        return Checkpoint(origin_of("play.example", self.match.id), len(leaves), merkle.root(leaves))

    def testimony(self, size: int | None = None, *, signer: Signer = SIGNER) -> Testimony:
        """A proof from a ledger of seven entries, and the cosignatures of a player and of somebody else."""
        head = self.head(size)
        entry = inscription.inscription("play.example", self.match.id, head.size, head.root).text.encode()
        entries = [*(b"another %d" % number for number in range(4)), entry, b"more", b"and more"]
        leaves = [merkle.leaf(each) for each in entries]
        ledger = Checkpoint(inscription.origin("play.example"), len(leaves), merkle.root(leaves))
        proof = Receipt(4, merkle.inclusion(leaves, 4), signer.sign(ledger.text), entry)
        return Testimony(proof.text, tuple(cosigned(who, head) for who in ("player0", "passer-by")))

    def root(self, version: int) -> str:
        """The root over the first events, in base64."""
        return b64(merkle.root([merkle.leaf(each.public) for each in self.entries[:version]]))


class Descended(Record):
    """A match that comes from another one by ``first``, its first event, whatever that tells."""

    def __init__(self, first: Event) -> None:
        self._begin(first.rules, first.match)
        self._add(first)


def forked(parent: Record, at: int, *, now: Match | None = None, name: str = CHILD, **rest: Any) -> Event:
    """The first event of a fork by player0; ``now`` is the parent as it was then, if not as it is."""
    now = now or parent.match
    action = Fork(at=at, **rest)
    seed = random.Random(f"fork of {parent.match.id} at {at}").randbytes(32).hex()
    when, root = now.updated_at + 1, parent.root(at)
    return fork(name, "player0", now, parent.past(at), action, root=root, seed=seed, at=when)


def followed(parent: Record, *, now: Match | None = None, player: str = "player0") -> Event:
    """The first event of a rematch; ``now`` is the parent, if it is not told as it is."""
    seed = random.Random(f"rematch of {parent.match.id}").randbytes(32).hex()
    return rematch(CHILD, player, now or parent.match, seed=seed, at=parent.match.updated_at + 1)


def key_of(player: str) -> Ed25519PrivateKey:
    """The key that a player signs with."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(player.encode()).digest())


def cosigned(
    who: str,
    head: Checkpoint,
    at: int = 1_767_225_700,
    *,
    host: str = "play.example",
    player: str | None = None,
) -> Cosigned:
    """What somebody says of a head, as the ``player`` of that id if it is another than ``who``."""
    name, key = player_name(host, player or who), key_of(who)
    witness = Witness(name, key.public_key().public_bytes_raw())
    return Cosigned(head.size, witness.vkey, cosign(key, name, head, at))


def finished(rules: str, *, seats: int | None = None, seed: int = 0, **rest: Any) -> Record:
    """A match that came to its end, with free undos on the way."""
    record = Record(rules, seats=seats or pinned(rules).seats[0], seed=seed, undo="casual", **rest)
    record.sit()
    record.play(undo=0.05)
    return record


class Signed(Record):
    """A match in which every person signs every move, each with a key of the own."""

    def __init__(self, rules: str, *, seats: int, seed: int = 0, **rest: Any) -> None:
        super().__init__(rules, seats=seats, seed=seed, signed=True, key=public_key("player0"), **rest)

    def joining(self, seat: int) -> Join:
        return Join(seat=seat, key=public_key(f"player{seat}"))

    def _add(self, event: Event) -> None:
        if event.kind == "move" and event.player is not None:
            event = replace(event, signature=self.signature(event))
        super()._add(event)

    def signature(self, event: Event) -> Signature | None:
        """As the seat's player makes it, at the head before the event."""
        assert event.seat is not None
        size = event.version - 1
        root = merkle.root([merkle.leaf(each.public) for each in self.entries])
        return signing.sign(
            key_of(f"player{event.seat}"), event.match, event.seat, event.action, size=size, root=root
        )


def public_key(player: str) -> str:
    return b64(key_of(player).public_key().public_bytes_raw())


class Cheat(Record):
    """A server that spoils what it decided before it seals and signs it; all that follows fits."""

    def __init__(self, spoil: Callable[[Event], Event]) -> None:
        self.spoil = spoil
        self.spoiled: int | None = None
        super().__init__("tiny/1", seats=2, seed=5)
        self.sit()
        self.play()

    def _add(self, event: Event) -> None:
        other = self.spoil(event) if self.spoiled is None else event
        if other != event:
            self.spoiled = event.version
        super()._add(other)


def other_effect(kind: type[Any], **fields: Any) -> Callable[[Event], Event]:
    def spoil(event: Event) -> Event:
        effects = tuple(
            replace(each, **{name: value(getattr(each, name)) for name, value in fields.items()})
            if isinstance(each, kind)
            else each
            for each in event.effects
        )
        return replace(event, effects=effects)

    return spoil
