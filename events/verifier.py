"""The verifier: whether a bundle tells of a match that happened just so. Offline, and alone.

It takes nothing on trust from whoever wrote the bundle, and shares no code with the server but the rules and
the primitives: canonical JSON, hashes, trees, notes. The steps, each of which rests on those before it:

1. ``bundle``       the file is whole, and written as bundles are;
2. ``form``         every event is in canonical form, and is the next one of this match;
3. ``signatures``   after every event the root over all leaves was signed;
4. ``receipts``     what a receipt that somebody kept says of the log is so;
5. ``ledger``       the server's own log has the head of this one;
6. ``witnesses``    every cosignature is one of a head of this log;
7. ``commitments``  every opening fits the digest in its event, and all are there;
8. ``players``      every signature of a player holds, for the head that the player saw;
9. ``dice``         every link that was opened leads back to the anchor in the first event;
10. ``chance``       dice and shuffles are those that the seed gives;
11. ``rules``        the rules, asked again with the same chance, come to the same effects;
12. ``states``       and every state has the digest that its event carries;
13. ``parent``       of a fork or a rematch: it comes from its parent as it says.

``docs/proof.md`` tells them so that others can do without this code.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from kleos.core.kernel.registry import pinned
from kleos.core.kernel.visibility import merge
from kleos.core.match import Match, Signature
from kleos.events import ancestry, digest, merkle, rotation, signing, testimony
from kleos.events.ancestry import Judged
from kleos.events.bundle import Bundle, NotABundle, unpack
from kleos.events.merkle import Edge
from kleos.events.note import Checkpoint, Unverified, Verifier, b64, open_checkpoint
from kleos.events.retrial import Mistrial, Tried, retry
from kleos.events.steps import Bad, Step, at_hand, dice, formed, in_time, opened
from kleos.events.testimony import CosignedBy

Status = Literal["valid", "invalid", "incomplete", "unknown_rules"]
EXIT: Final[dict[Status, int]] = {"valid": 0, "invalid": 1, "incomplete": 2, "unknown_rules": 3}
"""The exit codes of ``kleos verify``."""


class Failure(Struct, frozen=True):
    """What is wrong first; ``version`` is null where no single event is to blame."""

    step: Step
    version: int | None
    reason: str

    @property
    def told(self) -> str:
        """In one line, without the step."""
        return self.reason if self.version is None else f"event {self.version}: {self.reason}"


class Report(Struct, frozen=True, kw_only=True):
    """What was found. ``passed`` are the steps that hold, in order; ``signed_by`` the keys that signed.

    ``trusted`` tells whether the caller named the keys: otherwise they are the bundle's own, and the reader
    has to compare them with those they know. ``inscribed`` is the number of events of which the server's own
    log has the head, ``cosigned`` who else signed which head, ``parent`` the match that this one forked from
    or follows. ``notes`` say what could not be checked, and why.
    """

    status: Status
    match: str | None = None
    origin: str | None = None
    rules: str | None = None
    events: int = 0
    root: str | None = None
    passed: tuple[Step, ...] = ()
    signed_by: tuple[str, ...] = ()
    trusted: bool = False
    inscribed: int | None = None
    cosigned: tuple[CosignedBy, ...] = ()
    parent: str | None = None
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


def verify(
    data: bytes,
    trusted: Sequence[Verifier] = (),
    receipts: Sequence[str] = (),
    parents: Sequence[bytes] = (),
) -> Report:
    """Check a bundle against the keys that are trusted, or against its own if none is named.

    Keys that follow from a trusted one by the bundle's rotations are trusted too. ``receipts`` are what
    somebody kept from the match, receipts, checkpoints, or proofs from the ledger: a log that was cut short
    or written anew is not the one that they were given for. ``parents`` are the bundles of the match that
    this one comes from, of the one that that one comes from, and so on, in any order.
    """
    return _Check(trusted, receipts, parents).run(data)


class _Check:
    """One run of the verifier: what it has found so far."""

    def __init__(
        self, trusted: Sequence[Verifier], receipts: Sequence[str], parents: Sequence[bytes]
    ) -> None:
        self._trusted = tuple(trusted)
        self._receipts = tuple(receipts)
        self._parents = tuple(parents)
        self._told: list[Match] = []
        self._passed: list[Step] = []
        self._notes: list[str] = []
        self._keys: Sequence[Verifier] = ()
        self._roots: list[bytes] = []
        self._facts: dict[str, Any] = {"trusted": bool(trusted)}

    def run(self, data: bytes) -> Report:
        try:
            return self._report(self._steps(data))
        except Bad as bad:
            return self._report("invalid", Failure(bad.step, bad.version, bad.reason))

    def _report(self, status: Status, failure: Failure | None = None) -> Report:
        return Report(
            status=status,
            passed=tuple(self._passed),
            notes=tuple(self._notes),
            failure=failure,
            **self._facts,
        )

    def _steps(self, data: bytes) -> Status:
        try:
            bundle = unpack(data)
        except NotABundle as error:
            raise Bad("bundle", None, str(error)) from None
        manifest = bundle.manifest
        self._facts |= {
            "match": manifest.match,
            "origin": manifest.origin,
            "rules": manifest.rules,
            "events": manifest.events,
        }
        self._passed.append("bundle")
        events = [formed(bundle, version) for version in range(1, manifest.events + 1)]
        in_time(events)
        self._passed.append("form")
        self._signatures(bundle)
        self._passed.append("signatures")
        self._testimony(testimony.Heads(bundle, self._roots, self._keys), events)
        openings = [opened(bundle, event) for event in events]
        missing = [
            event["version"]
            for event, had in zip(events, openings, strict=True)
            if had.keys() != event["sealed"].keys()
        ]
        self._passed.append("commitments")
        self._players(events, openings)
        self._passed.append("players")
        dice(events)
        self._passed.append("dice")
        status = self._as_the_rules_say(manifest.rules, events, openings, missing)
        self._parent(events, openings)
        return status

    def _as_the_rules_say(
        self,
        rules: str,
        events: Sequence[dict[str, Any]],
        openings: Sequence[dict[str, Any]],
        missing: Sequence[int],
    ) -> Status:
        """Steps 10 to 12, as far as the rules and all openings are here."""
        try:
            pinned(rules)
        except LookupError as error:
            self._notes.append(str(error))
            return "unknown_rules"
        if missing:
            self._notes.append(
                f"{len(missing)} of {len(events)} events have sealed parts that are not opened here, "
                f"version {missing[0]} first; chance, rules and states could not be checked"
            )
            return "incomplete"
        self._retry(events, openings)
        self._passed += ["chance", "rules", "states"]
        return "valid"

    def _signatures(self, bundle: Bundle) -> None:
        own = testimony.server_keys(bundle)
        self._keys = rotation.followed(self._trusted, own) if self._trusted else own
        host = bundle.manifest.origin.removesuffix(f"/m/{bundle.manifest.match}")
        if bundle.manifest.origin != f"{host}/m/{bundle.manifest.match}":
            raise Bad("signatures", None, f"{bundle.manifest.origin} is not the origin of this match")
        edge = Edge()
        signers: list[Verifier] = []
        for event, line in zip(bundle.events, bundle.signatures, strict=True):
            edge = edge.append(merkle.leaf(event))
            checkpoint = Checkpoint(bundle.manifest.origin, edge.size, edge.root)
            self._roots.append(edge.root)
            try:
                open_checkpoint(f"{checkpoint.text}\n{line}\n", checkpoint.origin, self._keys)
            except Unverified as error:
                raise Bad("signatures", edge.size, str(error)) from None
            signers += [each for each in self._keys if each not in signers and each.signed(line)]
        self._facts["signed_by"] = tuple(each.vkey for each in signers)
        self._facts["root"] = b64(edge.root)

    def _testimony(self, log: testimony.Heads, events: Sequence[dict[str, Any]]) -> None:
        """Steps 4 to 6, as far as there is something to look at."""
        if self._receipts:
            for text in self._receipts:
                testimony.kept(log, text)
            self._passed.append("receipts")
        inscribed = testimony.inscribed(log)
        if inscribed is not None:
            self._facts["inscribed"] = size = inscribed.head.size
            self._passed.append("ledger")
            if size < len(events):
                self._notes.append(f"the server's own log has the first {size} events of these")
        if log.bundle.cosignatures:
            self._facts["cosigned"] = testimony.witnessed(log, events)
            self._passed.append("witnesses")

    def _players(self, events: Sequence[dict[str, Any]], openings: Sequence[dict[str, Any]]) -> None:
        """Step 8: as far as the actions are open."""
        keys: dict[int, str | None] = {}
        must = events[0]["effects"][0].get("signed") is True
        for event, payloads in zip(events, openings, strict=True):
            if "signature" in event:
                self._signature(event, payloads, keys)
            elif must and event["kind"] == "move" and event["player"] is not None:
                raise Bad("players", event["version"], "it is a move of a player, and not signed")
            for effect in event["effects"]:
                if effect["type"] == "seat_filled" and isinstance(effect.get("seat"), int):
                    keys[effect["seat"]] = effect.get("key")

    def _signature(
        self, event: dict[str, Any], payloads: dict[str, Any], keys: dict[int, str | None]
    ) -> None:
        version: int = event["version"]
        try:
            whole = merge({"action": event["action"], "signature": event["signature"]}, at_hand(payloads))
            if whole["signature"] is None:
                return  # it is sealed, and not for whoever has this bundle
            signature = msgspec.convert(whole["signature"], Signature)
        except (ValueError, msgspec.ValidationError) as error:
            raise Bad("players", version, f"its signature cannot be read: {error}") from None
        if signature.size != version - 1 or signature.root != b64(self._roots[signature.size - 1]):
            raise Bad("players", version, "it was signed at another head than the one before it")
        key = keys.get(event["seat"])
        if not isinstance(key, str) or not signing.holds(
            key, event["match"], event["seat"], whole["action"], signature
        ):
            raise Bad("players", version, "its signature is not that of the seat's key")

    def _retry(self, events: Sequence[dict[str, Any]], openings: Sequence[dict[str, Any]]) -> None:
        try:
            for tried in retry(events, openings):
                self._state(events[tried.version - 1], tried)
                self._told.append(tried.match)
        except Mistrial as mistrial:
            raise Bad(mistrial.step, mistrial.version, mistrial.reason) from None

    def _parent(self, events: Sequence[dict[str, Any]], openings: Sequence[dict[str, Any]]) -> None:
        """Step 13: as far as a parent is named, and a bundle of it given."""
        named = ancestry.parent_of(events[0])
        if named is None:
            return
        self._facts["parent"] = named.match
        if not self._parents:
            match = self._facts["match"]
            self._notes.append(f"match {match} comes from match {named.match}, whose bundle was not given")
            return
        parent = ancestry.judged_parent(named, map(self._judged, range(len(self._parents))))
        self._notes += parent.notes
        if self._told and parent.told:
            ancestry.compare(events[0], openings[0], named, parent.told)
            self._passed.append("parent")
        else:
            self._notes.append(f"of match {named.match}, which it comes from, only the log could be compared")

    def _judged(self, place: int) -> Judged:
        """One of the parents, which the others may be parents of."""
        check = _Check(self._trusted, (), (*self._parents[:place], *self._parents[place + 1 :]))
        report = check.run(self._parents[place])
        failure = None if report.failure is None else report.failure.told
        return Judged(report.match, check._roots, check._told, failure, report.notes)

    @staticmethod
    def _state(event: dict[str, Any], tried: Tried) -> None:
        """The digest of ``docs/log-format.md``, from its definition there."""
        key = digest.keyed(tried.seed, "kleos/state-key/v1", event["match"].encode())
        found = digest.keyed(key, "kleos/state/v1", tried.standing, tried.state)
        if not hmac.compare_digest(digest.text(digest.short(found)), event["state"]):
            raise Bad("states", event["version"], "the state is not the one whose digest the event carries")
