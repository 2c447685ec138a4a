"""Retrial: what the rules do not come to is named, and so is what chance did not give."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
import tiny
from bundles import Cheat, Record, Signed, finished, other_effect
from msgspec.structs import replace

from kleos.core.kernel import Illegal
from kleos.core.kernel.errors import WrongPhase
from kleos.core.match import Event
from kleos.core.match.actions import Undo
from kleos.core.match.facts import MatchCreated, MatchEnded, SeatFilled
from kleos.events import canonical
from kleos.events.retrial import Mistrial, Tried, retry

Builtins = dict[str, Any]


@cache
def record() -> Record:
    return finished("tiny/1", seed=5)


def log(made: Record) -> tuple[list[Builtins], list[Builtins]]:
    """The public parts of the events, and the payloads of the openings of each by audience."""
    openings = [
        {audience: canonical.decode(bytes(raw))["payload"] for audience, raw in each.openings.items()}
        for each in made.entries
    ]
    return [canonical.decode(each.public) for each in made.entries], openings


def found(events: Sequence[Builtins], openings: Sequence[Builtins]) -> tuple[str, int, str]:
    """Step, version and reason of the mistrial; all before it was right."""
    right: list[Tried] = []
    with pytest.raises(Mistrial) as caught:
        right.extend(retry(events, openings))
    mistrial = caught.value
    assert mistrial.version == len(right) + 1
    assert str(mistrial) == mistrial.reason
    return mistrial.step, mistrial.version, mistrial.reason


def cheated(spoil: Callable[[Event], Event]) -> tuple[str, str]:
    """What is found where a server spoiled the first event that it could."""
    cheat = Cheat(spoil)
    step, version, reason = found(*log(cheat))
    assert version == cheat.spoiled
    return step, reason


def spoiled(version: int, change: Callable[[Builtins, Builtins], Any]) -> tuple[str, str]:
    """What is found after a change of an event of the record, and of its payloads."""
    events, openings = copy.deepcopy(log(record()))
    change(events[version - 1], openings[version - 1])
    step, at, reason = found(events, openings)
    assert at == version
    return step, reason


def test_every_version_is_told_as_it_was() -> None:
    tried = list(retry(*log(record())))
    assert [each.match for each in tried] == record().matches
    assert [each.version for each in tried] == list(range(1, record().match.version + 1))


def test_each_event_has_its_openings() -> None:
    events, openings = log(record())
    with pytest.raises(ValueError, match="shorter"):
        list(retry(events, openings[:-1]))


# What the rules come to


def without(kind: type[Any]) -> Callable[[Event], Event]:
    return lambda event: replace(
        event, effects=tuple(each for each in event.effects if not isinstance(each, kind))
    )


def of_moves(**fields: Any) -> Callable[[Event], Event]:
    """The first move is another one, or is asked for otherwise."""
    return lambda event: replace(event, **fields) if event.kind == "move" else event


def longer(event: Event) -> Event:
    return replace(event, effects=(*event.effects, event.effects[-1])) if event.kind == "move" else event


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (
            other_effect(tiny.Revealed, rule=lambda _: "tiny.9", leader=lambda leader: 1 - leader),
            "effect 1, revealed: not what follows in rule, leader",
        ),
        (
            other_effect(MatchEnded, outcome=lambda outcome: replace(outcome, reason="flood")),
            "effect 3, match_ended: not what follows in outcome",
        ),
        (without(tiny.RoundEnded), "effect 1, card_drawn: not what follows, where round_ended follows"),
        (without(tiny.Pledged), "it has 0 effects, where 1 follow"),
        (longer, "it has 2 effects, where 1 follow"),
        (
            other_effect(MatchCreated, creator=lambda _: "eris"),
            "effect 0, match_created: not what follows in creator",
        ),
        (of_moves(kind="pass"), "the rules come to another kind"),
        (of_moves(player=None), "the rules refuse it: seat 0 is not yours to move for (match.5)"),
        (
            of_moves(action=Undo(to=99)),
            "the rules refuse it: there is nothing to go back to (match.7)",
        ),
        (
            lambda event: replace(event, player=None) if event.version == 1 else event,
            "a match is created by a player",
        ),
    ],
)
def test_what_does_not_follow_is_named_with_what_would(spoil: Callable[[Event], Event], reason: str) -> None:
    assert cheated(spoil) == ("rules", reason)


@pytest.mark.parametrize(
    ("version", "change", "reason"),
    [
        (
            1,
            lambda event, _: event.update(action={"type": "undo", "to": 1}),
            "a match is created by its first event, and by no other",
        ),
        (
            3,
            lambda event, _: event["action"].update(type="unheard-of"),
            "it is not an event of these rules: Invalid value 'unheard-of' - at `$.action.type`",
        ),
        (
            3,
            lambda _, payloads: payloads["seat:0"].update({"/nowhere/card": 1}),
            "it cannot be carried out: ValueError: "
            "an opened part points to '/nowhere/card', which is not in the event",
        ),
        (
            1,
            lambda event, _: event["action"].update(rules="chess/1"),
            "it cannot be carried out: LookupError: the rules chess/1 are not installed; installed: "
            "the games canary, cyclades, iliad, leaky, telltale, tiny",
        ),
    ],
)
def test_what_is_no_event_of_these_rules_is_said_to_be_none(
    version: int, change: Callable[[Builtins, Builtins], Any], reason: str
) -> None:
    assert spoiled(version, change) == ("rules", reason)


def test_a_match_is_created_once() -> None:
    events, openings = copy.deepcopy(log(record()))
    again = events[0] | {"version": 2}
    assert found([events[0], again], [openings[0]] * 2) == (
        *("rules", 2),
        "a match is created by its first event, and by no other",
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WrongPhase("not now"), "the rules refuse it: not now"),
        (Illegal("not now", rule="tiny.2", seat=0), "the rules refuse it: not now (tiny.2)"),
        (ZeroDivisionError("by\nzero"), "it cannot be carried out: ZeroDivisionError: by"),
        (AssertionError("no such state"), "it cannot be carried out: AssertionError: no such state"),
        (AttributeError("no such card"), "it cannot be carried out: AttributeError: no such card"),
        (IndexError("no such place"), "it cannot be carried out: IndexError: no such place"),
        (TypeError("no such type"), "it cannot be carried out: TypeError: no such type"),
        (ValueError("no such coin"), "it cannot be carried out: ValueError: no such coin"),
    ],
)
def test_rules_that_break_on_an_event_end_the_trial_there(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise error

    events, openings = log(record())
    monkeypatch.setattr(tiny.Tiny, "decide", broken)
    assert found(events, openings) == ("rules", 3, reason)


# Who sees what


def unhidden(event: Builtins, payloads: Builtins) -> None:
    event["action"]["card"] = payloads["seat:0"]["/action/card"]


@pytest.mark.parametrize(
    "change",
    [
        unhidden,
        lambda event, payloads: event["effects"][0].update(card=payloads["seat:0"]["/action/card"]),
        lambda _, payloads: payloads.update(server=payloads.pop("seat:0")),
        lambda event, payloads: payloads["seat:0"].update({"/player": event["player"]}),
        lambda event, payloads: payloads.update(server={"/player": event["player"]}),
    ],
)
def test_what_is_hidden_from_others_than_the_rules_say_is_found(
    change: Callable[[Builtins, Builtins], Any],
) -> None:
    assert spoiled(3, change) == ("rules", "it shows or hides something else than the rules do")


def test_the_signature_of_a_hidden_move_is_hidden_with_it() -> None:
    made = Signed("tiny/1", seats=2)
    made.sit()
    made.play()
    events, openings = log(made)
    assert len(list(retry(events, openings))) == len(events)
    assert events[2]["signature"] is None
    events[2]["signature"] = openings[2]["seat:0"]["/signature"]
    assert found(events, openings) == ("rules", 3, "it shows or hides something else than the rules do")


# What chance gave


def beside_the_shuffle(event: Event) -> Event:
    """The first card drawn of a deck that was made anew is another one."""
    places = [at for at, each in enumerate(event.effects) if isinstance(each, tiny.Shuffled)]
    if not places or event.kind != "move":
        return event
    drawn = places[0] + 1
    effects = list(event.effects)
    effects[drawn] = replace(effects[drawn], cards=effects[drawn + 1].cards)
    return replace(event, effects=tuple(effects))


@pytest.mark.parametrize("seed", range(5))
def test_every_die_is_told_from_what_the_rules_come_to(seed: int) -> None:
    events, openings = log(finished("tiny/1", seed=seed, options={"preset": "long"}))
    for event in events:
        for place, effect in enumerate(event["effects"]):
            if effect["type"] == "dice_rolled":
                other = copy.deepcopy(events)
                other[event["version"] - 1]["effects"][place]["die"] = effect["die"] % 6 + 1
                reason = f"effect {place}, dice_rolled: not what the seed gives"
                assert found(other, openings) == ("chance", event["version"], reason)


def test_what_follows_from_a_shuffle_does_not_hang_on_chance_itself() -> None:
    assert cheated(beside_the_shuffle) == ("rules", "effect 3, card_drawn: not what follows in cards")


def test_an_anchor_hangs_on_the_seed_and_whoever_sits_down_does_not() -> None:
    assert cheated(other_effect(MatchCreated, dice=lambda _: "0" * 64)) == (
        *("chance", "effect 0, match_created: not what the seed gives"),
    )
    assert cheated(other_effect(SeatFilled, rule=lambda _: "match.9")) == (
        *("rules", "effect 1, seat_filled: not what follows in rule"),
    )
