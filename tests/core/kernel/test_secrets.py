"""Dealing hidden parts anew: what a viewer sees stays, what it does not see changes place with its like."""

from __future__ import annotations

from typing import Annotated

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from kleos.core.kernel import SPECTATOR, Counted, KeyedChance, Owned, Public, Secret, Viewer, redact
from kleos.core.kernel.conform.secrets import hidden, rearranged

Card = Annotated[int, Meta(ge=1, le=99)]
Gem = Annotated[int, Meta(ge=100)]


class Spell(Struct, frozen=True):
    name: Public[str]
    power: Public[int]


class Wizard(Struct, frozen=True):
    seat: Public[int]
    hand: Owned[Counted[tuple[Card, ...]]] = ()
    gems: Owned[Counted[tuple[Gem, ...]]] = ()
    spell: Owned[Spell | None] = None
    gold: Owned[int] = 0
    luck: Owned[int] = 0
    at: Secret[tuple[int, str]] = (0, "")


class Tower(Struct, frozen=True):
    wizards: Public[tuple[Wizard, ...]]
    deck: Secret[Counted[tuple[Card, ...]]] = ()


CHANCES = st.binary(min_size=8, max_size=8).map(KeyedChance)
TOWER = Tower(
    wizards=(
        Wizard(0, (1, 2, 3), (100,), Spell("fire", 3), gold=5, luck=50, at=(1, "n")),
        Wizard(1, (4, 5), (101, 102), Spell("ice", 4), gold=6, luck=60, at=(2, "s")),
        Wizard(2, (9, 6), (), None, gold=7, luck=70, at=(3, "w")),
    ),
    deck=(8, 7),
)


@given(CHANCES, st.sampled_from([Viewer(0), Viewer(1), Viewer(2), SPECTATOR]))
def test_the_viewer_sees_no_difference_and_nothing_is_lost(chance: KeyedChance, viewer: Viewer) -> None:
    """Fault 58."""
    other = rearranged(TOWER, viewer, chance)
    assert redact(other, viewer) == redact(TOWER, viewer)
    cards = [card for wizard in other.wizards for card in wizard.hand]
    assert sorted([*cards, *other.deck]) == list(range(1, 10))
    assert sorted(gem for wizard in other.wizards for gem in wizard.gems) == [100, 101, 102]


@given(CHANCES)
def test_things_change_places_with_their_like_alone(chance: KeyedChance) -> None:
    other = rearranged(TOWER, SPECTATOR, chance)
    assert {wizard.gold for wizard in other.wizards} == {5, 6, 7}
    assert {wizard.luck for wizard in other.wizards} == {50, 60, 70}
    assert {wizard.spell for wizard in other.wizards} == {wizard.spell for wizard in TOWER.wizards}
    assert {wizard.at for wizard in other.wizards} == {(1, "n"), (2, "s"), (3, "w")}


@given(CHANCES)
def test_hands_that_were_sorted_stay_sorted(chance: KeyedChance) -> None:
    other = rearranged(TOWER, SPECTATOR, chance)
    assert all(wizard.hand == tuple(sorted(wizard.hand)) for wizard in other.wizards[:2])


def test_what_is_hidden_is_found_by_its_place() -> None:
    found = {place.pointer: place.value for place in hidden(Tower, TOWER, Viewer(2))}
    assert found["/wizards/0/hand/1"] == 2
    assert found["/wizards/0/spell"] == {"name": "fire", "power": 3}
    assert found["/deck/0"] == 8
    assert found["/wizards/2/at"] == (3, "w")
    assert not any(pointer.startswith("/wizards/2") for pointer in found if not pointer.endswith("at"))


def test_where_nothing_is_hidden_nothing_changes() -> None:
    alone = Tower(wizards=(Wizard(0, (1, 2, 3)),))
    assert rearranged(alone, Viewer(0), KeyedChance(b"")) == alone
