"""What can be done to a bundle: every kind of change in every place, and what the verifier must make of it.

The outsider has the file and no key. The server has its own key and signs whatever it has changed; what it
sealed it seals anew, so that only what cannot be made to fit gives it away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from bundles import MATCH, Record
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import ROTATED, SIGNER
from msgspec.structs import replace

from kleos.events import canonical
from kleos.events.bundle import Bundle, pack, unpack
from kleos.events.envelope import commitment
from kleos.events.merkle import Edge, leaf
from kleos.events.notary import Notary
from kleos.events.note import Signer
from kleos.events.rotation import rotate

STRANGER: Final = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(32)))
LISTS: Final = ("events", "openings", "signatures")


class Case(NamedTuple):
    """The bundle of a match, and the same with all that others have said of it."""

    bundle: Bundle
    told: Bundle
    """With the ledger's proof and two cosignatures, after the server's key was rotated."""

    @classmethod
    def of(cls, record: Record) -> Case:
        said = record.testimony(signer=ROTATED)
        return cls(unpack(record.bundle()), unpack(record.bundle(signer=ROTATED, said=said)))

    def event(self, version: int) -> dict[str, Any]:
        found: dict[str, Any] = canonical.decode(self.bundle.events[version - 1])
        return found

    def first(self, wanted: Callable[[dict[str, Any]], bool]) -> int | None:
        """The first version whose public event is such a one."""
        return next((each for each in range(2, len(self.bundle.events)) if wanted(self.event(each))), None)


class Tamper(NamedTuple):
    """One change: ``do`` gives the bundle, and the version at which it must be noticed.

    ``step`` is what the verifier must name, and that version, or none where ``blamed`` is false. ``needs`` is
    what a match must have for it: dice, no dice, an undo, a deck, a hidden choice, or signed moves.
    """

    kind: str
    place: str
    by: str
    step: str
    do: Callable[[Case], tuple[Bundle | bytes, int]]
    blamed: bool = True
    needs: str = ""


# The tools of both


def put(lines: Sequence[Any], version: int, line: Any) -> tuple[Any, ...]:
    return (*lines[: version - 1], line, *lines[version:])


def counted(bundle: Bundle, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Bundle:
    """The same done to events, openings and signatures, and the manifest told."""
    lists = {name: change(getattr(bundle, name)) for name in LISTS}
    return replace(bundle, manifest=replace(bundle.manifest, events=len(lists["events"])), **lists)


def move(case: Case) -> int:
    """A move that is not among the first."""
    version = case.first(lambda event: event["kind"] == "move" and event["version"] > 4)
    assert version is not None
    return version


def sealed(case: Case) -> int:
    """A version after the first that has something sealed."""
    version = case.first(lambda event: bool(event["sealed"]))
    assert version is not None
    return version


# The outsider


def edited(name: str) -> Callable[[Case], tuple[Bundle, int]]:
    """A character of a line is another one; that of an event stays canonical, and in form."""

    def do(case: Case) -> tuple[Bundle, int]:
        version = sealed(case) if name == "openings" else move(case)
        line = getattr(case.bundle, name)[version - 1]
        if name == "signatures":
            other: Any = line[:-4] + ("A" if line[-4] != "A" else "B") + line[-3:]
        else:
            at = line.index(b'"salt":"' if name == "openings" else b'"state":"') + 9
            other = line[:at] + (b"A" if line[at : at + 1] != b"A" else b"B") + line[at + 1 :]
        return replace(case.bundle, **{name: put(getattr(case.bundle, name), version, other)}), version

    return do


def dropped(name: str) -> Callable[[Case], tuple[Bundle, int]]:
    def do(case: Case) -> tuple[Bundle, int]:
        lines = getattr(case.bundle, name)
        return replace(case.bundle, **{name: lines[:3] + lines[4:]}), 4

    return do


def swapped(name: str) -> Callable[[Case], tuple[Bundle, int]]:
    """A line and the next one; openings are missed nowhere, and noticed where they do not belong."""

    def do(case: Case) -> tuple[Bundle, int]:
        version = sealed(case) if name == "openings" else move(case)
        lines = getattr(case.bundle, name)
        first, second = lines[version - 1 : version + 1]
        noticed = version + 1 if second == b"{}" else version
        return replace(case.bundle, **{name: put(put(lines, version, second), version + 1, first)}), noticed

    return do


def doubled(name: str) -> Callable[[Case], tuple[Bundle, int]]:
    """A line stands again in the place of the next one."""

    def do(case: Case) -> tuple[Bundle, int]:
        version = sealed(case) if name == "openings" else move(case)
        lines = getattr(case.bundle, name)
        return replace(case.bundle, **{name: put(lines, version + 1, lines[version - 1])}), version + 1

    return do


def shortened(name: str) -> Callable[[Case], tuple[Bundle, int]]:
    def do(case: Case) -> tuple[Bundle, int]:
        version = sealed(case) if name == "openings" else move(case)
        lines = getattr(case.bundle, name)
        line = lines[version - 1]
        return replace(case.bundle, **{name: put(lines, version, line[: len(line) // 2])}), version

    return do


def without_event(case: Case) -> tuple[Bundle, int]:
    version = move(case)
    return counted(case.bundle, lambda lines: lines[: version - 1] + lines[version:]), version


def with_event_twice(case: Case) -> tuple[Bundle, int]:
    version = move(case)
    return counted(case.bundle, lambda lines: lines[:version] + lines[version - 1 :]), version + 1


def cut_file(case: Case) -> tuple[bytes, int]:
    return pack(case.bundle)[:-7], 1


def other_manifest(**fields: Any) -> Callable[[Case], tuple[Bundle, int]]:
    return lambda case: (replace(case.bundle, manifest=replace(case.bundle.manifest, **fields)), 1)


def other_keys(keys: Callable[[str], tuple[str, ...]]) -> Callable[[Case], tuple[Bundle, int]]:
    return lambda case: (replace(case.bundle, keys=keys(case.bundle.keys[0])), 1)


def by_a_stranger(case: Case) -> tuple[Bundle, int]:
    return signed_anew(replace(case.bundle, keys=(STRANGER.verifier.vkey,)), STRANGER), 1


# The server


def signed_anew(bundle: Bundle, signer: Signer = SIGNER) -> Bundle:
    """The bundle with right signatures over whatever is in it."""
    edge, lines = Edge(), []
    for event in bundle.events:
        edge = edge.append(leaf(event))
        note = Notary(signer).checkpoint(bundle.manifest.match, edge.size, edge.root)
        lines.append(note.rstrip("\n").rpartition("\n")[2])
    return replace(bundle, signatures=tuple(lines))


Change = Callable[[dict[str, Any], dict[str, Any]], None]
"""What is done to an event and to its payloads by audience."""


def forged(case: Case, version: int, change: Change) -> tuple[Bundle, int]:
    """An event written anew by the server: sealed, hashed and signed as if it had been so from the first."""
    event, openings = case.event(version), canonical.decode(case.bundle.openings[version - 1])
    change(event, {audience: each["payload"] for audience, each in openings.items()})
    for audience, opening in openings.items():
        event["sealed"][audience] = commitment(audience, msgspec.Raw(canonical.encode(opening)))
    bundle = replace(
        case.bundle,
        events=put(case.bundle.events, version, canonical.encode(event)),
        openings=put(case.bundle.openings, version, canonical.encode(openings)),
    )
    return signed_anew(bundle), version


def at_move(change: Callable[[Case, dict[str, Any]], None]) -> Callable[[Case], tuple[Bundle, int]]:
    return lambda case: forged(case, move(case), lambda event, _: change(case, event))


def at_first(change: Change) -> Callable[[Case], tuple[Bundle, int]]:
    return lambda case: forged(case, 1, change)


def found(case: Case, wanted: Callable[[dict[str, Any]], Any]) -> int:
    version = case.first(lambda event: bool(wanted(event)))
    assert version is not None
    return version


def dice(case: Case) -> int:
    return found(case, lambda event: event["effects"] and event["effects"][-1]["type"] == "dice_opened")


def with_dice(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Case], tuple[Bundle, int]]:
    return lambda case: forged(case, dice(case), lambda event, _: change(event["effects"]))


def other_anchor(case: Case) -> tuple[Bundle, int]:
    spoiled, _ = forged(case, 1, lambda event, _: event["effects"][0].update(dice="0" * 64))
    return spoiled, dice(case)


def other_die(effects: list[dict[str, Any]]) -> None:
    thrown = next(each for each in effects if "die" in each or "dice" in each)
    if "die" in thrown:
        thrown["die"] = thrown["die"] % 6 + 1
    else:
        thrown["dice"] = [2 if thrown["dice"][0] != 2 else 1, *thrown["dice"][1:]]


def other_link(effects: list[dict[str, Any]]) -> None:
    effects[-1]["link"] = effects[-1]["link"][::-1]


def other_deck(case: Case) -> tuple[Bundle, int]:
    """The longest deck in the other order."""

    def reverse(_: dict[str, Any], payloads: dict[str, Any]) -> None:
        decks = [(at, each) for at, each in payloads["server"].items() if isinstance(each, list)]
        at, deck = max(decks, key=lambda place: len(place[1]))
        payloads["server"][at] = deck[::-1]

    return forged(case, sealed(case), reverse)


def other_card(case: Case) -> tuple[Bundle, int]:
    """A card that a player has chosen in secret is another one."""
    version = found(case, lambda event: event["kind"] == "move" and event["action"].get("card", 0) is None)

    def exchange(_: dict[str, Any], payloads: dict[str, Any]) -> None:
        payload = next(each for each in payloads.values() if "/action/card" in each)
        card = payload["/action/card"]
        other = -card if isinstance(card, int) else f"not {card}"
        payload.update({at: other for at, each in payload.items() if each == card})

    return forged(case, version, exchange)


def last_effect(change: Callable[[list[Any]], None]) -> Callable[[Case], tuple[Bundle, int]]:
    return at_move(lambda _, event: change(event["effects"]))


def other_state(case: Case, event: dict[str, Any]) -> None:
    event["state"] = case.event(event["version"] - 1)["state"]


def other_paragraph(case: Case) -> tuple[Bundle, int]:
    """Of the start: it hangs on no chance."""

    def rename(event: dict[str, Any], _: dict[str, Any]) -> None:
        next(each for each in event["effects"] if each["type"] == "match_started")["rule"] = "chess.1"

    version = next(
        version
        for version in range(1, len(case.bundle.events))
        if any(each["type"] == "match_started" for each in case.event(version)["effects"])
    )
    return forged(case, version, rename)


def other_head(case: Case) -> tuple[Bundle, int]:
    def move_on(event: dict[str, Any], _: dict[str, Any]) -> None:
        moved = next(each for each in event["effects"] if each["type"] == "head_moved")
        moved["to"] -= 1

    return forged(case, found(case, lambda event: event["kind"] == "undo"), move_on)


def later(case: Case) -> tuple[Bundle, int]:
    """By a millisecond, and before what follows."""
    version = found(
        case,
        lambda event: event["kind"] == "move" and case.event(event["version"] + 1)["at"] > event["at"] + 1,
    )
    return forged(case, version, lambda event, _: event.update(at=event["at"] + 1))


def signature(change: Callable[[Case, dict[str, Any]], None]) -> Callable[[Case], tuple[Bundle, int]]:
    def do(case: Case) -> tuple[Bundle, int]:
        version = found(case, lambda event: event["version"] > 6 and event.get("signature"))
        return forged(case, version, lambda event, _: change(case, event))

    return do


def earlier_signature(case: Case, event: dict[str, Any]) -> None:
    earlier = found(case, lambda each: each.get("signature"))
    assert earlier < event["version"]
    event["signature"] = case.event(earlier)["signature"]


def without_signature(_: Case, event: dict[str, Any]) -> None:
    del event["signature"]


def cut_log(case: Case) -> tuple[Bundle, int]:
    """The last events were never there: the log is a right one."""
    return counted(case.bundle, lambda lines: lines[:-2]), 1


def other_log(case: Case) -> tuple[Bundle, int]:
    """The last event came by another command: the log is a right one, and not the one that was shown."""
    spoiled, _ = forged(case, len(case.bundle.events), lambda event, _: event.update(command="another"))
    return spoiled, 1


def said(
    name: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Callable[[Case], tuple[Bundle, int]]:
    """What is said of the log beside it is changed."""
    return lambda case: (replace(case.told, **{name: change(getattr(case.told, name))}), 1)


def a_character(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Of the last signature, or hash."""
    at = len(lines[0].rstrip("\n")) - 8
    return (lines[0][:at] + ("A" if lines[0][at] != "A" else "B") + lines[0][at + 1 :], *lines[1:])


