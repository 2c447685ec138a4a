"""A second verifier, written from docs/log-format.md, docs/chance.md, docs/match.md and docs/proof.md alone.

It uses the standard library and ``cryptography``, and nothing of Kleos. It has no rules, so it goes as far as
one can without: the file, the form, the signatures, the commitments, the links of the dice, that the first
anchor and the dice of the games in ``DICE`` are those of the seed, the digest of the first state, when there
is no game yet or one that goes on from a position, and that a fork or a rematch comes from its parent.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.verifier import ancestry
from tests.verifier.standing import Standing, possible, standings

MEMBERS = ["kleos.json", "events", "openings", "signatures", "keys", "rotations", "ledger", "cosignatures"]
FIELDS = {
    **dict.fromkeys(("v", "version", "at"), (int,)),
    **dict.fromkeys(("match", "kind", "state", "rules", "command"), (str,)),
    "seat": (int, type(None)),
    "player": (str, type(None)),
    "action": (dict,),
    "effects": (list,),
    "sealed": (dict,),
    "signature": (dict, type(None)),
}
OPTIONAL = {"command", "signature"}
DICE = {
    "tiny/1": ("dice_rolled", "die", (1, 2, 3, 4, 5, 6)),
    "cyclades/1": ("round_fought", "dice", (0, 1, 1, 2, 2, 3)),
}
"""Where a game writes down its dice: the effect, the field, and what is on the faces 1, 2, …"""
CHAIN = 2048
Wrong = tuple[str, int | None]
Json = Any


class Refused(Exception):
    """A step fails: its name, and the event that is to blame."""

    def __init__(self, step: str, version: int | None = None) -> None:
        super().__init__(step, version)
        self.wrong: Wrong = (step, version)


class Found(NamedTuple):
    """``wrong`` is None if every step holds; ``complete`` if all sealed parts are open."""

    wrong: Wrong | None
    complete: bool


class Looked(NamedTuple):
    """A bundle that was looked at: what was found, its match, the root after each event, and if all is open
    the log.
    """

    found: Found
    match: str | None = None
    heads: list[bytes] = []  # noqa: RUF012 - never changed
    log: ancestry.Log | None = None


def check(data: bytes, keys: Iterable[str], parents: Sequence[bytes] = ()) -> Found:
    """Steps 1 to 9 and 13 of docs/proof.md, and as much of steps 10 to 12 as can be done without rules."""
    return looked(data, list(keys), parents).found


def looked(data: bytes, keys: list[str], parents: Sequence[bytes]) -> Looked:
    try:
        told, members = opened_file(data)
    except Refused as refused:
        return Looked(Found(refused.wrong, False))
    try:
        heads, log = taken(told, members, keys)
        parent(json.loads(members["events"][0]), log, keys, parents)
    except Refused as refused:
        return Looked(Found(refused.wrong, False), told["match"])
    return Looked(Found(None, log is not None), told["match"], heads, log)


def taken(
    told: dict[str, Json], members: dict[str, list[bytes]], keys: list[str]
) -> tuple[list[bytes], ancestry.Log | None]:
    """Steps 2 to 12: the roots, and the log if all of it is open."""
    events = [form(told, line, n) for n, line in enumerate(members["events"], 1)]
    form_together(events)
    believed = signatures(told, members, keys)
    heads = list(roots(members["events"]))
    ledger(told, members, heads, believed)
    witnesses(told, members, heads, events)
    openings = [commitments(event, line) for event, line in zip(events, members["openings"], strict=True)]
    players(events, openings, heads)
    links(events)
    complete = all(
        event["sealed"].keys() == each.keys() for event, each in zip(events, openings, strict=True)
    )
    if "server" not in openings[0]:
        return heads, None
    seed = openings[0]["server"]["/effects/0/seed"]
    chance(told, events, bytes.fromhex(seed))
    first = filled(events[0], openings[0])
    first_state(first, seed)
    return heads, ancestry.Log(events, first, seed) if complete else None


# Canonical JSON


def refuse(*_: object) -> NoReturn:
    raise ValueError("not canonical")


def no_doubles(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else refuse()


def plain(value: Json, deep: int = 64) -> None:
    """Only what canonical JSON has: ASCII keys, integers up to 2^53 - 1, at most 64 levels."""
    if isinstance(value, int) and abs(value) > 2**53 - 1:
        refuse()
    if isinstance(value, dict | list):
        if deep == 0 or (isinstance(value, dict) and not all(key.isascii() for key in value)):
            refuse()
        for each in value.values() if isinstance(value, dict) else value:
            plain(each, deep - 1)


def canonical(data: bytes) -> Json:
    try:
        value = json.loads(
            data.decode("utf-8"), parse_float=refuse, parse_constant=refuse, object_pairs_hook=no_doubles
        )
        plain(value)
    except (RecursionError, UnicodeDecodeError) as error:
        raise ValueError("not canonical") from error
    if written(value) != data:
        refuse()
    return value


def written(value: Json) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8")


# 1. The file


def opened_file(data: bytes) -> tuple[dict[str, Json], dict[str, list[bytes]]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.namelist() != MEMBERS:
                raise Refused("bundle")
            if any(each.compress_type for each in archive.infolist()):
                raise Refused("bundle")
            contents = [(name, archive.read(name)) for name in MEMBERS]
        again = io.BytesIO()
        with zipfile.ZipFile(again, "w") as archive:
            for name, content in contents:
                member = zipfile.ZipInfo(name)
                member.create_system = 3
                member.external_attr = 0o100644 << 16
                archive.writestr(member, content)
        if again.getvalue() != data or any(content[-1:] not in (b"", b"\n") for _, content in contents):
            raise Refused("bundle")
        members = {name: content.split(b"\n")[:-1] for name, content in contents}
        (head,) = members["kleos.json"]
        told = canonical(head)
        for name in ("signatures", "keys", "cosignatures"):
            b"".join(members[name]).decode()
        if not all(isinstance(canonical(line), str) for line in members["rotations"] + members["ledger"]):
            raise Refused("bundle")
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise Refused("bundle") from error
    texts = ("format", "match", "origin", "rules")
    if not isinstance(told, dict) or set(told) != {"events", *texts} or type(told["events"]) is not int:
        raise Refused("bundle")
    if not all(isinstance(told[each], str) for each in texts) or told["format"] != "kleos/1":
        raise Refused("bundle")
    if not re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", told["match"]):
        raise Refused("bundle")
    counts = {len(members[name]) for name in ("events", "openings", "signatures")}
    if counts != {told["events"]} or told["events"] < 1 or not members["keys"]:
        raise Refused("bundle")
    if len(members["ledger"]) > 1:
        raise Refused("bundle")
    return told, members


# 2. The form


def form(told: dict[str, Json], line: bytes, n: int) -> dict[str, Json]:
    try:
        event = canonical(line)
    except ValueError as error:
        raise Refused("form", n) from error
    if not isinstance(event, dict) or event.keys() | OPTIONAL != FIELDS.keys():
        raise Refused("form", n)
    if not all(type(event[field]) in FIELDS[field] for field in event):
        raise Refused("form", n)
    if (event["v"], event["match"], event["rules"], event["version"]) != (1, told["match"], told["rules"], n):
        raise Refused("form", n)
    if not all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in event["effects"]):
        raise Refused("form", n)
    if not all(isinstance(each, str) for each in event["sealed"].values()):
        raise Refused("form", n)
    return event


def form_together(events: list[dict[str, Json]]) -> None:
    for n in range(1, len(events)):
        if events[n]["at"] < events[n - 1]["at"]:
            raise Refused("form", n + 1)
    first = events[0]["effects"]
    if not first or first[0]["type"] != "match_created" or "parent" not in first[0]:
        raise Refused("form", 1)


# 3. Signatures


def roots(entries: Iterable[bytes]) -> Iterator[bytes]:
    """The RFC 6962 root after each entry."""
    edge: list[tuple[int, bytes]] = []
    for entry in entries:
        size, top = 1, hashlib.sha256(b"\x00" + entry).digest()
        while edge and edge[-1][0] == size:
            top = hashlib.sha256(b"\x01" + edge.pop()[1] + top).digest()
            size *= 2
        edge.append((size, top))
        root = edge[-1][1]
        for _, left in reversed(edge[:-1]):
            root = hashlib.sha256(b"\x01" + left + root).digest()
        yield root


def unbased(text: str) -> bytes:
    octets = base64.b64decode(text, validate=True)
    return octets if base64.b64encode(octets).decode() == text else refuse()


Key = tuple[str, bytes, bytes]
"""The name, the id, the 32 bytes."""


def parsed_key(vkey: str, kind: bytes = b"\x01") -> Key:
    name, number, material = vkey.split("+", 2)
    octets = unbased(material)
    named = hashlib.sha256(name.encode() + b"\n" + octets).digest()[:4]
    if not name or re.search(r"\s", name) or octets[:1] != kind or named.hex() != number:
        refuse()
    Ed25519PublicKey.from_public_bytes(octets[1:])
    return name, named, octets[1:]


def signatures(told: dict[str, Json], members: dict[str, list[bytes]], trusted: list[str]) -> list[Key]:
    """The keys that are believed."""
    origin: str = told["origin"]
    try:
        own = [parsed_key(line.decode()) for line in members["keys"]]
        chain(own, [canonical(line) for line in members["rotations"]])
        keys = [parsed_key(each) for each in trusted] or own
    except ValueError as error:
        raise Refused("signatures") from error
    known = [place for place, key in enumerate(own) if key in keys]
    keys += own[: max(known, default=0)]
    if not origin.endswith(f"/m/{told['match']}"):
        raise Refused("signatures")
    every = zip(roots(members["events"]), members["signatures"], strict=True)
    for n, (root, line) in enumerate(every, 1):
        if not signed(head(origin, n, root), line.decode(), keys):
            raise Refused("signatures", n)
    return keys


def chain(keys: list[Key], rotations: list[str]) -> None:
    """Each key, the oldest first, has named the next one as its successor, and that one has said so too."""
    if len(keys) != len(rotations) + 1 or len(set(keys)) != len(keys):
        refuse()
    oldest_first = keys[::-1]
    for old, new, note in zip(oldest_first, oldest_first[1:], rotations, strict=False):
        text, gap, lines = note.rpartition("\n\n")
        stated = [*text.split("\n"), "", "", "", ""]
        if stated[0] != "kleos/key-rotation/v1" or len(stated) != 8 or old[0] != new[0]:
            refuse()
        if [parsed_key(each) for each in stated[1:3]] != [old, new]:
            refuse()
        if not re.fullmatch(r"0|[1-9][0-9]{0,14}", stated[3]) or lines[-1:] != "\n":
            refuse()
        if not gap or re.search(r"[\x00-\x09\x0b-\x1f]", note):
            refuse()
        for key in (old, new):
            if not noted(text + "\n", lines[:-1].split("\n"), [key]):
                refuse()


def head(origin: str, size: int, root: bytes) -> str:
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def noted(text: str, lines: list[str], keys: list[Key]) -> bool:
    """Whether a key that is believed has signed a note, and none of them wrongly."""
    held = False
    for line in lines[:64]:
        named = line.split(" ")
        if len(named) != 3 or named[0] != "—" or not named[1] or "+" in named[1]:
            return False
        if len(unbased(named[2])) < 5:
            return False
        if any((named[1], unbased(named[2])[:4]) == key[:2] for key in keys):
            if not signed(text, line, keys):
                return False
            held = True
    return held


def signed(text: str, line: str, keys: list[Key]) -> bool:
    if re.search(r"[\x00-\x1f]", line):
        return False
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    try:
        octets = unbased(encoded)
    except ValueError:
        return False
    held = False
    for known, named, key in keys:
        if (dash, name, octets[:4]) == ("—", known, named):
            try:
                Ed25519PublicKey.from_public_bytes(key).verify(octets[4:], text.encode())
            except InvalidSignature:
                return False
            held = True
    return held


# 5. The ledger


def ledger(
    told: dict[str, Json], members: dict[str, list[bytes]], heads: list[bytes], keys: list[Key]
) -> None:
    for line in members["ledger"]:
        try:
            inscribed(told, canonical(line), heads, keys)
        except ValueError as error:
            raise Refused("ledger") from error


def inscribed(told: dict[str, Json], proof: str, heads: list[bytes], keys: list[Key]) -> None:
    """A tlog-proof that the head of this log is an entry of the server's own."""
    before, _, note = proof.partition("\n\n")
    first, extra, index, *path = before.split("\n")
    text, gap, lines = note.rpartition("\n\n")
    place = re.fullmatch(r"index (0|[1-9][0-9]{0,18})", index)
    if first != "c2sp.org/tlog-proof@v1" or not extra.startswith("extra ") or not place or not gap:
        refuse()
    if re.search(r"[\x00-\x09\x0b-\x1f]", note) or lines[-1:] != "\n":
        refuse()
    if not noted(text + "\n", lines[:-1].split("\n"), keys):
        refuse()
    entry = unbased(extra.removeprefix("extra "))
    host = told["origin"].removesuffix(f"/m/{told['match']}")
    name = hashlib.sha256(frame("kleos/ledger-name/v1", told["match"].encode())).digest()
    under = f"{host}/v1/log/{base64.urlsafe_b64encode(name).decode().rstrip('=')}"
    origin, size, root = text.split("\n")[:3]
    if origin != f"{host}/v1/log" or not re.fullmatch(r"0|[1-9][0-9]{0,18}", size):
        refuse()
    sizes = {head(under, n, each).encode(): n for n, each in enumerate(heads, 1)}
    if entry not in sizes:
        refuse()
    at, last, found = int(place[1]), int(size) - 1, hashlib.sha256(b"\x00" + entry).digest()
    if at > last:
        refuse()
    for each in map(unbased, path):
        if last == 0 or len(each) != 32:
            refuse()
        if at % 2 or at == last:
            found = hashlib.sha256(b"\x01" + each + found).digest()
            while at and not at % 2:
                at, last = at // 2, last // 2
        else:
            found = hashlib.sha256(b"\x01" + found + each).digest()
        at, last = at // 2, last // 2
    if last or found != unbased(root):
        refuse()


