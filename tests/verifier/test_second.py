"""The second verifier knows nothing of Kleos but its documents, and comes to the same verdicts."""

import ast
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tiny
from bundles import Cheat, Descended, Record, Signed, finished, followed, forked, key_of, other_effect
from matches import ROTATED, SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.core.kernel import Malformed
from kleos.core.kernel.registry import games, pinned
from kleos.core.match.actions import Leave
from kleos.events import canonical
from kleos.events.bundle import pack, unpack
from kleos.events.note import b64
from kleos.events.verifier import verify
from tests.verifier import second

KEYS = [SIGNER.verifier.vkey]
BLIND = {"chance", "rules", "states"}
"""Steps that need the rules."""


def agree(data: bytes) -> str:
    """Both come to the same verdict, as far as the second can see: which one."""
    report, found = verify(data, TRUSTED), second.check(data, KEYS)
    if report.failure is None:
        assert found == (None, report.status == "valid")
    elif report.failure.step in BLIND:
        version = report.failure.version
        assert found.wrong in (None, ("chance", version), ("states", version))
    else:
        assert found.wrong == (report.failure.step, report.failure.version), report.failure.reason
    return report.status


def spoiled(data: bytes, rng: random.Random) -> bytes:
    """The bundle with one line of one member spoiled: a byte, or its place."""
    bundle = unpack(data)
    member = rng.choice(["events", "openings", "signatures", "keys", "rotations", "ledger", "cosignatures"])
    lines = list(getattr(bundle, member))
    if not lines:
        return data
    n = rng.randrange(len(lines))
    match rng.choice(["byte", "byte", "swap", "double", "cut"]):
        case "byte":
            text = isinstance(lines[n], str)
            raw = lines[n].encode() if text else lines[n]
            at = rng.randrange(len(raw))
            other = bytes([rng.choice(b'"0159azAZ,:{}[] -') if rng.random() < 0.9 else raw[at] ^ 1])
            raw = raw[:at] + other + raw[at + 1 :]
            if member not in ("rotations", "ledger") and b"\n" in raw:
                return data
            try:
                lines[n] = raw.decode() if text else raw
            except UnicodeDecodeError:
                return data
        case "swap":
            m = rng.randrange(len(lines))
            lines[n], lines[m] = lines[m], lines[n]
        case "double":
            lines[n] = lines[n - 1]
        case "cut":
            lines[n] = lines[n][: len(lines[n]) // 2]
    return pack(replace(bundle, **{member: tuple(lines)}))


def made(rules: str, seed: int) -> Record:
    seats = pinned(rules).seats
    key = b64(key_of("player0").public_key().public_bytes_raw())
    return finished(rules, seats=seats[seed % len(seats)], seed=seed, key=key)


def test_it_is_written_without_any_part_of_kleos() -> None:
    tree = ast.parse(Path(second.__file__).read_text())
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    foreign = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    assert foreign == {"cryptography"}


@pytest.mark.parametrize("rules", games())
def test_both_agree_on_a_match_of_every_game_and_on_what_was_done_to_it(rules: str) -> None:
    record = made(rules, seed=1)
    data = record.bundle(signer=ROTATED, said=record.testimony(signer=ROTATED))
    agree(data)
    agree(record.bundle(lambda _version, audience: audience == "seat:0"))
    rng = random.Random(1)
    for _ in range(60 if len(record.entries) < 100 else 10):
        agree(spoiled(data, rng))


def test_both_find_dice_that_the_link_does_not_give() -> None:
    cheat = Cheat(other_effect(tiny.DiceRolled, die=lambda die: die % 6 + 1))
    data = cheat.bundle()
    agree(data)
    assert second.check(data, KEYS).wrong == ("chance", cheat.spoiled)


def test_both_find_a_first_state_that_is_not_the_one_recorded() -> None:
    record = made("tiny/1", seed=1)
    first, second_entry, *_ = record.entries
    other = canonical.decode(first.public) | {"state": canonical.decode(second_entry.public)["state"]}
    record.entries[0] = replace(first, public=canonical.encode(other))
    data = record.bundle()
    report = verify(data, TRUSTED)
    assert report.failure is not None
    assert (report.failure.step, report.failure.version) == ("states", 1)
    assert second.check(data, KEYS).wrong == ("states", 1)


def options(rng: random.Random, rules: str, seats: int) -> dict[str, Any]:
    """Some of the game's options, chosen at random, such as can be played by so many."""
    game = pinned(rules)
    while True:
        chosen = {
            field.name: rng.choice(choices)
            for field in msgspec.inspect.type_info(game.Options).fields
            if rng.random() < 0.3 and (choices := _choices(field.type))
        }
        try:
            game.settle(msgspec.convert(chosen, game.Options), seats)
        except Malformed:
            continue
        return chosen


def _choices(kind: Any) -> list[Any]:
    """The values of a type that has a few."""
    match kind:
        case msgspec.inspect.LiteralType(values=values):
            return list(values)
        case msgspec.inspect.BoolType():
            return [False, True]
        case msgspec.inspect.UnionType(types=types):
            return [value for each in types for value in _choices(each)]
    return []


def varied(rules: str, number: int) -> Record:
    """Match ``number`` of a game: every number of seats and preset in turn, and all that may happen."""
    rng = random.Random(f"{rules} {number}")
    seats = pinned(rules).seats
    count = seats[number % len(seats)]
    chosen = options(rng, rules, count) | {"preset": ("sheet", "rulebook")[number // len(seats) % 2]}
    kind = rng.choice(["plain", "plain", "bots", "signed", "forked", "once more"])
    make = Signed if kind == "signed" else Record
    record = make(rules, seats=count, seed=number, options=chosen, undo="casual")
    record.sit(bots=rng.randrange(1, count) if kind == "bots" else 0)
    often = {"undo": rng.choice([0, 0.02, 0.1]), "redo": 0.3, "resign": rng.choice([0, 0, 0.01])}
    record.play(rng.choice([50, 150, 10_000]), **often)
    if kind in ("forked", "once more"):
        while not record.match.opened:
            seat = next(each.seat for each in record.match.seats if each.attended)
            record.do(record.actor(seat), None, Leave(seat=seat))
        at = rng.randrange(record.match.version // 2, record.match.version)
        record = Descended(forked(record, at) if kind == "forked" else followed(record))
        if kind == "once more":
            record.sit()
        record.play(rng.choice([50, 150]), **often)
    return record


def compared(numbers: range) -> Counter[str]:
    """Both games, each match with a bundle of it that was spoiled; what came of them."""
    rng = random.Random(300)
    verdicts = Counter[str]()
    for number in numbers:
        for rules in ("iliad/1", "cyclades/1"):
            record = varied(rules, number)
            data = record.bundle(signer=ROTATED, said=record.testimony(signer=ROTATED))
            verdicts[agree(data)] += 1
            verdicts[agree(spoiled(data, rng))] += 1
    return verdicts


@pytest.mark.slow
def test_both_agree_on_matches_of_all_kinds_and_on_as_many_that_were_spoiled() -> None:
    verdicts = compared(range(12))
    assert verdicts["valid"] >= 24


@pytest.mark.long
def test_both_agree_on_three_hundred_matches_and_on_as_many_that_were_spoiled() -> None:
    verdicts = compared(range(150))
    assert verdicts["valid"] >= 300
    assert verdicts["invalid"] >= 200