def after_all_have_said_so(*, ledger: bool) -> Callable[[Case], tuple[Bundle, int]]:
    """An event is another one, after the ledger, or only the witnesses, had the head of the log."""

    def do(case: Case) -> tuple[Bundle, int]:
        bundle = case.told if ledger else replace(case.told, ledger=())
        event = canonical.decode(bundle.events[0]) | {"command": "another"}
        bundle = replace(bundle, events=put(bundle.events, 1, canonical.encode(event)))
        return signed_anew(bundle, ROTATED), 1

    return do


def by_another_successor(case: Case) -> tuple[Bundle, int]:
    """The key of a stranger follows, as the stranger says, from that of the server."""
    note = rotate(STRANGER, Signer(STRANGER.name, Ed25519PrivateKey.from_private_bytes(bytes([7] * 32))), 1)
    note = note.replace(STRANGER.verifier.vkey, SIGNER.verifier.vkey)
    return replace(case.told, rotations=(note,)), 1


def _rows(kind: str, what: str, do: Any, steps: Sequence[str], *, blamed: bool = True) -> list[Tamper]:
    """The same done to a line of each of the lists, by somebody without the key."""
    each = zip(LISTS, steps, strict=True)
    return [Tamper(kind, f"{name}: {what}", "outsider", step, do(name), blamed) for name, step in each]


