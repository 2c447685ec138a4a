"""The chance of a match: vectors, chains, and what an event tells of them."""

import hashlib
import hmac
import json

from tiny import DiceRolled

from kleos.core.match import chance_for
from kleos.core.match.actions import Start, Undo
from kleos.core.match.chance import LINKS, anchor, dice, earlier, link, shuffles
from kleos.core.match.facts import DiceAnchored, DiceOpened
from tests.core.match.telling import Told

SEED = bytes(range(32)).hex()
MATCH = "4V0MTESTMATCH0000000000000"
ENTROPY = ["aGVjdG9y", ""]


def test_the_published_vectors_hold() -> None:
    """As in docs/chance.md; they stand for ever."""
    assert anchor(SEED, MATCH) == "4d597722a24a1200a7360098417a92784b36a3f87adbc47ab97c1ef3c1fdb358"
    assert link(SEED, MATCH, 1).hex() == "0dd33f083d01553b59a01f9cd53dec9f9cff2ada8c60d9193e66ef307dff757f"
    assert link(SEED, MATCH, 2048).hex() == "030abd4cd21e2a477f76fffe82653ada574d69a90efb1447b0812cffb9bf45d8"
    assert anchor(SEED, MATCH, 1) == "e45703733245c8f6242dfdd13ef236b1446025fd8a0590ef40b3fb21f1f347ba"
    thrown = dice(link(SEED, MATCH, 7), MATCH, 7, ENTROPY)
    assert [thrown.die(6) for _ in range(12)] == [5, 5, 2, 6, 5, 4, 1, 3, 6, 4, 3, 2]
    drawn = shuffles(SEED, MATCH, 7, ENTROPY)
    assert drawn.shuffle(range(10)) == (0, 3, 6, 7, 4, 5, 2, 1, 8, 9)
    assert drawn.pick(6) == 4


def test_the_keys_are_those_of_the_text() -> None:
    def mac(key: bytes, *fields: object) -> bytes:
        text = json.dumps(fields, separators=(",", ":")).encode()
        return hmac.new(key, text, hashlib.sha256).digest()

    last = mac(bytes.fromhex(SEED), "kleos/dice-chain/v1", MATCH, 0)
    assert link(SEED, MATCH, LINKS) == last
    before = hashlib.sha256(b"kleos/dice-link/v1" + last).digest()
    assert link(SEED, MATCH, LINKS - 1) == earlier(last) == before


def test_every_link_hashes_to_the_one_before_and_the_first_to_the_anchor() -> None:
    for chain in (0, 1):
        known = bytes.fromhex(anchor(SEED, MATCH, chain))
        for version in range(chain * LINKS + 1, (chain + 1) * LINKS + 1):
            found = link(SEED, MATCH, version)
            assert earlier(found) == known
            known = found


def test_other_seeds_matches_and_entropies_have_other_fortunes() -> None:
    def throw(seed: str = SEED, match: str = MATCH, version: int = 7, entropy: list[str] = ENTROPY) -> int:
        return dice(link(seed, match, version), match, version, entropy).die(1 << 32)

    def pick(seed: str = SEED, match: str = MATCH, version: int = 7, entropy: list[str] = ENTROPY) -> int:
        return shuffles(seed, match, version, entropy).pick(1 << 32)

    for fortune in (throw, pick):
        found = {
            fortune(),
            fortune(seed=SEED[::-1]),
            fortune(match="N"),
            fortune(version=8),
            fortune(entropy=["", "aGVjdG9y"]),
        }
        assert len(found) == 5


def test_a_roll_opens_its_link_and_nothing_else_does() -> None:
    told = Told()
    told.when("ann", Start())
    told.play(100)
    events = {each.version: each for each in told.events}
    opened = {
        version: effect.link
        for version, event in events.items()
        for effect in event.effects
        if isinstance(effect, DiceOpened)
    }
    rolled = [v for v, event in events.items() if any(isinstance(each, DiceRolled) for each in event.effects)]
    assert list(opened) == rolled != []
    entropy = [each.entropy for each in told.match.seats]
    known, at = bytes.fromhex(told.events[0].effects[0].dice), 0
    for version, text in opened.items():
        shown = bytes.fromhex(text)
        assert earlier(shown, version - at) == known
        roll = next(each for each in events[version].effects if isinstance(each, DiceRolled))
        assert dice(shown, told.match.id, version, entropy).die(6) == roll.die
        known, at = shown, version


def test_faults_54_and_55_what_is_known_before_a_roll_foretells_it_no_better_than_chance() -> None:
    """An adversary who knows the anchor, all links opened so far, the match and all entropy throws dice under
    each of these keys; with one that told something, its guesses would all be right."""
    told = Told()
    entropy = [each.entropy for each in told.match.seats]
    seed, rolls, match = told.match.seed, 1200, told.match.id
    known = bytes.fromhex(anchor(seed, match))
    hits = {"the anchor": 0, "the link before": 0}
    for version in range(1, rolls + 1):
        fallen = dice(link(seed, match, version), match, version, entropy).die(6)
        before = link(seed, match, version - 1) if version > 1 else known
        hits["the anchor"] += dice(known, match, version, entropy).die(6) == fallen
        hits["the link before"] += dice(before, match, version, entropy).die(6) == fallen
    deviation = (rolls * 1 / 6 * 5 / 6) ** 0.5
    for source, right in hits.items():
        assert abs(right - rolls / 6) < 4 * deviation, (source, right)


def test_a_long_match_anchors_its_next_chain_with_the_last_version_of_the_one_before() -> None:
    told = Told(undo="casual")
    told.when("ann", Start())
    while told.match.version < 2 * LINKS:
        told.step()
        told.when("ann", Undo(to=told.start), 0)
    anchored = {
        event.version: effect.anchor
        for event in told.events
        for effect in event.effects
        if isinstance(effect, DiceAnchored)
    }
    assert anchored == {chain * LINKS: anchor(told.match.seed, told.match.id, chain) for chain in (1, 2)}


def test_the_chance_of_a_version_is_that_of_its_link_and_its_seed() -> None:
    """Fault 74."""
    match = Told(entropy="aGVjdG9y").match
    entropy = [each.entropy for each in match.seats]
    chance = chance_for(match, 7)
    assert not chance.rolled
    drawn = shuffles(match.seed, match.id, 7, entropy)
    assert (chance.shuffle("abcdef"), chance.pick(9)) == (drawn.shuffle("abcdef"), drawn.pick(9))
    assert not chance.rolled
    assert chance.die(20) == dice(link(match.seed, match.id, 7), match.id, 7, entropy).die(20)
    assert chance.rolled
    assert chance.link == link(match.seed, match.id, 7)
