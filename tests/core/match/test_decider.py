"""The match as a decider: every refusal and every effect of docs/match.md, told as given - when - then."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from tiny import TINY, Pledge, Stake

from kleos.core.kernel import (
    Forbidden,
    Illegal,
    Malformed,
    MatchFinished,
    MatchFull,
    NotYourTurn,
    Refused,
    SeatTaken,
    WrongPhase,
)
from kleos.core.match import HOUSE, Event, Match, chance_for, create, decide, decider, evolve, seats_to_act
from kleos.core.match.actions import Create, Join, Leave, Start
from kleos.core.match.chance import anchor

RULES = Path(__file__).parents[3] / "docs" / "match.md"
SEED = bytes(range(32)).hex()
ANN, BEN, CLEO = "ann", "ben", "cleo"


class Told:
    """A match in the making: what is accepted is folded in at once."""

    def __init__(self, *, seats: int = 2, seat: int | None = 0, **rest: Any) -> None:
        asked = Create(
            game="tiny", rules="tiny/1", seats=seats, options=rest.pop("options", {}), seat=seat, **rest
        )
        self.events: list[Event] = [create("m1", ANN, asked, seed=SEED, at=1000)]
        self.match: Match = evolve(None, self.events[0])

    def when(self, actor: str | None, action: Any, seat: int | None = None) -> list[dict[str, Any]]:
        """Carry it out; the effects as builtins, without their rules, those of the game left out."""
        event = decide(self.match, actor, seat, action, at=self.match.updated_at + 1)
        self.events.append(event)
        self.match = evolve(self.match, event)
        own = [each for each in event.effects if each.rule.startswith("match.")]
        return [{key: value for key, value in to_builtins(each).items() if key != "rule"} for each in own]

    def refuses(
        self, refusal: type[Refused], rule: str, actor: str | None, action: Any, seat: int | None = None
    ) -> str:
        with pytest.raises(refusal) as caught:
            decide(self.match, actor, seat, action, at=0)
        assert caught.value.rule == rule
        return caught.value.reason

    def play(self, *, until: int | None = None) -> None:
        """First legal moves to the end, or to the version ``until``."""
        while self.match.status == "playing" and self.match.version != until:
            seat = seats_to_act(self.match)[0]
            held = self.match.seats[seat]
            actor = HOUSE if held.mechanical else held.player
            self.when(actor, TINY.fallback(self.match.state, seat), seat)


def playing(*players: str, **rest: Any) -> Told:
    told = Told(seats=len(players), **rest)
    for player in players[1:]:
        told.when(ANN if player == "bot" else player, Join(bot="random" if player == "bot" else None))
    return told


# match.1


def test_a_match_is_created_with_settled_options_and_its_creator_seated() -> None:
    """Fault 71."""
    event = Told(seats=3, options={"preset": "long", "hand": 2}, entropy="abc").events[0]
    assert (event.version, event.kind, event.seat, event.player, event.rules) == (
        1,
        "create",
        0,
        ANN,
        "tiny/1",
    )
    assert event.action.options == {"preset": "long", "rounds": 6, "hand": 2}
    assert [to_builtins(each) for each in event.effects] == [
        {
            "type": "match_created",
            "rule": "match.1",
            "game": "tiny",
            "rules": "tiny/1",
            "seats": 3,
            "options": event.action.options,
            "undo": "consent",
            "visibility": "public",
            "start": "full",
            "creator": ANN,
            "parent": None,
            "deadline": None,
            "rated": True,
            "referee": None,
            "rematch_of": None,
            "signed": False,
            "dice": anchor(SEED, event.match),
            "seed": SEED,
        },
        {
            "type": "seat_filled",
            "rule": "match.2",
            "seat": 0,
            "player": ANN,
            "bot": None,
            "entropy": "abc",
            "key": None,
        },
    ]


def test_a_match_may_be_created_without_a_seat_for_its_creator() -> None:
    told = Told(seat=None)
    assert all(each.free for each in told.match.seats)
    assert (told.match.status, told.match.version, told.match.head) == ("open", 1, 1)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"seats": 1}, "Tiny has 2 to 4 seats, not 1"),
        ({"seats": 5}, "Tiny has 2 to 4 seats, not 5"),
        ({"seat": 2}, "seat is one of 0 to 1, not 2"),
        ({"options": {"colour": "red"}}, "unknown field `colour`"),
        ({"options": {"rounds": "many"}}, r"\$.rounds"),
        ({"options": {"rounds": 10}}, r"\$.rounds"),
    ],
)
def test_a_match_that_cannot_be_is_malformed(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(Malformed, match=says) as refusal:
        Told(**changed)
    assert refusal.value.rule == "match.1"


def test_a_game_refuses_options_that_do_not_go_together() -> None:
    with pytest.raises(Malformed, match="four seats") as refusal:
        Told(seats=4, options={"hand": 1})
    assert refusal.value.rule == "tiny.1"


def test_a_match_of_rules_that_are_not_installed_cannot_be_created() -> None:
    with pytest.raises(LookupError):
        create("m1", ANN, Create(game="tiny", rules="tiny/9", seats=2, options={}), seed=SEED, at=0)


# match.2


def test_a_joiner_gets_the_lowest_free_seat_or_the_one_named() -> None:
    told = Told(seats=4, seat=1)
    assert told.when(BEN, Join(entropy="e")) == [
        {"type": "seat_filled", "seat": 0, "player": BEN, "bot": None, "entropy": "e", "key": None}
    ]
    assert told.events[-1].action.seat == told.events[-1].seat == 0, "the seat is recorded, not the wish"
    told.when(CLEO, Join(seat=3))
    assert [each.player for each in told.match.seats] == [BEN, ANN, None, CLEO]


def test_the_creator_puts_a_bot_into_a_seat() -> None:
    told = Told(seats=3)
    assert told.when(ANN, Join(seat=2, bot="greedy"))[0]["bot"] == "greedy"
    assert told.match.seats[2].mechanical
    told.refuses(Forbidden, "match.2", BEN, Join(bot="random"))
    assert "random, greedy" in told.refuses(Malformed, "match.2", ANN, Join(bot="deep"))


def test_seats_that_cannot_be_taken() -> None:
    told = Told(seats=3, start="manual")
    assert "free: 1, 2" in told.refuses(SeatTaken, "match.2", BEN, Join(seat=0))
    told.refuses(Malformed, "match.2", BEN, Join(seat=3))
    told.refuses(SeatTaken, "match.2", ANN, Join())
    told.when(BEN, Join())
    told.when(CLEO, Join())
    told.refuses(MatchFull, "match.2", "dan", Join())
    assert "free: none" in told.refuses(SeatTaken, "match.2", "dan", Join(seat=1))
    told.when(ANN, Start())
    told.refuses(MatchFull, "match.2", "dan", Join())
    told.refuses(SeatTaken, "match.2", "dan", Join(seat=1))


def test_in_a_casual_match_one_player_may_hold_every_seat() -> None:
    told = playing(ANN, ANN, undo="casual")
    assert told.match.seats_of(ANN) == (0, 1)
    told.play()
    assert told.match.status == "finished"
    assert {each.player for each in told.events} == {ANN}


def test_the_house_takes_and_leaves_no_seat() -> None:
    told = Told(seats=3)
    told.when(ANN, Join(bot="random"))
    for action in (Join(), Join(bot="random"), Leave(1), Start()):
        told.refuses(Forbidden, "match.5", HOUSE, action)


# match.3


def test_a_seat_given_up_is_free_again() -> None:
    told = Told(seats=3)
    told.when(BEN, Join(entropy="x"))
    assert told.when(BEN, Leave(1)) == [{"type": "seat_vacated", "seat": 1}]
    assert told.match.seats[1].free
    assert told.match.seats[1].entropy == ""
    assert told.match.creator == ANN


def test_only_its_holder_gives_up_a_seat_and_only_the_creator_removes_a_bot() -> None:
    told = Told(seats=4)
    told.when(BEN, Join())
    told.when(ANN, Join(bot="random"))
    told.refuses(Forbidden, "match.3", BEN, Leave(0))
    told.refuses(Forbidden, "match.3", ANN, Leave(1))
    told.refuses(Forbidden, "match.3", BEN, Leave(2))
    told.refuses(WrongPhase, "match.3", BEN, Leave(3))
    told.refuses(Malformed, "match.5", BEN, Leave(4))
    assert told.when(ANN, Leave(2)) == [{"type": "seat_vacated", "seat": 2}]


def test_when_the_creator_leaves_the_lowest_player_has_the_care() -> None:
    """Fault 109."""
    told = Told(seats=4, seat=2, start="manual")
    told.when(BEN, Join(seat=3))
    told.when(CLEO, Join(seat=1))
    told.when(ANN, Join(seat=0, bot="random"))
    assert told.when(ANN, Leave(2))[1:] == [{"type": "owner_changed", "creator": CLEO}]
    assert told.match.creator == CLEO


def test_a_match_without_players_is_abandoned() -> None:
    told = Told(seats=3)
    told.when(ANN, Join(bot="random"))
    assert told.when(ANN, Leave(0))[1:] == [{"type": "match_abandoned"}]
    told.refuses(MatchFinished, "match.6", BEN, Join())


def test_a_creator_with_two_seats_keeps_the_care_until_leaving_both() -> None:
    told = Told(seats=4, undo="casual")
    told.when(ANN, Join())
    told.when(BEN, Join())
    assert told.when(ANN, Leave(0)) == [{"type": "seat_vacated", "seat": 0}]
    assert told.when(ANN, Leave(1))[1:] == [{"type": "owner_changed", "creator": BEN}]


# match.4


def test_the_last_to_sit_down_starts_a_match_that_starts_when_full() -> None:
    told = Told()
    assert [each["type"] for each in told.when(BEN, Join())] == ["seat_filled", "match_started"]
    assert told.events[-1].kind == "join"
    assert seats_to_act(told.match) == (0, 1)


def test_a_manual_match_waits_for_its_creator() -> None:
    told = Told(start="manual")
    assert "free: 1" in told.refuses(WrongPhase, "match.4", ANN, Start())
    told.when(BEN, Join())
    assert told.match.status == "open"
    assert seats_to_act(told.match) == ()
    told.refuses(Forbidden, "match.4", BEN, Start())
    assert told.when(ANN, Start()) == [{"type": "match_started"}]
    assert (told.events[-1].kind, told.events[-1].seat) == ("start", None)
    told.refuses(WrongPhase, "match.4", ANN, Start())


def test_the_entropy_of_every_seat_and_the_version_change_all_chance() -> None:
    def dealt(mine: str, yours: str) -> Any:
        told = Told(entropy=mine)
        told.when(BEN, Join(entropy=yours))
        return told.match.state.deck

    assert len({dealt("a", "b"), dealt("b", "a"), dealt("a", ""), dealt("", "")}) == 4
    assert dealt("a", "b") == dealt("a", "b")
    match = playing(ANN, BEN).match
    assert chance_for(match, 7).pick(1 << 32) != chance_for(match, 8).pick(1 << 32)


def test_a_game_that_is_over_before_its_first_decision_ends_the_match_at_the_start() -> None:
    told = Told(options={"rounds": 0})
    types = [each["type"] for each in told.when(BEN, Join())]
    assert types == ["seat_filled", "match_started", "match_ended"]
    assert told.match.outcome is not None
    assert told.match.outcome.winners == (0, 1)


# match.5


def test_a_move_is_made_by_the_player_of_the_seat() -> None:
    told = playing(ANN, BEN)
    card = told.match.state.places[1].hand[0]
    told.refuses(Forbidden, "match.5", ANN, Pledge(card), 1)
    told.refuses(Forbidden, "match.5", CLEO, Pledge(card), 1)
    told.refuses(Forbidden, "match.5", HOUSE, Pledge(card), 1)
    told.refuses(Malformed, "match.5", BEN, Pledge(card), 2)
    told.refuses(Malformed, "match.5", BEN, Pledge(card), -1)
    told.refuses(Malformed, "match.5", BEN, Pledge(card), None)
    assert told.when(BEN, Pledge(card), 1) == []
    event = told.events[-1]
    assert (event.kind, event.seat, event.player, event.action) == ("move", 1, BEN, Pledge(card))
    assert [each.rule for each in event.effects] == ["tiny.2"]


def test_a_move_before_the_start_out_of_turn_or_against_the_rules_is_refused() -> None:
    told = Told()
    told.refuses(WrongPhase, "match.4", ANN, Pledge(1), 0)
    told.when(BEN, Join())
    told.refuses(Illegal, "tiny.2", ANN, Stake(1), 0)
    told.when(ANN, Pledge(told.match.state.places[0].hand[0]), 0)
    with pytest.raises(NotYourTurn, match="to act: 1"):
        decide(told.match, ANN, 0, Pledge(1), at=0)


def test_the_house_moves_for_a_bot_and_nobody_else_does() -> None:
    told = playing(ANN, "bot")
    card = told.match.state.places[1].hand[0]
    told.refuses(Forbidden, "match.5", ANN, Pledge(card), 1)
    told.when(HOUSE, Pledge(card), 1)
    assert told.events[-1].player is None


# match.6


def test_the_last_move_ends_the_match_with_the_outcome_of_the_game() -> None:
    """Fault 95."""
    told = playing(ANN, BEN)
    told.play()
    assert told.match.status == "finished"
    last = told.events[-1].effects[-1]
    assert last.rule == "match.6"
    assert last.outcome == told.match.outcome
    assert last.outcome.reason == "rounds"
    assert seats_to_act(told.match) == ()


@pytest.mark.parametrize("action", [Join(), Leave(0), Start(), Pledge(1)])
def test_nothing_is_decided_in_a_match_that_is_over(action: Any) -> None:
    told = playing(ANN, BEN)
    told.play()
    told.refuses(MatchFinished, "match.6", ANN, action, 0)


def test_of_two_players_the_one_who_stays_wins() -> None:
    told = playing(ANN, BEN)
    resigned, ended = told.when(ANN, Leave(0))
    assert told.events[-1].kind == "resign"
    assert resigned == {"type": "seat_resigned", "seat": 0}
    assert ended["outcome"] == {
        "winners": (1,),
        "ranking": ((1,), (0,)),
        "scores": {},
        "reason": "resignation",
    }


def test_the_house_plays_on_for_a_seat_that_resigned() -> None:
    told = playing(ANN, BEN, CLEO)
    assert told.when(BEN, Leave(1)) == [{"type": "seat_resigned", "seat": 1}]
    card = told.match.state.places[1].hand[0]
    told.refuses(Forbidden, "match.5", BEN, Pledge(card), 1)
    told.refuses(NotYourTurn, "match.6", BEN, Leave(1))
    told.play()
    assert told.match.outcome is not None
    assert told.match.outcome.reason == "rounds"


@pytest.mark.parametrize("order", list(permutations((0, 1, 2))))
def test_whoever_resigns_last_but_one_leaves_the_match_to_the_other(order: tuple[int, int, int]) -> None:
    told = playing(ANN, BEN, CLEO)
    players = (ANN, BEN, CLEO)
    told.when(players[order[0]], Leave(order[0]))
    told.when(players[order[1]], Leave(order[1]))
    assert told.match.outcome is not None
    assert told.match.outcome.winners == (order[2],)
    assert told.match.outcome.ranking == ((order[2],), tuple(sorted(order[:2])))


def test_a_single_bot_left_standing_wins_and_several_are_left_alone() -> None:
    two = playing(ANN, "bot")
    two.when(ANN, Leave(0))
    assert two.match.outcome is not None
    assert two.match.outcome.winners == (1,)
    three = playing(ANN, "bot", "bot")
    assert three.when(ANN, Leave(0))[1:] == [{"type": "match_abandoned"}]
    assert (three.match.status, three.match.outcome) == ("abandoned", None)


def test_a_player_with_every_seat_resigns_down_to_the_last() -> None:
    told = playing(ANN, ANN, ANN, undo="casual")
    told.when(ANN, Leave(2))
    assert told.match.status == "playing"
    told.when(ANN, Leave(0))
    assert told.match.outcome is not None
    assert told.match.outcome.winners == (1,)


def test_only_its_player_resigns_a_seat() -> None:
    told = playing(ANN, BEN, "bot")
    told.refuses(Forbidden, "match.6", ANN, Leave(1))
    told.refuses(Forbidden, "match.6", ANN, Leave(2))
    told.refuses(Malformed, "match.5", ANN, Leave(3))


# Folding


def test_the_log_alone_rebuilds_every_version() -> None:
    """Fault 67."""
    told = playing(ANN, "bot", BEN)
    told.play()
    match = None
    for place, event in enumerate(told.events, start=1):
        match = evolve(match, event)
        assert (match.version, match.head, match.updated_at) == (place, place, event.at)
    assert match == told.match


# The text


def test_every_paragraph_that_is_cited_stands_in_the_rules_of_the_match_and_every_one_is_cited() -> None:
    written = set(re.findall(r"^## (match\.\d+)", RULES.read_text(), re.MULTILINE))
    sources = Path(decider.__file__).parent.glob("*.py")
    cited = {rule for each in sources for rule in re.findall(r'rule="(match\.\d+)"', each.read_text())}
    assert cited == written