MATRIX: Final = (
    *_rows("edit", "a character", edited, ["signatures", "commitments", "signatures"]),
    Tamper("edit", "kleos.json: number of events", "outsider", "bundle", other_manifest(events=3), False),
    Tamper("edit", "kleos.json: format", "outsider", "bundle", other_manifest(format="kleos/2"), False),
    Tamper("edit", "kleos.json: match", "outsider", "form", other_manifest(match=MATCH[::-1])),
    Tamper("edit", "kleos.json: match, no id", "outsider", "bundle", other_manifest(match="../match"), False),
    Tamper("edit", "kleos.json: rules", "outsider", "form", other_manifest(rules="chess/1")),
    Tamper("edit", "kleos.json: origin", "outsider", "signatures", other_manifest(origin="kleos/m/0"), False),
    Tamper("edit", "keys: a character", "outsider", "signatures",
           other_keys(lambda key: (key[:-1] + "A",)), False),
    *_rows("drop", "a line", dropped, ["bundle"] * 3, blamed=False),
    Tamper("drop", "keys: all", "outsider", "bundle", other_keys(lambda _: ()), False),
    Tamper("drop", "an event with all that goes with it", "outsider", "form", without_event),
    *_rows("swap", "two lines", swapped, ["form", "commitments", "signatures"]),
    *_rows("duplicate", "a line in the place of the next", doubled, ["form", "commitments", "signatures"]),
    Tamper("duplicate", "an event with all that goes with it", "outsider", "form", with_event_twice),
    *_rows("truncate", "a line", shortened, ["form", "commitments", "signatures"]),
    Tamper("edit", "rotations: a character", "outsider", "signatures", said("rotations", a_character), False),
    Tamper("edit", "ledger: a character", "outsider", "ledger", said("ledger", a_character), False),
    Tamper("edit", "cosignatures: a character", "outsider", "witnesses",
           said("cosignatures", a_character), False),
    Tamper("drop", "rotations: all", "outsider", "signatures", said("rotations", lambda _: ()), False),
    Tamper("swap", "cosignatures: two lines", "outsider", "witnesses",
           said("cosignatures", lambda lines: lines[::-1]), False),
    Tamper("duplicate", "rotations: a line", "outsider", "signatures",
           said("rotations", lambda lines: lines * 2), False),
    Tamper("duplicate", "ledger: the proof", "outsider", "bundle",
           said("ledger", lambda lines: lines * 2), False),
    Tamper("duplicate", "cosignatures: a line", "outsider", "witnesses",
           said("cosignatures", lambda lines: lines[:1] * 2), False),
    Tamper("truncate", "ledger: the proof", "outsider", "ledger",
           said("ledger", lambda lines: (lines[0][:-90],)), False),
    Tamper("truncate", "cosignatures: a line", "outsider", "witnesses",
           said("cosignatures", lambda lines: (lines[0][:-9],)), False),
    Tamper("truncate", "the file", "outsider", "bundle", cut_file, False),
    Tamper("truncate", "the log, beside a receipt", "server", "receipts", cut_log),
    Tamper("fork the log", "another last event, beside a receipt", "server", "receipts", other_log),
    Tamper("fork the log", "another event than the ledger has", "server", "ledger",
           after_all_have_said_so(ledger=True), False),
    Tamper("fork the log", "another event than was cosigned", "server", "witnesses",
           after_all_have_said_so(ledger=False), False),
    Tamper("re-sign", "all, with another key", "outsider", "signatures", by_a_stranger),
    Tamper("re-sign", "a rotation, with another key", "outsider", "signatures", by_another_successor, False),
    Tamper("other dice", "a die", "server", "chance", with_dice(other_die), needs="dice"),
    Tamper("other dice", "a link", "server", "dice", with_dice(other_link), needs="dice"),
    Tamper("other dice", "the anchor", "server", "dice", other_anchor, needs="dice"),
    Tamper("other dice", "the anchor, where no die fell", "server", "chance",
           at_first(lambda event, _: event["effects"][0].update(dice="0" * 64)), needs="no dice"),
    Tamper("other deck", "a shuffle", "server", "chance", other_deck, needs="deck"),
    Tamper("other deck", "the seed", "server", "chance",
           at_first(lambda _, payloads: payloads["server"].update({"/effects/0/seed": "0" * 64}))),
    Tamper("other rules", "the options", "server", "rules",
           at_first(lambda event, _: event["effects"][0]["options"].update(more=1))),
    Tamper("other rules", "an effect less", "server", "rules", last_effect(lambda effects: effects.pop(0))),
    Tamper("other rules", "an effect twice", "server", "rules",
           last_effect(lambda effects: effects.append(effects[0]))),
    Tamper("other rules", "another paragraph", "server", "rules", other_paragraph),
    Tamper("other rules", "another head after an undo", "server", "rules", other_head, needs="undo"),
    Tamper("other move", "a hidden choice", "server", "rules", other_card, needs="card"),
    Tamper("other move", "somebody else's", "server", "rules",
           at_move(lambda _, event: event.update(player="eris"))),
    Tamper("other move", "the creator", "server", "rules",
           at_first(lambda event, _: event["effects"][0].update(creator="eris"))),
    Tamper("other state", "the digest", "server", "states", at_move(other_state)),
    Tamper("other time", "before the event before", "server", "form",
           at_move(lambda _, event: event.update(at=1))),
    Tamper("other time", "a millisecond later", "server", "states", later),
    Tamper("other signature", "none", "server", "players", signature(without_signature), needs="signed"),
    Tamper("other signature", "that of another move", "server", "players",
           signature(earlier_signature), needs="signed"),
    Tamper("other signature", "for another action", "server", "players",
           signature(lambda _, event: event["action"].update(type="another")), needs="signed"),
)  # fmt: skip


def table() -> str:
    """The matrix as ``docs/proof.md`` shows it."""
    head = "| what is done | where | by | found at | event |\n|---|---|---|---|---|\n"
    rows = (
        f"| {each.kind} | {each.place} | {each.by} | {each.step} | {'named' if each.blamed else '-'} |"
        for each in MATRIX
    )
    return head + "\n".join(rows) + "\n"
