"""Forks (match.10): a child with a parent, a chance of its own, and no secret of a parent that still runs."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from tiny import TINY

from kleos.core.kernel import (
    EVERYTHING,
    Forbidden,
    KeyedChance,
    Malformed,
    UndoNotAllowed,
    Viewer,
    WrongPhase,
    redact,
)
from kleos.core.match import Event, Match, chance_for, codec, decide, evolve, fork, targets
from kleos.core.match.actions import Fork, Join, Parent, Start, Undo
from tests.core.match.telling import PLAYERS, Told

ANN, BEN = PLAYERS[:2]
CHILD_SEED = bytes(range(32, 64)).hex()


def finished(game: str = "tiny", players: Any = (ANN, BEN)) -> Told:
    told = Told(game, players)
    told.when(told.match.creator, Start())
    told.play(1000, random.Random("finished"))
    assert told.match.opened
    return told


def running(*players: str, game: str = "tiny", moves: int = 2, **rest: Any) -> Told:
    told = Told(game, players, **rest)
    told.when(ANN, Start())
    told.play(moves, random.Random("running"))
    return told


def forked(told: Told, at: int, player: str = "zoe", **rest: Any) -> Event:
    return fork(
        "child",
        player,
        told.match,
        told.past(at),
        Fork(at=at, **rest),
        root="cm9vdA==",
        seed=CHILD_SEED,
        at=9,
    )


def child(event: Event) -> Match:
    return evolve(None, event)


def test_a_finished_match_is_forked_at_any_version_by_anybody() -> None:
    told = finished()
    for version in range(told.start, told.match.version + 1):
        match = child(forked(told, version))
        assert match.state == told.past(version).state
        assert match.parent == Parent("m1", version, "cm9vdA==")
        assert (match.id, match.version, match.head, match.seed) == ("child", 1, 1, CHILD_SEED)
        assert match.options == told.match.options
        assert match.status == ("finished" if version == told.match.version else "playing")


def test_in_an_analysis_one_person_holds_every_seat_and_takes_back_for_free() -> None:
    told = finished()
    match = child(forked(told, told.start + 1))
    assert (match.undo, match.seats_of("zoe")) == ("casual", (0, 1))
    acting = told.game.to_act(match.state)
    moved = decide(match, "zoe", min(acting), told.game.fallback(match.state, min(acting)), at=10)
    match = evolve(match, moved)
    assert [
        (each.version, each.cost)
        for each in targets(match, 0, {1: child(forked(told, told.start + 1))}.__getitem__)
    ] == [(1, "free")]


def test_a_fork_to_play_on_from_waits_for_players_at_its_position() -> None:
    told = finished()
    match = child(forked(told, told.start + 1, undo="consent", seat=1))
    assert (match.status, match.seats[0].free, match.seats[1].player) == ("open", True, "zoe")
    match = evolve(match, decide(match, ANN, None, Join(), at=10))
    assert (match.status, match.state) == ("playing", told.past(told.start + 1).state)
    assert match.step is None


def test_nobody_forks_what_has_not_begun_or_a_seat_that_is_not_there() -> None:
    told = finished()
    with pytest.raises(WrongPhase) as early:
        forked(told, 1)
    with pytest.raises(Malformed) as elsewhere:
        forked(told, told.start, undo="off", seat=2)
    assert early.value.rule == elsewhere.value.rule == "match.10"


def test_a_running_match_is_forked_by_its_only_player_alone() -> None:
    alone = running(ANN, "bot", "bot")
    assert child(forked(alone, alone.start, ANN)).status == "playing"
    for told, player in ((running(ANN, BEN), ANN), (alone, BEN)):
        with pytest.raises(Forbidden) as refusal:
            forked(told, told.start, player)
        assert refusal.value.rule == "match.10"


def test_a_game_that_cannot_deal_anew_is_not_forked_while_it_runs() -> None:
    told = running(ANN, "bot", game="canary")
    with pytest.raises(UndoNotAllowed):
        forked(told, told.start, ANN)
    assert child(forked(finished("canary"), told.start)).state is not None


def test_a_fork_has_dice_and_shuffles_of_its_own() -> None:
    told = running(ANN, "bot")
    match = child(forked(told, told.start, ANN))
    for version in range(1, 20):
        mine, parents = (chance_for(each, version).pick(1 << 32) for each in (match, told.match))
        assert mine != parents


@pytest.mark.parametrize("game", ["tiny", "iliad", "cyclades"])
@pytest.mark.parametrize("seed", range(3))
def test_a_fork_of_a_running_match_keeps_what_its_player_sees_and_nothing_else(game: str, seed: int) -> None:
    rng = random.Random(f"redeal {game} {seed}")
    told = Told(game, (ANN, "bot", "bot", "bot"), seed=rng.randbytes(32).hex())
    told.when(ANN, Start())
    while told.match.status == "playing":
        told.play(rng.randint(3, 9), rng)
        match = child(forked(told, told.match.head, ANN)) if told.match.status == "playing" else None
        if match is not None:
            assert redact(match.state, Viewer(0)) == redact(told.match.state, Viewer(0))
            assert _cards(match.state) == _cards(told.match.state)
            for seat in told.game.to_act(match.state):
                assert told.game.moves(match.state, seat)


def _cards(state: Any) -> Counter[Any]:
    """Everything that lies anywhere, by its name."""
    found: Counter[Any] = Counter()
    waiting = [to_builtins(state)]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
        else:
            found[each] += 1
    return found


def test_dealt_anew_a_hidden_hand_is_the_true_one_at_chance_level_only() -> None:
    """Fault 50."""
    told = running(ANN, "bot", game="tiny", moves=0)
    truth = told.match.state.places[1].hand
    hits, trials = 0, 2000
    for trial in range(trials):
        fortune = KeyedChance(trial.to_bytes(4, "big"))
        state = TINY.redeal(told.match.state, frozenset({0}), fortune)
        hits += sum(card in truth for card in state.places[1].hand)
    unseen = len(truth) + len(told.match.state.deck)
    expected = trials * len(truth) * len(truth) / unseen
    assert abs(hits - expected) < 6 * (expected * 0.4) ** 0.5


def test_the_state_a_fork_begins_with_is_sealed_like_any_other() -> None:
    """Fault 38."""
    told = finished("iliad", (ANN, BEN))
    event = forked(told, told.start)
    words = codec(event.rules)
    public, parts = words.split(event)
    assert public["effects"][1]["type"] == "position_taken"
    assert public["effects"][1]["state"] == redact(told.past(told.start).state, Viewer())
    assert {"seat:0", "seat:1", "server"} == parts.keys()
    joined = words.join(public, list(parts.values()))
    assert evolve(None, joined) == child(event)
    assert redact(joined.effects[1].state, EVERYTHING) == redact(event.effects[1].state, EVERYTHING)


def test_a_fork_of_an_undone_version_has_that_state() -> None:
    told = Told("tiny", (ANN, ANN), undo="casual")
    told.when(ANN, Start())
    told.play(3)
    told.when(ANN, Undo(to=told.start), 0)
    version = told.match.version
    match = child(forked(told, version, ANN))
    assert match.parent == Parent("m1", version, "cm9vdA==")
    assert replace(match.state, deck=()) == replace(told.past(told.start).state, deck=())