# 6. Witnesses


def witnesses(
    told: dict[str, Json], members: dict[str, list[bytes]], heads: list[bytes], events: list[dict[str, Json]]
) -> None:
    host = told["origin"].removesuffix(f"/m/{told['match']}")
    seated = {
        f"{host}/p/{effect['player']}": effect["key"]
        for event in events
        for effect in event["effects"]
        if effect["type"] == "seat_filled"
    }
    try:
        lines = [line.decode() for line in members["cosignatures"]]
        order = [cosigned(told["origin"], line, heads, seated) for line in lines]
        if order != sorted(set(order)):
            refuse()
    except (ValueError, InvalidSignature) as error:
        raise Refused("witnesses") from error


def cosigned(
    origin: str, line: str, heads: list[bytes], seated: dict[str, str | None]
) -> tuple[int, str, str]:
    size, vkey, dash, name, encoded = line.split(" ")
    witness, named, public = parsed_key(vkey, b"\x04")
    octets = unbased(encoded)
    stamp = int.from_bytes(octets[4:12], "big")
    if not re.fullmatch("[1-9][0-9]{0,15}", size) or int(size) > len(heads) or not 0 < stamp < 2**63:
        refuse()
    if (dash, name, octets[:4], len(octets)) != ("—", witness, named, 76):
        refuse()
    if (seated.get(witness) or base64.b64encode(public).decode()) != base64.b64encode(public).decode():
        refuse()
    text = f"cosignature/v1\ntime {stamp}\n{head(origin, int(size), heads[int(size) - 1])}"
    Ed25519PublicKey.from_public_bytes(public).verify(octets[12:], text.encode())
    return int(size), vkey, f"{dash} {name} {encoded}"


