"""Draws can be worked out by hand: from the secret alone, with SHA-256 and what docs/chance.md says."""

from __future__ import annotations

import hashlib
import hmac
import random
import struct
from collections.abc import Iterator

import pytest
import tiny

from kleos.core.kernel import choices
from kleos.core.match import HOUSE, Match, chance_for, create, decide, evolve, rematch, seats_to_act
from kleos.core.match.actions import Create, Join, Start
from kleos.core.match.facts import MatchEffect
from kleos.projections.draws import Draw, Stream, Witness, decided_again
from tests.core.match.telling import PLAYERS, SEED, Told


def words(stream: Stream) -> Iterator[int]:
    """The words of a stream, from what is written down of it and nothing else."""
    key = hmac.digest(bytes.fromhex(stream.secret), stream.message.encode(), hashlib.sha256)
    assert key.hex() == stream.key
    block = 0
    while True:
        label = stream.label.encode() + block.to_bytes(8, "big")
        yield from struct.unpack(">8I", hmac.digest(key, label, hashlib.sha256))
        block += 1


def worked_out(draw: Draw, source: Iterator[int]) -> Draw:
    """The draw again, from the words of its stream."""
    used: list[int] = []

    def below(n: int) -> int:
        while True:
            used.append(next(source))
            if used[-1] < (1 << 32) - (1 << 32) % n:
                return used[-1] % n

    if draw.kind == "shuffle":
        order = list(range(draw.of))
        for place in reversed(range(1, draw.of)):
            other = below(place + 1)
            order[place], order[other] = order[other], order[place]
        return Draw("shuffle", draw.of, order=tuple(order), words=tuple(used))
    value = below(draw.of) + (draw.kind == "die")
    return Draw(draw.kind, draw.of, value, words=tuple(used))


@pytest.mark.parametrize("game", ["tiny", "iliad", "cyclades"])
def test_every_draw_of_a_match_is_worked_out_from_its_stream(game: str) -> None:
    told = Told(game, PLAYERS[:2])
    told.when(PLAYERS[0], Start())
    told.play(1000, random.Random(game))
    seen = set()
    for before, event in zip([None, *told.matches], told.events, strict=False):
        witness, effects = decided_again(before, event)
        if witness is None:
            continue
        assert effects == tuple(each for each in event.effects if not isinstance(each, MatchEffect))
        sources = {each.source: words(each) for each in witness.streams}
        for draw in witness.draws:
            source = sources["dice" if draw.kind == "die" else "shuffles"]
            assert worked_out(draw, source) == draw
            seen.add(draw.kind)
    assert "shuffle" in seen
    assert ("die" in seen) == (game != "iliad")


def test_a_witness_gives_what_the_match_gave() -> None:
    told = Told("tiny", PLAYERS[:2])
    witness, chance = Witness(told.match, 9), chance_for(told.match, 9)
    drawn = (witness.die(6), witness.shuffle("abcdef"), witness.pick(5), witness.die(20))
    assert drawn == (chance.die(6), chance.shuffle("abcdef"), chance.pick(5), chance.die(20))
    assert [each.kind for each in witness.draws] == ["die", "shuffle", "pick", "die"]


def test_a_match_that_starts_in_its_first_event_hides_no_draw() -> None:
    witness, effects = decided_again(None, rematch("m2", "ann", of_bots(), seed=SEED, at=9))
    assert witness is not None
    assert effects
    assert [each.kind for each in witness.draws] == ["shuffle"]


def of_bots() -> Match:
    """A match of Tiny that two bots have played to its end."""
    layout = Create(game="tiny", rules="tiny/1", seats=2, options={}, seat=None)
    match = evolve(None, create("m1", "ann", layout, seed=SEED, at=1))
    for seat in (0, 1):
        match = evolve(match, decide(match, "ann", None, Join(seat=seat, bot="random"), at=2))
    while not match.opened:
        seat = seats_to_act(match)[0]
        move = choices(tiny.TINY, match.state, seat)[0].move
        match = evolve(match, decide(match, HOUSE, seat, move, at=3))
    return match
