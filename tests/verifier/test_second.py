"""The second verifier knows nothing of Kleos but its documents, and comes to the same verdicts."""

import ast
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import tiny
from bundles import CHILD, Cheat, Descended, Record, Signed, finished, followed, forked, key_of, other_effect
from matches import ROTATED, SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.core.kernel import Malformed
from kleos.core.kernel.registry import games, pinned
from kleos.core.match import Event
from kleos.core.match.actions import Leave, Undo
from kleos.core.match.chance import anchor
from kleos.core.match.facts import Invited, MatchCreated, PositionTaken, SeatFilled
from kleos.events import canonical
from kleos.events.bundle import pack, unpack
from kleos.events.note import b64
from kleos.events.verifier import verify
from tests.verifier import ancestry, second, standing

KEYS = [SIGNER.verifier.vkey]
BLIND = {"chance", "rules", "states"}
"""Steps that need the rules."""
COMES_FROM = (("parent", 1), ("parent", None))


def agree(data: bytes, parents: Sequence[bytes] = ()) -> str:
    """Both come to the same verdict, as far as the second can see: which one, with the step that fails.

    Whether it comes from its parent shows without rules. A parent that spoils its own rules does not.
    """
    report, found = verify(data, TRUSTED, parents=parents), second.check(data, KEYS, parents)
    if report.failure is None:
        assert found == (None, report.status == "valid")
        return report.status
    step, version = report.failure.step, report.failure.version
    if step in BLIND or (step, version) == ("parent", None):
        assert found.wrong in (None, *((each, version) for each in ("chance", "states")), *COMES_FROM), report
    else:
        assert found.wrong == (step, version), report.failure.reason
    return f"{report.status}: {step}"


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
    names: set[str] = set()
    for module in (second, ancestry, standing):
        nodes = list(ast.walk(ast.parse(Path(str(module.__file__)).read_text())))
        names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    own = {"tests.verifier", ancestry.__name__, standing.__name__}
    foreign = {name.partition(".")[0] for name in names - own} - sys.stdlib_module_names
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


# Forks and rematches


@cache
def over(rules: str) -> Record:
    """The first match in which something was taken back, and something put forth again, once it is over."""
    every = (taken_back(rules, seed) for seed in count())
    return next(each for each in every if {"undo", "redo"} <= kinds(each))


def taken_back(rules: str, seed: int) -> Record:
    record = Record(rules, seats=pinned(rules).seats[1], seed=seed, undo="casual")
    record.sit()
    record.play(60, undo=0.3, redo=0.5)
    ended(record)
    return record


def kinds(record: Record) -> set[str]:
    return {canonical.decode(each.public)["kind"] for each in record.entries}


@cache
def asked() -> Record:
    """A match in which taking back takes consent, with a proposal that is open at its middle."""
    record = Record("tiny/1", seats=3, seed=4)
    record.sit()
    record.play(3)
    record.do("player0", 0, Undo(to=record.match.head - 2))
    ended(record)
    return record


@pytest.mark.parametrize("rules", games())
def test_both_agree_on_where_a_match_comes_from_at_every_version(rules: str) -> None:
    """The second knows no rules: that the position is the parent's it knows by the digest of its state."""
    parent = over(rules)
    begun = next(each.version for each in parent.matches if each.state is not None)
    for at in range(begun, parent.match.version + 1, 1 if rules == "tiny/1" else 9):
        agree_on(Descended(forked(parent, at)), parent)
    agree_on(Descended(followed(parent)), parent)
    agree_on(Descended(followed(parent, player="player1")), parent)


def test_both_agree_on_a_fork_from_amid_a_proposal() -> None:
    parent = asked()
    at = next(each.version for each in parent.matches if each.proposals)
    agree_on(Descended(forked(parent, at, undo="consent", seat=1)), parent)


def test_both_agree_on_a_fork_of_a_match_that_was_played_on() -> None:
    """Its secrets were dealt anew, so that only the rules can tell whether it begins as it must."""
    parent = Record("tiny/1", seats=4, seed=3)
    parent.sit(bots=3)
    parent.play(1)
    running = parent.match
    ended(parent)
    agree_on(Descended(forked(parent, running.head, now=running)), parent)


def agree_on(child: Record, *parents: Record) -> None:
    assert agree(child.bundle(), [each.bundle() for each in parents]) == "valid"