# 7. Commitments


def frame(label: str, *fields: bytes) -> bytes:
    return b"".join(len(each).to_bytes(8, "big") + each for each in (label.encode(), *fields))


def commitments(event: dict[str, Json], line: bytes) -> dict[str, dict[str, Json]]:
    """The payloads by audience."""
    n = event["version"]
    try:
        openings = canonical(line)
    except ValueError as error:
        raise Refused("commitments", n) from error
    if not isinstance(openings, dict):
        raise Refused("commitments", n)
    for audience, opening in openings.items():
        told = hashlib.sha256(frame("kleos/sealed/v1", audience.encode(), written(opening))).digest()
        if base64.urlsafe_b64encode(told).decode().rstrip("=") != event["sealed"].get(audience):
            raise Refused("commitments", n)
        if not isinstance(opening, dict) or not isinstance(opening.get("payload"), dict):
            raise Refused("commitments", n)
    return {audience: opening["payload"] for audience, opening in openings.items()}


def filled(public: Json, payloads: dict[str, dict[str, Json]]) -> Json:
    """What is public, with those of the opened parts that belong into it."""
    whole: Json = json.loads(json.dumps(public))
    places = [place for payload in payloads.values() for place in payload.items()]
    for pointer, value in sorted(places, key=lambda place: place[0].count("/")):
        *steps, last = pointer.split("/")[1:]
        if [*steps, last][0] in whole:
            holder: Json = whole
            for step in steps:
                holder = holder[int(step)] if isinstance(holder, list) else holder[step]
            holder[int(last) if isinstance(holder, list) else last] = value
    return whole


