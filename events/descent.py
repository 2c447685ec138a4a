"""Descent: the first event of a match that comes from another one, a fork (match.10) or a rematch (match.17).

Without the parent, what the event tells of it is taken for granted, and all else must follow from that. With
the parent's log at hand, what it tells must be so. This knows the rules and no files, trees or signatures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from kleos.core.kernel import Malformed, Refused
from kleos.core.kernel.registry import pinned
from kleos.core.match import Event, Match, evolve, fork, rematch
from kleos.core.match.actions import Fork
from kleos.core.match.facts import Invited, MatchCreated
from kleos.core.match.state import Seat


def by_its_own_account(event: Event) -> Event:
    """The event that follows if what ``event`` tells of its parent is so.

    That is the position, the options and who held which seat. Raises ``Refused`` as the rules do, and
    ``ValueError`` if there is nothing to follow from.
    """
    created = _created(event)
    _playable(created)
    child = evolve(None, event)
    if isinstance(event.action, Fork):
        if created.parent is None or child.state is None:
            raise ValueError("a fork has a parent, and begins with a position of it")
        name, version = created.parent.match, event.action.at
        base = replace(child, id=name, version=version, status="finished")
        return _forked(event, base, base, created.parent.root)
    if created.rematch_of is None:
        raise ValueError("a rematch follows another match")
    held = {
        each.seat: Seat(each.seat, each.player)
        for each in event.effects
        if isinstance(each, Invited) and each.seat is not None
    }
    seats = tuple(held.get(each.seat, each) for each in child.seats)
    return _again(event, replace(child, id=created.rematch_of, status="finished", seats=seats))


def by_its_parent(event: Event, told: Sequence[Match], root: str | None) -> bool:
    """Whether the event follows from its parent, whose versions are ``told``, the first one first.

    ``root`` is that of the parent's tree at the version of a fork, in base64. Raises ``Refused`` for a
    rematch that the rules would not have had.
    """
    created = _created(event)
    if created.seed == told[0].seed:
        return False  # whoever saw the parent opened would know what is to come
    if isinstance(event.action, Fork):
        since = told[event.action.at - 1 :]
        return any(_is_forked(event, each, since[0], root or "") for each in _at_the_time(since, event.at))
    return event == _again(event, told[-1])


def _at_the_time(told: Sequence[Match], at: int) -> Iterator[Match]:
    """The parent as it may have stood at a time: over, or still being played.

    Clocks of two servers differ a little, so a parent that is over by the clock may not have been.
    """
    before = [each for each in told if each.updated_at <= at]
    yield from before[-1:]
    yield from [each for each in before if not each.opened][-1:]


def _is_forked(event: Event, parent: Match, base: Match, root: str) -> bool:
    try:
        return event == _forked(event, parent, base, root)
    except Refused:
        return False


def _forked(event: Event, parent: Match, base: Match, root: str) -> Event:
    seed, player = _created(event).seed, _player(event)
    return fork(event.match, player, parent, base, event.action, root=root, seed=seed, at=event.at)


def _again(event: Event, parent: Match) -> Event:
    return rematch(event.match, _player(event), parent, seed=_created(event).seed, at=event.at)


def _created(event: Event) -> MatchCreated:
    created = event.effects[0]
    if not isinstance(created, MatchCreated):
        raise ValueError("the first effect of a match creates it")
    return created


def _player(event: Event) -> str:
    if event.player is None:
        raise ValueError("a match is created by a player")
    return event.player


def _playable(created: MatchCreated) -> None:
    """``Malformed`` unless seats and options are such as a match of these rules can have."""
    game = pinned(created.rules)
    options: Any = msgspec.convert(created.options, game.Options)
    settled = msgspec.to_builtins(game.settle(options, created.seats))
    if created.seats not in game.seats or settled != created.options:
        raise Malformed("no match has these options, for so many seats", rule="match.1")
