"""Forks and rematches before the verifier: what they tell of their parent, alone and beside its bundle."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from bundles import CHILD, MATCH, Descended, Record, finished, followed, forked, other_effect
from matches import TRUSTED
from msgspec.structs import replace

from kleos.core.kernel import Malformed
from kleos.core.match import Event, Match
from kleos.core.match.actions import Fork, Rematch
from kleos.core.match.chance import anchor
from kleos.core.match.facts import Invited, MatchCreated, MatchStarted, PositionTaken, SeatFilled
from kleos.events.bundle import Bundle, pack, unpack
from kleos.events.descent import by_its_own_account, by_its_parent
from kleos.events.verifier import Report, verify

GAMES = ["tiny/1", "iliad/1", "cyclades/1"]
ALL = ("bundle", "form", "signatures", "commitments", "players", "dice", "chance", "rules", "states")


@cache
def parent(rules: str = "tiny/1", seed: int = 0) -> Record:
    return finished(rules, seed=seed)


@cache
def alone() -> tuple[Record, Match]:
    """A match of one person with a bot, and how it stood while it could still be forked by that person."""
    made = Record("tiny/1", seats=4, seed=3)
    made.sit(bots=3)
    made.play(1)
    running = made.match
    made.play()
    assert not running.opened
    return made, running


def long() -> Record:
    return Record("tiny/1", seats=2, options={"preset": "long"})


def middle(record: Record) -> int:
    return record.match.version // 2


def judged(first: Event, *parents: Record, moves: int = 5) -> Report:
    child = Descended(first)
    if moves and child.match.status == "open":
        child.sit()
    child.play(moves)
    return verify(child.bundle(), TRUSTED, parents=[each.bundle() for each in parents])


def verdict(report: Report) -> tuple[str, int | None]:
    assert report.failure is not None, report
    return report.failure.step, report.failure.version


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("descend", [lambda made: forked(made, middle(made)), followed])
def test_a_fork_and_a_rematch_come_from_their_parent(rules: str, descend: Callable[[Record], Event]) -> None:
    first = descend(parent(rules))
    report = judged(first, parent(rules))
    assert (report.status, report.passed, report.notes) == ("valid", (*ALL, "parent"), ())
    report = judged(first)
    assert (report.status, report.passed) == ("valid", ALL)
    assert report.notes == (f"match {CHILD} comes from match {MATCH}, whose bundle was not given",)


def test_a_fork_of_a_fork_is_followed_back_to_the_first_match() -> None:
    child = Descended(forked(parent(), middle(parent())))
    child.play()
    grandchild = forked(child, middle(child), name="4V0MTESTGREATBRANCH0000000")
    for order in ((parent(), child), (child, parent())):
        report = judged(grandchild, *order)
        assert (report.status, report.passed[-1], report.notes) == ("valid", "parent", ())
    report = judged(grandchild, child)
    assert report.notes == (f"match {CHILD} comes from match {MATCH}, whose bundle was not given",)


def test_a_match_without_a_parent_asks_for_none() -> None:
    report = verify(parent().bundle(), TRUSTED, parents=[parent("tiny/1", 1).bundle()])
    assert (report.status, report.passed, report.notes) == ("valid", ALL, ())


def without(kind: type[Any]) -> Callable[[Event], Event]:
    return lambda event: replace(
        event, effects=tuple(each for each in event.effects if not isinstance(each, kind))
    )


def other_order(event: Event) -> Event:
    return replace(event, action=replace(event.action, visibility="private"))


FORK_ALONE: list[tuple[Callable[[Event], Event], str]] = [
    (other_effect(MatchCreated, dice=lambda _: "0" * 64), "chance"),
    (other_effect(MatchCreated, rated=lambda _: True), "rules"),
    (other_effect(MatchCreated, signed=lambda _: True), "rules"),
    (other_effect(MatchCreated, undo=lambda _: "off"), "rules"),
    (other_effect(MatchCreated, options=lambda options: {**options, "more": 1}), "rules"),
    (other_effect(MatchCreated, parent=lambda _: None), "rules"),
    (other_effect(MatchCreated, parent=lambda named: replace(named, version=1)), "rules"),
    (other_effect(SeatFilled, player=lambda _: "player1"), "rules"),
    (without(SeatFilled), "rules"),
    (without(PositionTaken), "rules"),
    (other_order, "rules"),
]
"""What a server may do to the first event of a fork, and the step that finds it without the parent."""


@pytest.mark.parametrize(("spoil", "step"), FORK_ALONE)
def test_what_does_not_follow_from_a_forks_own_account_is_found(
    spoil: Callable[[Event], Event], step: str
) -> None:
    assert verdict(judged(spoil(forked(parent(), middle(parent()))), moves=0)) == (step, 1)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            other_effect(MatchCreated, parent=lambda _: None),
            "a fork has a parent, and begins with a position",
        ),
        (without(PositionTaken), "a fork has a parent, and begins with a position"),
        (without(MatchCreated), "the first effect of a match creates it"),
        (lambda event: replace(event, player=None), "a match is created by a player"),
        (lambda event: replace(event, action=Rematch(of=MATCH)), "a rematch follows another match"),
    ],
)
def test_a_first_event_that_nothing_can_follow_from_says_what_is_missing(
    spoil: Callable[[Event], Event], says: str
) -> None:
    first = replace(forked(parent(), middle(parent())), action=Fork(at=middle(parent()), start="manual"))
    first = without(MatchStarted)(first)
    with pytest.raises(ValueError, match=says):
        by_its_own_account(spoil(first))


@pytest.mark.parametrize(
    "spoil",
    [
        other_effect(MatchCreated, seats=lambda _: 5),
        other_effect(MatchCreated, options=lambda options: {**options, "rounds": None}),
        other_effect(MatchCreated, options=lambda options: {"preset": options["preset"]}),
    ],
)
def test_a_match_that_cannot_be_ordered_cannot_be_forked_either(spoil: Callable[[Event], Event]) -> None:
    with pytest.raises(Malformed, match="no match has these options, for so many seats") as caught:
        by_its_own_account(spoil(forked(parent(), middle(parent()))))
    assert caught.value.rule == "match.1"


def other_bank(state: Any) -> Any:
    return replace(state, bank=state.bank + 1)


def at_version(version: int) -> Event:
    """A fork that names a version of its parent that is not the one it began from."""
    event = forked(parent(), middle(parent()))
    event = replace(event, action=replace(event.action, at=version))
    return other_effect(MatchCreated, parent=lambda named: replace(named, version=version))(event)


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (
            lambda: other_effect(PositionTaken, state=other_bank)(forked(parent(), middle(parent()))),
            "it does not begin as its parent was",
        ),
        (
            lambda: other_effect(MatchCreated, parent=lambda named: replace(named, root="A" * 43 + "="))(
                forked(parent(), middle(parent()))
            ),
            "it names other first",
        ),
        (lambda: at_version(parent().match.version + 1), "it names other first"),
        (lambda: at_version(middle(parent()) - 1), "it names other first"),
        (lambda: forked(parent("tiny/1", 1), middle(parent())), "it names other first"),
        (
            lambda: other_effect(MatchCreated, options=lambda _: long().match.options)(
                forked(parent(), middle(parent()))
            ),
            "it does not begin as its parent was",
        ),
        (
            lambda: followed(parent(), player="eris", now=replace(parent().match, creator="eris")),
            "it cannot come from its parent: a rematch is for those who played",
        ),
        (
            lambda: other_effect(Invited, player=lambda _: "eris")(followed(parent())),
            "it does not begin as its parent was",
        ),
    ],
)
def test_what_is_told_of_a_parent_is_compared_with_it(first: Callable[[], Event], says: str) -> None:
    assert judged(first(), moves=0).status == "valid", "nothing speaks against it but the parent"
    report = judged(first(), parent(), moves=0)
    assert verdict(report) == ("parent", 1)
    assert report.failure is not None
    assert report.failure.reason.startswith(says)


def test_a_child_with_the_seed_of_its_parent_is_refused() -> None:
    seed = parent().match.seed
    spoil = other_effect(MatchCreated, seed=lambda _: seed, dice=lambda _: anchor(seed, CHILD))
    first = spoil(forked(parent(), middle(parent())))
    assert judged(first).status == "valid"
    assert verdict(judged(first, parent())) == ("parent", 1)


def test_a_match_is_forked_with_other_secrets_while_it_is_played_and_with_its_own_when_it_is_over() -> None:
    made, running = alone()
    at = running.head
    redealt = forked(made, at, now=running)
    assert judged(redealt, made).passed[-1] == "parent"
    assert judged(forked(made, at), made).passed[-1] == "parent"
    assert redealt.effects[1] != forked(made, at).effects[1]
    peeked = other_effect(PositionTaken, state=lambda _: made.past(at).state)(redealt)
    assert judged(peeked).status == "valid"
    assert verdict(judged(peeked, made)) == ("parent", 1)


def at_time(event: Event, at: int) -> Event:
    return replace(event, at=at)


def comes_from(first: Event, made: Record, told: list[Match] | None = None) -> bool:
    """Whether the rules have it so, with the parent as it was or as it is ``told``."""
    assert isinstance(first.action, Fork)
    return by_its_parent(first, made.matches if told is None else told, made.root(first.action.at))


def test_a_fork_of_a_match_that_is_over_is_made_when_it_is_over_and_no_sooner() -> None:
    made, _ = alone()
    over, at = made.match.updated_at, made.match.version - 2
    assert made.past(made.match.version - 1).updated_at < over
    first = forked(made, at)
    assert comes_from(at_time(first, over), made)
    assert not comes_from(at_time(first, over - 1), made)


def test_a_fork_of_a_running_match_may_be_late_by_the_clock_but_not_sooner_than_its_version() -> None:
    made, running = alone()
    first, since = forked(made, running.version, now=running), running.updated_at
    assert made.past(running.version - 1).updated_at < since
    assert comes_from(at_time(first, since), made)
    assert comes_from(at_time(first, made.match.updated_at + 1), made), "it was over by then"
    assert not comes_from(at_time(first, since - 1), made)


def test_who_plays_when_a_match_is_forked_says_whether_it_may_be() -> None:
    made, running = alone()
    assert made.past(running.version + 1).status == "playing"
    first = at_time(forked(made, running.version, now=running), made.match.updated_at + 1)
    told = made.matches[: running.version + 1]
    assert comes_from(first, made, told)
    eris = (*told[-1].seats[:-1], replace(told[-1].seats[-1], player="eris", bot=None))
    joined = [*told[:-1], replace(told[-1], seats=eris)]
    assert not comes_from(first, made, joined), "somebody else sat down before it was forked"
    assert not comes_from(first, made, [*joined, made.match]), "and was there to the end"


def test_a_fork_may_come_from_the_one_event_of_another_fork() -> None:
    child = Descended(forked(parent(), middle(parent()), undo="casual"))
    grandchild = forked(child, 1, name="4V0MTESTGREATBRANCH0000000", undo="casual")
    assert comes_from(grandchild, child)


def test_where_child_or_parent_is_not_opened_only_the_log_is_compared() -> None:
    first = forked(parent(), middle(parent()))
    hidden = parent().bundle(lambda *_: False)
    report = verify(Descended(first).bundle(), TRUSTED, parents=[hidden])
    assert (report.status, report.passed) == ("valid", ALL)
    only_the_log = f"of match {MATCH}, which it comes from, only the log could be compared"
    assert report.notes[-1] == only_the_log
    report = verify(Descended(first).bundle(lambda *_: False), TRUSTED, parents=[parent().bundle()])
    assert (report.status, report.notes[-1]) == ("incomplete", only_the_log)
    assert verdict(verify(Descended(at_version(3)).bundle(), TRUSTED, parents=[hidden])) == ("parent", 1)


def spoiled(bundle: Bundle) -> Bundle:
    return replace(bundle, signatures=(bundle.signatures[1], *bundle.signatures[1:]))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (lambda: [b"nothing"], f"it comes from match {MATCH}, of which no bundle was given"),
        (lambda: [pack(spoiled(unpack(parent().bundle())))], f"the bundle of match {MATCH}: event 1: "),
    ],
)
def test_a_parent_that_is_not_what_it_should_be_proves_nothing(
    given: Callable[[], list[bytes]], says: str
) -> None:
    child = Descended(forked(parent(), middle(parent())))
    report = verify(child.bundle(), TRUSTED, parents=given())
    assert verdict(report) == ("parent", None)
    assert report.failure is not None
    assert report.failure.reason.startswith(says)


@pytest.mark.parametrize(
    "named", [1, {"match": 1}, {"match": MATCH}, {"match": MATCH, "version": True, "root": ""}, {}]
)
def test_a_parent_that_cannot_be_read_is_no_parent(named: Any) -> None:
    spoil = other_effect(MatchCreated, parent=lambda _: named)
    first = spoil(forked(parent(), middle(parent())))
    report = verify(Descended(first).bundle(lambda *_: False), TRUSTED)
    assert verdict(report) == ("parent", 1)