# 8. Players


def players(events: list[dict[str, Json]], openings: list[dict[str, Json]], heads: list[bytes]) -> None:
    keys: dict[int, str | None] = {}
    must = events[0]["effects"][0].get("signed") is True
    for event, payloads in zip(events, openings, strict=True):
        n = event["version"]
        if "signature" in event:
            try:
                player(event, payloads, heads[n - 2], keys)
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, InvalidSignature) as error:
                raise Refused("players", n) from error
        elif must and event["kind"] == "move" and event["player"] is not None:
            raise Refused("players", n)
        for effect in event["effects"]:
            if effect["type"] == "seat_filled":
                keys[effect["seat"]] = effect["key"]


def player(
    event: dict[str, Json], payloads: dict[str, Json], head: bytes, keys: dict[int, str | None]
) -> None:
    whole = filled({"action": event["action"], "signature": event["signature"]}, payloads)
    given = whole["signature"]
    if given is None:
        return
    root = base64.b64encode(head).decode()
    if given.keys() != {"size", "root", "signature"} or given["size"] != event["version"] - 1:
        refuse()
    if given["root"] != root:
        refuse()
    told = {
        "action": whole["action"],
        "match": event["match"],
        "root": root,
        "seat": event["seat"],
        "size": given["size"],
        "type": "kleos/move/v1",
    }
    key = keys[event["seat"]] or refuse()
    Ed25519PublicKey.from_public_bytes(unbased(key)).verify(unbased(given["signature"]), written(told))