def test_both_agree_on_a_fork_of_a_fork() -> None:
    parent = over("tiny/1")
    child = Descended(forked(parent, parent.match.version // 2))
    child.play()
    grandchild = Descended(forked(child, child.match.version - 1, name="4V0MTESTGREATBRANCH0000000"))
    agree_on(grandchild, child, parent)
    agree_on(grandchild, parent, child)
    assert agree(grandchild.bundle(), [parent.bundle()]) == "invalid: parent"


def other(kind: type[Any], **fields: Any) -> Callable[[Event], Event]:
    return other_effect(kind, **{name: lambda _, value=value: value for name, value in fields.items()})


def with_seed_of(parent: Record) -> Callable[[Event], Event]:
    seed = parent.match.seed
    return other(MatchCreated, seed=seed, dice=anchor(seed, CHILD))


FORKS: list[Callable[[Event, Record], Event]] = [
    lambda event, parent: other(PositionTaken, state=parent.past(event.action.at - 1).state)(event),
    lambda event, parent: with_seed_of(parent)(event),
    lambda event, _: other(MatchCreated, options={**event.effects[0].options, "preset": "rulebook"})(event),
    lambda event, _: other_effect(MatchCreated, parent=lambda each: replace(each, root="A" * 43 + "="))(
        event
    ),
    lambda event, _: other_effect(MatchCreated, parent=lambda each: replace(each, version=10_000))(event),
    lambda event, _: other(MatchCreated, rated=True)(event),
    lambda event, _: other(SeatFilled, player="eris")(event),
    lambda event, _: replace(event, at=event.at - 10_000_000),
]
REMATCHES: list[Callable[[Event, Record], Event]] = [
    lambda event, parent: with_seed_of(parent)(event),
    lambda event, _: other(Invited, player="eris")(event),
    lambda event, _: other(MatchCreated, rated=False)(event),
    lambda event, _: other(MatchCreated, referee="eris")(event),
    lambda event, _: other(MatchCreated, options={**event.effects[0].options, "preset": "rulebook"})(event),
    lambda event, _: other(SeatFilled, player="eris")(event),
]


@pytest.mark.parametrize("rules", games())
@pytest.mark.parametrize("first", ["fork", "rematch"])
def test_both_find_that_a_match_does_not_come_from_its_parent(rules: str, first: str) -> None:
    """The server makes another first event, and everything after it fits."""
    parent = over(rules)
    if first == "fork":
        made, cases = forked(parent, parent.match.version - 4), FORKS
    else:
        made, cases = followed(parent), REMATCHES
    for number, spoil in enumerate(cases):
        data = Descended(spoil(made, parent)).bundle()
        assert agree(data, [parent.bundle()]).startswith("invalid"), number
        wrong = second.check(data, KEYS, [parent.bundle()]).wrong
        assert wrong is not None, number
        assert wrong[1] == 1


def options(rng: random.Random, rules: str, seats: int) -> dict[str, Any]:
    """Some of the game's options, chosen at random, such as can be played by so many."""
    game = pinned(rules)
    kind = msgspec.inspect.type_info(game.Options)
    assert isinstance(kind, msgspec.inspect.StructType)
    while True:
        chosen = {
            field.name: rng.choice(choices)
            for field in kind.fields
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


class Told(NamedTuple):
    """A match, and those that it comes from."""

    record: Record
    parents: tuple[Record, ...] = ()


def varied(rules: str, number: int) -> Told:
    """Match ``number`` of a game: every number of seats and preset in turn, and all that may happen."""
    rng = random.Random(f"{rules} {number}")
    seats = pinned(rules).seats
    taken = seats[number % len(seats)]
    chosen = options(rng, rules, taken) | {"preset": ("sheet", "rulebook")[number // len(seats) % 2]}
    kind = rng.choice(["plain", "plain", "bots", "signed", "forked", "once more"])
    make = Signed if kind == "signed" else Record
    record = make(rules, seats=taken, seed=number, options=chosen, undo="casual")
    record.sit(bots=rng.randrange(1, taken) if kind == "bots" else 0)
    often = {"undo": rng.choice([0, 0.02, 0.1]), "redo": 0.3, "resign": rng.choice([0, 0, 0.01])}
    record.play(rng.choice([50, 150, 10_000]), **often)
    if kind not in ("forked", "once more"):
        return Told(record)
    ended(record)
    at = rng.randrange(record.match.version // 2, record.match.version + 1)
    child = Descended(forked(record, at) if kind == "forked" else followed(record))
    if kind == "once more":
        child.sit()
    child.play(rng.choice([50, 150]), **often)
    return Told(child, (record,))


def ended(record: Record) -> None:
    """Everybody leaves, until the match is over."""
    while not record.match.opened:
        seat = next(each.seat for each in record.match.seats if each.attended)
        record.do(record.actor(seat), None, Leave(seat=seat))


def compared(numbers: range) -> Counter[str]:
    """Both games, each match with a bundle of it that was spoiled; what came of them."""
    rng = random.Random(300)
    verdicts = Counter[str]()
    for number in numbers:
        for rules in ("iliad/1", "cyclades/1"):
            record, above = varied(rules, number)
            data = record.bundle(signer=ROTATED, said=record.testimony(signer=ROTATED))
            parents = [each.bundle() for each in above]
            verdicts[agree(data, parents)] += 1
            verdicts[agree(spoiled(data, rng), parents)] += 1
            verdicts.update(agree(data, [spoiled(each, rng)]) for each in parents)
            verdicts["descended"] += len(parents)
    return verdicts


@pytest.mark.slow
def test_both_agree_on_matches_of_all_kinds_and_on_as_many_that_were_spoiled() -> None:
    verdicts = compared(range(12))
    assert verdicts["valid"] >= 24
    assert verdicts["descended"] >= 4


@pytest.mark.long
def test_both_agree_on_three_hundred_matches_and_on_as_many_that_were_spoiled() -> None:
    verdicts = compared(range(150))
    assert verdicts["valid"] >= 300
    assert sum(times for name, times in verdicts.items() if name.startswith("invalid")) >= 200
    assert verdicts["descended"] >= 60