# 9. and 10. Dice


def back(link: bytes, steps: int) -> bytes:
    for _ in range(steps):
        link = hashlib.sha256(b"kleos/dice-link/v1" + link).digest()
    return link


def secret(effect: dict[str, Json], field: str, n: int) -> bytes:
    text = effect.get(field)
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{64}", text):
        raise Refused("dice", n)
    return bytes.fromhex(text)


def links(events: list[dict[str, Json]]) -> None:
    known, at, last = secret(events[0]["effects"][0], "dice", 1), 0, CHAIN
    for event in events:
        n = event["version"]
        for effect in event["effects"]:
            if effect["type"] == "dice_anchored":
                if n % CHAIN:
                    raise Refused("dice", n)
                known, at, last = secret(effect, "anchor", n), n, n + CHAIN
            elif effect["type"] == "dice_opened":
                link = secret(effect, "link", n)
                if not at < n <= last or back(link, n - at) != known:
                    raise Refused("dice", n)
                known, at = link, n


def keyed(key: bytes, *fields: Json) -> bytes:
    return hmac.new(key, json.dumps(fields, separators=(",", ":")).encode(), hashlib.sha256).digest()


def choices(key: bytes, n: int) -> Iterator[int]:
    """Uniform choices out of ``n`` from the stream of dice."""
    block = 0
    while True:
        octets = hmac.new(key, b"kleos/chance/dice/v1" + block.to_bytes(8, "big"), hashlib.sha256).digest()
        for place in range(0, 32, 4):
            word = int.from_bytes(octets[place : place + 4], "big")
            if word < 2**32 - 2**32 % n:
                yield word % n
        block += 1


def chance(told: dict[str, Json], events: list[dict[str, Json]], seed: bytes) -> None:
    first = events[0]["effects"][0]
    if back(keyed(seed, "kleos/dice-chain/v1", told["match"], 0), CHAIN).hex() != first["dice"]:
        raise Refused("chance", 1)
    if told["rules"] not in DICE:
        return
    kind, field, faces = DICE[told["rules"]]
    entropy = [""] * first["seats"]
    for event in events:
        for effect in event["effects"]:
            if effect["type"] == "seat_filled":
                entropy[effect["seat"]] = effect["entropy"]
        told_of = [each[field] for each in event["effects"] if each["type"] == kind]
        shown = [die for each in told_of for die in (each if isinstance(each, list) else [each])]
        opened = [each["link"] for each in event["effects"] if each["type"] == "dice_opened"]
        if shown and not opened:
            raise Refused("chance", event["version"])
        for link in opened:
            key = keyed(bytes.fromhex(link), "kleos/dice/v1", told["match"], event["version"], entropy)
            thrown = choices(key, len(faces))
            if shown != [faces[next(thrown)] for _ in shown]:
                raise Refused("chance", event["version"])


# 12. States


def state_digest(seed: str, match: str, standing: Standing, state: Json) -> str:
    key = hmac.digest(bytes.fromhex(seed), frame("kleos/state-key/v1", match.encode()), "sha256")
    mac = hmac.digest(key, frame("kleos/state/v1", written(standing), written(state)), "sha256")[:16]
    return base64.urlsafe_b64encode(mac).decode().rstrip("=")


def first_state(first: dict[str, Json], seed: str) -> None:
    """The state digest of a match without a game as yet, or with one that goes on from a position."""
    kinds = [each["type"] for each in first["effects"]]
    if not {*kinds} <= {"match_created", "seat_filled", "invited", "position_taken", "match_started"}:
        return
    positions = [each["state"] for each in first["effects"] if each["type"] == "position_taken"]
    if "match_started" in kinds and not positions:
        return
    (standing,) = standings([first])
    digests = [state_digest(seed, first["match"], each, [*positions, None][0]) for each in possible(standing)]
    if digests and first["state"] not in digests:
        raise Refused("states", 1)


# 13. The parent


def parent(
    first: dict[str, Json], log: ancestry.Log | None, keys: list[str], parents: Sequence[bytes]
) -> None:
    try:
        named = ancestry.named(first)
    except ValueError as error:
        raise Refused("parent", 1) from error
    if named is None or not parents:
        return
    every = [
        looked(data, keys, [*parents[:place], *parents[place + 1 :]]) for place, data in enumerate(parents)
    ]
    found = next((each for each in every if each.match == named["match"]), None)
    if found is None or found.found.wrong is not None:
        raise Refused("parent")
    root = named.get("root")
    if "version" in named:
        there = found.heads[: named["version"]] if named["version"] > 0 else []
        if len(there) != named["version"] or base64.b64encode(there[-1]).decode() != root:
            raise Refused("parent", 1)
    if log is None or found.log is None:
        return
    try:
        if ancestry.follows(log, found.log, root, state_digest):
            return
    except (LookupError, TypeError, ValueError) as error:
        raise Refused("parent", 1) from error
    raise Refused("parent", 1)
